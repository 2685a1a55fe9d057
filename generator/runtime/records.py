"""The published records of a run's turns: iteration, termination, journey."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence

from .agentresult import AgentResult
from .launch import Limits, Outcome
from .loop import AGENT_TIMEOUT, CANCELLED, Completion, published_stop_reason

NOTES = 2000  # characters of the output's end kept in a record
_COPIED = (
    "sessionId",
    "runId",
    "threadId",
    "finalizationStatus",
    "finalizedPayload",
    "jobInputPath",
    "jobOutputPath",
    "eventLogPath",
)


def iteration_record(  # noqa: PLR0913 -- by keyword only
    *,
    iteration: int,
    adapter_id: str,
    continuity: str,
    session: str,
    outcome: Outcome,
    completion: Completion,
    result: AgentResult,
    artifact_paths: Mapping[str, str],
    elapsed_ms: int,
    termination: Optional[Mapping[str, Any]] = None,
) -> Dict[str, Any]:
    """One line of `ruhroh-loop-iterations.jsonl` (`ruhroh_implementation_run_v1`).

    Args:
        iteration: Number of the turn, from 1.
        adapter_id: Id of the agent.
        continuity: `native_session`, `workspace_plus_transcript` or `workspace_only`.
        session: Session handle.
        outcome: How the command ended.
        completion: What the turn means.
        result: The agent's result file.
        artifact_paths: Our files of the turn by name; what the agent lists under another name is added.
        elapsed_ms: Milliseconds since the first turn began.
        termination: `termination_record` of a turn that ran out of time.
    """
    failed = outcome.exit_code != 0 or outcome.timed_out
    extra = {name: path for name, path in result.fields.get("artifacts", {}).items() if isinstance(path, str)}
    record: Dict[str, Any] = {
        "version": "ruhroh_implementation_run_v1",
        "iteration": iteration,
        "adapterId": adapter_id,
        "continuityLevel": continuity,
        "status": "failed" if failed else "completed",
        "failureKind": _failure_kind(outcome, completion),
        "sessionHandle": session,
        "completionStatus": completion.as_json(artifact_paths.get("transcript", "")),
        "stopReason": completion.reason,
        "returnCode": outcome.exit_code,
        "artifactPaths": {**extra, **artifact_paths},
        "notes": outcome.error or outcome.text[-NOTES:],
        "resultVersion": result.version,
        "economicsObservationIds": _ids(result.fields.get("economicsObservations", [])),
        "economicTraceSpanIds": _ids(result.fields.get("economicTraceSpans", [])),
        "protocolErrors": list(completion.errors),
        "resourceBudgetOutcome": result.fields.get("resourceBudgetOutcome"),
        "implementationBoundary": {
            "kind": "iteration_timeout" if outcome.timed_out else "terminal_result",
            "elapsedMs": elapsed_ms,
        },
    }
    if termination is not None:
        record["termination"] = dict(termination)
    if "transcript" in artifact_paths:
        record["transcriptPath"] = artifact_paths["transcript"]
    record.update({name: result.fields[name] for name in _COPIED if name in result.fields})
    return record


def _failure_kind(outcome: Outcome, completion: Completion) -> str:
    if outcome.timed_out:
        return AGENT_TIMEOUT
    if outcome.exit_code == 0:
        return "none"
    return CANCELLED if completion.reason == CANCELLED else "custom_shell_failed"


def _ids(items: Sequence[Any]) -> Sequence[str]:
    return [item["id"] for item in items if isinstance(item, dict) and isinstance(item.get("id"), str)]


def termination_record(outcome: Outcome, limits: Limits, wall_limit_ms: Optional[int] = None) -> Dict[str, Any]:
    """How a turn that ran out of time was ended (`ruhroh_process_termination_v1`), in milliseconds from its start.

    Args:
        outcome: The turn, with `timed_out` set.
        limits: The limits it had.
        wall_limit_ms: The limit of all turns together, when that was what cut this one.
    """
    limit = round(limits.seconds * 1000)
    ended = max(limit, round(outcome.seconds * 1000))
    record: Dict[str, Any] = {
        "version": "ruhroh_process_termination_v1",
        "scope": "process_group",
        "reason": "iteration_timeout" if wall_limit_ms is None else "wall_time_limit",
        "timeoutMs": limit,
        "timeoutObservedAtMs": limit,
        "gracePeriodMs": round(limits.grace_seconds * 1000),
        "signalsSent": list(outcome.signals),
        "terminatedBy": outcome.signals[-1] if outcome.signals else "already_exited",
        "terminationDurationMs": ended - limit,
        "terminatedAtMs": ended,
    }
    if wall_limit_ms is not None:
        record["limitMs"] = wall_limit_ms
        record["overrunMs"] = ended - limit
    return record


def journey(  # noqa: PLR0913 -- by keyword only
    *,
    scenario_id: str,
    user_prompt: str,
    stopped_reason: str,
    adapter_id: str,
    continuity: str,
    session: str,
    workspace: str,
    runs: Sequence[Mapping[str, Any]],
) -> Dict[str, Any]:
    """What the agent was asked and what its turns gave (`ruhroh_implementation_journey_v1`).

    `stopped_reason` is ours; the record holds the published word for it. `runs` are iteration records.
    """
    return {
        "version": "ruhroh_implementation_journey_v1",
        "scenarioId": scenario_id,
        "userPrompt": user_prompt,
        "implementationStoppedReason": published_stop_reason(stopped_reason),
        "implementationIterationsUsed": len(runs),
        "runAgent": adapter_id,
        "runAgentAdapterId": adapter_id,
        "continuityLevel": continuity,
        "sessionHandle": session,
        "workspacePath": workspace,
        "implementationRuns": [dict(run) for run in runs],
    }
