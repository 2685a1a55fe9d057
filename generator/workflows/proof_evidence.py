"""What a proof takes from the evidence of a run: how it was kept apart, who judged, and how long the phases took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from generator.execute.evidence import MANIFEST
from generator.execute.evidence import RESULT as LOOP_RESULT
from generator.execute.report import RunReport
from generator.execute.taskpackage import TaskPackage
from generator.harbor.results import RESULT as TRIAL_RESULT
from generator.runtime.review import DETAILS_NAME, LOG_NAME
from generator.runtime.strictjson import read_object
from generator.workflows.proof import Limit, Trial

AGENT_LIMIT: Final = "run.timeoutSeconds"
REVIEW_LIMIT: Final = "evaluation.timeoutSeconds"
MAX_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """How a run was made: `isolation` (level, detail, notes), `reviewer` (source, sha256), None where checks decide."""

    isolation: Mapping[str, Any]
    reviewer: Mapping[str, Any] | None


def trial_of(report: RunReport) -> Trial:
    """A run as a proof knows it."""
    return Trial(
        run_id=report.run_id,
        status=report.status,
        score=report.score,
        failure_kind=report.failure_kind,
        seconds=round(report.duration_ms / 1000, 1),
        reason=next(iter(report.reasons), ""),
        used=dict(_used(Path(report.evidence))) if report.evidence is not None else {},
        told_in=_telling(report.evidence) if report.evidence is not None else "",
        evidence=report.evidence or "",
    )


def _telling(evidence: str) -> str:
    """What a person reads first of a run: the words of a reviewer who was asked, what the review came to, or all."""
    named = (f"{evidence}/{name}" for name in (LOG_NAME, DETAILS_NAME))
    return next((path for path in named if Path(path).is_file()), f"what lies in {evidence}")


def circumstances(report: RunReport) -> Circumstances:
    """How a run was made, as far as its evidence says."""
    manifest = _read(Path(report.evidence) / MANIFEST) if report.evidence is not None else {}
    judged = manifest.get("evaluator", {})
    command = judged.get("command")
    return Circumstances(
        isolation=manifest.get("isolation", {"level": report.isolation, "detail": "", "notes": []}),
        reviewer={"source": judged["source"], "sha256": command["sha256"]} if command else None,
    )


def is_of(report: RunReport, digest: str, modes: str) -> bool:
    """Whether the run was one of the package with these digests, as far as the run and its evidence say."""
    if report.modes not in ("", modes):
        return False
    if report.evidence is None:
        return True
    told = _read(Path(report.evidence) / MANIFEST).get("package", {}).get("sha256")
    return told in (None, digest.removeprefix("sha256:"))


def limits(package: TaskPackage, trials: tuple[Trial, ...]) -> tuple[Limit, ...]:
    """The time limits of a package, with the most that any of the reference's runs needed of each."""
    evaluation = package.evaluation
    named = {AGENT_LIMIT: package.timeout_seconds, REVIEW_LIMIT: evaluation.reviewer_seconds}
    named |= {_check_limit(check.id): check.seconds for check in evaluation.checks}
    used = {name: [trial.used[name] for trial in trials if name in trial.used] for name in named}
    return tuple(Limit(name=name, limit=named[name], used=max(found)) for name, found in used.items() if found)


def _check_limit(check_id: str) -> str:
    return f"timeoutSeconds of check {check_id}"


def _used(evidence: Path) -> Iterator[tuple[str, float]]:
    """Each limit's name, and seconds."""
    trial = _trial_folder(evidence)
    agent = _turns_seconds(evidence) if trial is None else _agent_phase_seconds(trial)
    if agent is not None:
        yield AGENT_LIMIT, agent
    details = _read((evidence if trial is None else trial / "verifier") / DETAILS_NAME)
    timed = [(REVIEW_LIMIT, details.get("reviewer"))]
    timed += [(_check_limit(str(check.get("id"))), check) for check in details.get("checks", ())]
    for name, entry in timed:
        if entry and "durationMs" in entry:
            yield name, entry["durationMs"] / 1000


def _trial_folder(evidence: Path) -> Path | None:
    """Where Harbor recorded the run; None for one that it did not make."""
    trial = _read(evidence / MANIFEST).get("benchmark", {}).get("trial")
    return evidence / trial if trial is not None else None


def _turns_seconds(evidence: Path) -> float | None:
    """How long the turns of a local run took together."""
    turns = _read(evidence / LOOP_RESULT).get("implementationRuns", [])
    return turns[-1]["implementationBoundary"]["elapsedMs"] / 1000 if turns else None


def _agent_phase_seconds(trial: Path) -> float | None:
    """How long Harbor's agent phase took."""
    phase = _read(trial / TRIAL_RESULT).get("agent_execution") or {}
    try:
        begun, over = (datetime.fromisoformat(phase[name]) for name in ("started_at", "finished_at"))
        return (over - begun).total_seconds()
    except (KeyError, TypeError, ValueError):
        return None


def _read(path: Path) -> dict[str, Any]:
    """A JSON object of the evidence; empty when it is not there or cannot be read."""
    try:
        return read_object(str(path), MAX_BYTES)
    except (OSError, ValueError):
        return {}
