"""JSON Pointers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.source.pointer import child, join, parent, parts, value_at, within


@given(st.lists(st.text(max_size=6), max_size=5))
def test_a_pointer_is_taken_apart_into_what_it_was_made_of(names: list[str]) -> None:
    assert parts(join(names)) == tuple(names)


@given(st.lists(st.text(max_size=6), min_size=1, max_size=5))
def test_the_parent_of_a_child_is_what_it_was_a_child_of(names: list[str]) -> None:
    assert parent(join(names)) == join(names[:-1])


def test_slash_and_tilde_are_escaped() -> None:
    assert child("/a", "b/c~d") == "/a/b~1c~0d"
    assert child("", 3) == "/3"


@pytest.mark.parametrize(
    ("pointer", "region", "inside"),
    [("/a/b", "/a", True), ("/a", "/a", True), ("/ab", "/a", False), ("/a", "/a/b", False), ("/a", "", True)],
)
def test_a_pointer_is_within_itself_and_what_holds_it(pointer: str, region: str, inside: bool) -> None:
    assert within(pointer, region) is inside


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", {"a": [{"b/c": 1}, None], "²": 2, "7": 3}),
        ("/a/0/b~1c", 1),
        ("/a/1", None),
        ("/a/2", None),
        ("/a/-1", None),
        ("/a/²", None),
        ("/a/" + "9" * 5000, None),
        ("/a/0/b~1c/d", None),
        ("/²", 2),
        ("/7", 3),
        ("/gone/b", None),
    ],
)
def test_the_value_at_a_pointer_is_found_and_nothing_else_is(pointer: str, value: Any) -> None:
    assert value_at({"a": [{"b/c": 1}, None], "²": 2, "7": 3}, pointer) == value
