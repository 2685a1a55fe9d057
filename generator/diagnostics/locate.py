"""Findings to diagnostics: severity and category from the catalogue, line and column from the document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Protocol

from generator.diagnostics.catalogue import catalogue
from generator.diagnostics.model import Diagnostic, Finding, Location, Severity

_INDEX: Final = r"[0-9]+"


class Positions(Protocol):
    """A document that knows where its values stand."""

    @property
    def file(self) -> str:
        """Name of the document's file, relative to its directory."""
        ...

    def position(self, pointer: str, on_name: bool = False) -> tuple[int, int]:
        """Line and column of a value, or of the name it is a member under."""
        ...


def locate(
    findings: Iterable[Finding],
    document: Positions | None,
    directory: Path,
    scenario: str | None = None,
    document_file: str = "scenario.json",
) -> tuple[Diagnostic, ...]:
    """Give findings about one directory their weight and place.

    Args:
        findings: What is wrong, in the order of the rules.
        document: The parsed document; None when there is none.
        directory: The directory that the findings' files are relative to.
        scenario: Id of the scenario the findings are about.
        document_file: Name of the document when it could not be parsed.

    Returns:
        One diagnostic a finding, in the order of their places; those of one place in the order of the rules.
    """
    file = document.file if document else document_file
    located = [_locate(finding, document, directory, file, scenario) for finding in findings]
    return tuple(sorted(located, key=lambda diagnostic: diagnostic.sort_key()[:3]))


def has_errors(findings: Iterable[Finding]) -> bool:
    """Whether any of the findings stops its scenario."""
    return any(catalogue()[finding.code].severity is Severity.ERROR for finding in findings)


def shown_path(path: Path) -> str:
    """`path` as a user reads it: relative to the working directory when it lies below it."""
    absolute = path.absolute()
    here = Path.cwd()
    return absolute.relative_to(here).as_posix() or "." if absolute.is_relative_to(here) else str(absolute)


def dotted(pointer: str) -> str:
    """The published form of a pointer: `/evaluation/goalRubric/0` is `evaluation.goalRubric[0]`."""
    made = ""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        made += f"[{name}]" if re.fullmatch(_INDEX, name) else f".{name}" if made else name
    return made


def _locate(
    finding: Finding, document: Positions | None, directory: Path, document_file: str, scenario: str | None
) -> Diagnostic:
    entry = catalogue()[finding.code]
    line, column = _position(finding, document)
    return Diagnostic(
        code=finding.code,
        severity=entry.severity,
        category=entry.category,
        message=finding.message,
        hint=finding.hint,
        location=Location(
            file=shown_path(directory / (finding.file or document_file)),
            line=line,
            column=column,
            pointer=finding.pointer,
        ),
        field=dotted(finding.pointer),
        scenario=scenario,
    )


def _position(finding: Finding, document: Positions | None) -> tuple[int, int] | tuple[None, None]:
    if finding.position:
        return finding.position
    if document is None or finding.file not in (None, document.file):
        return None, None
    return document.position(finding.pointer if finding.at is None else finding.at, finding.on_name)
