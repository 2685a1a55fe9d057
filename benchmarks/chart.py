"""A chart of curves over logarithmic axes, as SVG: the same text for the same figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from benchmarks.growth import Curve
from benchmarks.rows import duration

WIDTH, HEIGHT = 640, 360
_FONT = 'font-family="sans-serif" font-size="12"'
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 96, 24, 52
# Two hues that differ in brightness too, so that they can be told apart without colour.
_COLOURS = ("#1f6feb", "#b35900", "#2da44e", "#8250df")


def svg(curves: Sequence[Curve], title: str, below: str, beside: str) -> str:
    """The chart.

    Args:
        curves: At least one; all counts and seconds over 0.
        title: What it shows, for people who cannot see it.
        below: What the horizontal axis counts.
        beside: What the vertical axis measures.
    """
    across = _Axis([count for curve in curves for count, _ in curve.points], _LEFT, WIDTH - _RIGHT)
    upward = _Axis([seconds for curve in curves for _, seconds in curve.points], HEIGHT - _BOTTOM, _TOP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" {_FONT}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_grid(across, upward),
        _text(f"{(_LEFT + WIDTH - _RIGHT) / 2:.1f}", HEIGHT - 12, below, "middle"),
        _text(12, 14, beside, "start"),
    ]
    for number, curve in enumerate(curves):
        lines += _curve(curve, across, upward, _COLOURS[number % len(_COLOURS)])
    return "\n".join([*lines, "</svg>"]) + "\n"


class _Axis:
    """Values on a logarithmic axis of whole decades that runs from pixel `start` to pixel `end`."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self.first = math.floor(math.log10(min(values)))
        self.last = max(math.ceil(math.log10(max(values))), self.first + 1)
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        """The pixel of a value."""
        share = (math.log10(value) - self.first) / (self.last - self.first)
        return self.start + share * (self.end - self.start)

    def decades(self) -> list[float]:
        """The powers of ten on it."""
        return [10.0**power for power in range(self.first, self.last + 1)]


def _grid(across: _Axis, upward: _Axis) -> Iterator[str]:
    for count in across.decades():
        at = across.at(count)
        yield _line(at, upward.start, at, upward.end, "#d0d7de", 1)
        yield _text(f"{at:.1f}", upward.start + 18, f"{count:,.0f}", "middle")
    for seconds in upward.decades():
        at = upward.at(seconds)
        yield _line(across.start, at, across.end, at, "#d0d7de", 1)
        yield _text(across.start - 8, f"{at + 4:.1f}", f"{seconds:g} s", "end")


def _curve(curve: Curve, across: _Axis, upward: _Axis, colour: str) -> Iterator[str]:
    places = [(across.at(count), upward.at(seconds)) for count, seconds in curve.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for (x, y), (count, seconds) in zip(places, curve.points, strict=True):
        shown = escape(f"{curve.name}, {count:,}: {duration(seconds)}")
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"><title>{shown}</title></circle>'
    x, y = places[-1]
    yield _text(f"{x + 10:.1f}", f"{y + 4:.1f}", curve.name, "start", colour)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: int) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def _text(x: object, y: object, text: str, anchor: str, colour: str = "#1f2328") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
