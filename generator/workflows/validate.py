"""What `validate` finds: for each scenario its diagnostics and calibration, as text or as the published report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from generator.diagnostics.catalogue import suggestions
from generator.diagnostics.locate import locate
from generator.diagnostics.model import Diagnostic, Finding, Severity, any_error
from generator.diagnostics.printable import printable
from generator.diagnostics.report import Paint, counted, detail, plain, plural, text_lines
from generator.formats.calibration import STATUSES, Calibration
from generator.formats.discovery import DOCUMENT, documents
from generator.formats.loaded import LoadedScenario
from generator.formats.prompt import DEFAULT_PROMPT_FILE
from generator.formats.wording import quoted
from generator.source.tree import Kind
from generator.workflows.select import Selection

if TYPE_CHECKING:
    from generator.formats.config import Config, Ignore

REPORT_VERSION: Final = "ruhroh_validation_report_v1"
_THERE: Final = (Kind.FILE, Kind.DIRECTORY)

LONGEST_NAME: Final = 80  # an id is shorter; what is given for one need not be


class Result(NamedTuple):
    """One scenario.

    Attributes:
        loaded: What was read.
        diagnostics: What is wrong with it and is not ignored.
        failing: Those that fail it.
        calibration: Its calibration; None without a document.
        ignored: What is wrong with it and excused, each with the reason.
    """

    loaded: LoadedScenario
    diagnostics: tuple[Diagnostic, ...]
    failing: tuple[Diagnostic, ...]
    calibration: Calibration | None
    ignored: tuple[tuple[Diagnostic, str], ...] = ()

    @property
    def failed(self) -> bool:
        """Whether anything fails it."""
        return bool(self.failing)

    def of(self, *severities: Severity) -> list[Diagnostic]:
        """The diagnostics of these weights."""
        return [diagnostic for diagnostic in self.diagnostics if diagnostic.severity in severities]


class Report(NamedTuple):
    """Everything one call of `validate` found; `failing` are the problems that fail it."""

    results: tuple[Result, ...]
    problems: tuple[Diagnostic, ...]
    failing: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether a scenario or the asking itself failed."""
        return bool(self.failing) or any(result.failed for result in self.results)

    @property
    def not_found(self) -> bool:
        """Whether something that was asked for is not there."""
        return any_error(self.problems)


def validate(selection: Selection, fail_on: Sequence[str] = (), config: Config | None = None) -> Report:
    """Weigh and place the findings of a selection.

    Args:
        selection: What `select` read.
        fail_on: Codes and categories that fail a scenario as errors do; `warning` is each warning, `note` all there is.
        config: The pack's settings; of them, what is to be ignored.
    """
    ignores = config.ignores if config else ()
    results = tuple(_result(loaded, fail_on, ignores) for loaded in selection.loaded)
    unused = tuple(_unused(selection, results, ignores))
    problems = (*selection.problems, *(config.at(unused) if config and unused else ()))
    return Report(results, problems, tuple(problem for problem in problems if _fails(problem, fail_on)))


def unknown_fail_on(values: Sequence[str]) -> str | None:
    """Which of `values` is neither a code nor a category, in a sentence with the closest known one, or None."""
    from generator.formats.config import known_names

    known = known_names()
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
        found = [*(diagnostic for result in report.results for diagnostic in result.diagnostics), *report.problems]
        failed = sum(result.failed for result in report.results)
        count = plural(len(report.results), "scenario")
        ignored = sum(len(result.ignored) for result in report.results)
        more = f"; {ignored} ignored" if ignored else ""
        yield f"{count}: {len(report.results) - failed} ok, {failed} failed; {counted(found)}{more}"


def json_report(report: Report) -> dict[str, Any]:
    """The published report (`ruhroh_validation_report_v1`), with `errorDetails` and, beside the results, `problems`."""
    return {
        "version": REPORT_VERSION,
        "results": [_json_result(result) for result in report.results],
        "suiteResults": [],
        "problems": [detail(problem) for problem in report.problems],
    }


def _result(loaded: LoadedScenario, fail_on: Sequence[str], ignores: Sequence[Ignore]) -> Result:
    if not loaded.findings:
        return Result(loaded, (), (), loaded.calibration)
    found = locate(loaded.findings, loaded.document, loaded.directory, loaded.id)
    about = [ignore for ignore in reversed(ignores) if _is_about(ignore, loaded)]
    reasons = {ignore.code: ignore.reason for ignore in about}
    diagnostics = tuple([diagnostic for diagnostic in found if diagnostic.code not in reasons])
    return Result(
        loaded,
        diagnostics,
        tuple([diagnostic for diagnostic in diagnostics if _fails(diagnostic, fail_on)]),
        loaded.calibration,
        tuple([(diagnostic, reasons[diagnostic.code]) for diagnostic in found if diagnostic.code in reasons]),
    )


def _is_about(ignore: Ignore, loaded: LoadedScenario) -> bool:
    return ignore.scenario in (None, loaded.id, loaded.name)


def _unused(selection: Selection, results: Sequence[Result], ignores: Sequence[Ignore]) -> Iterator[Finding]:
    """What is ignored and did not occur, as far as a selection that leaves scenarios out can tell."""
    for ignore in ignores:
        about = [result for result in results if _is_about(ignore, result.loaded)]
        used = any(diagnostic.code == ignore.code for result in about for diagnostic, _ in result.ignored)
        judged = selection.unfiltered or (ignore.scenario is not None and about)
        if judged and not used:
            where = quoted(ignore.scenario) if ignore.scenario else "any scenario"
            message = f"{ignore.code} is not found in {where} any more"
            yield Finding("config_ignore_unused", ignore.pointer, message, "the file without this [[ignore]]")


def _fails(diagnostic: Diagnostic, fail_on: Sequence[str]) -> bool:
    if diagnostic.severity is Severity.ERROR:
        return True
    if diagnostic.code in fail_on or diagnostic.category in fail_on or Severity.NOTE.value in fail_on:
        return True
    return diagnostic.severity is Severity.WARNING and Severity.WARNING.value in fail_on


def _block(result: Result, paint: Paint) -> Iterator[str]:
    word = paint("failed", Severity.ERROR) if result.failed else "ok"
    name = printable(result.loaded.id)
    yield f"{name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + '…'}: {word}"
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
    made["warningDetails"] += [detail(diagnostic) | {"ignored": reason} for diagnostic, reason in result.ignored]
    made["errorDetails"] = [detail(diagnostic) for diagnostic in errors]
    if result.calibration:
        made["calibration"] = _json_calibration(result.calibration)
    return made


def _source(loaded: LoadedScenario) -> dict[str, str]:
    directory = loaded.directory.absolute()
    document = loaded.document.file if loaded.document else next(iter(documents(directory)), DOCUMENT)
    source = {"scenarioDir": str(directory), "scenarioPath": str(directory / document)}
    if loaded.tree.look(DEFAULT_PROMPT_FILE).kind in _THERE:
        source["instructionPath"] = str(directory / DEFAULT_PROMPT_FILE)
    if loaded.tree.look("assets").kind in _THERE:
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
