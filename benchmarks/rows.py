"""The table: each figure with what it is compared with, its bar, and whether that holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.measure import Figures
from generator.diagnostics.report import aligned as in_columns


@dataclass(frozen=True, kw_only=True)
class Row:
    """One bar.

    Attributes:
        name: What was measured.
        figure: The figure, with its unit.
        against: What it is compared with, and that figure; empty for a bar that stands by itself.
        value: What must not exceed the bar: a ratio, or the figure itself; None when it could not be measured.
        bar: The bar.
        unit: Unit of value and bar; `x` for a ratio.
        note: Why it could not be measured, or how far the runs lay apart.
        optional: Whether a figure that could not be measured is no failure.
    """

    name: str
    figure: str
    against: str = ""
    value: float | None
    bar: float
    unit: str = "x"
    note: str = ""
    optional: bool = False

    @property
    def verdict(self) -> str:
        """What the table says."""
        if self.value is None:
            return "not measured"
        return "held" if self.value <= self.bar else "NOT HELD"

    @property
    def failed(self) -> bool:
        """Whether the bench fails because of it."""
        return not self.optional if self.value is None else self.value > self.bar

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as texts."""
        value = "" if self.value is None else amount(self.value, self.unit)
        return (
            self.name,
            self.figure,
            self.against,
            value,
            f"≤ {amount(self.bar, self.unit)}",
            self.verdict,
            self.note,
        )


HEADINGS = ("what", "figure", "against", "measured", "bar", "", "runs")


def ratio(name: str, ours: Figures, other: Figures, against: str, bar: float) -> Row:
    """A bar on the ratio of two medians."""
    return Row(
        name=name,
        figure=duration(ours.seconds),
        against=f"{against}: {duration(other.seconds)}",
        value=ours.seconds / other.seconds,
        bar=bar,
        note=spread(ours),
    )


def over(name: str, ours: Figures, other: Figures, against: str, bar: float) -> Row:
    """A bar, in milliseconds, on what one median is over another."""
    return Row(
        name=name,
        figure=duration(ours.seconds),
        against=f"{against}: {duration(other.seconds)}",
        value=(ours.seconds - other.seconds) * 1000,
        bar=bar,
        unit="ms",
        note=spread(ours),
    )


def missing(name: str, why: str, bar: float, unit: str = "x", *, optional: bool = False) -> Row:
    """A bar whose figure could not be taken."""
    return Row(name=name, figure="", value=None, bar=bar, unit=unit, note=why, optional=optional)


def spread(figures: Figures) -> str:
    """How many runs there were, and how far they lay apart."""
    ends = f"{duration(figures.fastest)} to {duration(figures.slowest)}"
    return f"{len(figures.samples)}: {ends}" if len(figures.samples) > 1 else "1"


def duration(seconds: float) -> str:
    """A length of time with three digits that count."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms" if seconds >= 0.1 else f"{seconds * 1000:.1f} ms"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"


def amount(value: float, unit: str) -> str:
    """A number with its unit."""
    return f"{value:.2f}x" if unit == "x" else f"{value:.0f} {unit}".rstrip()


def aligned(rows: Sequence[Row]) -> list[str]:
    """The table for a terminal."""
    return list(in_columns([HEADINGS, *(row.cells for row in rows)]))


def markdown(rows: Sequence[Row]) -> list[str]:
    """The table for a page."""
    lines = [HEADINGS, tuple("---" for _ in HEADINGS), *(row.cells for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]
