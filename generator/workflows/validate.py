"""What `validate` finds: for each scenario its diagnostics and calibration, as text or as the published report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from generator.diagnostics.catalogue import catalogue, categories, suggestions
from generator.diagnostics.locate import locate
from generator.diagnostics.model import Diagnostic, Severity
from generator.diagnostics.printable import printable
from generator.diagnostics.report import Paint, counted, detail, plain, plural, text_lines
from generator.formats.discovery import DOCUMENT, documents
from generator.formats.loaded import LoadedScenario
from generator.formats.prompt import DEFAULT_PROMPT_FILE
from generator.rules.calibration import STATUSES, Calibration, calibration
from generator.workflows.select import Selection

REPORT_VERSION: Final = "ruhroh_validation_report_v1"
ANY_WARNING: Final = "warning"


@dataclass(frozen=True, slots=True)
class Result:
    """One scenario: what is wrong with it, whether that fails, and its calibration (None without a document)."""

    loaded: LoadedScenario
    diagnostics: tuple[Diagnostic, ...]
    failed: bool
    calibration: Calibration | None

    def of(self, *severities: Severity) -> list[Diagnostic]:
        """The diagnostics of these weights."""
        return [diagnostic for diagnostic in self.diagnostics if diagnostic.severity in severities]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one call of `validate` found."""

    results: tuple[Result, ...]
    problems: tuple[Diagnostic, ...]
    failed: bool

    @property
    def nothing_selected(self) -> bool:
        """Whether something that was asked for is not there."""
        return any(problem.severity is Severity.ERROR for problem in self.problems)


def validate(selection: Selection, fail_on: Sequence[str] = ()) -> Report:
    """Weigh and place the findings of a selection.

    Args:
        selection: What `select` read.
        fail_on: Codes, categories, or `warning` for every warning, that fail a scenario as errors do.
    """
    results = tuple(_result(loaded, fail_on) for loaded in selection.loaded)
    failed = any(result.failed for result in results) or any(_fails(one, fail_on) for one in selection.problems)
    return Report(results, selection.problems, failed)


def unknown_fail_on(values: Sequence[str]) -> str | None:
    """Which of `values` is neither a code nor a category, in a sentence with the closest known one, or None."""
    known = [*catalogue(), *categories(), ANY_WARNING]
    for value in values:
        if value not in known:
            close = suggestions(value, known)
            meant = f" Did you mean {close[0]!r}?" if close else " `harborsmith explain` lists them."
            return f"{value!r} is neither a code nor a category.{meant}"
    return None


def text_report(report: Report, paint: Paint = plain) -> Iterator[str]:
    """The report in lines: a block for each scenario, what was wrong with the asking, and the sum."""
    for result in report.results:
        yield from _block(result, paint)
    for problem in report.problems:
        yield from text_lines(problem, paint)
    if report.results:
        found = [diagnostic for result in report.results for diagnostic in result.diagnostics]
        failed = sum(result.failed for result in report.results)
        count = plural(len(report.results), "scenario")
        yield f"{count}: {len(report.results) - failed} ok, {failed} failed; {counted(found)}"


def json_report(report: Report) -> dict[str, Any]:
    """The published report (`ruhroh_validation_report_v1`), with `errorDetails` and, beside the results, `problems`."""
    return {
        "version": REPORT_VERSION,
        "results": [_json_result(result) for result in report.results],
        "suiteResults": [],
        "problems": [detail(problem) for problem in report.problems],
    }


def _result(loaded: LoadedScenario, fail_on: Sequence[str]) -> Result:
    diagnostics = locate(loaded.findings, loaded.document, loaded.directory, loaded.id) if loaded.findings else ()
    return Result(
        loaded,
        diagnostics,
        any(_fails(diagnostic, fail_on) for diagnostic in diagnostics),
        calibration(loaded.document.value) if loaded.document else None,
    )


def _fails(diagnostic: Diagnostic, fail_on: Sequence[str]) -> bool:
    if diagnostic.severity is Severity.ERROR:
        return True
    named = diagnostic.code in fail_on or diagnostic.category in fail_on
    return named or (diagnostic.severity is Severity.WARNING and ANY_WARNING in fail_on)


def _block(result: Result, paint: Paint) -> Iterator[str]:
    word = paint("failed", Severity.ERROR) if result.failed else "ok"
    yield f"{printable(result.loaded.id)}: {word}"
    for diagnostic in result.diagnostics:
        yield from (f"  {line}" for line in text_lines(diagnostic, paint))
    if result.calibration:
        found = result.calibration
        covered, missing = (",".join(names) or "none" for names in (found.covered, found.missing))
        yield f"  calibration: cases={found.total} covered={covered} missing={missing}"


def _json_result(result: Result) -> dict[str, Any]:
    errors = result.of(Severity.ERROR)
    warnings = result.of(Severity.WARNING, Severity.NOTE)
    made: dict[str, Any] = {"source": _source(result.loaded)}
    if not errors and result.loaded.raw is not None:
        made["scenario"] = result.loaded.raw
    made["errors"] = [_sentence(diagnostic) for diagnostic in errors]
    made["warnings"] = [_sentence(diagnostic) for diagnostic in warnings]
    made["warningDetails"] = [detail(diagnostic) for diagnostic in warnings]
    made["errorDetails"] = [detail(diagnostic) for diagnostic in errors]
    if result.calibration:
        made["calibration"] = _json_calibration(result.calibration)
    return made


def _source(loaded: LoadedScenario) -> dict[str, str]:
    directory = loaded.directory.absolute()
    document = loaded.document.file if loaded.document else next(iter(documents(directory)), DOCUMENT)
    source = {"scenarioDir": str(directory), "scenarioPath": str(directory / document)}
    if (directory / DEFAULT_PROMPT_FILE).exists():
        source["instructionPath"] = str(directory / DEFAULT_PROMPT_FILE)
    if (directory / "assets").exists():
        source["assetsDir"] = str(directory / "assets")
    return source


def _sentence(diagnostic: Diagnostic) -> str:
    """A message that says by itself which member it is about."""
    return f"{diagnostic.field}: {diagnostic.message}" if diagnostic.field else diagnostic.message


def _json_calibration(found: Calibration) -> dict[str, Any]:
    return {
        "total": found.total,
        "byExpectedStatus": {status: found.by_status[status] for status in STATUSES},
        "coveredStatuses": list(found.covered),
        "missingStatuses": list(found.missing),
        "warnings": list(found.warnings),
    }
