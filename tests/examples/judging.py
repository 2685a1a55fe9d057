"""Advice about context, rubric, evidence and calibration."""

from __future__ import annotations

from typing import Final

from tests.support.examples import Example, scenario
from tests.support.scenarios import document

_EVALUATION: Final = document()["evaluation"]
_FIRST, *_OTHERS = _EVALUATION["goalRubric"]
_PROMPT: Final = "Sum the amounts in the ledger, and write the total to the report. Use `assets/ledger.csv`.\n"


def _rubric(first: str) -> Example:
    return Example(scenario(evaluation__goalRubric=[first, *_OTHERS]))


EXAMPLES: Final = {
    "evaluation_context_minimum": Example(scenario(evaluation__scenarioContext=["A bookkeeper closes the month."])),
    "evaluation_calibration_cases_minimum": Example(scenario(evaluation__calibrationCases=[])),
    "evaluation_goal_rubric_minimum": Example(scenario(evaluation__goalRubric=[_FIRST, _OTHERS[0]])),
    "evaluation_goal_rubric_terse": _rubric("The total is right."),
    "evaluation_goal_rubric_generic": _rubric("The result must satisfy the user request in every respect."),
    "evaluation_evidence_guidance_minimum": Example(
        scenario(evaluation__evidenceGuidance=_EVALUATION["evidenceGuidance"][:1])
    ),
    "evaluation_evidence_proxy_source": Example(
        scenario(
            evaluation__evidenceGuidance=[
                "Check that the source code matches the example.",
                _EVALUATION["evidenceGuidance"][1],
            ]
        )
    ),
    "rubric_names_files": _rubric("The file report.json has a member called total with two decimals."),
    "rubric_repeats_prompt": Example(
        scenario(
            {"instruction.md": _PROMPT},
            evaluation__goalRubric=["Sum the amounts in the ledger, and write the total to the report.", *_OTHERS],
        ),
        scenario({"instruction.md": _PROMPT}),
    ),
    "rubric_repeats_itself": Example(
        scenario(evaluation__goalRubric=[_FIRST, *_OTHERS, _FIRST.lower()]),
        scenario(evaluation__goalRubric=[_FIRST, *_OTHERS]),
    ),
    "calibration_status_missing": Example(scenario(evaluation__calibrationCases=_EVALUATION["calibrationCases"][:2])),
}
