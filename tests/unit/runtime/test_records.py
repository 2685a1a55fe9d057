from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from generator.resources import data_folder
from generator.runtime.agentresult import AgentResult, parse_agent_result, read_agent_result
from generator.runtime.launch import Limits, Outcome
from generator.runtime.loop import Completion
from generator.runtime.records import iteration_record, journey, termination_record


def validator(name: str) -> jsonschema.Draft202012Validator:
    folder = data_folder("schemas")
    schemas = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.schema.json")]
    registry: Any = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in schemas)
    schema = json.loads((folder / f"{name}.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema, registry=registry)


RESULT_V2: dict[str, Any] = {
    "version": "ruhroh_run_agent_result_v2",
    "status": "goal_satisfied",
    "sessionId": "s1",
    "runId": "r1",
    "threadId": "t1",
    "eventLogPath": "/e",
    "finalizedPayload": {"any": ["thing"]},
    "artifacts": {"transcript": "/etc/passwd", "result": "/forged", "screenshot": "/app/shot.png", "bad": 5},
    "economicsObservations": [{"id": "o1"}, {"no": "id"}, 5],
    "economicTraceSpans": [{"id": "s1"}],
    "resourceBudgetOutcome": {"status": "within"},
    "usage": {"costUsd": 1},
    "unknown": True,
}
DONE = Completion("done", "goal_satisfied", "result file", ("odd",))


def record(outcome: Outcome, result: AgentResult | None = None, **more: Any) -> dict[str, Any]:
    return iteration_record(
        iteration=1,
        adapter_id="agent",
        continuity="workspace_only",
        session="agent-s-0",
        outcome=outcome,
        completion=DONE,
        result=result or AgentResult(),
        artifact_paths={"transcript": "/t/1.log", "result": "/r/1.json", "goal": "/g/1.md"},
        elapsed_ms=1234,
        **more,
    )


def test_a_turn_is_recorded_as_published() -> None:
    made = record(Outcome(0, output=b"x" * 3000), parse_agent_result(RESULT_V2))
    validator("implementation-run").validate(made)
    assert (made["status"], made["failureKind"], made["returnCode"]) == ("completed", "none", 0)
    assert made["notes"] == "x" * 2000
    assert (made["sessionId"], made["runId"], made["threadId"]) == ("s1", "r1", "t1")
    assert (made["economicsObservationIds"], made["economicTraceSpanIds"]) == (["o1"], ["s1"])
    assert made["protocolErrors"] == ["odd"]
    assert made["implementationBoundary"] == {"kind": "terminal_result", "elapsedMs": 1234}


def test_what_the_agent_lists_never_replaces_a_file_of_ours() -> None:
    made = record(Outcome(0), parse_agent_result(RESULT_V2))
    assert made["artifactPaths"] == {
        "transcript": "/t/1.log",
        "result": "/r/1.json",
        "goal": "/g/1.md",
        "screenshot": "/app/shot.png",
    }
    assert made["transcriptPath"] == "/t/1.log"


@pytest.mark.parametrize(
    ("outcome", "kind", "code"),
    [
        (Outcome(3), "custom_shell_failed", 3),
        (Outcome(None, error="cannot start 'x': No such file or directory"), "custom_shell_failed", None),
        (Outcome(124, timed_out=True, signals=("SIGTERM",), seconds=1.2), "agent_timeout", 124),
    ],
)
def test_a_failed_turn_is_recorded_with_its_kind(outcome: Outcome, kind: str, code: int | None) -> None:
    limits = Limits(1.0)
    termination = termination_record(outcome, limits) if outcome.timed_out else None
    made = record(outcome, termination=termination)
    validator("implementation-run").validate(made)
    assert (made["status"], made["failureKind"], made["returnCode"]) == ("failed", kind, code)
    assert made["notes"] == outcome.error


def test_a_turn_without_a_transcript_names_none() -> None:
    made = iteration_record(
        iteration=2,
        adapter_id="agent",
        continuity="workspace_only",
        session="agent-s-0",
        outcome=Outcome(0),
        completion=DONE,
        result=AgentResult(),
        artifact_paths={},
        elapsed_ms=0,
    )
    validator("implementation-run").validate(made)
    assert "transcriptPath" not in made
    assert made["completionStatus"]["evidenceRefs"] == []


def test_a_termination_is_recorded_in_milliseconds() -> None:
    outcome = Outcome(124, timed_out=True, signals=("SIGTERM", "SIGKILL"), seconds=7.25)
    made = termination_record(outcome, Limits(2.0))
    assert made == {
        "version": "ruhroh_process_termination_v1",
        "scope": "process_group",
        "reason": "iteration_timeout",
        "timeoutMs": 2000,
        "timeoutObservedAtMs": 2000,
        "gracePeriodMs": 5000,
        "signalsSent": ["SIGTERM", "SIGKILL"],
        "terminatedBy": "SIGKILL",
        "terminationDurationMs": 5250,
        "terminatedAtMs": 7250,
    }
    wall = termination_record(outcome, Limits(2.0), wall_limit_ms=60_000)
    assert (wall["reason"], wall["limitMs"], wall["overrunMs"]) == ("wall_time_limit", 60_000, 5250)
    assert termination_record(Outcome(124, timed_out=True), Limits(2.0))["terminatedBy"] == "already_exited"


def test_a_journey_holds_the_turns_and_the_published_stop_reason() -> None:
    made = journey(
        scenario_id="s",
        user_prompt="Do it.\n",
        stopped_reason="iterations_exhausted",
        adapter_id="agent",
        continuity="workspace_only",
        session="agent-s-0",
        workspace="/app",
        runs=[record(Outcome(0))],
    )
    validator("journey").validate(made)
    assert (made["implementationStoppedReason"], made["implementationIterationsUsed"]) == ("max_iterations", 1)


def test_a_result_file_is_read_with_its_known_members(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(RESULT_V2))
    made = read_agent_result(str(tmp_path / "r.json"))
    assert (made.version, made.status, made.errors) == ("ruhroh_run_agent_result_v2", "goal_satisfied", ())
    assert "unknown" not in made.fields
    assert "usage" not in made.fields  # the second version ignores it
    assert parse_agent_result({**RESULT_V2, "version": "ruhroh_run_agent_result_v1"}).fields["usage"] == {"costUsd": 1}


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"version": "v9", "status": "goal_satisfied"}, "unknown version 'v9'"),
        ({"version": 5}, "unknown version 5"),
        ({"runId": 5}, "runId is not a text"),
        ({"artifacts": []}, "artifacts is not an object"),
        ({"version": "ruhroh_run_agent_result_v2", "economicTraceSpans": {}}, "economicTraceSpans is not a list"),
        ({"status": ["goal_satisfied"]}, "status is not a text"),
    ],
)
def test_what_cannot_be_used_is_named(value: dict[str, Any], error: str) -> None:
    made = parse_agent_result(value)
    assert made.status == ""
    assert made.errors[0].startswith(error)


def test_a_missing_result_file_is_nothing_and_a_broken_one_an_error(tmp_path: Path) -> None:
    assert read_agent_result(str(tmp_path / "none")) == AgentResult()
    (tmp_path / "half").write_text('{"status": "goal_sat')
    (tmp_path / "link").symlink_to("half")
    for name in ("half", "link", "."):
        made = read_agent_result(str(tmp_path / name))
        assert made.status == ""
        assert made.errors[0].startswith("the result file is not one JSON object")
