"""What `validate` found in every form it can be wanted in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from generator.diagnostics.github import summary, workflow_commands
from generator.diagnostics.junit import Case, junit
from generator.diagnostics.locate import shown_path
from generator.diagnostics.model import Diagnostic
from generator.diagnostics.printable import json_escaped
from generator.diagnostics.report import counted
from generator.diagnostics.sarif import sarif
from generator.workflows.validate import Report, json_report, text_report

Renderer = Callable[[Report, Path], str]


def render(report: Report, form: str, root: Path) -> str:
    """A report in one of `FORMATS`, ending with a line break unless it is empty.

    Args:
        report: What was found.
        form: A key of `FORMATS`.
        root: Top of the repository, absolute; some formats name files relative to it.
    """
    return FORMATS[form](report, root)


def github_summary(report: Report, root: Path) -> str:
    """The Markdown page that belongs to the annotations: everything, not only what GitHub shows."""
    found = _everything(report)
    failed = sum(result.failed for result in report.results)
    return summary(found, root, f"Scenarios: {len(report.results) - failed} ok, {failed} failed; {counted(found)}")


def _everything(report: Report) -> list[Diagnostic]:
    return [*(one for result in report.results for one in result.diagnostics), *report.problems]


def _text(report: Report, _: Path) -> str:
    return "".join(f"{line}\n" for line in text_report(report))


def _json(report: Report, _: Path) -> str:
    return json_escaped(json.dumps(json_report(report), indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def _github(report: Report, root: Path) -> str:
    return "".join(f"{line}\n" for line in workflow_commands(_everything(report), root))


def _sarif(report: Report, root: Path) -> str:
    shown = [(diagnostic, None) for diagnostic in _everything(report)]
    ignored = [excused for result in report.results for excused in result.ignored]
    return json_escaped(json.dumps(sarif([*shown, *ignored], root), indent=2, ensure_ascii=False)) + "\n"


def _junit(report: Report, _: Path) -> str:
    cases = []
    for result in report.results:
        remarks = tuple(one for one in result.diagnostics if one not in result.failing)
        cases.append(Case(result.loaded.id, shown_path(result.loaded.directory), result.failing, remarks))
    if report.problems:
        remarks = tuple(one for one in report.problems if one not in report.failing)
        cases.append(Case("selection", ".", report.failing, remarks))
    return junit(cases)


FORMATS: Final[Mapping[str, Renderer]] = MappingProxyType(
    {"text": _text, "json": _json, "github": _github, "sarif": _sarif, "junit": _junit}
)
