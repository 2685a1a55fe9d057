"""Kept proofs: which hold for what, how they are read and written, and how a new one is asked for."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from generator.package.manifest import read_manifest, whole_digest
from generator.workflows.proof import sealed
from tests.support.files import Script
from tests.support.proofs import PROVE, REPORT, RIGHT, checked, codes, judged, proof, proof_file, report, runs
from tests.support.runs import JUDGE, Bench, account
from tests.support.scenarios import write_scenario

NO_DIGEST = f"sha256:{'0' * 64}"

pytestmark = pytest.mark.sandbox


def test_what_says_nothing_replaces_no_proof_and_what_contradicts_does(bench: Bench) -> None:
    judged(bench, "failed")
    assert bench.run(*PROVE, "--reviewer", "./judge.py").code == 0
    good = proof_file(bench).read_bytes()
    judged(bench, "review")
    assert bench.run(*PROVE, "--reviewer", "./judge.py").code == 1
    assert proof_file(bench).read_bytes() == good
    bench.script(JUDGE.replace("good = False", "good = True"), "judge.py")
    assert bench.run(*PROVE, "--reviewer", "./judge.py").code == 1
    assert proof(bench)["reasons"] == ["proof_nop_passes"]
    ran = bench.run(*PROVE, "--check", "--json")
    assert (ran.code, codes(ran)) == (1, ["proof_negative"])


def test_stale_leaves_alone_what_has_a_proof_that_holds(bench: Bench) -> None:
    checked(bench)
    assert bench.run(*PROVE, "--stale").code == 0
    assert runs(bench) == 3
    again = bench.run(*PROVE, "--stale")
    assert (again.code, runs(bench)) == (0, 3)
    assert again.err == "sum-ledger: proven already\n"
    assert "proven already\n1 package: 1 proven already\n" in again.out
    assert bench.run(*PROVE, "--stale", "--repeat", "2").code == 0
    assert runs(bench) == 9
    assert bench.run(*PROVE, "--stale").code == 0
    assert runs(bench) == 9
    checked(bench, RIGHT + " # changed")
    assert bench.run(*PROVE, "--stale").code == 0
    assert runs(bench) == 12


def test_another_reviewer_makes_a_proof_stale(bench: Bench) -> None:
    judged(bench, "failed")
    assert bench.run(*PROVE, "--reviewer", "./judge.py").code == 0
    assert bench.run(*PROVE, "--check", "--reviewer", "./judge.py").code == 0
    other = bench.script(JUDGE + "# other\n", "other.py")
    ran = bench.run(*PROVE, "--check", "--json", "--reviewer", other)
    assert (ran.code, codes(ran)) == (1, ["proof_stale"])


class TestCheck:
    """`prove --check`: runs nothing, writes nothing, and believes no file that does not fit."""

    @pytest.fixture
    def proven(self, bench: Bench) -> Bench:
        checked(bench)
        assert bench.run(*PROVE).code == 0
        return bench

    def verdict(self, bench: Bench, *arguments: str) -> tuple[int, list[str]]:
        before = runs(bench)
        ran = bench.run(*(arguments or PROVE), "--check", "--json")
        assert runs(bench) == before
        return ran.code, codes(ran)

    def change(self, bench: Bench, *, seal: bool, **members: Any) -> None:
        changed = {**proof(bench), **members}
        proof_file(bench).write_text(json.dumps(sealed(changed) if seal else changed))

    def test_a_proof_that_holds_is_good_for_scenario_and_package(self, proven: Bench) -> None:
        assert self.verdict(proven) == (0, [])
        assert self.verdict(proven, "prove", str(proven.package)) == (0, [])
        assert self.verdict(proven, *PROVE, "--backend", "local") == (0, [])

    def test_it_needs_no_package_on_disk_and_makes_none(self, proven: Bench) -> None:
        shutil.rmtree(proven.package)
        assert self.verdict(proven) == (0, [])
        assert not proven.package.exists()

    @pytest.mark.parametrize("more", [("--repeat", "2"), ("--backend", "harbor")])
    def test_a_proof_of_less_than_is_asked_for_does_not_hold(self, proven: Bench, more: tuple[str, ...]) -> None:
        assert self.verdict(proven, *PROVE, *more) == (1, ["proof_stale"])

    def test_a_package_without_a_proof_fails(self, proven: Bench) -> None:
        proof_file(proven).unlink()
        assert self.verdict(proven) == (1, ["proof_missing"])

    def test_a_scenario_that_changed_has_no_proof_any_more(self, proven: Bench) -> None:
        checked(proven, RIGHT + " # changed")
        assert self.verdict(proven) == (1, ["proof_stale"])

    @pytest.mark.parametrize("setting", ['org = "other"', 'authors = ["Ada Example"]'])
    def test_settings_that_stand_in_packages_leave_them_without_a_proof(self, proven: Bench, setting: str) -> None:
        settings = proven.folder / "harborsmith.toml"
        settings.write_text(f"{setting}\n")
        assert self.verdict(proven) == (1, ["proof_stale"])
        settings.write_text('fail-on = ["warning"]\n')
        assert self.verdict(proven) == (0, [])

    def test_a_package_that_was_edited_is_not_looked_up(self, proven: Bench) -> None:
        with (proven.package / "instruction.md").open("a") as stream:
            stream.write("Or do not.\n")
        assert self.verdict(proven, "prove", str(proven.package)) == (1, ["package_edited"])

    def test_a_manifest_that_states_the_digest_of_the_proven_package_does_not_help(self, proven: Bench) -> None:
        manifest = proven.package / "manifest.json"
        before = json.loads(manifest.read_text())["digests"]["whole"]
        checked(proven, RIGHT + " # changed")
        proven.run("generate")
        changed = json.loads(manifest.read_text())
        changed["digests"]["whole"] = before
        manifest.write_text(json.dumps(changed))
        assert self.verdict(proven, "prove", str(proven.package)) == (1, ["proof_stale"])

    def test_a_digest_written_by_hand_does_not_pass(self, proven: Bench) -> None:
        checked(proven, RIGHT + " # changed")
        proven.run("generate")
        records = read_manifest(str(proven.package), "sum-ledger")
        assert not isinstance(records, str)
        package = {**proof(proven)["package"], "digest": whole_digest(records)}
        self.change(proven, seal=False, package=package)
        assert self.verdict(proven) == (1, ["proof_invalid"])

    @pytest.mark.parametrize(
        ("members", "expected"),
        [
            (
                {"package": {"format": "harborsmith_package_v1", **dict.fromkeys(("digest", "modes"), NO_DIGEST)}},
                "proof_stale",
            ),
            ({"package": {"format": "harborsmith_package_v1", "digest": NO_DIGEST}}, "proof_invalid"),
            ({"scenario": {"id": "other", "version": None}}, "proof_stale"),
            ({"version": "harborsmith_proof_v0"}, "proof_invalid"),
            ({"repeat": 2}, "proof_invalid"),
            ({"reference": False}, "proof_invalid"),
            ({"outcomes": []}, "proof_invalid"),
            ({"proven": False}, "proof_invalid"),
            ({"backend": "elsewhere"}, "proof_invalid"),
            ({"reasons": ["proof_flaky"]}, "proof_invalid"),
            ({"isolation": {"level": "none"}}, "proof_invalid"),
            ({"reviewer": {"source": "option", "sha256": "0" * 64}}, "proof_stale"),
        ],
        ids=lambda value: next(iter(value)) if isinstance(value, dict) else value,
    )
    def test_a_proof_that_was_edited_and_sealed_anew_does_not_pass(
        self, proven: Bench, members: dict[str, Any], expected: str
    ) -> None:
        self.change(proven, seal=True, **members)
        assert self.verdict(proven) == (1, [expected])

    @pytest.mark.parametrize(
        ("agent", "members"),
        [
            (2, {"expected": 1}),
            (0, {"failureKind": "agent_timeout"}),
            (1, {"failureKind": "goal_mismatch"}),
            (2, {"score": 0.0}),
            (2, {"runId": "sum-ledger-000000000000"}),
        ],
    )
    def test_a_run_that_contradicts_itself_does_not_pass(
        self, proven: Bench, agent: int, members: dict[str, Any]
    ) -> None:
        outcomes = proof(proven)["outcomes"]
        outcomes[0]["runs"][0]["runId"] = "sum-ledger-000000000000"
        changed = outcomes[agent] if "expected" in members else outcomes[agent]["runs"][0]
        changed |= members
        self.change(proven, seal=True, outcomes=outcomes)
        assert self.verdict(proven) == (1, ["proof_invalid"])

    @pytest.mark.parametrize("what", ["a reference", "the format", "the adversary"])
    def test_a_proof_of_less_than_there_is_now_does_not_hold(self, proven: Bench, what: str) -> None:
        made = proof(proven)
        members: dict[str, dict[str, Any]] = {
            "a reference": {"reference": False, "outcomes": [made["outcomes"][0], made["outcomes"][2]]},
            "the format": {"package": {**made["package"], "format": "harborsmith_package_v0"}},
            "the adversary": {"versions": {**made["versions"], "adversary": "0" * 64}},
        }
        self.change(proven, seal=True, **members[what])
        assert self.verdict(proven) == (1, ["proof_stale"])

    def test_a_failure_that_was_edited_into_a_proof_does_not_pass(self, bench: Bench) -> None:
        checked(bench, "true")
        assert bench.run(*PROVE).code == 1
        self.change(bench, seal=True, proven=True, reasons=[])
        assert self.verdict(bench) == (1, ["proof_invalid"])

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"version": "harborsmith_proof_v1"}', '{"proven": true}', "\0"])
    def test_a_damaged_proof_is_said_to_be_one(self, proven: Bench, text: str) -> None:
        proof_file(proven).write_text(text)
        assert self.verdict(proven) == (1, ["proof_invalid"])

    @pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/etc/passwd", path)])
    def test_what_is_no_file_is_no_proof_and_holds_nothing_up(self, proven: Bench, make: Any) -> None:
        proof_file(proven).unlink()
        make(str(proof_file(proven)))
        assert self.verdict(proven) == (1, ["proof_invalid"])

    def test_scenarios_that_are_broken_or_not_there_are_told_as_elsewhere(self, proven: Bench) -> None:
        assert self.verdict(proven, "prove", "--scenario", "sum-leger") == (3, ["selection_unknown_scenario"])
        write_scenario(proven.folder / "scenarios" / "broken", {"id": "broken"})
        code, found = self.verdict(proven, "prove", "--all")
        assert (code, "field_missing" in found) == (1, True)
        assert self.verdict(proven, "prove", "nowhere") == (2, ["package_missing"])


@pytest.mark.parametrize("kind", ["a file", "a link", "a folder in its place"])
def test_a_proof_that_cannot_be_written_is_an_error_of_the_machine(bench: Bench, kind: str) -> None:
    checked(bench)
    out, elsewhere = bench.folder / "generated", bench.folder / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    if kind == "a file":
        (out / "proofs").write_text("")
    elif kind == "a link":
        (out / "proofs").symlink_to(elsewhere)
    else:
        proof_file(bench).mkdir(parents=True)
        (proof_file(bench) / "kept").touch()
    ran = bench.run(*PROVE, "--json")

    assert (ran.code, codes(ran)) == (4, ["proof_not_written"])
    assert list(elsewhere.iterdir()) == []


def test_a_link_at_the_temporary_name_of_a_proof_leads_no_writing_elsewhere(bench: Bench) -> None:
    checked(bench)
    precious = bench.folder / "precious"
    precious.write_text("mine")
    proof_file(bench).parent.mkdir(parents=True)
    Path(f"{proof_file(bench)}.tmp").symlink_to(precious)

    assert bench.run(*PROVE).code == 0
    assert precious.read_text() == "mine"
    assert [path.name for path in proof_file(bench).parent.iterdir()] == ["sum-ledger.json"]


@pytest.mark.parametrize("target", ["elsewhere", "nowhere"])
def test_proofs_behind_a_link_are_none(bench: Bench, target: str) -> None:
    checked(bench)
    assert bench.run(*PROVE).code == 0
    folder = proof_file(bench).parent
    folder.rename(bench.folder / "elsewhere")
    folder.symlink_to(bench.folder / target)
    ran = bench.run(*PROVE, "--check", "--json")

    assert (ran.code, codes(ran)) == (1, ["proof_invalid"])


def test_the_settings_of_a_pack_hold_here_as_in_generate(bench: Bench) -> None:
    checked(bench)
    (bench.folder / "harborsmith.toml").write_text('org = "acme"\nauthors = ["Ada Example"]\nout = "made"\n')
    assert bench.run("generate").code == 0
    made = bench.folder / "made" / "harbor" / "tasks" / "sum-ledger" / "manifest.json"
    before = made.read_bytes()
    assert bench.run(*PROVE).code == 0
    assert made.read_bytes() == before
    assert (bench.folder / "made" / "proofs" / "sum-ledger.json").is_file()
    assert bench.run(*PROVE, "--check").code == 0


def test_a_new_pack_keeps_its_proofs_in_git_and_nothing_else_that_was_made(bench: Bench) -> None:
    assert bench.run("init").code == 0
    subprocess.run(["git", "init", "-q"], cwd=bench.folder, check=True)
    made = ["generated/proofs/sum-ledger.json", "generated/harbor/tasks/sum-ledger/task.toml", "generated/runs/x"]
    asked = subprocess.run(
        ["git", "check-ignore", *made], cwd=bench.folder, capture_output=True, text=True, check=False
    )

    assert asked.stdout.splitlines() == made[1:]


def test_the_hint_of_a_missing_proof_is_a_command_that_makes_it(bench: Bench) -> None:
    checked(bench)
    bench.run("generate")
    place = "generated/harbor/tasks/sum-ledger"
    for words in (("--scenario", "sum-ledger"), (place,)):
        (finding,) = report(bench.run("prove", *words, "--check", "--json"))["packages"][0]["findings"]
        assert finding["hint"].split() == ["harborsmith", "prove", *words]
        assert bench.run(*finding["hint"].split()[1:]).code == 0
        assert bench.run("prove", *words, "--check").code == 0
        proof_file(bench).unlink()


CONFIGURED = 'scenario-dir = "tasks"\nout = "made"\norg = "acme"\nauthors = ["Ada Example"]\n'


@pytest.mark.parametrize(
    "typed", [(), ("--out", "./made"), ("--org", "local"), ("--out", "generated", "--author", "Bob Example")]
)
def test_the_hint_leaves_out_what_the_settings_say_and_names_what_they_do_not(
    bench: Bench, typed: tuple[str, ...]
) -> None:
    checked(bench)
    (bench.folder / "scenarios").rename(bench.folder / "tasks")
    (bench.folder / "harborsmith.toml").write_text(CONFIGURED)
    (finding,) = report(bench.run("prove", "--all", *typed, "--check", "--json"))["packages"][0]["findings"]
    needed = () if "./made" in typed else typed
    assert shlex.split(finding["hint"]) == ["harborsmith", *PROVE, *needed]
    assert bench.run(*shlex.split(finding["hint"])[1:]).code == 0
    assert bench.run("prove", "--all", *typed, "--check").code == 0
    place = bench.folder / ("generated" if "generated" in typed else "made") / "harbor/tasks/sum-ledger"
    (place / "instruction.md").write_text("Do nothing.\n")
    edited = bench.run("prove", "--all", *typed).err
    assert f"`{shlex.join(['harborsmith', 'generate', *PROVE[1:], *needed, '--force'])}`" in edited
    drifted = bench.run("generate", "--check", *typed).out
    assert f"{shlex.join(['harborsmith', 'generate', *PROVE[1:], *needed])} --force\n" in drifted
    shutil.rmtree(place)
    assert bench.run("generate", *typed).code == 0
    (finding,) = report(bench.run("prove", str(place), "--repeat", "2", *typed, "--check", "--json"))["packages"][0][
        "findings"
    ]
    out = ("--out", "generated") if "generated" in typed else ()
    assert shlex.split(finding["hint"]) == ["harborsmith", "prove", str(place), *out, "--repeat", "2"]


def test_what_new_scenario_suggests_leaves_out_what_the_settings_say(bench: Bench) -> None:
    (bench.folder / "harborsmith.toml").write_text(CONFIGURED)
    ran = bench.run("new", "scenario", "mine")
    assert "harborsmith validate --scenario mine\n" in ran.out
    assert (
        "--scenario-dir scenarios --scenario other\n"
        in bench.run("new", "scenario", "other", "--scenario-dir", "scenarios").out
    )


def test_the_hint_names_the_folders_that_are_not_the_usual_ones(bench: Bench) -> None:
    checked(bench)
    (bench.folder / "scenarios").rename(bench.folder / "tasks")
    words = ("--scenario-dir", "tasks", "--out", "made")
    (finding,) = report(bench.run("prove", "--all", *words, "--check", "--json"))["packages"][0]["findings"]
    assert finding["hint"] == "harborsmith prove --scenario-dir tasks --scenario sum-ledger --out made"


def test_the_hint_asks_for_the_proof_that_the_check_asked_for(bench: Bench) -> None:
    judged(bench, "failed")
    made = ("--org", "acme", "--author", "Ada Example")
    how = ("--repeat", "2", "--reviewer", "./judge.py")
    ran = bench.run(*PROVE, *made, *how, "--check", "--json")
    (finding,) = report(ran)["packages"][0]["findings"]

    assert shlex.split(finding["hint"]) == ["harborsmith", *PROVE, *made, *how]
    assert bench.run(*shlex.split(finding["hint"])[1:]).code == 0
    assert bench.run(*PROVE, *made, *how, "--check").code == 0
    through_harbor = bench.run("prove", str(bench.package), "--check", "--backend", "harbor", "--json")
    (finding,) = report(through_harbor)["packages"][0]["findings"]
    assert shlex.split(finding["hint"]) == ["harborsmith", "prove", str(bench.package), "--backend", "harbor"]


@pytest.mark.parametrize("backend", [(), ("--backend", "local"), ("--backend", "harbor")])
def test_a_reviewer_that_is_not_there_judged_nothing(bench: Bench, backend: tuple[str, ...]) -> None:
    judged(bench, "failed")
    assert bench.run(*PROVE, "--reviewer", "./judge.py").code == 0
    ran = bench.run(*PROVE, "--check", *backend, "--reviewer", "./jugde.py", "--json")

    assert (ran.code, codes(ran), report(ran)["packages"]) == (2, ["reviewer_not_found"], [])
    stale = bench.run(*PROVE, "--stale", "--json", env={"RUHROH_EVAL_COMMAND": "./jugde.py"})
    assert (stale.code, codes(stale), runs(bench)) == (2, ["reviewer_not_found"], 3)


def test_a_package_that_is_named_twice_is_checked_once(bench: Bench) -> None:
    checked(bench)
    assert bench.run(*PROVE).code == 0
    shutil.copytree(bench.package, bench.folder / "other")
    words = ("other", str(bench.package), "none", "none", "--scenario", "sum-ledger")
    ran = bench.run("prove", *words, "--check", "--json")

    assert [entry["status"] for entry in report(ran)["packages"]] == ["proven", "invalid"]
    assert codes(ran) == ["package_missing"]


@pytest.mark.parametrize("named", [("--scenario", "sum-ledger"), ("generated/harbor/tasks/sum-ledger",)])
def test_a_proof_does_not_hold_once_a_file_is_no_longer_executable(bench: Bench, named: tuple[str, ...]) -> None:
    tool = Script(f"#!/bin/sh\nexec {RIGHT}\n")
    checked(bench, "./tool.sh", assets=["assets/ledger.csv", "tool.sh"], extra={"tool.sh": tool})
    assert bench.run(*PROVE).code == 0
    (bench.folder / "scenarios/sum-ledger/tool.sh").chmod(0o644)
    assert bench.run("generate", "--scenario", "sum-ledger").code == 0
    ran = bench.run("prove", *named, "--check", "--json")

    assert (ran.code, codes(ran)) == (1, ["proof_stale"])
    assert codes(bench.run(*PROVE, "--stale", "--json")) == ["proof_reference_fails"]


def test_packages_of_one_scenario_are_told_apart_by_their_directories(bench: Bench) -> None:
    checked(bench)
    assert bench.run("generate", "--out", "old").code == 0
    checked(bench, RIGHT + " # changed")
    assert bench.run(*PROVE).code == 0
    old, new = "old/harbor/tasks/sum-ledger", "generated/harbor/tasks/sum-ledger"
    ran = bench.run("prove", old, new, "--check")
    rows = {line.split()[1]: line.split("  ")[-1].strip() for line in ran.out.splitlines() if "sum-ledger (" in line}

    assert rows == {f"({old})": "not proven", f"({new})": "proven"}


def own_reviewer(bench: Bench, text: str) -> None:
    """A scenario that ships with a reviewer."""
    extra = {"solution/report.json": REPORT, "reviewer/judge.py": Script(text)}
    own = {"path": "reviewer", "command": ["python3", "{reviewer}/judge.py"]}
    bench.scenario(extra, solution="solution", evaluation__reviewer=own)


def test_a_proof_by_another_reviewer_says_nothing_about_the_packages_own(bench: Bench) -> None:
    own_reviewer(bench, JUDGE)
    option = ("--reviewer", bench.script(JUDGE + "# other\n", "judge.py"))
    assert bench.run(*PROVE, *option).code == 0
    assert bench.run(*PROVE, *option, "--check").code == 0
    ran = bench.run(*PROVE, "--check", "--json")
    assert (ran.code, codes(ran)) == (1, ["proof_stale"])
    assert bench.run(*PROVE, "--stale").code == 0
    assert runs(bench) == 6
    assert bench.run(*PROVE, "--check", env={"RUHROH_EVAL_COMMAND": "./judge.py"}).code == 0
    ran = bench.run(*PROVE, *option, "--check", "--json")
    assert (ran.code, codes(ran)) == (1, ["proof_stale"])


def test_a_proof_that_succeeds_after_it_failed_is_flaky_until_the_failure_is_removed(bench: Bench) -> None:
    bench.script(JUDGE.replace("good = False", f"good = os.path.exists({str(bench.folder / 'lax')!r})"), "judge.py")
    bench.scenario({"solution/report.json": REPORT}, solution="solution")
    (bench.folder / "lax").touch()
    how = (*PROVE, "--reviewer", "./judge.py", "--json")
    assert codes(bench.run(*how)) == ["proof_nop_passes"]
    negative = proof_file(bench).read_bytes()
    (bench.folder / "lax").unlink()
    ran = bench.run(*how)
    assert (ran.code, codes(ran), proof_file(bench).read_bytes()) == (1, ["proof_flaky"], negative)
    proof_file(bench).unlink()
    assert bench.run(*how, "--repeat", "2").code == 0
    assert bench.run(*how).code == 0
    assert proof(bench)["repeat"] == 2


@pytest.mark.parametrize("words", ["--check", "--stale"])
def test_a_verdict_that_nobody_reached_is_refused_before_proofs_are_looked_at(bench: Bench, words: str) -> None:
    checked(bench)
    ran = bench.run(*PROVE, words, "--json", env={"RUHROH_EVAL_RESULT_FIXTURE": "{}"})

    assert (ran.code, codes(ran)) == (2, ["review_fixture_configured"])


def test_a_package_that_may_not_be_read_is_an_error_of_the_machine() -> None:
    who = account("ordinary user")
    with who.folder() as folder:
        bench = Bench(folder, who)
        checked(bench)
        bench.run("generate")
        (bench.package / "instruction.md").chmod(0)
        ran = bench.run("prove", str(bench.package), "--check", "--json")

    assert (ran.code, codes(ran)) == (4, ["package_unreadable"])
