"""Read a review's verdict back from what it left beside the reward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.execute.judging import Judgement, no_verdict
from generator.runtime.checks import CheckResult
from generator.runtime.evaluation import Evaluation
from generator.runtime.launch import Outcome
from generator.runtime.verdict import Verdict, normalise

DETAILS_VERSION = "harborsmith_reward_details_v1"


def judgement_of(details: Mapping[str, Any], rewards: Mapping[str, Any] | None, evaluation: Evaluation) -> Judgement:
    """The judgement in `reward-details.json`, if Harbor read the same reward.

    Args:
        details: The file.
        rewards: What Harbor read from `reward.json`; None when there was none.
        evaluation: What the package asked.
    """
    score = details.get("score")
    if details.get("version") != DETAILS_VERSION or not isinstance(details.get("evalResult"), dict):
        return no_verdict("the review's record is not of a format known here", "infra_failed")
    if rewards != (None if score is None else {"reward": score}):
        return no_verdict(f"Harbor read the reward {rewards}, the review recorded {score}", "infra_failed")
    checks = _checks(details.get("checks", ()), evaluation)
    if checks is None:
        return no_verdict("the review's record names checks that the package does not have", "infra_failed")
    result = details["evalResult"]
    if score is not None and normalise(result).problem:
        return no_verdict("the review's record holds a score without a valid verdict", "infra_failed")
    return Judgement(
        result=result,
        verdict=Verdict(str(details["status"]), str(details["failureKind"]), score),
        checks=checks,
        asked=details.get("reviewer") is not None,
        problem=str(details.get("problem", "")),
        warnings=tuple(str(warning) for warning in details.get("warnings", ())),
    )


def _checks(stated: Any, evaluation: Evaluation) -> tuple[CheckResult, ...] | None:
    known = {check.id: check for check in evaluation.checks}
    found = []
    for item in stated:
        check = known.get(str(item.get("id"))) if isinstance(item, dict) else None
        if check is None:
            return None
        code = item.get("exitCode")
        outcome = Outcome(
            exit_code=code,
            timed_out=bool(item.get("timedOut")),
            output=str(item.get("output", "")).encode("utf-8", "surrogateescape"),
            seconds=float(item.get("durationMs", 0)) / 1000,
            error="" if code is not None else str(item.get("reason", "")).removeprefix("could not be run: "),
        )
        found.append(CheckResult(check, outcome))
    return tuple(found)
