"""What a person should know before believing a verdict: published audit warnings, in their published order."""

from __future__ import annotations

from typing import Any, Iterator, List, Mapping, Optional, Tuple

from .verdict import judge_label

SHORT_SUMMARY = 20  # characters
_NEEDS_MODEL = ("model", "hybrid")


def audit_warnings(
    result: Mapping[str, Any], score: Optional[int] = None, *, by_checks: bool = False
) -> Tuple[str, ...]:
    """Warnings about a normalised result, without repetitions.

    Args:
        result: As `verdict.normalise` gives it.
        score: The score the run got, when there is one; it has to agree with the result.
        by_checks: Whether no reviewer was asked, so that the commands in the result are those of checks.
    """
    found = [
        *_about_evidence(result, "check" if by_checks else "reviewer"),
        *_about_judges(result),
        *_about_the_whole(result, score),
    ]
    return tuple(dict.fromkeys(found))


def _about_evidence(result: Mapping[str, Any], whose: str) -> Iterator[str]:
    if result["status"] == "review":
        yield "the reviewer asks for human review"
    if result["confidence"] == "low":
        yield "the reviewer's confidence is low"
    if not result["evidenceRefs"]:
        yield "the verdict cites no evidence"
    criteria = result.get("criteriaResults", [])
    if not criteria:
        yield "the verdict has no result by criterion"
    for criterion in criteria:
        if not criterion.get("evidenceRefs") and criterion["status"] != "not_applicable":
            yield f"criterion {criterion['id']} cites no evidence"
    for command in result["commandsRun"]:
        if command["exitCode"] != 0:
            yield f"the {whose}'s command {command['command']!r:.80} exited with {command['exitCode']}"


def _about_judges(result: Mapping[str, Any]) -> Iterator[str]:
    judge = result.get("judge")
    votes: List[Mapping[str, Any]] = result.get("judgeVotes", [])
    if judge is None:
        yield "the verdict does not say who judged"
    elif judge["kind"] in _NEEDS_MODEL and "model" not in judge:
        yield "the judge is a model that is not named"
    if len(votes) == 1:
        yield "there is one vote only"
    agreement = result.get("judgeAgreement", {})
    if votes and not agreement["unanimous"]:
        yield "the judges disagree: human review recommended"
    if agreement.get("majorityStatus", result["status"]) != result["status"]:
        yield f"the verdict is {result['status']}, most judges say {agreement['majorityStatus']}"
    for vote in votes:
        if not vote["evidenceRefs"]:
            yield f"the vote of {judge_label(vote['judge'])} cites no evidence"
    for vote in votes:
        if vote["judge"]["kind"] in _NEEDS_MODEL and "model" not in vote["judge"]:
            yield f"the vote of {judge_label(vote['judge'])} is of a model that is not named"


def _about_the_whole(result: Mapping[str, Any], score: Optional[int]) -> Iterator[str]:
    if len(result["finalSummary"].strip()) < SHORT_SUMMARY:
        yield f"the final summary is shorter than {SHORT_SUMMARY} characters"
    if score is not None and (score == 1) != (result["status"] == "passed"):
        yield f"the score is {score} although the verdict is {result['status']}"
    if result["status"] == "passed":
        for criterion in result.get("criteriaResults", []):
            if criterion["status"] in ("failed", "partial", "review"):
                yield f"criterion {criterion['id']} is {criterion['status']} although the verdict is passed"
    if result["status"] == "failed" and result["goalMet"]:
        yield "the verdict is failed although it says that the goal is met"
