"""Complaints as JUnit XML, which every CI service shows: a scenario is a test case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from generator.diagnostics.model import Diagnostic
from generator.diagnostics.printable import xml_escaped
from generator.diagnostics.report import text_lines

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

# Everything but the characters that XML 1.0 (chapter 2.2) allows.
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Case:
    """One test case: its name, the directory it is about, what fails it, and what is said besides."""

    name: str
    directory: str
    failures: tuple[Diagnostic, ...]
    remarks: tuple[Diagnostic, ...] = ()


def junit(cases: Sequence[Case]) -> str:
    """One test suite with these cases. Characters that XML cannot hold are dropped."""
    from xml.etree import ElementTree as ET

    failed = sum(bool(case.failures) for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0", "skipped": "0"}
    top = ET.Element("testsuites", counts)
    suite = ET.SubElement(top, "testsuite", {"name": "harborsmith validate", **counts, "time": "0"})
    for case in cases:
        _add(suite, case)
    ET.indent(top)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml_escaped(ET.tostring(top, encoding="unicode"))}\n'


def _add(suite: Element, case: Case) -> None:
    from xml.etree.ElementTree import SubElement

    names = {"name": _legal(case.name), "classname": _legal(case.directory), "time": "0"}
    element = SubElement(suite, "testcase", names)
    if case.failures:
        first = case.failures[0]
        more = f" (and {len(case.failures) - 1} more)" if len(case.failures) > 1 else ""
        said = {"type": first.code, "message": _legal(first.message + more)}
        SubElement(element, "failure", said).text = _lines(case.failures)
    if case.remarks:
        SubElement(element, "system-out").text = _lines(case.remarks)


def _lines(diagnostics: Iterable[Diagnostic]) -> str:
    return _legal("\n".join(line for diagnostic in diagnostics for line in text_lines(diagnostic)))


def _legal(text: str) -> str:
    return _FORBIDDEN.sub("", text)
