"""Trials of Harbor's as run records: what was judged is believed, what broke is not a score."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from generator.execute.agent import built_in
from generator.execute.records import Isolation
from generator.execute.report import RunReport
from generator.execute.taskpackage import TaskPackage, open_package
from generator.harbor.record import Reviewing, missing_trial, record_trial
from generator.harbor.results import Trial, trials
from tests.support.packages import written
from tests.support.scenarios import document, write_scenario

ISOLATION = Isolation(level="container", detail="Harbor, docker")


@pytest.fixture
def package(tmp_path: Path) -> TaskPackage:
    made = document(evaluation__checks=[{"id": "runs", "command": ["true"]}])
    opened = open_package(written(write_scenario(tmp_path / "sum-ledger", made), tmp_path / "out"))
    assert isinstance(opened, TaskPackage)
    return opened


VERDICT: dict[str, Any] = {
    "version": "ruhroh_eval_result_v1",
    "status": "passed",
    "goalMet": True,
    "confidence": "high",
    "reasons": ["the total is right"],
    "unmetCriteria": [],
    "evidenceRefs": [],
    "commandsRun": [],
    "artifacts": {},
    "finalSummary": "Good work that holds in every respect.",
    "reviewerWarnings": [],
}
CHECK = {"id": "runs", "passed": True, "exitCode": 0, "timedOut": False, "durationMs": 20, "output": "", "reason": "ok"}
DETAILS: dict[str, Any] = {
    "version": "harborsmith_reward_details_v1",
    "status": "completed",
    "failureKind": "none",
    "score": 1,
    "problem": "",
    "evalResult": VERDICT,
    "checks": [CHECK],
    "criteria": [],
    "reviewer": {"source": "package", "sha256": "0" * 64},
    "warnings": ["there is one vote only"],
    "leftOut": [],
}
FAILED = {"status": "failed", "failureKind": "goal_mismatch", "score": 0}
OURS = "harborsmith-command"
CONTEXT: dict[str, Any] = {
    "version": "harborsmith_run_context_v1",
    "implementationStoppedReason": "goal_satisfied",
    "iterationsUsed": 1,
    "completed": True,
    "maxIterations": 3,
    "notes": ["said by the container"],
    "journey": {"sessionHandle": "a-b-c", "implementationRuns": [{"iteration": 1, "runId": "own"}]},
}


def trial_folder(job: Path, package: TaskPackage, **changes: Any) -> Path:
    """Write a trial as Harbor and the review leave it; `details=None` and `context=None` leave those out."""
    folder = job / "sum-ledger__Abc1234"
    (folder / "verifier").mkdir(parents=True)
    (folder / "agent" / "transcripts").mkdir(parents=True)
    result = {
        "trial_name": changes.get("name", folder.name),
        "config": {"task": {"path": str(package.directory)}},
        "agent_info": {"name": changes.get("agent", "claude-code"), "version": "2"},
        "verifier_result": {"rewards": changes.get("rewards", {"reward": 1})},
        "exception_info": changes.get("exception"),
        "started_at": "2026-11-30T10:00:00Z",
        "finished_at": "2026-11-30T10:00:30Z",
    }
    if changes.get("rewards", 0) is None:
        result["verifier_result"] = None
    (folder / "result.json").write_text(json.dumps(result))
    for name, value in (
        ("verifier/reward-details.json", changes.get("details", DETAILS)),
        ("agent/context.json", changes.get("context")),
    ):
        if value is not None:
            (folder / name).write_text(json.dumps(value))
    (folder / "verifier" / "ruhroh-loop-eval.json").write_text(json.dumps(VERDICT))
    (folder / "agent" / "transcripts" / "iteration-1.log").write_text("said\n")
    return folder


def recorded(tmp_path: Path, package: TaskPackage, **changes: Any) -> RunReport:
    trial_folder(tmp_path / "job", package, **changes)
    return recorded_in(tmp_path, package)


def recorded_in(tmp_path: Path, package: TaskPackage) -> RunReport:
    (trial,) = trials(tmp_path / "job")
    return record(trial, package, tmp_path)


def record(trial: Trial, package: TaskPackage, tmp_path: Path) -> RunReport:
    return record_trial(
        trial, package, out=tmp_path / "out", agent=None, reviewing=Reviewing(), env_names=("KEY",), isolation=ISOLATION
    )


def test_a_trial_becomes_a_run_with_its_own_name_and_evidence(tmp_path: Path, package: TaskPackage) -> None:
    report = recorded(tmp_path, package, context=CONTEXT, agent=OURS)

    folder = tmp_path / "out" / "runs" / "sum-ledger" / "sum-ledger__Abc1234"
    assert (report.status, report.score, report.run_id) == ("passed", 1, "sum-ledger__Abc1234")
    assert (report.stopped_reason, report.turns, report.checks, report.duration_ms) == (
        "goal_satisfied",
        1,
        (1, 1),
        30000,
    )
    assert (folder / "transcripts" / "iteration-1.log").read_text() == "said\n"
    assert report.warnings == ("said by the container", "there is one vote only")
    manifest = json.loads((folder / "ruhroh-run-manifest.json").read_text())
    assert manifest["benchmark"]["harborAgent"] == OURS
    assert manifest["isolation"]["level"] == "container"
    assert manifest["env"]["secretKeysPresent"] == ["KEY"]
    assert (folder / manifest["benchmark"]["trial"] / "result.json").exists()


@pytest.mark.parametrize(
    ("file", "name"), [("ruhroh-run-manifest.json", "run-manifest"), ("ruhroh-loop-result.json", "loop-result")]
)
def test_the_records_are_what_their_schemas_say(tmp_path: Path, package: TaskPackage, file: str, name: str) -> None:
    from generator.workflows.schemas import schema_text

    recorded(tmp_path, package)
    text = schema_text(name)
    assert text is not None

    made = json.loads((tmp_path / "out" / "runs" / "sum-ledger" / "sum-ledger__Abc1234" / file).read_text())
    jsonschema.validate(made, json.loads(text))


def test_reading_a_job_twice_makes_one_run(tmp_path: Path, package: TaskPackage) -> None:
    first = recorded(tmp_path, package)
    (trial,) = trials(tmp_path / "job")

    assert record(trial, package, tmp_path) == first
    assert len(list((tmp_path / "out" / "runs" / "sum-ledger").iterdir())) == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rewards": {"reward": 0}}, "Harbor read the reward {'reward': 0}, the review recorded 1"),
        ({"rewards": {"reward": 1, "bonus": 1}}, "the review recorded 1"),
        ({"rewards": None}, "Harbor read the reward None, the review recorded 1"),
        ({"details": None}, "the review left no reward-details.json"),
        ({"details": {**DETAILS, "version": "other"}}, "not of a format known here"),
        ({"details": {**DETAILS, "evalResult": []}}, "not of a format known here"),
        ({"details": {**DETAILS, "checks": [{"id": "other"}]}}, "checks that the package does not have"),
        ({"details": {**DETAILS, "evalResult": {**VERDICT, "goalMet": False}}}, "without a valid verdict"),
        ({"details": {**DETAILS, "evalResult": {**VERDICT, "status": "failed"}}}, "which its result is not worth"),
        ({"details": {**DETAILS, "evalResult": {**VERDICT, "status": "review"}}}, "which its result is not worth"),
        ({"details": {**DETAILS, "evalResult": {**VERDICT, "status": "infra_failed"}}}, "its result is not worth"),
        ({"details": {**DETAILS, **FAILED}, "rewards": {"reward": 0}}, "which its result is not worth"),
        ({"details": {**DETAILS, "status": []}}, "which its result is not worth"),
        ({"details": {key: DETAILS[key] for key in DETAILS if key != "failureKind"}}, "its result is not worth"),
        ({"details": {**DETAILS, "checks": 5}}, "the review's record is malformed"),
        ({"details": {**DETAILS, "checks": [{**CHECK, "durationMs": "long"}]}}, "the review's record is malformed"),
        ({"details": {**DETAILS, "checks": [{**CHECK, "durationMs": []}]}}, "the review's record is malformed"),
        ({"details": {**DETAILS, "checks": [{**CHECK, "exitCode": "0"}]}}, "the review's record is malformed"),
        ({"details": {**DETAILS, "warnings": 5}}, "the review's record is malformed"),
        (
            {"exception": {"exception_type": "RuntimeError", "exception_message": "the engine\nwent away"}},
            "Harbor reports RuntimeError: the engine",
        ),
        (
            {
                "exception": {"exception_type": "SupervisorError", "exception_message": ""},
                "rewards": None,
                "details": None,
            },
            "Harbor reports SupervisorError: no message",
        ),
    ],
)
def test_what_broke_or_does_not_agree_is_no_score(
    tmp_path: Path, package: TaskPackage, changes: dict[str, Any], reason: str
) -> None:
    report = recorded(tmp_path, package, **changes)

    assert (report.status, report.score, report.failure_kind) == ("no_verdict", None, "infra_failed")
    assert reason in report.reasons[0]


def test_a_verdict_that_is_owed_stays_owed(tmp_path: Path, package: TaskPackage) -> None:
    result = {**VERDICT, "status": "review", "goalMet": False}
    owed = {**DETAILS, "status": "failed", "failureKind": "review_required", "score": None, "evalResult": result}

    report = recorded(
        tmp_path, package, details=owed, rewards=None, exception={"exception_type": "RewardFileNotFoundError"}
    )

    assert (report.status, report.failure_kind) == ("review_owed", "review_required")


@pytest.mark.parametrize(
    ("kind", "stopped"), [("AgentTimeoutError", "agent_timeout"), ("NonZeroAgentExitCodeError", "runtime_failure")]
)
def test_an_agent_of_harbors_that_ended_early_is_judged_and_its_end_recorded(
    tmp_path: Path, package: TaskPackage, kind: str, stopped: str
) -> None:
    report = recorded(tmp_path, package, exception={"exception_type": kind, "exception_message": "too slow"})

    assert (report.score, report.stopped_reason) == (1, stopped)
    assert report.warnings[0] == f"Harbor reports {kind}: too slow"


def test_reasons_that_are_none_are_dropped(tmp_path: Path, package: TaskPackage) -> None:
    report = recorded(tmp_path, package, details={**DETAILS, "evalResult": {**VERDICT, "reasons": 5}})

    assert (report.score, report.reasons) == (1, ())


@pytest.mark.parametrize("name", ["../..", "other__Abc1234", 5])
def test_a_record_that_names_another_directory_touches_nothing_and_counts_as_missing(
    tmp_path: Path, package: TaskPackage, name: object
) -> None:
    trial_folder(tmp_path / "job", package, name=name)

    assert list(trials(tmp_path / "job")) == []


def test_what_another_agent_left_among_its_logs_is_no_record_of_the_run(tmp_path: Path, package: TaskPackage) -> None:
    folder = trial_folder(tmp_path / "job", package, context=CONTEXT)
    (folder / "agent" / "ruhroh-loop-iterations.jsonl").write_text("{}\n")
    (folder / "agent" / "trajectory.json").write_text("{}")

    report = recorded_in(tmp_path, package)

    run = tmp_path / "out" / "runs" / "sum-ledger" / report.run_id
    assert (report.stopped_reason, report.turns, report.warnings) == ("", 0, ("there is one vote only",))
    assert list((run / "transcripts").iterdir()) == []
    assert (run / "ruhroh-loop-iterations.jsonl").read_text() == ""
    assert (run / "trajectory.json").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"journey": 5},
        {"journey": {"sessionHandle": 5, "implementationRuns": 5}},
        {"journey": {"implementationRuns": [5]}},
        {"notes": 5},
        {"notes": [5]},
        {"maxIterations": "3"},
        {"completed": "yes"},
        {"implementationStoppedReason": []},
    ],
)
def test_members_of_another_type_in_the_agents_records_are_left_out(
    tmp_path: Path, package: TaskPackage, changes: dict[str, Any]
) -> None:
    report = recorded(tmp_path, package, context={**CONTEXT, **changes}, agent=OURS)

    assert report.score == 1
    assert report.turns == (0 if "journey" in changes else 1)


@pytest.mark.parametrize(("stated", "score"), [(DETAILS, None), (FAILED, None), ({"failureKind": "gave_up"}, 0)])
def test_a_score_has_to_agree_with_the_recorded_completion(
    tmp_path: Path, stated: dict[str, Any], score: int | None
) -> None:
    made = document(loop__completion={"required": True, "promise": "ALL DONE"})
    package = open_package(written(write_scenario(tmp_path / "sum-ledger", made), tmp_path / "out"))
    assert isinstance(package, TaskPackage)
    details = {**DETAILS, **FAILED, **stated, "checks": []}
    context = {**CONTEXT, "completed": False, "implementationStoppedReason": "gave_up"}

    report = recorded(
        tmp_path, package, details=details, rewards={"reward": details["score"]}, context=context, agent=OURS
    )

    assert report.score == score


def test_a_cancelled_trial_is_no_failure_of_anybody(tmp_path: Path, package: TaskPackage) -> None:
    report = recorded(tmp_path, package, exception={"exception_type": "CancelledError"}, details=None, rewards=None)

    assert (report.failure_kind, report.stopped_reason) == ("cancelled", "cancelled")


def test_failed_and_broken_checks_are_shown_as_in_a_local_run(tmp_path: Path, package: TaskPackage) -> None:
    failed = {**CHECK, "passed": False, "exitCode": 3, "output": "not there\n"}
    verdict = {**VERDICT, "status": "failed", "goalMet": False}
    details = {**DETAILS, **FAILED, "checks": [failed], "evalResult": verdict}

    report = recorded(tmp_path, package, details=details, rewards={"reward": 0})

    (check,) = report.failed_checks
    assert (check.reason, check.output) == ("exited with 3 instead of 0", "not there\n")


def test_links_among_what_a_container_left_are_not_followed(tmp_path: Path, package: TaskPackage) -> None:
    folder = trial_folder(tmp_path / "job", package, agent=OURS)
    (tmp_path / "secret").write_text("of this machine")
    for name in ("agent/trajectory.json", "agent/transcripts/iteration-2.log", "verifier/reviewer.log"):
        (folder / name).symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "agent" / "ruhroh-economic-trace.jsonl")
    (trial,) = trials(tmp_path / "job")

    record(trial, package, tmp_path)

    run = tmp_path / "out" / "runs" / "sum-ledger" / "sum-ledger__Abc1234"
    kept = {path.name for path in run.rglob("*")}
    assert not kept & {"trajectory.json", "iteration-2.log", "reviewer.log", "ruhroh-economic-trace.jsonl"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"trial_name": "x"}',
        '{"config": {"task": {}}}',
        '{"trial_name": "t", "config": {"task": {"path": "p"}}, "verifier_result": 5}',
        '{"trial_name": "t", "config": {"task": {"path": "p"}}, "started_at": "soon"}',
    ],
)
def test_a_record_that_cannot_be_read_is_a_trial_that_is_missing(tmp_path: Path, text: str) -> None:
    (tmp_path / "job" / "t").mkdir(parents=True)
    (tmp_path / "job" / "t" / "result.json").write_text(text)
    (tmp_path / "job" / "result.json").write_text("{}")

    assert list(trials(tmp_path / "job")) == []
    assert list(trials(tmp_path / "nowhere")) == []


def test_times_without_a_zone_are_utc_and_missing_ones_are_now(tmp_path: Path, package: TaskPackage) -> None:
    folder = trial_folder(tmp_path / "job", package)
    value = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps({**value, "started_at": "2026-11-30T10:00:00", "finished_at": None}))

    (trial,) = trials(tmp_path / "job")

    assert trial.started == trial.ended == datetime(2026, 11, 30, 10, tzinfo=UTC)


def test_a_command_is_named_as_in_a_local_run(tmp_path: Path, package: TaskPackage) -> None:
    trial_folder(tmp_path / "job", package)
    (trial,) = trials(tmp_path / "job")

    report = record_trial(
        trial,
        package,
        out=tmp_path / "out",
        agent=built_in("oracle"),
        reviewing=Reviewing(),
        env_names=(),
        isolation=ISOLATION,
    )

    result = json.loads(
        (tmp_path / "out" / "runs" / "sum-ledger" / report.run_id / "ruhroh-loop-result.json").read_text()
    )
    assert (result["runAgentAdapterId"], result["adapter"]) == ("oracle", "harborsmith-harbor")


def test_a_run_that_was_never_made_has_no_verdict_and_says_so(package: TaskPackage) -> None:
    report = missing_trial(package, ISOLATION, "Harbor made no such trial")

    assert (report.status, report.exit_code, report.evidence) == ("no_verdict", 5, None)
