"""The seven published lint rules at their edges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generator.formats.calibration import calibration
from tests.support.scenarios import document
from tests.unit.rules.support import codes, findings

LONG = "The report holds the correct total of all the amounts in the ledger."


def rubric_codes(root: Path, criterion: str) -> list[str]:
    return codes(root, evaluation__goalRubric=[LONG, LONG, criterion])


def guidance_codes(root: Path, instruction: str) -> list[str]:
    return codes(root, evaluation__evidenceGuidance=["Open the report and compare the total.", instruction])


@pytest.mark.parametrize(
    ("criterion", "terse"),
    [
        ("x" * 40, False),
        ("x" * 39, True),
        ("x" * 39 + " \u3000\ufeff\n", True),
        ("\u00a0" + "x" * 40, False),
        ("x" * 39 + "\x85", False),  # NEL is no white space in JavaScript
        ("😀" * 20, False),  # two UTF-16 units each
        ("😀" * 19 + "x", True),
    ],
)
def test_a_criterion_is_measured_trimmed_and_in_utf_16_units(tmp_path: Path, criterion: str, terse: bool) -> None:
    assert rubric_codes(tmp_path, criterion) == ["evaluation_goal_rubric_terse"] * terse


@pytest.mark.parametrize(
    ("phrase", "generic"),
    [
        ("satisfy the user goal", True),
        ("SATISFIES  the\u00a0user\n request", True),
        ("satisfy the user prompt", True),
        ("satisfied the user goal", False),
        ("satisfy the user goals", False),
        ("dissatisfy the user goal", False),
        ("satisfy the users goal", False),
        ("satisfy the user, goal", False),
        ("ésatisfy the user goal", True),  # word boundaries are ASCII, as published
    ],
)
def test_a_generic_criterion_is_found_on_word_boundaries(tmp_path: Path, phrase: str, generic: bool) -> None:
    found = rubric_codes(tmp_path, f"The finished work must in every way {phrase} .")
    assert found == ["evaluation_goal_rubric_generic"] * generic


@pytest.mark.parametrize(
    ("instruction", "proxy"),
    [
        ("Check that the source text matches the sample.", True),
        ("Check whether Source   Code match each other.", True),
        ("Look at the filenames.", True),
        ("Look at the FILENAME.", True),
        ("Look at the file name.", False),
        ("The source text should match.", False),
        ("Resource text matches the sample.", False),
        ("Source code matching is fine.", False),
        ("Do not require a filename.", False),
        ("Prefer evidence of behaviour to filenames.", False),
        ("Judge behaviour rather than source; ignore the filename.", False),
        ("Weigh behaviour over source text matches.", False),
    ],
)
def test_evidence_by_proxy_is_found_unless_the_instruction_excuses_itself(
    tmp_path: Path, instruction: str, proxy: bool
) -> None:
    assert guidance_codes(tmp_path, instruction) == ["evaluation_evidence_proxy_source"] * proxy


def test_an_excuse_counts_only_within_its_own_instruction_and_one_complaint_is_enough(tmp_path: Path) -> None:
    texts = ["Do not require anything.", "Look at the filename.", "Look at all filenames."]
    (found,) = findings(tmp_path, evaluation__evidenceGuidance=texts)
    assert (found.pointer, found.at) == ("/evaluation/evidenceGuidance", "/evaluation/evidenceGuidance/1")


def test_indices_are_those_of_the_document_when_other_items_are_invalid(tmp_path: Path) -> None:
    found = findings(tmp_path, evaluation__goalRubric=[" ", LONG, None, "short"])
    assert [(one.code, one.pointer) for one in found] == [
        ("text_blank", "/evaluation/goalRubric/0"),
        ("field_type", "/evaluation/goalRubric/2"),
        ("evaluation_goal_rubric_terse", "/evaluation/goalRubric/3"),
    ]


def test_the_minimums_come_in_the_published_order_with_the_published_field(tmp_path: Path) -> None:
    found = findings(
        tmp_path,
        evaluation__scenarioContext=[LONG],
        evaluation__goalRubric=[LONG, LONG],
        evaluation__evidenceGuidance=[LONG],
        evaluation__calibrationCases=...,
    )
    assert [(one.code, one.pointer) for one in found] == [
        ("evaluation_context_minimum", "/evaluation/scenarioContext"),
        ("evaluation_calibration_cases_minimum", "/evaluation/calibrationCases"),
        ("evaluation_goal_rubric_minimum", "/evaluation/goalRubric"),
        ("evaluation_evidence_guidance_minimum", "/evaluation/evidenceGuidance"),
    ]


def test_where_checks_alone_decide_a_reviewers_texts_are_optional(tmp_path: Path) -> None:
    evaluation = {"mode": "checks", "checks": [{"id": "a", "command": "true"}], "goalRubric": ["short"]}
    assert codes(tmp_path, evaluation=evaluation) == ["evaluation_goal_rubric_terse"]


def test_a_criterion_of_much_white_space_is_measured_at_once(tmp_path: Path) -> None:
    # A pattern that tried each space as the last ones' beginning would take hours.
    assert rubric_codes(tmp_path, "a" + " " * 300_000 + "a") == []


def test_without_an_evaluation_nothing_is_linted(tmp_path: Path) -> None:
    assert codes(tmp_path, evaluation=...) == ["field_missing"]
    assert codes(tmp_path, evaluation=5) == ["field_type"]


@pytest.mark.parametrize(
    ("evaluation", "total", "covered", "missing", "warning"),
    [
        (document()["evaluation"], 3, ("passed", "failed", "review"), (), ()),
        ({}, 0, (), ("passed", "failed", "review"), ("there are no calibration cases",)),
        (5, 0, (), ("passed", "failed", "review"), ("there are no calibration cases",)),
        ({"calibrationCases": 5}, 0, (), ("passed", "failed", "review"), ("there are no calibration cases",)),
        (
            {
                "calibrationCases": [
                    {"id": "a", "inputSummary": "b", "rationale": "c", "expectedStatus": "failed"},
                    {"id": "a", "inputSummary": " ", "rationale": "c", "expectedStatus": "passed"},
                    {"id": "a", "inputSummary": "b", "rationale": "c", "expectedStatus": "infra_failed"},
                    {"id": "a", "inputSummary": "b", "rationale": "c", "expectedStatus": ["passed"]},
                    "x",
                ]
            },
            1,
            ("failed",),
            ("passed", "review"),
            ("no calibration case expects passed, review",),
        ),
    ],
)
def test_calibration_counts_well_formed_cases_alone(
    evaluation: Any, total: int, covered: tuple[str, ...], missing: tuple[str, ...], warning: tuple[str, ...]
) -> None:
    found = calibration({"evaluation": evaluation})
    assert (found.total, found.covered, found.missing, found.warnings) == (total, covered, missing, warning)
