"""What follows from a refused value is not said: a misspelt choice is one complaint, with the choice that was meant."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from generator.formats.checked import check
from generator.formats.schemas import V1, V2, schema
from generator.workflows.select import select
from generator.workflows.validate import validate
from tests.support.scenarios import document, write_scenario
from tests.support.twins import write_twin

V1_DRIVER = {"adapter": "custom-shell", "profileId": "default", "timeoutSeconds": 60}
CHECKS = [{"id": "unit-tests", "command": "python3 -m unittest"}]


def by_checks(**changes: Any) -> dict[str, Any]:
    """A document that checks alone decide about, so without any text for a reviewer."""
    texts = ("scenarioContext", "goalRubric", "evidenceGuidance", "calibrationCases")
    left_out = {f"evaluation__{name}": ... for name in texts}
    return document(**left_out, evaluation__mode="checks", evaluation__checks=CHECKS, **changes)


def budget(**limit: Any) -> dict[str, Any]:
    return document(
        run__resourceBudgets={
            "version": "ruhroh_resource_budgets_v1",
            "scope": "implementation",
            "onUnobservable": "fail",
            "limits": [{"max": 1, "requiredEnforcement": "boundary", **limit}],
        }
    )


def complaints(folder: Path) -> list[tuple[str, str, str]]:
    """Code, pointer and hint of each, through all that `validate` does."""
    (result,) = validate(select(folder)).results
    return [(one.code, one.location.pointer, one.hint) for one in result.diagnostics]


def version_1(**changes: Any) -> dict[str, Any]:
    return document(**{"version": V1, "driver": V1_DRIVER, "run": ..., **changes})


ONE_COMPLAINT = {
    "mode of checks": (by_checks(), "/evaluation/mode", "chekcs", '"checks"'),
    "mode of a review": (document(), "/evaluation/mode", "agentic_goal_reviw", '"agentic_goal_review"'),
    "mode that is nothing like one": (by_checks(), "/evaluation/mode", "x", '"agentic_goal_review" or "checks"'),
    "mode that is no text": (by_checks(), "/evaluation/mode", None, '"agentic_goal_review" or "checks"'),
    "visibility": (
        document(metadata={"scenarioVersion": "1.0.0", "visibility": "public"}),
        "/metadata/visibility",
        "publc",
        '"public"',
    ),
    "resource of a budget": (budget(resource="cost"), "/run/resourceBudgets/limits/0/resource", "csot", '"cost"'),
    "version 1": (version_1(), "/version", "ruhroh_senario_v1", f'"{V1}"'),
    "version 2": (document(), "/version", "ruhroh_senario_v2", f'"{V2}"'),
}


def changed(made: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    *path, last = pointer.split("/")[1:]
    place: Any = made
    for part in path:
        place = place[int(part)] if part.isdigit() else place[part]
    place[last] = value
    return made


@pytest.mark.parametrize(
    ("made", "pointer", "typed", "hint"), [pytest.param(*case, id=name) for name, case in ONE_COMPLAINT.items()]
)
def test_a_misspelt_choice_is_one_complaint_that_names_the_closest(
    made: dict[str, Any], pointer: str, typed: str | None, hint: str, tmp_path: Path
) -> None:
    sound = complaints(write_scenario(tmp_path / "sound/sum-ledger", made))
    scenario = write_scenario(tmp_path / "json/sum-ledger", changed(copy.deepcopy(made), pointer, typed))
    twin = write_twin(scenario, tmp_path / "yaml/sum-ledger")
    found = complaints(scenario)
    assert found == complaints(twin)
    assert [one for one in found if one not in sound] == [("field_value", pointer, hint)]


def test_a_misspelt_name_of_the_choice_is_one_complaint_as_well(tmp_path: Path) -> None:
    made = by_checks()
    made["evaluation"]["mdoe"] = made["evaluation"].pop("mode")
    scenario = write_scenario(tmp_path / "json/sum-ledger", made)
    twin = write_twin(scenario, tmp_path / "yaml/sum-ledger")
    assert complaints(scenario) == complaints(twin)
    assert complaints(scenario) == [
        ("field_missing", "/evaluation", '"mode" instead of "mdoe"'),
        ("field_unknown", "/evaluation/mdoe", '"mode"'),
    ]


def test_a_choice_that_was_made_still_asks_for_what_it_needs() -> None:
    alone = by_checks()
    del alone["evaluation"]["checks"]
    assert [one.message for one in check(alone).findings] == ['the member "checks" is missing']
    judged = changed(by_checks(), "/evaluation/mode", "agentic_goal_review")
    assert [one.message for one in check(judged).findings] == [
        f'the member "{name}" is missing' for name in ("scenarioContext", "goalRubric", "evidenceGuidance")
    ]
    assert [one.message for one in check(budget(resource="cost")).findings] == ['the member "currency" is missing']


def test_another_fault_beside_a_misspelt_choice_is_still_said() -> None:
    made = changed(by_checks(), "/evaluation/mode", "chekcs")
    made["evaluation"]["checks"] = [{"id": "unit-tests"}]
    assert [(one.code, one.pointer) for one in check(made).findings] == [
        ("field_value", "/evaluation/mode"),
        ("field_missing", "/evaluation/checks/0"),
    ]


def test_every_choice_that_a_rule_of_the_schema_depends_on_is_tried_above() -> None:
    tried = {pointer.rpartition("/")[2] for _, pointer, _, _ in ONE_COMPLAINT.values()}
    # What decides about a published network is a truth value, which cannot be misspelt.
    assert set(_choices(schema(V2))) - {"network"} <= tried


def _choices(subschema: Any) -> Iterator[str]:
    """The members with a value of their own that an `if` below `subschema` asks for."""
    if isinstance(subschema, dict):
        for name, below in subschema.items():
            yield from _asked(below) if name == "if" else _choices(below)
    elif isinstance(subschema, list):
        for below in subschema:
            yield from _choices(below)


def _asked(condition: dict[str, Any]) -> Iterator[str]:
    for name, below in condition["properties"].items():
        yield from _asked(below) if "properties" in below else [name]
