"""What the command agent recorded of a run, as far as it can be believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from generator.harbor.ledger import COMMAND_AGENT_NAME, CONTEXT, CONTEXT_VERSION
from generator.harbor.results import Trial
from generator.runtime.strictjson import read_object

MAX_BYTES: Final = 64 * 1024 * 1024
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun:
    """One run in the agent's own records; what is not recorded, or of another type, is at its default.

    Attributes:
        stopped_reason: Why the turns ended; empty when nobody recorded it.
        completed: Whether the agent said it was done; None when nobody recorded it.
        max_turns: Most turns; None when nobody recorded them.
        session: Session handle.
        turns: Iteration records.
        notes: What a reader of the run should know.
    """

    stopped_reason: str = ""
    completed: bool | None = None
    max_turns: int | None = None
    session: str = UNKNOWN
    turns: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()


def is_ours(trial: Trial) -> bool:
    """Whether our command agent worked: under any other the log directory is what the agent made of it."""
    return trial.agent[0] == COMMAND_AGENT_NAME


def read_recorded_run(trial: Trial) -> RecordedRun:
    """The record of a trial; an empty one for another agent than ours, or without a readable record."""
    if not is_ours(trial):
        return RecordedRun()
    try:
        value = read_object(str(trial.directory / "agent" / CONTEXT), MAX_BYTES)
    except (OSError, ValueError):
        return RecordedRun()
    if value.get("version") != CONTEXT_VERSION:
        return RecordedRun()
    journey = _of(value, "journey", dict, {})
    return RecordedRun(
        stopped_reason=_of(value, "implementationStoppedReason", str, ""),
        completed=_of(value, "completed", bool, None),
        max_turns=_of(value, "maxIterations", int, None),
        session=_of(journey, "sessionHandle", str, "") or UNKNOWN,
        turns=tuple(run for run in _of(journey, "implementationRuns", list, []) if isinstance(run, dict)),
        notes=tuple(note for note in _of(value, "notes", list, []) if isinstance(note, str)),
    )


def _of(value: Mapping[str, Any], name: str, kind: type, default: Any) -> Any:
    found = value.get(name)
    return found if type(found) is kind else default
