"""`prove` finds what can be passed without work, and says why a package is not proven."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

import pytest

from generator.resources import data_folder
from tests.support.proofs import PROVE, REPORT, RIGHT, checked, codes, judged, proof, proof_file, report, scores
from tests.support.repository import ROOT
from tests.support.runs import JUDGE, Bench

pytestmark = pytest.mark.sandbox


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
    programs = [f"{file['path']}\n" for file in manifest["files"] if file["executable"]]
    modes = f"sha256:{hashlib.sha256(''.join(sorted(programs)).encode()).hexdigest()}"
    digest = manifest["digests"]["whole"]
    assert programs
    assert made["package"] == {"format": manifest["packageFormat"], "digest": digest, "modes": modes}
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
    for finding in report(ran)["packages"][0]["findings"]:
        place = finding["message"].rpartition("; see ")[2]
        assert place.startswith("generated/runs/sum-ledger/")
        assert (bench.folder / place / "ruhroh-loop-result.json").is_file()


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


def test_whatever_a_task_names_is_made_without_any_work_in_it(bench: Bench) -> None:
    many = " ".join(f"out/{number}.txt" for number in range(300))
    prompt = f'Write `REPORT`, "monthly total.txt", {many}, and move the rest to archive/2026.\n'
    command = "test -s REPORT && test -s 'monthly total.txt' && test -s out/299.txt && test -d archive/2026"
    names = ("REPORT", "monthly total.txt", "out/299.txt", "archive/2026/rest.txt")
    checked(bench, command, extra={"instruction.md": prompt}, solution=dict.fromkeys(names, "work"))

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


def test_a_solution_that_its_scenario_does_not_name_is_told_where_no_reference_was_tried(bench: Bench) -> None:
    checked(bench, solution={}, extra={"solution/report.json": REPORT})
    ran = bench.run(*PROVE)

    assert (ran.code, proof(bench)["reference"]) == (0, False)
    assert "note folder_undeclared" in ran.out
    assert 'the folder "solution" stands beside its scenario, and nothing declares it' in ran.out
    assert '"solution": "solution" in scenarios/sum-ledger/scenario.json' in ran.out


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
    first, second = (run["runId"] for run in proof(bench)["outcomes"][1]["runs"][:2])
    said = f"oracle had different outcomes in 4 runs: 2 failed, 2 passed; see the runs {first} and {second}\n"
    assert f"error proof_flaky\n    {said}" in ran.out
    assert "not proven\n1 package: 1 not proven\n" in ran.out
    assert proof(bench)["reasons"] == ["proof_flaky"]


@pytest.mark.parametrize(
    ("status", "kind"), [("review", "review_required"), ("infra_failed", "infra_failed"), ("splendid", "infra_failed")]
)
def test_a_run_without_a_verdict_is_no_score_of_zero(bench: Bench, status: str, kind: str) -> None:
    judged(bench, status)
    ran = bench.run(*PROVE, "--reviewer", "./judge.py")

    assert ran.code == 1
    assert f"error proof_no_verdict\n    nop got no verdict in 1 of 1 runs ({kind}); see the run sum-ledger-" in ran.out
    assert "sum-ledger  none  1       " in ran.out
    log = f"generated/runs/sum-ledger/{proof(bench)['outcomes'][0]['runs'][0]['runId']}/reviewer.log"
    decide = "a reviewer that decides between passed and failed by itself, also about work that is not there"
    mend = f"read {log}, mend what it tells of, then run the same command again"
    assert f"    write: {decide if kind == 'review_required' else mend}\n" in ran.out
    assert (bench.folder / log).is_file()
    assert scores(proof(bench))["nop"] == [None]
    assert proof(bench)["proven"] is False


def test_no_name_tells_a_reviewer_which_agent_worked(bench: Bench) -> None:
    """The reviewer passes whatever it is told of the oracle, and keeps what it was told of each."""
    judge = """#!/usr/bin/env python3
import json, os, pathlib
told = {name: pathlib.Path(os.environ[name]).read_text() for name in
        ("RUHROH_EVAL_INPUT_PATH", "RUHROH_EVAL_JOURNEY_PATH")}
told["environment"] = json.dumps(dict(os.environ))
place = pathlib.Path(PLACE)
(place / os.urandom(4).hex()).write_text(json.dumps(told))
named = "oracle" in json.loads(told["RUHROH_EVAL_JOURNEY_PATH"])["runAgentAdapterId"]
print(json.dumps({"status": "passed" if named else "failed", "goalMet": named, "reasons": ["by name"]}))
"""
    kept = bench.folder / "kept"
    kept.mkdir()
    bench.script(judge.replace("PLACE", repr(str(kept))), "judge.py")
    bench.scenario({"solution/report.json": REPORT}, solution="solution")
    ran = bench.run(*PROVE, "--reviewer", "./judge.py", "--json")

    assert (ran.code, codes(ran)) == (1, ["proof_reference_fails"])
    told = [json.loads(path.read_text()) for path in kept.iterdir()]
    assert len(told) == 3
    journeys = [json.loads(one["RUHROH_EVAL_JOURNEY_PATH"]) for one in told]
    assert {(one["runAgent"], one["runAgentAdapterId"]) for one in journeys} == {("unknown", "unknown")}
    turns = [turn for one in journeys for turn in one["implementationRuns"]]
    assert {turn["adapterId"] for turn in turns} == {"unknown"}
    for one in told:
        for text in one.values():
            assert not re.search(r"\b(nop|oracle|adversary|reference)\b", text)
    manifests = (bench.folder / "generated/runs/sum-ledger").glob("*/ruhroh-run-manifest.json")
    agents = {json.loads(path.read_text())["runAgent"]["adapterId"] for path in manifests}
    assert agents == {"nop", "oracle", "adversary"}


def test_agents_that_were_cut_off_have_scored_nothing(bench: Bench) -> None:
    checked(bench)
    ran = bench.run(*PROVE, "--json", env={"RUHROH_ITERATION_TIMEOUT_SEC": "1e-9"})

    assert (ran.code, set(codes(ran))) == (1, {"proof_no_verdict"})
    ends = {(run["score"], run["failureKind"]) for outcome in proof(bench)["outcomes"] for run in outcome["runs"]}
    assert (None, "agent_timeout") in ends
    assert (0, "goal_mismatch") not in ends
    (hint, *_) = [finding["hint"] for finding in report(ran)["packages"][0]["findings"]]
    assert hint == "a longer run.timeoutSeconds, and no RUHROH_ITERATION_TIMEOUT_SEC"


def test_a_limit_that_the_reference_nearly_needed_is_a_warning(bench: Bench) -> None:
    check = {"id": "slow", "command": f"{RIGHT} && sleep 1.7", "timeoutSeconds": 5}
    checked(bench, evaluation={"mode": "checks", "checks": [check]})
    ran = bench.run(*PROVE)

    assert ran.code == 0
    (warning,) = proof(bench)["warnings"]
    assert re.fullmatch(r"the reference needed \d\.\d s of the 5 s of timeoutSeconds of check slow, which .*", warning)
    assert f"warning proof_time_limit_tight\n    {warning}\n" in ran.out
    assert proof(bench)["proven"] is True
