"""The chart is well-formed, says the same for the same figures, and puts every point where its value is."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

import pytest

from benchmarks.chart import HEIGHT, WIDTH, svg
from benchmarks.growth import Curve

SVG = "{http://www.w3.org/2000/svg}"
CURVES = (Curve("validate", ((1, 0.1), (10, 0.1), (1000, 1.0))), Curve("a <b> & c", ((1, 0.2), (1000, 20.0))))


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - we wrote it


def points(drawing: ET.Element) -> list[list[tuple[float, float]]]:
    lines = [line.attrib["points"].split() for line in drawing.iter(f"{SVG}polyline")]
    return [[(float(x), float(y)) for x, y in (place.split(",") for place in line)] for line in lines]


def test_the_chart_is_xml_that_names_its_curves_and_tells_what_it_shows() -> None:
    drawing = parsed(svg(CURVES, "title & more", "scenarios", "seconds"))
    texts = [element.text for element in drawing.iter(f"{SVG}text")]

    assert drawing.find(f"{SVG}title").text == "title & more"  # type: ignore[union-attr]
    assert {"validate", "a <b> & c", "scenarios", "seconds", "1,000", "0.1 s", "100 s"} <= set(texts)


def test_the_same_figures_give_the_same_text() -> None:
    assert svg(CURVES, "t", "x", "y") == svg(CURVES, "t", "x", "y")


def test_equal_steps_of_the_logarithm_are_equal_steps_on_the_page() -> None:
    first, second = points(parsed(svg(CURVES, "t", "x", "y")))

    assert first[0][1] == first[1][1] > first[2][1]
    assert (first[2][0] - first[0][0]) == pytest.approx(3 * (first[1][0] - first[0][0]), abs=0.2)
    decade = first[0][1] - first[2][1]
    assert second[0][1] - second[1][1] == pytest.approx(2 * decade, abs=0.2)
    assert all(0 < x < WIDTH and 0 < y < HEIGHT for line in (first, second) for x, y in line)


def test_every_point_tells_its_figure() -> None:
    drawing = parsed(svg(CURVES, "t", "x", "y"))
    told = [circle.find(f"{SVG}title").text for circle in drawing.iter(f"{SVG}circle")]  # type: ignore[union-attr]

    assert len(told) == 5
    assert told[2] == "validate, 1,000: 1.00 s"


def test_one_point_alone_can_be_drawn() -> None:
    (line,) = points(parsed(svg((Curve("x", ((10, 1.0),)),), "t", "x", "y")))

    assert all(math.isfinite(value) for value in line[0])
