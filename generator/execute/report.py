"""What a run came to, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from generator.diagnostics.printable import printable
from generator.diagnostics.report import plural
from generator.runtime.loop import GIVING_UP, GOAL_SATISFIED, RUNTIME_FAILURE

REPORT_VERSION: Final = "harborsmith_run_report_v1"
SHOWN_WARNINGS: Final = 3
SHOWN_REASON: Final = 200  # characters of why, where a run has one line
TAIL_LINES: Final = 5  # of a failed check's output; the rest lies in the evidence
SPEAK: Final = (
    f'the last line of an agent\'s output has to be {{"status": STATUS}}: {GOAL_SATISFIED} once the goal is met, '
    f"continue for another turn, or one of {', '.join(GIVING_UP)}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCheck:
    """A check that did not pass: its id, why, and what it said."""

    id: str
    reason: str
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """One run.

    Attributes:
        scenario_id: Id of the scenario.
        scenario_version: Its version.
        digest: Content digest of the package, `sha256:` and digits; empty where it is not known.
        modes: Digest of which of its files are executable; empty where it is not known.
        run_id: Id of the run.
        failure_kind: Published failure kind; `none` for a pass.
        score: 1, 0, or None without a verdict.
        reasons: Why, in the reviewer's words or ours.
        checks: Passed and all.
        criteria: Met and all; all is 0 where no reviewer was asked.
        failed_checks: Those that did not pass.
        unmet: Criteria that are not met, in words.
        stopped_reason: How the agent ended; empty when there was none.
        agent_ended: The same in words for people; `stopped_reason` where it is empty.
        agent_fault: The same in short where an agent that did its work ends otherwise; empty where it did.
        agent_silent: Whether it used up its turns without a status that is understood.
        turns: Turns it took.
        duration_ms: Of the whole run.
        isolation: `bubblewrap` or `none`.
        warnings: What weakens the run or its verdict.
        evidence: Path of the run directory.
        interrupted: Exit code of the signal that cut the run off; None when it was not.
    """

    scenario_id: str
    scenario_version: str | None
    digest: str = ""
    modes: str = ""
    run_id: str
    failure_kind: str
    score: int | None
    reasons: tuple[str, ...]
    checks: tuple[int, int] = (0, 0)
    criteria: tuple[int, int] = (0, 0)
    failed_checks: tuple[FailedCheck, ...] = ()
    unmet: tuple[str, ...] = ()
    stopped_reason: str = ""
    agent_ended: str = ""
    agent_fault: str = ""
    agent_silent: bool = False
    turns: int = 0
    duration_ms: int = 0
    isolation: str
    warnings: tuple[str, ...] = ()
    evidence: str | None
    interrupted: int | None = None

    @property
    def status(self) -> str:
        """`passed`, `failed`, `review_owed`, or `no_verdict`."""
        if self.score is not None:
            return "passed" if self.score == 1 else "failed"
        return "review_owed" if self.failure_kind == "review_required" else "no_verdict"

    @property
    def agent_broke(self) -> bool:
        """Whether the agent's program ended with an error, or could not be started."""
        return self.stopped_reason == RUNTIME_FAILURE

    @property
    def exit_code(self) -> int:
        """What the run means to a script: 0 passed, 1 failed, 5 no verdict, or 128 and the signal that ended it."""
        if self.interrupted is not None:
            return self.interrupted
        return {"passed": 0, "failed": 1}.get(self.status, 5)

    def as_json(self) -> dict[str, Any]:
        """One entry of the published run report."""
        return {
            "scenarioId": self.scenario_id,
            "scenarioVersion": self.scenario_version,
            "packageDigest": self.digest or None,
            "runId": self.run_id,
            "status": self.status,
            "score": self.score,
            "failureKind": self.failure_kind,
            "reasons": list(self.reasons),
            "checks": {"passed": self.checks[0], "total": self.checks[1]},
            "criteria": {"met": self.criteria[0], "total": self.criteria[1]},
            "failedChecks": [
                {"id": check.id, "reason": check.reason, "output": check.output} for check in self.failed_checks
            ],
            "unmetCriteria": list(self.unmet),
            "stoppedReason": self.stopped_reason,
            "turns": self.turns,
            "durationMs": self.duration_ms,
            "isolation": self.isolation,
            "warnings": list(self.warnings),
            "evidence": self.evidence,
        }


def json_report(
    runs: tuple[RunReport, ...], refused: Sequence[Mapping[str, Any]], summary: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The published run report: one entry a run, why others were not started, and what all came to (`tally_json`)."""
    counted = {} if summary is None else {"summary": summary}
    return {"version": REPORT_VERSION, "runs": [run.as_json() for run in runs], "refused": refused, **counted}


def text_report(run: RunReport) -> Iterator[str]:
    """The summary line, then why, what did not hold, how the agent ended, and where the evidence lies."""
    yield _summary(run)
    for reason in run.reasons:
        yield f"  {printable(reason)}"
    for check in run.failed_checks:
        yield f"  check {printable(check.id)}: {printable(check.reason)}"
        yield from (f"    {printable(line)}" for line in check.output.rstrip().splitlines()[-TAIL_LINES:])
    for criterion in run.unmet:
        yield f"  not met: {printable(criterion)}"
    if run.stopped_reason:
        yield f"  agent: {printable(run.agent_ended or run.stopped_reason)}"
    if run.agent_silent:
        yield f"  {SPEAK}"
    for warning in run.warnings[:SHOWN_WARNINGS]:
        yield f"  warning: {printable(warning)}"
    if len(run.warnings) > SHOWN_WARNINGS:
        yield f"  and {plural(len(run.warnings) - SHOWN_WARNINGS, 'more warning')} in the evidence"
    if run.evidence is not None:
        yield f"  evidence: {printable(run.evidence)}"


def line_report(run: RunReport) -> str:
    """One run among many in a line: the first reason why it did not pass; the rest stands in its evidence."""
    parts = [_summary(run)]
    if run.agent_fault:
        parts.append(f"agent: {printable(run.agent_fault)}")
    if run.warnings:
        parts.append(plural(len(run.warnings), "warning"))
    if run.status != "passed":
        parts += [printable(reason[:SHOWN_REASON]) for reason in run.reasons[:1]]
        parts += [f"check {printable(check.id)}: {printable(check.reason)}" for check in run.failed_checks[:1]]
    if run.evidence is not None:
        parts.append(printable(run.evidence))
    return "; ".join(parts)


def _summary(run: RunReport) -> str:
    word = run.status.replace("_", " ").upper()
    name = " ".join(filter(None, (run.scenario_id, run.scenario_version)))
    kind = "" if run.failure_kind == "none" else f" {run.failure_kind}"
    facts = []
    if run.checks[1]:
        facts.append(f"checks {run.checks[0]}/{run.checks[1]}")
    if run.criteria[1]:
        facts.append(f"criteria {run.criteria[0]}/{run.criteria[1]}")
    if run.stopped_reason:
        facts.append(plural(run.turns, "turn"))
    facts += [duration(run.duration_ms), f"isolation {run.isolation}"]
    return f"{printable(name)} {word}{kind}: {', '.join(facts)}"


def duration(milliseconds: int) -> str:
    """`0.4s`, `12s`, `3m12s`, `1h02m`."""
    seconds = milliseconds / 1000
    if seconds < 10:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}m{rest:02d}s" if minutes else f"{rest}s"
    return f"{minutes // 60}h{minutes % 60:02d}m"
