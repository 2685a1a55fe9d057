"""Diagnostics as lines for people and as objects for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from generator.diagnostics.model import Diagnostic, Severity
from generator.diagnostics.printable import printable

# (text, severity) -> the text in the colour of the severity, or as it is.
Paint = Callable[[str, Severity], str]


def plain(text: str, _: Severity) -> str:
    """No colour."""
    return text


def text_lines(diagnostic: Diagnostic, paint: Paint = plain) -> Iterator[str]:
    """One line with place, weight, code and pointer; then what is wrong and what to write, indented."""
    place = printable(str(diagnostic.location))
    pointer = printable(diagnostic.location.pointer)
    yield f"{place} {paint(diagnostic.severity, diagnostic.severity)} {diagnostic.code} {pointer}".rstrip()
    yield f"    {printable(diagnostic.message)}"
    if diagnostic.hint:
        yield f"    write: {printable(diagnostic.hint)}"


def detail(diagnostic: Diagnostic) -> dict[str, Any]:
    """The published detail of a complaint (code, severity, category, field, message), with its place and hint."""
    place = diagnostic.location
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "category": diagnostic.category,
        "field": diagnostic.field,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "location": {"file": place.file, "line": place.line, "column": place.column, "pointer": place.pointer},
    }


def counted(diagnostics: Iterable[Diagnostic]) -> str:
    """How many there are of each weight: `2 errors, 1 warning`; `no complaints` for none."""
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    return (
        ", ".join(plural(counts[severity], severity.value) for severity in Severity if counts[severity])
        or "no complaints"
    )


def plural(count: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def aligned(rows: Sequence[Sequence[str]], *, numbers: bool = False) -> Iterator[str]:
    """A table's rows as lines whose columns stand below each other, all but the first to the right with `numbers`."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [
            cell.rjust(width) if numbers else cell.ljust(width) for cell, width in zip(others, widths[1:], strict=True)
        ]
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()
