"""Names that are safe everywhere."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scenario.names import (
    MAX_ID_LENGTH,
    fold,
    id_problem,
    is_same_or_below,
    is_windows_device,
    normal_path,
    path_problem,
    unportable_name,
    unsafe_name,
)


@pytest.mark.parametrize("name", ["a", "_a", "A.b-c_d", "0", "x" * MAX_ID_LENGTH, "con-clean", "v1.2"])
def test_a_portable_id_has_no_problem(name: str) -> None:
    assert id_problem(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        ".git",
        "-rf",
        "---",
        "a b",
        "a/b",
        "a\n",
        "é",
        "١",
        "x" * (MAX_ID_LENGTH + 1),
        "a..b",
        "a.",
        "NUL",
        "com1.x",
    ],
)
def test_an_id_that_is_no_portable_name_has_one(name: str) -> None:
    assert id_problem(name)


@given(st.text(max_size=6))
def test_folding_makes_case_and_normal_form_equal(text: str) -> None:
    forms = [text, text.upper(), unicodedata.normalize("NFD", text)]
    folded = {fold(form) for form in forms if form.casefold() == text.casefold() or form is not forms[1]}
    assert len(folded) == 1
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize("path", ["a", "a/b", ".", "./a", "..a/b..", "a//b/", " a"])
def test_a_path_that_stays_inside_has_no_problem(path: str) -> None:
    assert path_problem(path) is None


@pytest.mark.parametrize(
    "path", ["", " ", "/a", "..", "a/../b", "a\\..\\b", "a\\b", "a\0", "a\nb", "\x7f", "\ud800", "x/" + "y" * 256]
)
def test_a_path_that_does_not_stay_inside_or_cannot_be_kept_has_one(path: str) -> None:
    assert path_problem(path)


def test_a_name_is_measured_in_bytes() -> None:
    assert unsafe_name("é" * 127) is None
    assert unsafe_name("é" * 128)


@pytest.mark.parametrize(
    ("path", "normal"), [("./a//b/", "a/b"), (".", "."), ("", "."), ("a/./b", "a/b"), ("..a", "..a")]
)
def test_the_normal_form_has_no_empty_and_dot_parts(path: str, normal: str) -> None:
    assert normal_path(path) == normal


@pytest.mark.parametrize(
    ("path", "folder", "inside"),
    [
        ("a/b", "a", True),
        ("a", "a", True),
        ("ab", "a", False),
        ("a", ".", True),
        (".", "a", False),
        ("a", "a/b", False),
    ],
)
def test_a_path_is_below_what_holds_it(path: str, folder: str, inside: bool) -> None:
    assert is_same_or_below(path, folder) is inside


@pytest.mark.parametrize(
    ("name", "device"), [("con", True), ("LPT9.txt", True), ("nul .x", True), ("com10", False), ("acon", False)]
)
def test_windows_devices_are_known_with_any_extension(name: str, device: bool) -> None:
    assert is_windows_device(name) is device
    assert bool(unportable_name(name)) is device
