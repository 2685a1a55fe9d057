"""The bench's own arithmetic: medians, ratios, and which bars hold."""

from __future__ import annotations

import pytest

from benchmarks.measure import Figures
from benchmarks.rows import HEADINGS, Row, aligned, duration, markdown, missing, over, ratio


def figures(*seconds: float) -> Figures:
    return Figures(seconds)


def test_the_median_stands_for_all_runs() -> None:
    taken = figures(0.3, 0.1, 9.0)

    assert (taken.seconds, taken.fastest, taken.slowest) == (0.3, 0.1, 9.0)
    assert figures(1.0, 2.0).seconds == 1.5


@pytest.mark.parametrize(
    ("ours", "other", "bar", "verdict"),
    [(0.4, 1.0, 0.45, "held"), (0.45, 1.0, 0.45, "held"), (0.46, 1.0, 0.45, "NOT HELD"), (3.0, 1.0, 4.0, "held")],
)
def test_a_ratio_of_medians_is_held_against_its_bar(ours: float, other: float, bar: float, verdict: str) -> None:
    row = ratio("x", figures(ours, ours, 100), figures(other, other, 0.001), "the other", bar)

    assert row.value == ours / other
    assert (row.verdict, row.failed) == (verdict, verdict != "held")
    assert row.against.startswith("the other: ")


def test_what_is_over_another_figure_is_told_in_milliseconds() -> None:
    row = over("x", figures(0.35), figures(0.1), "alone", 250)

    assert row.value == pytest.approx(250)
    assert row.cells[3] == "250 ms"
    assert over("x", figures(0.36), figures(0.1), "alone", 250).failed


@pytest.mark.parametrize("optional", [False, True])
def test_a_figure_that_could_not_be_taken_fails_unless_it_is_optional(optional: bool) -> None:
    row = missing("x", "no engine", 1.15, optional=optional)

    assert row.failed is not optional
    assert row.cells == ("x", "", "", "", "≤ 1.15x", "not measured", "no engine")


def test_nothing_is_the_only_figure_that_holds_a_bar_of_nothing() -> None:
    none, one = (Row(name="writes", figure=str(count), value=count, bar=0, unit="") for count in (0, 1))

    assert (none.failed, one.failed) == (False, True)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0123, "12.3 ms"), (0.123, "123 ms"), (0.9994, "999 ms"), (1.0, "1.00 s"), (9.876, "9.88 s"), (31.44, "31.4 s")],
)
def test_a_duration_is_shown_with_three_digits(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_tables_hold_every_row() -> None:
    rows = [ratio("first", figures(1.0, 1.2), figures(2.0), "b", 0.8), missing("second", "why", 2)]

    plain, page = aligned(rows), markdown(rows)

    assert [line.split("  ")[0] for line in plain] == ["what", "first", "second"]
    assert plain[1].index("held") == plain[2].index("not measured")
    assert len(page) == 4
    assert all(line.count("|") == len(HEADINGS) + 1 for line in page)
    assert "| 2: 1.00 s to 1.20 s |" in page[2]
