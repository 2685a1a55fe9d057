"""The page keeps what people wrote, and gets what was measured between its marks."""

from __future__ import annotations

import pytest

from benchmarks.growth import Curve
from benchmarks.page import BEGIN, END, PAGE, PICTURE, growth_table, machine, replaced


def test_only_the_part_between_the_marks_is_replaced() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"

    made = replaced(page, ["new", r"\1 stays"])

    assert made == f"before\n{BEGIN}\n\nnew\n\\1 stays\n\n{END}\nafter\n"
    assert replaced(made, ["new", r"\1 stays"]) == made


@pytest.mark.parametrize("page", ["", f"{BEGIN}\n", f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n"])
def test_a_page_without_the_marks_is_not_written_over(page: str) -> None:
    with pytest.raises(AssertionError):
        replaced(page, [])


def test_the_page_of_the_repository_has_the_marks_and_shows_the_picture() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert replaced(text, []) != ""
    assert f"({PICTURE.name})" in text


def test_the_growth_table_says_what_one_scenario_costs_in_the_largest_pack() -> None:
    table = list(growth_table([Curve("validate", ((1, 0.1), (10_000, 5.0)))]))

    assert table[0] == "| scenarios | 1 | 10,000 | each, in the largest |"
    assert table[2] == "| `validate` | 100 ms | 5.00 s | 0.5 ms |"


def test_the_machine_is_described() -> None:
    assert "processors (" in machine()
    assert "GiB of memory" in machine()
