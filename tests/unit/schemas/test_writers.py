"""What our code writes is what the schemas say it writes."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from generator.cli.main import group
from generator.execute.agent import Search, find_agent
from generator.execute.records import Isolation, RunFacts, loop_result
from generator.execute.refusal import Refused
from generator.execute.report import FailedCheck, RunReport, json_report
from generator.execute.taskpackage import open_package
from generator.runtime.agentresult import AgentResult, parse_agent_result
from generator.runtime.evalinput import RunContext
from generator.runtime.evaluation import read_evaluation
from generator.runtime.launch import Limits, Outcome, ReviewerCommand, ReviewPlace
from generator.runtime.loop import Completion, detect_completion
from generator.runtime.plain import PlainLauncher
from generator.runtime.records import iteration_record, journey, termination_record
from generator.runtime.review import ReviewReport, run_review
from generator.runtime.summary import summarise
from generator.runtime.trees import LeftOut
from generator.runtime.verdict import Verdict, decide, from_checks, infra_failed, normalise
from tests.support.files import Link, Tree, write_tree
from tests.support.packages import written
from tests.support.scenarios import document, write_scenario
from tests.unit.schemas.shipped import SCHEMAS, is_valid, wordy

EVIDENCE = {"kind": "file", "ref": "report.json", "summary": 5}
ANSWERS: dict[str, dict[str, Any]] = {
    "least": {"status": "failed"},
    "pass": {"status": "passed", "goalMet": True},
    "review": {"version": "ruhroh_eval_result_v1", "status": "review", "reasons": ["unclear", 5]},
    "all": {
        "status": "failed",
        "goalMet": False,
        "confidence": "low",
        "unmetCriteria": ["The total is right."],
        "evidenceRefs": [EVIDENCE, {"kind": "file"}],
        "commandsRun": [{"command": "ls", "exitCode": 2.5}, {"command": "ls", "exitCode": "1"}],
        "artifacts": {"log": "/x", "bad": 5},
        "finalSummary": "No.",
        "repairBrief": "Add the rows.",
        "criteriaResults": [
            {},
            {"id": "a", "status": "partial", "score": 7, "weight": -1, "evidenceRefs": [EVIDENCE], "notes": "n"},
            {"id": "b", "status": "review"},
            {"id": "c", "status": "splendid"},
        ],
        "subscores": {"accuracy": 2, "speed": "x"},
        "judge": {"kind": "model", "model": "m", "version": ""},
        "judgeVotes": [
            {"judge": {"kind": "model"}, "status": "passed", "weight": 0},
            {"judge": {"kind": "hybrid", "version": "2"}, "status": "failed", "weight": 2, "evidenceRefs": [EVIDENCE]},
        ],
        "judgeAgreement": {"voteCount": 9},
    },
    "malformed": {"status": "great"},
    "contradictory": {"status": "passed", "goalMet": True, "unmetCriteria": ["x"]},
}
LIMITS = Limits(seconds=1.5)
OUTCOMES = {
    "good": Outcome(0, output=b"done\n"),
    "bad": Outcome(3, output=b"\xff"),
    "late": Outcome(124, timed_out=True, signals=("SIGTERM", "SIGKILL"), seconds=7.0),
    "never": Outcome(None, error="no such file"),
}
RESULTS = {
    "none": AgentResult(),
    "full": parse_agent_result(
        {
            "version": "ruhroh_run_agent_result_v2",
            "status": "goal_satisfied",
            "runId": "r",
            "threadId": "t",
            "finalizedPayload": [1],
            "artifacts": {"log": "/x"},
        }
    ),
    "odd": parse_agent_result({"version": "v9", "status": 5}),
}


def why_not(name: str, value: object) -> list[str]:
    """What the schema says against a value that has been through JSON."""
    read_back = json.loads(json.dumps(value))
    found = [f"{error.json_path}: {error.message}" for error in wordy(name).iter_errors(read_back)]
    assert is_valid(name, read_back) == (not found)
    return found


def record(outcome: Outcome, result: AgentResult) -> dict[str, Any]:
    completion: Completion = detect_completion(
        exit_code=outcome.exit_code, timed_out=outcome.timed_out, result=result, output_text=outcome.text
    )
    return iteration_record(
        iteration=1,
        adapter_id="a",
        continuity="workspace_only",
        session="a-s-0a1b2c3d",
        outcome=outcome,
        completion=completion,
        result=result,
        artifact_paths={"transcript": "/installed-agent/iteration-1.log"},
        elapsed_ms=5,
        termination=termination_record(outcome, LIMITS, 1000) if outcome.timed_out else None,
    )


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
def test_a_normalised_verdict(answer: dict[str, Any]) -> None:
    assert why_not("eval-result", normalise(answer).result) == []


def test_a_verdict_made_by_us() -> None:
    check = {"id": "a", "passed": False, "exitCode": 1, "command": "false", "reason": "it exited with 1"}
    assert why_not("eval-result", infra_failed("the reviewer crashed", "Traceback", {"log": "/x"})) == []
    assert why_not("eval-result", from_checks([check, {**check, "passed": True, "exitCode": None}])) == []


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS.keys())
@pytest.mark.parametrize("outcome", OUTCOMES.values(), ids=OUTCOMES.keys())
def test_the_record_of_a_turn(outcome: Outcome, result: AgentResult) -> None:
    assert why_not("implementation-run", record(outcome, result)) == []


def test_a_journey() -> None:
    runs = [record(outcome, RESULTS["none"]) for outcome in OUTCOMES.values()]
    made = journey(
        scenario_id="s",
        user_prompt="Do it.\n",
        stopped_reason="iterations_exhausted",
        adapter_id="a",
        continuity="native_session",
        session="a-s-0a1b2c3d",
        workspace="/app",
        runs=runs,
    )
    assert why_not("journey", made) == []


@pytest.mark.parametrize("status", ["passed", "failed", "review", "infra_failed"])
@pytest.mark.parametrize(
    "stopped", ["", "iterations_exhausted", "agent_timeout", "cannot_satisfy", "policy_blocked", "cancelled"]
)
def test_every_failure_kind_that_a_verdict_can_have_is_known(status: str, stopped: str) -> None:
    known = SCHEMAS["loop-result"]["$defs"]["failureKind"]["enum"]
    verdict = decide({"status": status}, completion_required=True, completed=False, stopped=stopped)
    assert verdict.failure_kind in known
    assert decide({"status": status}).failure_kind in known


def test_the_summary_of_an_odd_workspace(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/package.json": "{}", "loose": Link("nowhere"), "b\\x": b"\x00"})
    left_out = [LeftOut("secret", "it leads out of the work", "/etc/shadow")]
    made = summarise(str(tmp_path), workspace_root="/app", generated_at="2026-03-14T09:33:00Z", left_out=left_out)
    assert why_not("workspace-summary", made) == []
    missing = summarise(str(tmp_path / "none"), workspace_root="/app", generated_at="2026-03-14T09:33:00Z")
    assert why_not("workspace-summary", missing) == []


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {
            "metadata": {"scenarioVersion": "1.0.0"},
            "evaluation__checks": [
                {"id": "a", "command": "true", "restore": ["assets/ledger.csv"]},
                {"id": "b", "command": ["true"]},
            ],
            "evaluation__reviewer": {"path": "judge.py", "command": ["python3", "{reviewer}/judge.py"]},
            "evaluation__privateAssets": ["private/expected.json"],
            "evaluation__env": ["OPENAI_API_KEY"],
            "loop__completion": {"required": True, "promise": "ALL DONE"},
            "environment": {"workdir": "/srv/work", "user": "worker"},
        },
    ],
    ids=["plain", "everything"],
)
def test_a_package(changes: dict[str, Any], tmp_path: Path) -> None:
    extra = {"judge.py": "print()\n", "private/expected.json": "14.00\n"}
    package = written(write_scenario(tmp_path / "sum-ledger", document(**changes), extra), tmp_path / "out")
    assert why_not("package-manifest", json.loads((package / "manifest.json").read_bytes())) == []
    assert why_not("evaluation", json.loads((package / "tests/evaluation.json").read_bytes())) == []


def printed(*arguments: str) -> Any:
    return json.loads(CliRunner().invoke(group, [*arguments, "--json"]).stdout)


def test_the_validation_report_of_good_bad_and_unreadable_scenarios(tmp_path: Path) -> None:
    write_scenario(tmp_path / "good")
    write_scenario(tmp_path / "bad", document(id="../x", metadata={"scenarioVersion": "x", "visibility": "held_out"}))
    write_tree(tmp_path, {"broken/scenario.json": "{", "list/scenario.json": "[]"})
    made = printed("validate", "--scenario-dir", str(tmp_path))
    assert len(made["results"]) == 4
    assert why_not("validation-report", made) == []
    assert why_not("validation-report", printed("validate", "--scenario-dir", str(tmp_path), "--scenario", "god")) == []


def test_the_generate_report_of_every_outcome(tmp_path: Path) -> None:
    scenarios, out = tmp_path / "scenarios", tmp_path / "out"
    write_scenario(scenarios / "good")
    write_scenario(scenarios / "other", document(id="other"))
    write_scenario(scenarios / "bad", document(id="bad", tier="x"))
    generate = ("generate", "--scenario-dir", str(scenarios), "--out", str(out))
    reports = [printed(*generate, "--dry-run"), printed(*generate), printed(*generate)]
    shutil.rmtree(scenarios / "other")
    shutil.rmtree(scenarios / "bad")
    (scenarios / "good/instruction.md").write_text("Do something else.\n")
    reports += [printed(*generate, "--check"), printed(*generate, "--dry-run"), printed(*generate)]
    statuses = {package["status"] for report in reports for package in report["packages"]}
    assert statuses == set(
        SCHEMAS["generate-report"]["properties"]["packages"]["items"]["properties"]["status"]["enum"]
    )
    for report in reports:
        assert why_not("generate-report", report) == []


REVIEWER = """
import json, os
told = json.load(open(os.environ["RUHROH_EVAL_INPUT_PATH"]))
verdict = {"status": os.environ["STATUS"], "goalMet": True, "criteriaResults": [
    {"id": criterion["id"], "status": "passed", "score": 1} for criterion in told["criteria"]]}
json.dump(verdict, open(os.environ["RUHROH_EVAL_OUTPUT_PATH"], "w"))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    checks = [{"id": "there", "command": "test -f report.json"}, {"id": "listed", "command": ["ls", "report.json"]}]
    made = document(
        evaluation__checks=checks,
        evaluation__privateAssets=["private/expected.json"],
        metadata={"scenarioVersion": "1.0.0"},
    )
    return written(write_scenario(tmp_path / "s", made, {"private/expected.json": "14.00\n"}), tmp_path / "generated")


def reviewed(package: Path, room: Path, work: Tree, status: str) -> tuple[ReviewReport, Path]:
    """Review `work` with a reviewer that says `status`; returns the report and where the evidence lies."""
    evaluation = read_evaluation(str(package / "tests/evaluation.json"))
    transcripts = write_tree(room / "transcripts", {"iteration-1.log": "done\n"})
    argv = (sys.executable, "-I", "-c", REVIEWER)
    report = run_review(
        evaluation,
        place=ReviewPlace(str(package / "tests"), str(room / "room"), evaluation.workdir, str(room / "socket")),
        handover=str(write_tree(room / "work", work)),
        context=RunContext(
            run_id="r", transcripts=str(transcripts), stopped_reason="goal_satisfied", iterations_used=1
        ),
        reviewer=ReviewerCommand(argv, "option", "0" * 64, trusted=True, env={"STATUS": status}),
        launcher=PlainLauncher(),
        out_dir=str(room / "out"),
        environ={"PATH": os.environ["PATH"]},
    )
    return report, room / "out"


@pytest.mark.parametrize(
    ("work", "status", "kind"),
    [
        ({"report.json": "{}", "away": Link("/etc/passwd")}, "passed", "none"),
        ({"report.json": "{}"}, "failed", "goal_mismatch"),
        ({"report.json": "{}"}, "review", "review_required"),
        ({"report.json": "{}"}, "splendid", "infra_failed"),
        ({}, "passed", "goal_mismatch"),
    ],
)
def test_everything_a_review_leaves(package: Path, tmp_path: Path, work: Tree, status: str, kind: str) -> None:
    report, out = reviewed(package, tmp_path, work, status)
    assert report.verdict.failure_kind == kind, report
    files = {
        "eval-input": "ruhroh-loop-eval-input.json",
        "eval-result": "ruhroh-loop-eval.json",
        "journey": "ruhroh-loop-journey.json",
        "reward-details": "reward-details.json",
    }
    assert {name: why_not(name, json.loads((out / file).read_bytes())) for name, file in files.items()} == {
        name: [] for name in files
    }


@pytest.mark.parametrize("verdict", [Verdict("completed", "none", 1), Verdict("failed", "infra_failed", None)])
def test_the_records_of_a_run(package: Path, tmp_path: Path, verdict: Verdict) -> None:
    opened = open_package(package)
    agent = find_agent("true", Search((), os.environ["PATH"]), tmp_path, confined=False)
    assert not isinstance(opened, Refused)
    assert not isinstance(agent, Refused)
    facts = RunFacts(
        run_id="sum-ledger-0a1b2c3d4e5f",
        package=opened,
        agent=agent,
        session="a-s-0a1b2c3d",
        turns=[record(OUTCOMES["good"], RESULTS["full"])],
        stopped_reason="iterations_exhausted",
        max_turns=3,
        started=datetime(2026, 3, 14, 9, 30, tzinfo=UTC),
        ended=datetime(2026, 3, 14, 9, 31, tzinfo=UTC),
        isolation=Isolation(level="none", detail="asked for"),
        reviewer=ReviewerCommand(("x",), "option", "0" * 64, trusted=True),
        env_names=("OPENAI_API_KEY",),
        traffic=None,
        warnings=("weak",),
    )
    broken = None if verdict.score else "the reviewer crashed"
    made = loop_result(facts, verdict, normalise(ANSWERS["all"]).result, {"result": "ruhroh-loop-result.json"}, broken)
    assert why_not("run-manifest", made["runManifest"]) == []
    assert why_not("loop-result", made) == []


def test_the_run_report() -> None:
    run = RunReport(
        scenario_id="s",
        scenario_version=None,
        run_id="r",
        failure_kind="goal_mismatch",
        score=0,
        reasons=("wrong",),
        failed_checks=(FailedCheck(id="a", reason="exited with 1", output=""),),
        isolation="bubblewrap",
        evidence=None,
    )
    others = [replace(run, score=1, failure_kind="none"), replace(run, score=None, failure_kind="review_required")]
    lost = replace(run, score=None, failure_kind="infra_failed")
    assert why_not("run-report", json_report((run, *others, lost), [])) == []
