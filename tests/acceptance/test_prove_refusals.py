"""What `prove` does not try, and what it says then."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from generator.resources import data_folder
from tests.support.proofs import PROVE, REPORT, RIGHT, checked, codes, proof, proof_file, report, runs
from tests.support.runs import JUDGE, Bench
from tests.support.scenarios import document, write_scenario

pytestmark = pytest.mark.sandbox


def test_without_a_reviewer_nothing_is_run_and_it_says_what_to_write(bench: Bench) -> None:
    bench.scenario()
    ran = bench.run(*PROVE)

    assert ran.code == 2
    assert "error reviewer_missing: sum-ledger needs a reviewer: nobody would judge the work\n" in ran.err
    assert "    write: --reviewer COMMAND, or RUHROH_EVAL_COMMAND\n" in ran.err
    assert "sum-ledger  -    -       -          not tried" in ran.out
    assert not proof_file(bench).exists()


def test_a_package_that_cannot_be_tried_keeps_no_other_from_being_proven(bench: Bench) -> None:
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
        "b-broken": ("invalid", found["b-broken"][1]),
    }
    assert "field_missing" in found["b-broken"][1]
    assert bench.run("prove", "--scenario", "c-boxed", "--use-host-tools").code == 0


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


@pytest.mark.parametrize("check", [(), ("--check",)])
def test_a_link_that_leads_to_itself_is_no_package(bench: Bench, check: tuple[str, ...]) -> None:
    (bench.folder / "loop").symlink_to("loop")
    ran = bench.run("prove", "loop", *check, "--json")

    assert (ran.code, codes(ran)) == (2, ["package_missing"])


@pytest.mark.parametrize("check", [(), ("--check",)])
def test_an_organization_that_no_task_can_have_is_refused(bench: Bench, check: tuple[str, ...]) -> None:
    checked(bench)
    ran = bench.run(*PROVE, *check, "--org", "a b/c")

    assert ran.code == 2
    assert "Write letters, digits" in ran.err


def test_a_package_somebody_edited_is_not_replaced_and_the_command_that_does_is_named(bench: Bench) -> None:
    checked(bench)
    bench.run("generate")
    with (bench.package / "instruction.md").open("a") as stream:
        stream.write("Or do not.\n")
    ran = bench.run(*PROVE)

    assert ran.code == 1
    assert "error package_edited" in ran.err
    assert "`harborsmith generate --scenario sum-ledger --force`" in ran.err


def test_the_command_that_replaces_a_package_makes_the_same_one(bench: Bench) -> None:
    checked(bench)
    (bench.folder / "scenarios").rename(bench.folder / "tasks")
    where = ("--scenario-dir", "tasks", "--scenario", "sum-ledger", "--out", "made", "--org", "acme")
    assert bench.run("generate", *where).code == 0
    place = bench.folder / "made/harbor/tasks/sum-ledger"
    (place / "instruction.md").write_text("Do nothing.\n")
    assert f"`harborsmith generate {' '.join(where)} --force`" in bench.run("prove", *where).err
    assert bench.run("generate", *where, "--force").code == 0


def test_where_nothing_can_be_confined_it_says_so_and_suggests_containers(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from generator.execute import sandbox

    monkeypatch.setattr(sandbox, "BWRAP_PLACES", ("/nowhere/bwrap",))
    sandbox.probe.cache_clear()
    checked(bench)
    try:
        ran = bench.run(*PROVE)
    finally:
        sandbox.probe.cache_clear()

    assert ran.code == 4
    assert "dnf install bubblewrap (Fedora); or --backend harbor, where containers keep the agents apart\n" in ran.err


def test_a_package_that_states_another_digest_than_it_has_is_proven_by_what_it_holds(bench: Bench) -> None:
    checked(bench)
    bench.run("generate")
    manifest = bench.package / "manifest.json"
    changed = json.loads(manifest.read_text())
    digest = changed["digests"]["whole"]
    changed["digests"]["whole"] = "sha256:" + "0" * 64
    manifest.write_text(json.dumps(changed))

    assert bench.run("prove", str(bench.package)).code == 0
    assert proof(bench)["package"]["digest"] == digest


def test_a_package_that_becomes_another_one_meanwhile_gets_no_proof(bench: Bench) -> None:
    bench.scenario({"solution/report.json": REPORT}, solution="solution", title="Another")
    assert bench.run("generate", "--out", "other").code == 0
    other = bench.folder / "other/harbor/tasks/sum-ledger"
    there = str(bench.package)
    swap = f"import shutil\nshutil.rmtree({there!r})\nshutil.copytree({str(other)!r}, {there!r})\n"
    bench.script(JUDGE + swap, "judge.py")
    bench.scenario({"solution/report.json": REPORT}, solution="solution")
    ran = bench.run(*PROVE, "--reviewer", "./judge.py")

    assert (ran.code, proof_file(bench).exists()) == (1, False)
    assert "was tried as another package than it is: it changed meanwhile\n" in ran.err
    assert "    write: harborsmith generate --scenario sum-ledger --force\n" in ran.err


def copied(bench: Bench, name: str) -> Path:
    """A scenario like the usual one; where its package goes."""
    place = bench.folder / "scenarios" / name
    shutil.copytree(bench.folder / "scenarios" / "sum-ledger", place)
    written = json.loads((place / "scenario.json").read_text())
    (place / "scenario.json").write_text(json.dumps({**written, "id": name}))
    return bench.folder / "generated/harbor/tasks" / name


@pytest.fixture
def mixed(bench: Bench) -> Bench:
    """One scenario that is proven, and beside it an invalid one, an edited package, and what is in a package's way."""
    checked(bench)
    assert bench.run(*PROVE).code == 0
    edited, foreign = copied(bench, "c-edited"), copied(bench, "d-foreign")
    assert bench.run("generate", "--scenario", "c-edited").code == 0
    (edited / "instruction.md").write_text("Do nothing.\n")
    foreign.mkdir()
    (foreign / "mine").touch()
    write_scenario(bench.folder / "scenarios" / "b-broken", {"id": "b-broken", "tier": "smok"})
    return bench


def table(out: str) -> dict[str, str]:
    """Package -> what its row says in the end."""
    rows = [line for line in out.splitlines() if line and not line.startswith((" ", "package "))]
    return {row.split()[0]: row.split("  ")[-1].strip() for row in rows if "  " in row}


@pytest.mark.parametrize(("how", "known"), [((), "proven"), (("--stale",), "proven already")])
def test_what_could_not_be_proven_is_a_row_and_counted(mixed: Bench, how: tuple[str, ...], known: str) -> None:
    ran = mixed.run("prove", "--all", *how)
    told = report(mixed.run("prove", "--all", *how, "--json"))

    assert (ran.code, ran.out.splitlines()[-1]) == (1, f"4 packages: 1 {known}, 3 invalid")
    found = table(ran.out)
    assert found.pop("b-broken") == "not proven: invalid (field_missing and 1 more)"
    assert found == {
        "sum-ledger": known,
        "c-edited": "not proven: invalid (package_edited)",
        "d-foreign": "not proven: invalid (package_foreign)",
    }
    assert all(code in ran.err for code in ("field_missing", "package_edited", "package_foreign"))
    for entry in told["packages"][1:]:
        assert (entry["status"], entry["digest"], entry["reference"], entry["proof"]) == ("invalid", None, None, None)
        assert entry["findings"]
    assert told["findings"] == []


def test_check_has_a_row_for_what_can_have_no_proof(mixed: Bench) -> None:
    edited = str(mixed.package.parent / "c-edited")
    ran = mixed.run("prove", "--scenario", "sum-ledger", "--scenario", "b-broken", edited, "nowhere", "--check")

    assert (ran.code, ran.out.splitlines()[-1]) == (2, "4 packages: 1 proven, 3 invalid")
    found = table(ran.out)
    assert found.pop("b-broken").startswith("not proven: invalid (")
    assert found == {
        "sum-ledger": "proven",
        "c-edited": "not proven: invalid (package_edited)",
        "nowhere": "not proven: invalid (package_missing)",
    }


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


def test_of_two_packages_of_one_scenario_only_the_first_is_tried_for_there_is_one_place_for_a_proof(
    bench: Bench,
) -> None:
    checked(bench)
    assert bench.run("generate", "--out", "old").code == 0
    checked(bench, RIGHT + " # changed")
    assert bench.run("generate", "--out", "new").code == 0
    places = [f"{out}/harbor/tasks/sum-ledger" for out in ("old", "new")]
    ran = bench.run("prove", *places, "--json")

    assert ran.code == 2
    assert [(entry["status"], entry["proof"] is None) for entry in report(ran)["packages"]] == [
        ("proven", False),
        ("not_tried", True),
    ]
    assert codes(ran) == ["proof_not_written"]
    assert bench.run("prove", places[0], "--check").code == 0
    assert bench.run("prove", *places, "--stale", "--json").code == 2
    assert bench.run("prove", places[0], "--check").code == 0
