"""One turn that has ended, as it is kept: without the operator's secrets, and the same wherever the agent worked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from generator.execute.agent import Agent
from generator.execute.redaction import redacted, redacted_completion, redacted_result
from generator.runtime.agentresult import AgentResult
from generator.runtime.launch import Limits, Outcome
from generator.runtime.loop import Completion
from generator.runtime.records import iteration_record, termination_record

TRANSCRIPTS: Final = "transcripts"
SHOWN: Final = 200  # characters of one line of output that are shown to people


class TurnBounds(NamedTuple):
    """What one turn was given.

    Attributes:
        number: Its number, from 1.
        limits: Its limits.
        run_seconds: Bound of all turns together where what was left of it bounds this one; None where it does not.
    """

    number: int
    limits: Limits
    run_seconds: float | None


class TurnEnd(NamedTuple):
    """How its command ended, what that means, and the agent's result file."""

    outcome: Outcome
    completion: Completion
    result: AgentResult


def bounds(number: int, left: float, turn_seconds: float, run_seconds: float) -> TurnBounds:
    """Turn `number`, which starts with `left` of all `run_seconds` and may take `turn_seconds` itself."""
    last = left < turn_seconds
    return TurnBounds(
        number=number, limits=Limits(seconds=min(left, turn_seconds)), run_seconds=run_seconds if last else None
    )


def transcript_name(number: int) -> str:
    """Name of the file with the output of turn `number`, below `TRANSCRIPTS`."""
    return f"iteration-{number}.log"


def keep_turn(
    turn: TurnBounds,
    end: TurnEnd,
    *,
    agent: Agent,
    session: str,
    elapsed: float,
    secrets: Mapping[str, str],
) -> tuple[TurnEnd, dict[str, Any]]:
    """Take the secrets out of a turn and make its record.

    Args:
        turn: What it was given.
        end: How it ended.
        agent: Who worked.
        session: Session handle.
        elapsed: Seconds since the first turn began.
        secrets: Variables whose values are not to be kept.

    Returns:
        The end without the secrets, and the record. What the agent's words mean is decided before, from the words.
    """
    kept = TurnEnd(
        outcome=redacted(end.outcome, secrets),
        completion=redacted_completion(end.completion, secrets),
        result=redacted_result(end.result, secrets),
    )
    wall = None if turn.run_seconds is None else round(turn.run_seconds * 1000)
    record = iteration_record(
        iteration=turn.number,
        adapter_id=agent.told_id,
        continuity=agent.about.continuity,
        session=session,
        outcome=kept.outcome,
        completion=kept.completion,
        result=kept.result,
        artifact_paths={"transcript": f"{TRANSCRIPTS}/{transcript_name(turn.number)}"},
        elapsed_ms=round(elapsed * 1000),
        termination=termination_record(kept.outcome, turn.limits, wall) if kept.outcome.timed_out else None,
    )
    return kept, record


def turn_fault(turn: Mapping[str, Any]) -> str:
    """How the command of a turn (an iteration record) broke: its exit status, or why it did not start; else empty."""
    code = turn["returnCode"]
    if code is None:
        return f"could not be started: {turn['notes'][:SHOWN]}"
    return f"exited with {code}" if code != 0 else ""


def last_line(turn: Mapping[str, Any]) -> str:
    """The last line that the command of a turn printed, shortened; empty without output."""
    lines = turn["notes"].rstrip().splitlines()
    return lines[-1].strip()[:SHOWN] if lines else ""
