"""The two shapes a complaint has: a `Finding` as a rule states it, a `Diagnostic` as a user reads it.

A rule knows a code, a place in the document and two sentences. It knows neither severity (the catalogue does) nor line
numbers (the document does), so rules stay pure and positions are computed only when there is something to report.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """How much a complaint weighs. Errors stop a scenario; warnings and notes never do by themselves."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(NamedTuple):
    """One complaint as a rule states it.

    Attributes:
        code: Key into the catalogue of codes; snake_case, never reused for another meaning.
        pointer: JSON Pointer (RFC 6901) of the value the complaint is about; `""` is the whole document.
        message: What is wrong, in one clause without a final full stop. Quotes the offending value.
        hint: What to write instead, as something that can be pasted where possible; may be empty.
        at: Pointer of the value to show the line and column of, when that is not `pointer` itself (a missing member is
            reported on its parent but shown where it was made necessary).
        on_name: Show the member's name rather than its value (unknown and forbidden members).
        file: File the complaint lies in, relative to the scenario directory, when it is not the scenario document.
        position: Line and column (1-based), when no pointer can give them (syntax errors, text files).
    """

    code: str
    pointer: str
    message: str
    hint: str = ""
    at: str | None = None
    on_name: bool = False
    file: str | None = None
    position: tuple[int, int] | None = None


class Location(NamedTuple):
    """Where a complaint points: file as shown to the user, 1-based line and column (in characters), JSON Pointer."""

    file: str
    line: int | None = None
    column: int | None = None
    pointer: str = ""

    def __str__(self) -> str:
        place = self.file
        if self.line is not None:
            place += f":{self.line}"
            if self.column is not None:
                place += f":{self.column}"
        return place


class Diagnostic(NamedTuple):
    """One complaint ready to be shown: a finding with its severity, category and place filled in.

    `field` is the published dotted form of the pointer (`evaluation.goalRubric[0]`).
    """

    code: str
    severity: Severity
    category: str
    message: str
    hint: str
    location: Location
    field: str
    scenario: str | None = None

    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Total order: file, line, column, code, message."""
        place = self.location
        return (place.file, place.line or 0, place.column or 0, self.code, self.message)


def any_error(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether one of the complaints is an error."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
