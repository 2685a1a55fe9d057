"""`prove` finds what can be passed without work, says why a package is not proven, and keeps proofs to be checked."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from generator.package.manifest import read_manifest, whole_digest
from generator.resources import data_folder
from generator.workflows.proof import sealed
from tests.support.repository import ROOT
from tests.support.runs import JUDGE, Bench, Ran, account, alive
from tests.unit.schemas.shipped import wordy

pytestmark = pytest.mark.sandbox

RIGHT = """python3 -I -c "import json; assert json.load(open('report.json')) == {'total': 14.0}" """
REPORT = '{"total": 14.00}'
PROVE = ("prove", "--scenario", "sum-ledger")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def checked(bench: Bench, command: str = RIGHT, *, solution: Mapping[str, str] | None = None, **changes: Any) -> None:
    """Write a scenario with one check, and the reference solution that is right; `solution={}` leaves it out."""
    files = {"report.json": REPORT} if solution is None else solution
    extra: dict[str, str] = dict(changes.pop("extra", {}))
    extra |= {f"solution/{name}": text for name, text in files.items()}
    made = {"evaluation": {"mode": "checks", "checks": [{"id": "the-check", "command": command}]}, **changes}
    bench.scenario(extra, **made, **({"solution": "solution"} if files else {}))


def proof(bench: Bench) -> dict[str, Any]:
    """The kept proof, which is what its schema says."""
    document: dict[str, Any] = json.loads(proof_file(bench).read_text())
    assert [error.message for error in wordy("proof").iter_errors(document)] == []
    return document


def proof_file(bench: Bench) -> Path:
    return bench.folder / "generated" / "proofs" / "sum-ledger.json"


def report(ran: Ran) -> dict[str, Any]:
    """The report, which is what its schema says."""
    document: dict[str, Any] = json.loads(ran.out)
    assert [error.message for error in wordy("prove-report").iter_errors(document)] == []
    return document


def codes(ran: Ran) -> list[str]:
    """What is said against the only package, or against its being one."""
    told = report(ran)
    return [finding["code"] for entry in (*told["packages"], told) for finding in entry["findings"]]


def scores(document: Mapping[str, Any]) -> dict[str, list[int | None]]:
    return {entry["agent"]: [run["score"] for run in entry["runs"]] for entry in document["outcomes"]}


def runs(bench: Bench) -> int:
    return len(list((bench.folder / "generated" / "runs" / "sum-ledger").iterdir()))


def test_every_bundled_scenario_is_proven(bench: Bench) -> None:
    reviewer = f"/usr/bin/python3 {data_folder('templates') / 'demo' / 'reviewer.py'}"
    place = ("--scenario-dir", str(data_folder("scenarios")))
    ran = bench.run("prove", "--all", *place, "--json", env={"RUHROH_EVAL_COMMAND": reviewer})
    bundled = sorted(path.parent.name for path in data_folder("scenarios").glob("*/scenario.json"))

    assert ran.code == 0, ran.out
    found = {entry["id"]: scores(entry) for entry in report(ran)["packages"]}
    assert found == {name: {"nop": [0], "oracle": [1], "adversary": [0]} for name in bundled}
    assert bench.run("prove", "--all", *place, "--check").code == 0


def test_a_proof_says_what_was_tried_with_what_and_names_no_place_of_this_machine(bench: Bench) -> None:
    checked(bench, metadata={"scenarioVersion": "1.2.0"})
    ran = bench.run(*PROVE, "--repeat", "2")

    assert ran.code == 0, ran.err
    made = proof(bench)
    assert scores(made) == {"nop": [0, 0], "oracle": [1, 1], "adversary": [0, 0]}
    assert (made["proven"], made["reasons"], made["repeat"], made["reference"]) == (True, [], 2, True)
    assert (made["scenario"], made["backend"]) == ({"id": "sum-ledger", "version": "1.2.0"}, "local")
    manifest = json.loads((bench.package / "manifest.json").read_text())
    assert made["package"] == {"format": manifest["packageFormat"], "digest": manifest["digests"]["whole"]}
    assert (made["isolation"]["level"], made["reviewer"], made["versions"]["harbor"]) == ("bubblewrap", None, None)
    assert [limit["name"] for limit in made["limits"]] == ["run.timeoutSeconds", "timeoutSeconds of check the-check"]
    assert not any(place in proof_file(bench).read_text() for place in (str(bench.folder), str(ROOT), "/tmp"))
    assert "sum-ledger  0 0  1 1     0 0        proven\n" in ran.out
    assert "1 package: 1 proven\n" in ran.out
    assert "sum-ledger: adversary scored 0 0 (" in ran.err


@pytest.mark.parametrize(
    ("command", "solution", "reasons"),
    [
        pytest.param("true", None, ["proof_nop_passes", "proof_adversary_passes"], id="a check that always holds"),
        pytest.param(RIGHT, {"report.json": "{}"}, ["proof_reference_fails"], id="a solution that is wrong"),
        pytest.param(
            "grep -q 1 /logs/verifier/reward.txt", None, ["proof_reference_fails"], id="a reward that nobody writes"
        ),
        pytest.param("grep -q passed reward.json", {"reward.json": "passed"}, None, id="a reward file"),
        pytest.param(
            """python3 -I -c "import json; assert json.load(open('result.json'))['status'] == 'passed'" """,
            {"result.json": '{"status": "passed"}'},
            None,
            id="a result that states its own status",
        ),
        pytest.param("test -s report.json", None, None, id="a file that the task names"),
        pytest.param("test -d answers/made", {"answers/made/x": ""}, [], id="a folder behind a planted link"),
    ],
)
def test_a_scenario_that_measures_nothing_is_not_proven(
    bench: Bench, command: str, solution: Mapping[str, str] | None, reasons: list[str] | None
) -> None:
    checked(bench, command, solution=solution)
    ran = bench.run(*PROVE, "--json")
    expected = ["proof_adversary_passes"] if reasons is None else reasons

    assert (ran.code, codes(ran)) == (int(bool(expected)), expected)
    assert (proof(bench)["proven"], proof(bench)["reasons"]) == (not expected, expected)


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("total.py", "print(14.0)", "python3 total.py"),
        ("total.sh", "echo 14.0", "bash total.sh"),
        ("test_total.py", "import unittest\nassert open('report.json').read()\n", "python3 test_total.py"),
    ],
)
def test_a_check_that_believes_an_exit_status_is_passed_by_the_adversary(
    bench: Bench, name: str, text: str, command: str
) -> None:
    extra = {"instruction.md": "Write `total.py`, or `total.sh`, whose tests are in test_total.py.\n"}
    checked(bench, command, extra=extra, solution={name: text, "report.json": REPORT})

    assert codes(bench.run(*PROVE, "--json")) == ["proof_adversary_passes"]


@pytest.mark.parametrize(("restore", "expected"), [([], ["proof_adversary_passes"]), (["tests"], [])])
def test_tests_that_the_agent_can_empty_prove_nothing_and_restored_ones_do(
    bench: Bench, restore: list[str], expected: list[str]
) -> None:
    test = "import json, unittest\nassert json.load(open('report.json')) == {'total': 14.0}\n"
    command = "python3 -I -B -c \"exec(open('tests/test_total.py').read())\""
    check = {"id": "given", "command": command, "restore": restore}
    files = {"tests/test_total.py": test}
    checked(bench, assets=["assets/ledger.csv", "tests"], extra=files, evaluation={"mode": "checks", "checks": [check]})

    assert codes(bench.run(*PROVE, "--json")) == expected


def test_a_program_that_forges_only_when_a_reviewer_runs_it_scores_nothing(bench: Bench) -> None:
    starts = 'import os, subprocess, sys\nhelper = os.environ["HARBORSMITH_SUBMISSION"]\n'
    starts += 'subprocess.run([sys.executable, helper, "--", "python3", "total.py"])\n'
    bench.script(JUDGE.replace("import json, os\n", "import json, os\n" + starts), "judge.py")
    prompt = {"instruction.md": "Write total.py, which writes the total of assets/ledger.csv to report.json.\n"}
    program = f"open('report.json', 'w').write('{REPORT}')"
    bench.scenario({**prompt, "solution/total.py": program, "solution/report.json": REPORT}, solution="solution")
    ran = bench.run(*PROVE, "--reviewer", "./judge.py")

    assert ran.code == 0, ran.out + ran.err
    assert proof(bench)["reviewer"]["source"] == "option"


def test_a_package_without_a_reference_is_proven_as_far_as_that_goes_and_the_table_says_so(bench: Bench) -> None:
    checked(bench, solution={})
    ran = bench.run(*PROVE)

    assert ran.code == 0
    assert "sum-ledger  0    -       0          proven (no reference: only nop and adversary)\n" in ran.out
    assert (proof(bench)["reference"], proof(bench)["limits"]) == (False, [])
    assert bench.run(*PROVE, "--check").code == 0


ALTERNATING = JUDGE.replace(
    "verdict = {",
    "count = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'count')\n"
    "open(count, 'a').write('x')\n"
    "good = good and os.path.getsize(count) % 2 == 0\n"
    "verdict = {",
)


def test_outcomes_that_differ_are_flaky_with_their_counts(bench: Bench) -> None:
    bench.script(ALTERNATING, "judge.py")
    bench.scenario({"solution/report.json": REPORT}, solution="solution")
    ran = bench.run(*PROVE, "--reviewer", "./judge.py", "--repeat", "4")

    assert ran.code == 1
    assert "error proof_flaky\n    oracle had different outcomes in 4 runs: 2 failed, 2 passed\n" in ran.out
    assert "not proven\n1 package: 1 not proven\n" in ran.out
    assert proof(bench)["reasons"] == ["proof_flaky"]


def judged(bench: Bench, status: str) -> None:
    """A scenario whose reviewer says `status` about whatever has no report."""
    bench.script(JUDGE.replace('else "failed"', f'else "{status}"'), "judge.py")
    bench.scenario({"solution/report.json": REPORT}, solution="solution")


@pytest.mark.parametrize(
    ("status", "kind"), [("review", "review_required"), ("infra_failed", "infra_failed"), ("splendid", "infra_failed")]
)
def test_a_run_without_a_verdict_is_no_score_of_zero(bench: Bench, status: str, kind: str) -> None:
    judged(bench, status)
    ran = bench.run(*PROVE, "--reviewer", "./judge.py")

    assert ran.code == 1
    assert f"error proof_no_verdict\n    nop got no verdict in 1 of 1 runs ({kind}); see the run sum-ledger-" in ran.out
    assert "sum-ledger  none  1       " in ran.out
    assert scores(proof(bench))["nop"] == [None]
    assert proof(bench)["proven"] is False


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


def test_without_a_reviewer_nothing_is_run_and_it_says_what_to_write(bench: Bench) -> None:
    bench.scenario()
    ran = bench.run(*PROVE)

    assert ran.code == 2
    assert "error reviewer_missing: sum-ledger needs a reviewer: nobody would judge the work\n" in ran.err
    assert "    write: --reviewer COMMAND, or RUHROH_EVAL_COMMAND\n" in ran.err
    assert "sum-ledger  -    -       -          not tried" in ran.out
    assert not proof_file(bench).exists()


def test_a_package_that_cannot_be_tried_keeps_no_other_from_being_proven(bench: Bench) -> None:
    from tests.support.scenarios import document, write_scenario

    checked(bench)
    write_scenario(bench.folder / "scenarios" / "a-judged", document(id="a-judged"))
    write_scenario(bench.folder / "scenarios" / "b-broken", {"id": "b-broken"})
    boxed = document(id="c-boxed", evaluation={"mode": "checks", "checks": [{"id": "x", "command": "false"}]})
    write_scenario(bench.folder / "scenarios" / "c-boxed", {**boxed, "environment": {"packages": ["jq"]}})
    ran = bench.run("prove", "--all", "--json")

    assert ran.code == 4
    told = report(ran)
    found = {entry["id"]: (entry["status"], [one["code"] for one in entry["findings"]]) for entry in told["packages"]}
    assert found == {
        "a-judged": ("not_tried", ["reviewer_missing"]),
        "c-boxed": ("not_tried", ["container_needed"]),
        "sum-ledger": ("proven", []),
    }
    assert {finding["code"] for finding in told["findings"]} >= {"field_missing"}
    assert bench.run("prove", "--scenario", "c-boxed", "--use-host-tools").code == 0


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
        import shutil

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
            ({"package": {"format": "harborsmith_package_v1", "digest": "sha256:" + "0" * 64}}, "proof_stale"),
            ({"scenario": {"id": "other", "version": None}}, "proof_stale"),
            ({"version": "harborsmith_proof_v0"}, "proof_invalid"),
            ({"repeat": 2}, "proof_invalid"),
            ({"reference": False}, "proof_invalid"),
            ({"outcomes": []}, "proof_invalid"),
            ({"proven": False}, "proof_invalid"),
            ({"backend": "elsewhere"}, "proof_invalid"),
        ],
        ids=lambda value: next(iter(value)) if isinstance(value, dict) else value,
    )
    def test_a_proof_that_was_edited_and_sealed_anew_does_not_pass(
        self, proven: Bench, members: dict[str, Any], expected: str
    ) -> None:
        self.change(proven, seal=True, **members)
        assert self.verdict(proven) == (1, [expected])

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
        from tests.support.scenarios import write_scenario

        assert self.verdict(proven, "prove", "--scenario", "sum-leger") == (3, ["selection_unknown_scenario"])
        write_scenario(proven.folder / "scenarios" / "broken", {"id": "broken"})
        code, found = self.verdict(proven, "prove", "--all")
        assert (code, "field_missing" in found) == (1, True)
        assert self.verdict(proven, "prove", "nowhere") == (2, ["package_missing"])


def test_a_limit_that_the_reference_nearly_needed_is_a_warning(bench: Bench) -> None:
    check = {"id": "slow", "command": f"test -e report.json && sleep 2.5 && {RIGHT}", "timeoutSeconds": 7}
    checked(bench, evaluation={"mode": "checks", "checks": [check]})
    ran = bench.run(*PROVE)

    assert ran.code == 0
    assert "warning proof_time_limit_tight\n    the reference needed 2." in ran.out
    assert "s of the 7 s of timeoutSeconds of check slow, which should be at least 3 times as long\n" in ran.out
    (warning,) = proof(bench)["warnings"]
    assert warning in ran.out
    assert proof(bench)["proven"] is True


def until_alive(tag: str) -> None:
    deadline = time.monotonic() + 60
    while not alive(tag):
        assert time.monotonic() < deadline, "it did not start"
        time.sleep(0.02)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_leaves_no_process_and_the_proofs_there_were(bench: Bench, number: int, code: int) -> None:
    tag = f"cut-{secrets.token_hex(6)}"
    checked(bench, f"if test -e hang.txt; then exec -a {tag} sleep 600; fi; {RIGHT}")
    assert bench.run(*PROVE).code == 0
    good = proof_file(bench).read_bytes()
    checked(bench, f"exec -a {tag} sleep 600")
    process = bench.start(*PROVE, "--json")
    until_alive(tag)
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)

    assert (process.returncode, alive(tag)) == (code, [])
    (entry,) = json.loads(out)["packages"]
    assert (entry["status"], entry["outcomes"]) == ("interrupted", [])
    assert proof_file(bench).read_bytes() == good


def test_an_interruption_before_there_is_a_package_is_a_report_without_packages(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from generator.workflows import prove

    checked(bench)
    monkeypatch.setattr(prove, "packages_to_run", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    ran = bench.run(*PROVE, "--json")

    assert (ran.code, report(ran)["packages"], ran.err) == (143, [], "interrupted\n")


def test_packages_that_are_through_keep_their_proofs_when_a_later_one_is_cut_off(bench: Bench) -> None:
    from tests.support.scenarios import document, write_scenario

    tag = f"cut-{secrets.token_hex(6)}"
    slow = {"mode": "checks", "checks": [{"id": "slow", "command": f"exec -a {tag} sleep 600"}]}
    checked(bench)
    write_scenario(bench.folder / "scenarios" / "z-slow", document(id="z-slow", evaluation=slow))
    process = bench.start("prove", "--all")
    until_alive(tag)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)

    assert (process.returncode, alive(tag)) == (130, [])
    assert "sum-ledger  0    1       0          proven\n" in out
    assert "2 packages: 1 proven, 1 interrupted\n" in out
    assert proof(bench)["proven"] is True


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a PACKAGE_DIR, a scenario with --scenario, or --all."),
        (("--all", "--tier", "smoke"), "--all selects every scenario"),
        (("--all", "--harbor-env", "docker"), "--harbor-env means nothing with --backend local"),
        (("--all", "--backend", "harbor", "--use-host-tools"), "--use-host-tools means nothing with --backend harbor"),
        (("--all", "--check", "--stale"), "--stale means nothing with --check"),
        (("--all", "--repeat", "0"), "0 is not in the range"),
    ],
)
def test_options_that_do_not_go_together_are_refused(bench: Bench, arguments: tuple[str, ...], said: str) -> None:
    ran = bench.run("prove", *arguments)

    assert ran.code == 2
    assert said in ran.err


def test_nothing_to_prove_is_said(bench: Bench) -> None:
    checked(bench)
    ran = bench.run("prove", "--tier", "release", "--json")

    assert (ran.code, codes(ran), report(ran)["packages"]) == (3, ["selection_empty"], [])
    missing = bench.run("prove", "nowhere")
    assert missing.code == 2
    assert "error package_missing: there is no package directory nowhere\n" in missing.err


def test_a_package_somebody_edited_is_not_replaced_and_the_command_that_does_is_named(bench: Bench) -> None:
    checked(bench)
    bench.run("generate")
    with (bench.package / "instruction.md").open("a") as stream:
        stream.write("Or do not.\n")
    ran = bench.run(*PROVE)

    assert ran.code == 1
    assert "error package_edited" in ran.err
    assert "`harborsmith generate --scenario sum-ledger --force`" in ran.err


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


def test_where_nothing_can_be_confined_it_says_so_and_suggests_containers(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from generator.execute import settings
    from generator.execute.sandbox import NoSandbox

    monkeypatch.setattr(settings, "probe", lambda: NoSandbox("bubblewrap is not installed", "install it"))
    checked(bench)
    ran = bench.run(*PROVE)

    assert ran.code == 4
    assert "write: install it; or --backend harbor, where containers keep the agents apart\n" in ran.err


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


def test_the_hint_names_the_folders_that_are_not_the_usual_ones(bench: Bench) -> None:
    checked(bench)
    (bench.folder / "scenarios").rename(bench.folder / "tasks")
    words = ("--scenario-dir", "tasks", "--out", "made")
    (finding,) = report(bench.run("prove", "--all", *words, "--check", "--json"))["packages"][0]["findings"]
    assert finding["hint"] == "harborsmith prove --scenario sum-ledger --scenario-dir tasks --out made"


def test_a_package_that_states_another_digest_than_it_has_gets_no_proof(bench: Bench) -> None:
    checked(bench)
    bench.run("generate")
    manifest = bench.package / "manifest.json"
    changed = json.loads(manifest.read_text())
    changed["digests"]["whole"] = "sha256:" + "0" * 64
    manifest.write_text(json.dumps(changed))
    ran = bench.run("prove", str(bench.package), "--json")

    assert (ran.code, codes(ran), report(ran)["packages"][0]["status"]) == (1, ["package_edited"], "not_tried")
    assert not proof_file(bench).exists()


def test_a_package_that_may_not_be_read_is_an_error_of_the_machine() -> None:
    who = account("ordinary user")
    with who.folder() as folder:
        bench = Bench(folder, who)
        checked(bench)
        bench.run("generate")
        (bench.package / "instruction.md").chmod(0)
        ran = bench.run("prove", str(bench.package), "--check", "--json")

    assert (ran.code, codes(ran)) == (4, ["package_unreadable"])


def test_a_reader_that_goes_away_changes_no_exit_code(bench: Bench) -> None:
    checked(bench)
    process = bench.start(*PROVE, "--check")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait(60) == 1
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.parametrize("first", ["scenario", "package"])
def test_a_package_that_is_named_twice_is_tried_once(bench: Bench, first: str) -> None:
    checked(bench)
    bench.run("generate")
    named = {"scenario": ("--scenario", "sum-ledger"), "package": (str(bench.package), str(bench.package))}
    words = [*named[first], *(word for name, both in named.items() if name != first for word in both)]

    assert "1 package: 1 proven\n" in bench.run("prove", *words).out
    assert runs(bench) == 3


def test_the_adversary_does_nothing_on_a_machine_that_somebody_uses(tmp_path: Path) -> None:
    adversary = data_folder("templates") / "prove" / "adversary.sh"
    ran = subprocess.run([adversary], cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, capture_output=True, check=False)

    assert (ran.returncode, ran.stdout, list(tmp_path.iterdir())) == (3, b"", [])
