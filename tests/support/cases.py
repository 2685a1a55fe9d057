"""The corpus of scenario directories in `tests/cases`, found by walking."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from generator.diagnostics.model import Diagnostic
from generator.workflows.select import Selection, select
from generator.workflows.validate import validate

CASES = Path(__file__).parent.parent / "cases"
TODAY = date(2026, 6, 1)


def cases(kind: str) -> list[Path]:
    """The case directories of a kind (`valid`, `invalid`), sorted; each is a directory of scenario directories."""
    return sorted(path for path in (CASES / kind).iterdir() if path.is_dir())


def selected(root: Path) -> Selection:
    """Every scenario of `root`, judged on a fixed day."""
    return select(root, today=TODAY)


def diagnosed(root: Path) -> list[Diagnostic]:
    """Every diagnostic of `root`, those about the directory last."""
    report = validate(selected(root))
    return [*(one for result in report.results for one in result.diagnostics), *report.problems]


def first_lines(diagnostics: list[Diagnostic]) -> Iterator[str]:
    """Place, weight, code and pointer of each."""
    for one in diagnostics:
        yield f"{one.location} {one.severity} {one.code} {one.location.pointer}".rstrip()
