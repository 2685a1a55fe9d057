"""Have a finished work judged by the package's review, and put the outcome into words."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from generator.execute.launcher import BubblewrapLauncher
from generator.execute.preparation import choose_reviewer
from generator.execute.records import RunFacts
from generator.execute.refusal import granted
from generator.execute.report import FailedCheck, RunReport
from generator.execute.room import Room
from generator.execute.settings import RunSettings
from generator.execute.taskpackage import TaskPackage
from generator.execute.turnrecord import turn_fault
from generator.execute.view import SYSTEM_PATH
from generator.runtime.audit import audit_warnings
from generator.runtime.checks import CheckResult
from generator.runtime.evalinput import RunContext
from generator.runtime.launch import Launcher, ReviewPlace
from generator.runtime.loop import GOAL_SATISFIED, ITERATIONS_EXHAUSTED, RUNTIME_FAILURE
from generator.runtime.plain import PlainLauncher
from generator.runtime.review import run_review
from generator.runtime.trees import create_directory
from generator.runtime.verdict import Verdict, infra_failed

MET: Final = ("passed", "not_applicable")
INFRA_FAILED: Final = "infra_failed"
TOO_LARGE: Final = "workspace_too_large"
# How the problem of a reviewer begins that came to its end and gave no verdict.
NO_ANSWER: Final = (
    "the reviewer wrote no output file",
    "the reviewer's output file is not",
    "verdict_malformed",
    "verdict_contradictory",
)
HOW_TO_ANSWER: Final = (
    "write: one JSON object to the file that RUHROH_EVAL_OUTPUT_PATH names, or as a line of output; "
    "`harborsmith schema eval-result` prints its schema"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a review came to.

    Attributes:
        result: The normalised verdict.
        verdict: What it is worth.
        checks: Results of the checks.
        asked: Whether a reviewer was asked.
        problem: Why there is no verdict; empty with one.
        warnings: What a person should know before believing it.
    """

    result: Mapping[str, Any]
    verdict: Verdict
    checks: tuple[CheckResult, ...] = ()
    asked: bool = False
    problem: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The warnings that say more than the report: nothing about a verdict that is none, or about failed checks."""
        if self._unanswered:
            about_nothing = audit_warnings(self.result, by_checks=not self.asked)
            return tuple(warning for warning in self.warnings if warning not in about_nothing)
        return tuple(warning for warning in self.warnings if not warning.startswith("the check's command "))

    @property
    def _unanswered(self) -> bool:
        """Whether the result is no one's, and only says why there is none."""
        return bool(self.problem) and list(self.result["reasons"]) == [self.problem]

    def report(self, facts: RunFacts, *, evidence: str, interrupted: int | None) -> RunReport:
        """The run's report."""
        failed = tuple(check for check in self.checks if not check.passed)
        return RunReport(
            scenario_id=facts.package.scenario_id,
            scenario_version=facts.package.version,
            digest=facts.package.digest,
            modes=facts.package.modes,
            run_id=facts.run_id,
            failure_kind=self.verdict.failure_kind,
            score=self.verdict.score,
            reasons=() if failed and not self.problem else self._reasons(),
            checks=(len(self.checks) - len(failed), len(facts.package.evaluation.checks)),
            criteria=self._criteria(facts.package),
            failed_checks=tuple(FailedCheck(id=c.check.id, reason=c.reason, output=c.outcome.text) for c in failed),
            unmet=tuple(self.result["unmetCriteria"]) if self.asked and not self.problem else (),
            stopped_reason=facts.stopped_reason,
            agent_ended=_ended(facts),
            agent_fault=_fault(facts),
            agent_silent=_silent(facts),
            turns=len(facts.turns),
            duration_ms=facts.duration_ms,
            isolation=facts.isolation.level,
            warnings=facts.warnings,
            evidence=evidence,
            interrupted=interrupted,
        )

    def _reasons(self) -> tuple[str, ...]:
        if not self.problem:
            return tuple(self.result["reasons"])
        said = [ref["summary"].strip() for ref in self.result["evidenceRefs"] if ref["summary"].strip()]
        last = said[-1].splitlines()[-1:] if said else []
        hint = [HOW_TO_ANSWER] if self._unanswered and self.problem.startswith(NO_ANSWER) else []
        return (self.problem, *(f"last output: {line}" for line in last), *hint)

    def _criteria(self, package: TaskPackage) -> tuple[int, int]:
        """Met and all, as far as the verdict says so; nothing where it does not."""
        if not self.asked or self.problem:
            return (0, 0)
        listed = self.result.get("criteriaResults", [])
        if listed:
            return (sum(item["status"] in MET for item in listed), len(listed))
        criteria, unmet = package.evaluation.criteria, set(self.result["unmetCriteria"])
        named = sum(not unmet.isdisjoint(criterion.values()) for criterion in criteria)
        if self.result["status"] != "failed" or not unmet or named < len(unmet):
            return (0, 0)  # what is not met in the reviewer's own words says nothing about the others
        return (len(criteria) - named, len(criteria))


def _ended(facts: RunFacts) -> str:
    """How the agent ended, for people: a built-in one has one turn, which is neither few nor many."""
    fault, name = _fault(facts), facts.agent.built_in
    if facts.stopped_reason == RUNTIME_FAILURE and facts.turns and "transcriptPath" in facts.turns[-1]:
        return f"{fault}; see {facts.turns[-1]['transcriptPath']}"
    if name is not None and not fault:
        return f"{name}, which is built in, made its one turn"
    return fault or facts.stopped_reason


def _fault(facts: RunFacts) -> str:
    """How the agent ended, with what is known of it, where that is not how an agent ends that did its work."""
    reason, built_in = facts.stopped_reason, facts.agent.built_in is not None
    if reason in ("", GOAL_SATISFIED) or (reason == ITERATIONS_EXHAUSTED and built_in):
        return ""
    detail = ""
    if reason == RUNTIME_FAILURE and facts.turns:
        detail = turn_fault(facts.turns[-1])
    elif _silent(facts):
        errors = facts.turns[-1]["protocolErrors"]
        detail = errors[0].partition("; ")[0] if errors else "no status in the last line of its output"
    return f"{reason} ({detail})" if detail else reason


def _silent(facts: RunFacts) -> bool:
    """Whether the agent used up its turns without a word that is understood."""
    exhausted = facts.stopped_reason == ITERATIONS_EXHAUSTED and facts.agent.built_in is None
    return exhausted and bool(facts.turns) and facts.turns[-1]["stopReason"] == "missing_completion_signal"


def no_verdict(reason: str, failure_kind: str) -> Judgement:
    """The judgement of a work that could not be reviewed."""
    return Judgement(result=infra_failed(reason), verdict=Verdict("failed", failure_kind, None), problem=reason)


def judge(
    package: TaskPackage,
    settings: RunSettings,
    *,
    room: Room,
    handover: str,
    context: RunContext,
    hidden: tuple[str, ...],
    out: Path,
) -> Judgement:
    """Review `handover` (an archive, or a directory) with the package's own tests, which stand in `room.tests`.

    Raises:
        OSError: `out` cannot be written.
    """
    evaluation = package.evaluation
    create_directory(str(room.review))
    place = ReviewPlace(str(room.tests), str(room.review), evaluation.workdir, str(room.review / "submission.sock"))
    launcher: Launcher = PlainLauncher()
    environ = settings.environ
    if settings.sandbox is not None:
        launcher = BubblewrapLauncher(
            sandbox=settings.sandbox,
            workdir=evaluation.workdir,
            user=package.user,
            network=package.review_network,
            hidden=hidden,
        )
        environ = {"PATH": SYSTEM_PATH}
    report = run_review(
        evaluation,
        place=place,
        handover=handover,
        context=replace(context, hidden=tuple(os.path.realpath(path) for path in hidden)),
        reviewer=granted(choose_reviewer(package, settings)),
        launcher=launcher,
        out_dir=str(out),
        environ=environ,
        limits=settings.limits,
    )
    return Judgement(
        result=report.result,
        verdict=report.verdict,
        checks=report.checks,
        asked=report.reviewer is not None,
        problem=report.problem,
        warnings=report.warnings,
    )
