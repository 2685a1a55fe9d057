"""The schema check: words for every error, and a sound rest."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formats import schemas
from generator.formats.build import build
from generator.formats.checked import check, without
from generator.formats.schemas import V1, V2
from generator.rules.publication import ITEMS
from generator.source.pointer import child, parts
from tests.support.scenarios import document

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**290), 10**290)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", " ", "x", "../x", "/x", "a\nb", "2026-13-45", "smoke", "checks", "root", "x" * 70, "é", "."])
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "command", "path", "status", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def full() -> dict[str, Any]:
    """A document with every block there is."""
    return document(
        metadata={
            "scenarioVersion": "1.0.0",
            "visibility": "public",
            "tags": ["a"],
            "lifecycle": {"status": "active", "replacementId": "b"},
        },
        environment={"packages": ["jq"], "stage": {"assets/ledger.csv": "x"}, "cpus": 1, "workdir": "/w"},
        loop__completion={"required": True, "promise": "DONE"},
        evaluation__checks=[{"id": "c", "command": ["true", "x"], "restore": ["assets/ledger.csv"]}],
        evaluation__reviewer={"path": "r", "command": ["x"]},
        evaluation__environment={"packages": ["jq"]},
        evaluation__env=["A"],
        evaluation__privateAssets=["p"],
        run__resourceBudgets={
            "version": "ruhroh_resource_budgets_v1",
            "scope": "implementation",
            "onUnobservable": "fail",
            "limits": [{"resource": "cost", "max": 1, "requiredEnforcement": "boundary", "currency": "USD"}],
        },
    )


def pointers(value: Any, pointer: str = "") -> Iterator[str]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, below in members:
        yield child(pointer, name)
        yield from pointers(below, child(pointer, name))


PLACES = [*pointers(full()), "/driver", "/userPrompt", "/solution", "/workloadProfile", "/unknown", "/run/unknown"]


def place(made: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    """`made` with `value` at `pointer`; `...` takes away what is there."""
    *path, last = parts(pointer)
    holder: Any = made
    for part in path:
        holder = holder[int(part)] if isinstance(holder, list) else holder[part]
    key: Any = int(last) if isinstance(holder, list) else last
    if value is ...:
        del holder[key]
    else:
        holder[key] = value
    return made


EXPECTED = ("field_missing", "field_unknown")  # taking out a value leaves it missing; an unknown one is no harm


@given(st.sampled_from(PLACES), VALUES | st.just(...), st.sampled_from([V1, V2]))
def test_both_validators_agree_on_every_mutation(pointer: str, value: Any, version: str) -> None:
    made = place(full(), pointer, copy.deepcopy(value)) if value is not ... or pointer in PLACES[:-6] else full()
    fast = schemas._fast(version).is_valid(made)
    assert fast is not any(schemas._wordy(version).iter_errors(made))


@given(st.sampled_from(PLACES[:-6]), VALUES | st.just(...))
def test_what_is_left_of_any_mutation_is_sound_and_builds(pointer: str, value: Any) -> None:
    made = place(full(), pointer, copy.deepcopy(value))
    checked = check(made)
    again = [finding for finding in check(checked.sound).findings if finding.code not in EXPECTED]
    taken_items = {pointer for pointer in checked.invalid if pointer.rpartition("/")[2].isdigit()}
    assert [finding for finding in again if finding.pointer not in taken_items] == []
    build(checked.sound, "prompt")


@given(VALUES.filter(lambda value: isinstance(value, dict)))
def test_any_object_is_checked_and_built_without_a_traceback(value: dict[str, Any]) -> None:
    checked = check(value)
    assert checked.findings
    build(checked.sound, "")


def test_a_valid_document_is_its_own_sound_form() -> None:
    made = document()
    checked = check(made)
    assert checked.sound is made
    assert checked.findings == ()


def test_items_that_are_taken_out_leave_their_place_and_members_do_not() -> None:
    made = {"a": [1, {"b": 2, "c": 3}, 4], "d": {"e": 5}}
    assert without(made, {"/a/0", "/a/1/b", "/d/e", "/gone/x", "/a/1/c/d/e", "/a/x/y"}) == {
        "a": [None, {"c": 3}, 4],
        "d": {},
    }
    assert made == {"a": [1, {"b": 2, "c": 3}, 4], "d": {"e": 5}}


@pytest.mark.parametrize(
    ("changes", "code", "pointer", "message", "hint"),
    [
        ({"title": ...}, "field_missing", "", 'the member "title" is missing', '"title": "Clean up the order export"'),
        ({"tier": "smokey"}, "field_value", "/tier", '"smokey" is not one of: smoke, nightly, release', '"smoke"'),
        ({"tier": 5}, "field_value", "/tier", "5 is not one of", '"smoke" or "nightly" or "release"'),
        ({"run__timeoutSeconds": "600"}, "field_type", "/run/timeoutSeconds", 'expected a number, found "600"', "600"),
        ({"run__timeoutSeconds": 0}, "field_range", "/run/timeoutSeconds", "0 must be more than 0", "900"),
        ({"run__timeoutSeconds": 1e9}, "field_range", "/run/timeoutSeconds", "must be at most 604800", "900"),
        ({"assets": "a"}, "field_type", "/assets", "expected a list", '["a"]'),
        ({"assets": ["../a"]}, "path_unsafe", "/assets/0", '".." leads out', "a copy inside the scenario directory"),
        ({"requires__tools": []}, "field_empty", "/requires/tools", "empty", '["filesystem", "shell"]'),
        (
            {"metadata": {"scenarioVersio": "1"}},
            "field_missing",
            "/metadata",
            "scenarioVersio",
            '"scenarioVersion" instead of',
        ),
        ({"metadata": {"tags": ["a"]}}, "field_missing", "/metadata", "scenarioVersion", '"1.0.0"'),
        ({"evaluation__checks": [{"id": "a"}]}, "field_missing", "/evaluation/checks/0", "command", '"command": '),
        ({"evaluation__mode": "checks"}, "field_missing", "/evaluation", '"checks" is missing', '"checks": [{"id"'),
        ({"driver": {}}, "field_not_allowed", "/driver", "ruhroh_scenario_v1", ""),
        ({"environment": {"pakages": []}}, "field_not_allowed", "/environment/pakages", "not known", '"packages"'),
        ({"environment": {"zzz": 1}}, "field_not_allowed", "/environment/zzz", "not known", "one of cpus, "),
        ({"environment": {"stage": {"/a": "b"}}}, "path_unsafe", "/environment/stage/~1a", "as a key", ""),
    ],
)
def test_an_error_says_what_is_wrong_and_shows_what_to_write(
    changes: dict[str, Any], code: str, pointer: str, message: str, hint: str
) -> None:
    (found,) = [one for one in check(document(**changes)).findings if one.code != "field_unknown"]
    assert (found.code, found.pointer) == (code, pointer)
    assert message in found.message
    assert hint in found.hint


@pytest.mark.parametrize(
    ("name", "meant"),
    [("asset", "assets"), ("user_prompt", "userPrompt"), ("userpromptpath", "userPromptPath"), ("metdata", "metadata")],
)
def test_an_unknown_member_is_compared_with_the_known_ones(name: str, meant: str) -> None:
    (found,) = check(document(**{name: 1})).findings
    assert (found.code, found.pointer, found.on_name) == ("field_unknown", f"/{name}", True)
    assert found.hint == f'"{meant}"'


@pytest.mark.parametrize("name", ["zzz", "userPromptPath" * 5])
def test_an_unknown_member_like_no_other_is_met_with_the_list(name: str) -> None:
    (found,) = check(document(**{name: 1})).findings
    assert found.hint.startswith("one of $schema, assets, ")


@pytest.mark.parametrize(
    ("changes", "pointer", "hint"),
    [
        ({"difficulty": "hard"}, "/difficulty", '"difficulty" in its place, /metadata/difficulty'),
        ({"run__stopPolicy": "x"}, "/run/stopPolicy", '"stopPolicy" in its place, /loop/stopPolicy'),
        ({"run__setup": "x"}, "/run/setup", "one of mode, resourceBudgets, timeoutSeconds"),
        ({"goalRubric": []}, "/goalRubric", '"goalRubric" in its place, /evaluation/goalRubric'),
        ({"user_prompt": "x"}, "/user_prompt", '"userPrompt"'),
    ],
)
def test_an_unknown_member_that_has_a_place_elsewhere_is_sent_there(
    changes: dict[str, Any], pointer: str, hint: str
) -> None:
    (found,) = check(document(**changes)).findings
    assert (found.code, found.pointer, found.hint) == ("field_unknown", pointer, hint)


def test_what_may_not_stand_in_a_version_is_never_offered() -> None:
    hints = [found.hint for found in check(document(drivers={}, zzzzz=1)).findings]
    assert hints
    assert not any('"driver"' in hint or "driver," in hint for hint in hints)


def test_unknown_members_are_found_in_lists_and_below() -> None:
    made = document(
        evaluation__calibrationCases=[{"id": "a", "expectedStatus": "passed", "inputSummary": "b", "rational": "c"}]
    )
    assert [(one.code, one.pointer) for one in check(made).findings] == [
        ("field_missing", "/evaluation/calibrationCases/0"),
        ("field_unknown", "/evaluation/calibrationCases/0/rational"),
    ]


def test_members_of_free_objects_are_nobodys_business() -> None:
    made = document(version=V1, driver={"adapter": "a", "timeoutSeconds": 1, "env": {"ANY": "thing"}})
    assert check(made).findings == ()


def test_the_version_decides_which_schema_is_asked() -> None:
    driver = {"adapter": "a", "timeoutSeconds": 1}
    assert check(document(version=V1, driver=driver, run=...)).findings == ()
    assert [one.code for one in check(document(driver=driver)).findings] == ["field_not_allowed"]
    assert [one.pointer for one in check(document(version="ruhroh_scenario_v3")).findings] == ["/version"]
    assert [one.message for one in check(document(version=V1)).findings] == ['the member "driver" is missing']


def test_a_place_the_schema_says_nothing_about_has_no_subschema() -> None:
    assert schemas.subschema_at("/run/unknown/x", V2) == {}
    assert schemas.subschema_at("/environment/stage/a", V1)["examples"] == ["assets/orders.csv"]


def test_publication_errors_of_the_schema_are_left_to_the_rule() -> None:
    made = document(metadata={"scenarioVersion": "1", "visibility": "held_out"}, requires__network=True)
    assert not schemas._fast(V2).is_valid(made)
    assert check(made).findings == ()


def test_the_schema_and_the_rule_ask_for_the_same_publication_items_in_one_order() -> None:
    branch = schemas.schema(V2)["$defs"]["publication"]["allOf"][0]["then"]
    assert branch["properties"]["metadata"]["required"] == list(ITEMS)


def test_what_the_schema_checks_in_its_publication_branch_is_nothing_but_missing_items() -> None:
    text = json.dumps(schemas.schema(V2)["$defs"]["publication"]["allOf"])
    assert not any(keyword in text for keyword in ('"pattern"', '"minLength"', '"maximum"'))


@pytest.mark.parametrize("name", ["²", "٣", "7", "9" * 5000])
def test_a_member_whose_name_looks_like_a_number_is_no_item(name: str) -> None:
    found = check(document(environment={"stage": {"assets/ledger.csv": "a", name: 5}})).findings
    assert {one.pointer for one in found} == {f"/environment/stage/{name}"}
    found = check(document(environment={name: {name: 5}})).findings
    assert {one.pointer for one in found} == {f"/environment/{name}"}
