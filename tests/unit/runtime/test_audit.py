from __future__ import annotations

from typing import Any

import pytest

from generator.runtime.audit import audit_warnings
from generator.runtime.verdict import normalise

EVIDENCE = [{"kind": "file", "ref": "report.json", "summary": "14.00"}]
SOUND: dict[str, Any] = {
    "status": "passed",
    "goalMet": True,
    "confidence": "high",
    "evidenceRefs": EVIDENCE,
    "criteriaResults": [{"id": "a", "status": "passed", "score": 1, "evidenceRefs": EVIDENCE}],
    "judge": {"kind": "command"},
    "finalSummary": "The report holds the correct total.",
}


def warnings(**changes: Any) -> tuple[str, ...]:
    return audit_warnings(normalise({**SOUND, **changes}).result)


def vote(status: str, **judge: str) -> dict[str, Any]:
    return {"judge": {"kind": "command", **judge}, "status": status, "evidenceRefs": EVIDENCE}


def test_a_sound_verdict_has_no_warnings() -> None:
    assert warnings() == ()
    assert audit_warnings(normalise(SOUND).result, 1) == ()


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        ({"status": "review"}, "the reviewer asks for human review"),
        ({"confidence": "low"}, "the reviewer's confidence is low"),
        ({"evidenceRefs": []}, "the verdict cites no evidence"),
        ({"criteriaResults": []}, "the verdict has no result by criterion"),
        ({"criteriaResults": [{"id": "a", "status": "passed", "score": 1}]}, "criterion a cites no evidence"),
        ({"commandsRun": [{"command": "ls", "exitCode": 2}]}, "the reviewer's command 'ls' exited with 2"),
        ({"judge": None}, "the verdict does not say who judged"),
        ({"judge": {"kind": "model"}}, "the judge is a model that is not named"),
        ({"judgeVotes": [vote("passed")]}, "there is one vote only"),
        ({"judgeVotes": [vote("passed"), vote("failed")]}, "the judges disagree: human review recommended"),
        ({"judgeVotes": [vote("failed"), vote("failed")]}, "the verdict is passed, most judges say failed"),
        ({"judgeVotes": [vote("passed"), {**vote("passed", version="2"), "evidenceRefs": []}]},
         "the vote of command@2 cites no evidence"),
        ({"judgeVotes": [vote("passed"), vote("passed", kind="hybrid")]},
         "the vote of hybrid is of a model that is not named"),
        ({"finalSummary": "short"}, "the final summary is shorter than 20 characters"),
        ({"criteriaResults": [{"id": "a", "status": "failed", "score": 0, "evidenceRefs": EVIDENCE}]},
         "criterion a is failed although the verdict is passed"),
        ({"status": "failed"}, "the verdict is failed although it says that the goal is met"),
    ],
)  # fmt: skip
def test_each_doubt_is_named(changes: dict[str, Any], warning: str) -> None:
    assert warnings(**changes) == (warning,)


def test_a_criterion_that_does_not_apply_needs_no_evidence() -> None:
    assert warnings(criteriaResults=[{"id": "a", "status": "not_applicable", "score": 0}]) == ()


@pytest.mark.parametrize("score", [0, 1])
def test_a_score_that_disagrees_is_named(score: int) -> None:
    result = normalise({**SOUND, "status": "failed" if score else "passed", "goalMet": not score}).result
    assert any("the score is" in warning for warning in audit_warnings(result, score))


def test_a_command_of_a_verdict_by_checks_is_called_a_checks() -> None:
    result = normalise({**SOUND, "commandsRun": [{"command": "ls", "exitCode": 2}]}).result
    assert audit_warnings(result, by_checks=True) == ("the check's command 'ls' exited with 2",)


def test_a_warning_is_given_once() -> None:
    found = warnings(commandsRun=[{"command": "ls", "exitCode": 2}] * 3)
    assert len(found) == 1
