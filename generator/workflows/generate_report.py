"""What `generate` did, as text and as `harborsmith_generate_report_v1`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from generator.diagnostics.github import summary, workflow_commands
from generator.diagnostics.model import Severity
from generator.diagnostics.printable import printable
from generator.diagnostics.report import Paint, detail, plain, plural, text_lines
from generator.package.layout import MANIFEST
from generator.package.write import Status
from generator.workflows.dataset import DatasetReport
from generator.workflows.generate import Listed, Mode, Package, Report

REPORT_FORMAT: Final = "harborsmith_generate_report_v1"

_COUNTED: Final = {
    Mode.WRITE: (Status.WRITTEN, Status.UNCHANGED, Status.REMOVED, Status.FAILED),
    Mode.CHECK: (Status.UNCHANGED, Status.DRIFTED, Status.FAILED),
    Mode.DRY_RUN: (Status.WOULD_WRITE, Status.UNCHANGED, Status.WOULD_REMOVE, Status.FAILED),
}


def text_report(report: Report, mode: Mode, paint: Paint = plain) -> Iterator[str]:
    """The report in lines: what was wrong with the asking, packages that are not unchanged, and the sum."""
    for diagnostic in (*report.refused, *report.problems):
        yield from text_lines(diagnostic, paint)
    for package in report.packages:
        yield from _block(package, mode, paint)
    if report.packages:
        yield f"{plural(len(report.packages), 'package')}: {_counts(report, mode)}"
    if report.dataset is not None:
        yield from _dataset_block(report.dataset, paint)


def json_report(report: Report, mode: Mode) -> dict[str, Any]:
    """The report as a document; only a dry run lists the files of each package, else they are counted."""
    return {
        "version": REPORT_FORMAT,
        "packages": [_json_package(package, mode) for package in report.packages],
        "dataset": _json_dataset(report.dataset) if report.dataset else None,
        "findings": [detail(diagnostic) for diagnostic in report.diagnostics],
    }


def github_report(report: Report, root: Path) -> str:
    """Everything there is to say as annotations; nothing when all is as it should be.

    Args:
        report: What was done.
        root: Top of the repository, absolute.
    """
    return "".join(f"{line}\n" for line in workflow_commands(report.diagnostics, root))


def github_summary(report: Report, mode: Mode, root: Path) -> str:
    """The Markdown page that belongs to the annotations."""
    return summary(report.diagnostics, root, f"Packages: {_counts(report, mode)}")


def _counts(report: Report, mode: Mode) -> str:
    return ", ".join(f"{report.count(status)} {_word(status)}" for status in _COUNTED[mode])


def _block(package: Package, mode: Mode, paint: Paint) -> Iterator[str]:
    outcome = package.outcome
    if outcome.status is not Status.UNCHANGED or package.diagnostics or mode is Mode.DRY_RUN:
        word = _word(outcome.status)
        bad = outcome.status in (Status.FAILED, Status.DRIFTED)
        yield f"{printable(outcome.id)}: {paint(word, Severity.ERROR) if bad else word} {printable(outcome.path)}"
    for diagnostic in package.diagnostics:
        yield from (f"  {line}" for line in text_lines(diagnostic, paint))
    if mode is Mode.DRY_RUN and package.files:
        yield from _listing(package.listing)


def _dataset_block(dataset: DatasetReport, paint: Paint) -> Iterator[str]:
    word = _word(dataset.outcome.status)
    shown = paint(word, Severity.ERROR) if dataset.outcome.status in (Status.FAILED, Status.DRIFTED) else word
    tasks = f", {plural(dataset.tasks, 'task')}" if dataset.tasks else ""
    yield f"dataset: {shown} {printable(dataset.outcome.path)}{tasks}"
    for diagnostic in dataset.diagnostics:
        yield from (f"  {line}" for line in text_lines(diagnostic, paint))


def _listing(files: tuple[Listed, ...]) -> Iterator[str]:
    """Size in bytes, executable bit and path of every file; the manifest's size follows from the others."""
    for file in files:
        yield f"  {file.size:>10} {'x' if file.executable else '-'} {printable(file.path)}"
    yield f"  {'':>10} - {MANIFEST}"


def _json_package(package: Package, mode: Mode) -> dict[str, Any]:
    outcome = package.outcome
    files: Any = package.files
    if mode is Mode.DRY_RUN and files:
        files = [{"path": file.path, "size": file.size, "executable": file.executable} for file in package.listing]
        files.append({"path": MANIFEST, "executable": False})
    return {
        "id": outcome.id,
        "path": outcome.path,
        "status": outcome.status.value,
        "files": files,
        "firstDifference": str(outcome.difference) if outcome.difference else None,
    }


def _json_dataset(dataset: DatasetReport) -> dict[str, Any]:
    return {
        "path": dataset.outcome.path,
        "status": dataset.outcome.status.value,
        "tasks": dataset.tasks,
        "heldOut": dataset.held_out,
    }


def _word(status: Status) -> str:
    return status.value.replace("_", " ")
