"""Two independent validators give the same verdict on valid documents and on what a slip of the pen makes of them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.scenarios import document
from tests.unit.schemas.shipped import SCHEMAS, at, fast, full_document, steps, v1_document, wordy

# Values on the edge of some rule, which arbitrary JSON rarely hits.
EDGES: list[Any] = [
    *(None, True, False, 0, 1, -1, 255, 256, 1000, 1001, 604800, 604801, 2.0, 2.5, 1e300, 10**30, -(10**30), 0.0, -0.0),
    *(
        "",
        " ",
        "\n",
        "x\n",
        "\u0085",
        "\u00a0",
        "\ufeff",
        "\u200b",
        "\x1c",
        "..",
        ".",
        "/",
        "a/..",
        "a/../b",
        "..\n",
        "-",
    ),
    *(
        "root",
        "root\n",
        "nobody",
        "/app",
        "/app\n",
        "/..",
        "A",
        "\u00e9",
        "\u0662",
        "a" * 64,
        "a" * 65,
        "\U0001f600" * 64,
    ),
    *("2026-03-14", "2026-03-14\n", "debian:12", "debian:12@sha256:", "public", "held_out", "checks", "USD", "a:b"),
    *([], [""], [1], {}, {"a": 1}, {"..": "."}),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=5), below, max_size=3),
    max_leaves=6,
)
VALUES = st.sampled_from(EDGES) | JSON


@st.composite
def slips(draw: st.DrawFn, valid: dict[str, Any]) -> dict[str, Any]:
    """`valid` with up to three values replaced, removed or added."""
    made = copy.deepcopy(valid)
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from(sorted(steps(made), key=repr)))
        place = at(made, path)
        kind = draw(st.sampled_from(["replace", "remove", "add"]))
        if kind == "replace":
            place[last] = copy.deepcopy(draw(VALUES))
        elif kind == "remove" and len(made) > 1:
            del place[last]
        elif isinstance(place, list):
            place.append(copy.deepcopy(draw(VALUES)))
        else:
            place[draw(st.text(max_size=5) | st.sampled_from(sorted(map(str, place))))] = copy.deepcopy(draw(VALUES))
    return made


def agree(name: str, value: object) -> None:
    assert fast(name).is_valid(value) == wordy(name).is_valid(value)


@given(slips(full_document()))
def test_on_a_scenario_with_everything_in_it(made: dict[str, Any]) -> None:
    agree("scenario-v2", made)


@given(slips(document()))
def test_on_a_plain_scenario(made: dict[str, Any]) -> None:
    agree("scenario-v2", made)


@given(slips(v1_document()))
def test_on_a_scenario_of_the_older_format(made: dict[str, Any]) -> None:
    agree("scenario-v1", made)


@pytest.mark.parametrize("name", sorted(set(SCHEMAS) - {"scenario-v1", "scenario-v2"}))
@given(data=st.data())
def test_on_what_we_write_ourselves(name: str, data: st.DataObject) -> None:
    agree(name, data.draw(slips(SCHEMAS[name]["examples"][0])))


@pytest.mark.parametrize("place", sorted(steps(full_document()), key=repr), ids=lambda place: "/".join(map(str, place)))
def test_on_every_edge_value_in_every_place(place: tuple[str | int, ...]) -> None:
    made = full_document()
    parent = at(made, place[:-1])
    for value in EDGES:
        parent[place[-1]] = value
        agree("scenario-v2", made)
