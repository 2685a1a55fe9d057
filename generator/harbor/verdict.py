"""Read a review's verdict back from what it left beside the reward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.execute.judging import Judgement, no_verdict
from generator.runtime.checks import CheckResult
from generator.runtime.evaluation import Evaluation
from generator.runtime.launch import Outcome
from generator.runtime.verdict import decide, normalise

DETAILS_VERSION = "harborsmith_reward_details_v1"


def judgement_of(
    details: Mapping[str, Any],
    rewards: Mapping[str, Any] | None,
    evaluation: Evaluation,
    *,
    completed: bool | None,
    stopped: str,
) -> Judgement:
    """The judgement in `reward-details.json`, if Harbor read the same reward and the result is worth what is stated.

    Args:
        details: The file.
        rewards: What Harbor read from `reward.json`; None when there was none.
        evaluation: What the package asked.
        completed: Whether the agent said it was done; None when nobody recorded it.
        stopped: Why its turns ended.
    """
    score = details.get("score")
    if details.get("version") != DETAILS_VERSION or not isinstance(details.get("evalResult"), dict):
        return _broken("the review's record is not of a format known here")
    if rewards != (None if score is None else {"reward": score}):
        return _broken(f"Harbor read the reward {rewards}, the review recorded {score}")
    normalised = normalise(details["evalResult"])
    if score is not None and normalised.problem:
        return _broken("the review's record holds a score without a valid verdict")
    decided = decide(
        normalised.result,
        completion_required=evaluation.completion_required and completed is not None,
        completed=completed is True,
        stopped=stopped,
    )
    stated = (details.get("status"), details.get("failureKind"), score)
    if stated != (decided.status, decided.failure_kind, decided.score):
        return _broken(f"the review's record states {stated}, which its result is not worth: {decided}")
    try:
        checks = _checks(details.get("checks", ()), evaluation)
        warnings = tuple(str(warning) for warning in details.get("warnings", ()))
    except (TypeError, ValueError) as problem:
        return _broken(f"the review's record is malformed: {problem}")
    if checks is None:
        return _broken("the review's record names checks that the package does not have")
    return Judgement(
        result=normalised.result,
        verdict=decided,
        checks=checks,
        asked=details.get("reviewer") is not None,
        problem=str(details.get("problem", "")),
        warnings=warnings,
    )


def _broken(reason: str) -> Judgement:
    return no_verdict(reason, "infra_failed")


def _checks(stated: Any, evaluation: Evaluation) -> tuple[CheckResult, ...] | None:
    """The results of checks; None where one is not the package's. Raises TypeError or ValueError when malformed."""
    known = {check.id: check for check in evaluation.checks}
    found = []
    for item in stated:
        check = known.get(str(item.get("id"))) if isinstance(item, dict) else None
        if check is None:
            return None
        code = item.get("exitCode")
        if code is not None and not isinstance(code, int):
            raise ValueError(f"the exit code of check {check.id} is {code!r:.60}")
        outcome = Outcome(
            exit_code=code,
            timed_out=bool(item.get("timedOut")),
            output=str(item.get("output", "")).encode("utf-8", "surrogateescape"),
            seconds=float(item.get("durationMs", 0)) / 1000,
            error="" if code is not None else str(item.get("reason", "")).removeprefix("could not be run: "),
        )
        found.append(CheckResult(check, outcome))
    return tuple(found)
