"""Read what Harbor recorded of a job. Its exit code says nothing: it is 0 when every trial broke, or was never made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from generator.runtime.strictjson import read_object

RESULT: Final = "result.json"
LOCK: Final = "lock.json"
MAX_BYTES: Final = 64 * 1024 * 1024
# How an agent may end without anybody else's fault; Harbor has the work graded after both.
AGENT_TIMED_OUT: Final = "AgentTimeoutError"
AGENT_FAILED: Final = "NonZeroAgentExitCodeError"
CANCELLED: Final = "CancelledError"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One trial that Harbor has finished.

    Attributes:
        directory: Where it is recorded.
        package: The package directory it was made of.
        name: Its name, which is its directory's.
        agent: Name and version of the agent, as Harbor knows them.
        rewards: What the verifier wrote; None without a reward.
        error: Type and message of the exception that ended it or its agent; empty types mean none.
        started: When it began.
        ended: When it was over.
        digest: Harbor's digest of the package it ran; None where Harbor wrote none down.
    """

    directory: Path
    package: Path
    name: str
    agent: tuple[str, str]
    rewards: Mapping[str, Any] | None
    error: tuple[str, str]
    started: datetime
    ended: datetime
    digest: str | None = None

    @property
    def agent_ended_early(self) -> bool:
        """Whether the exception is the agent's own way to end."""
        return self.error[0] in (AGENT_TIMED_OUT, AGENT_FAILED)


def trials(job: Path) -> Iterator[Trial]:
    """The finished trials of a job, by name.

    What is no readable record, or that of another directory, is passed over: its trial counts as missing.
    """
    for directory in sorted(job.iterdir()) if job.is_dir() else ():
        if directory.is_symlink() or not directory.is_dir():
            continue
        try:
            value = read_object(str(directory / RESULT), MAX_BYTES)
            yield _trial(directory, value)
        except (OSError, AttributeError, LookupError, TypeError, ValueError):
            continue


def _trial(directory: Path, value: Mapping[str, Any]) -> Trial:
    verified, failed = value.get("verifier_result") or {}, value.get("exception_info") or {}
    info = value.get("agent_info") or {}
    started = _time(value.get("started_at"))
    if value["trial_name"] != directory.name:
        raise ValueError("the record is another trial's")
    return Trial(
        directory=directory,
        package=Path(value["config"]["task"]["path"]),
        name=directory.name,
        agent=(str(info.get("name", "unknown")), str(info.get("version", "unknown"))),
        rewards=verified.get("rewards"),
        error=(str(failed.get("exception_type", "")), str(failed.get("exception_message", ""))),
        started=started or datetime.now(UTC),
        ended=_time(value.get("finished_at")) or started or datetime.now(UTC),
        digest=_digest(directory),
    )


def _digest(directory: Path) -> str | None:
    try:
        found = read_object(str(directory / LOCK), MAX_BYTES)["task"]["digest"]
    except (OSError, LookupError, TypeError, ValueError):
        return None
    return found if isinstance(found, str) else None


def _time(text: Any) -> datetime | None:
    if not isinstance(text, str):
        return None
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
