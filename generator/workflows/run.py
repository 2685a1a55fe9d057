"""Let an agent work on packages, one after another, and have each result judged."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from generator.diagnostics.catalogue import catalogue
from generator.diagnostics.locate import locate
from generator.diagnostics.model import Diagnostic, Finding, Severity
from generator.execute.interrupt import Interrupted, raising
from generator.execute.preparation import check_package
from generator.execute.refusal import Blame, Refused
from generator.execute.report import RunReport
from generator.execute.run import run_package
from generator.execute.settings import Options, RunSettings, understand
from generator.execute.taskpackage import TaskPackage, open_package
from generator.formats.loaded import LoadedScenario
from generator.harbor.backend import run_packages
from generator.harbor.settings import HarborOptions
from generator.package.model import DEFAULT_ORG, Settings
from generator.package.output import Output
from generator.package.write import NOT_WRITTEN
from generator.resources import data_folder
from generator.workflows.generate import ensure_package
from generator.workflows.select import select

Notify = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What is asked of `run`.

    Attributes:
        packages: Package directories.
        scenario_dir: Directory of scenario directories; only looked at when scenarios are asked for.
        ids: Scenarios (ids or directory names) to generate and run.
        tier: Scenarios of a tier to generate and run.
        out: Output directory.
        org: What stands before the slash of task names.
        options: How to run them.
        harbor: How to run them through Harbor instead; None for a run on this machine.
    """

    packages: tuple[Path, ...] = ()
    scenario_dir: Path = Path("scenarios")
    ids: tuple[str, ...] = ()
    tier: str | None = None
    out: Path = Path("generated")
    org: str = DEFAULT_ORG
    options: Options
    harbor: HarborOptions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What `run` did.

    Attributes:
        runs: One report a run.
        refused: Why something was not run.
        diagnostics: What is wrong with scenarios or with the selection.
        exit_code: The highest of all.
    """

    runs: tuple[RunReport, ...] = ()
    refused: tuple[Refused, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    exit_code: int = 0


# Complaints about what stands in the output directory, and the exit codes of those that are not the scenario's fault.
_ABOUT_PACKAGE: Final = ("package_edited", "package_foreign")
_CODE_EXIT: Final[Mapping[str, int]] = {NOT_WRITTEN: 4, "output_unusable": 2, "output_overlaps": 2}
_BLAME_EXIT: Mapping[Blame, int] = {Blame.USAGE: 2, Blame.PACKAGE: 1, Blame.MACHINE: 4}


def run(request: RunRequest, environ: Mapping[str, str], notify: Notify) -> RunOutcome:
    """Generate what is needed, check everything that can be checked, then run the packages in order.

    A package that cannot be run does not keep others from running; a wrong command does.

    Raises:
        Interrupted: Before the first run began; later it is part of the outcome.
    """
    with raising():
        bundled = (data_folder("scenarios"),)
        guarded = (request.scenario_dir,) if request.scenario_dir.exists() else ()
        if request.harbor is not None:
            targets, diagnostics, code = _targets(request)
            answers = (*bundled, *guarded)
            runs, refused = _through_harbor(targets, request.harbor, request.out, answers, environ, notify)
            return RunOutcome(
                runs=runs, refused=refused, diagnostics=diagnostics, exit_code=_highest(code, runs, refused)
            )
        settings = understand(request.options, request.out, guarded, bundled, environ)
        if isinstance(settings, Refused):
            return RunOutcome(refused=(settings,), exit_code=exit_of(settings))
        targets, diagnostics, code = _targets(request)
        packages, refused = _open(targets, settings)
        if any(one.blame is Blame.USAGE for one in refused):
            return RunOutcome(refused=refused, diagnostics=diagnostics, exit_code=_highest(code, (), refused))
        done = _run_all(packages, settings, notify)
        refused = (*refused, *done.refused)
        code = max(code, done.exit_code)
        return RunOutcome(
            runs=done.runs, refused=refused, diagnostics=diagnostics, exit_code=_highest(code, done.runs, refused)
        )


def _through_harbor(
    targets: tuple[Path, ...],
    options: HarborOptions,
    out: Path,
    guarded: tuple[Path, ...],
    environ: Mapping[str, str],
    notify: Notify,
) -> tuple[tuple[RunReport, ...], tuple[Refused, ...]]:
    opened = [_opened(target) for target in targets]
    refused = tuple(package for package in opened if isinstance(package, Refused))
    packages = [package for package in opened if not isinstance(package, Refused)]
    done = run_packages(packages, options, out, environ, notify, guarded=guarded)
    return done.runs, (*refused, *done.refused)


def exit_of(refused: Refused) -> int:
    """The exit code of a refusal."""
    return _BLAME_EXIT[refused.blame]


def refusal_detail(refused: Refused) -> dict[str, Any]:
    """A refusal as JSON reports show it."""
    entry = catalogue()[refused.code]
    return {
        "code": refused.code,
        "severity": entry.severity.value,
        "category": entry.category,
        "message": refused.message,
        "hint": refused.hint,
    }


def _highest(code: int, runs: tuple[RunReport, ...], refused: tuple[Refused, ...]) -> int:
    return max([code, *(report.exit_code for report in runs), *(exit_of(one) for one in refused)])


def _targets(request: RunRequest) -> tuple[tuple[Path, ...], tuple[Diagnostic, ...], int]:
    """The packages to run, made where scenarios were asked for; what is wrong, and the exit code of that."""
    targets = list(request.packages)
    if not (request.ids or request.tier):
        return tuple(targets), (), 0
    selection = select(request.scenario_dir, request.ids, request.tier)
    diagnostics = list(selection.problems)
    code = 3 if any(problem.severity is Severity.ERROR for problem in selection.problems) else 0
    for loaded in selection.loaded:
        made = ensure_package(loaded, request.out, Settings(org=request.org))
        if isinstance(made, Path):
            targets.append(made)
            continue
        diagnostics += _without_package(made, loaded, request)
        code = max(code, *(_CODE_EXIT.get(finding.code, 1) for finding in made))
    return tuple(targets), tuple(diagnostics), code


def _without_package(findings: Iterable[Finding], loaded: LoadedScenario, request: RunRequest) -> list[Diagnostic]:
    """Why a scenario has no package, each complaint placed at the package, the output directory or the scenario."""
    found: list[Diagnostic] = []
    for finding in findings:
        if finding.code in _ABOUT_PACKAGE:
            hint = finding.hint.replace("--force", f"`{_regenerate(loaded.id, request)}`")
            package = Path(Output(request.out).package(loaded.id))
            found += locate((replace(finding, hint=hint),), None, package, loaded.id, document_file="")
        elif finding.code in _CODE_EXIT:
            found += locate((finding,), None, request.out, loaded.id, document_file="")
        else:
            found += locate((finding,), loaded.document, loaded.directory, loaded.id)
    return found


def _regenerate(scenario_id: str, request: RunRequest) -> str:
    """The command that makes the package anew: `run` itself never replaces what somebody changed."""
    words = ["harborsmith", "generate", "--scenario", scenario_id]
    usual = RunRequest(options=request.options)
    for option, value, default in (
        ("--scenario-dir", request.scenario_dir, usual.scenario_dir),
        ("--out", request.out, usual.out),
        ("--org", request.org, usual.org),
    ):
        words += [option, str(value)] if value != default else []
    return shlex.join([*words, "--force"])


def _open(targets: tuple[Path, ...], settings: RunSettings) -> tuple[tuple[TaskPackage, ...], tuple[Refused, ...]]:
    opened: list[TaskPackage] = []
    refused: list[Refused] = []
    for target in targets:
        package = _opened(target)
        problem = package if isinstance(package, Refused) else check_package(package, settings)
        if problem is not None:
            refused.append(problem)
        elif not isinstance(package, Refused):
            opened.append(package)
    return tuple(opened), tuple(refused)


def _opened(directory: Path) -> TaskPackage | Refused:
    try:
        return open_package(directory)
    except OSError as error:
        path = error.filename or os.fspath(directory)
        return Refused("package_unreadable", f"{path}: {error.strerror}", "chmod -R u+rX PACKAGE_DIR", Blame.MACHINE)


def _run_all(packages: tuple[TaskPackage, ...], settings: RunSettings, notify: Notify) -> RunOutcome:
    """Run packages until one is interrupted or the command turns out to be wrong.

    Raises:
        Interrupted: Before the first run began.
    """
    runs: list[RunReport] = []
    refused: list[Refused] = []
    code = 0
    for package in packages:

        def tell(line: str, name: str = package.scenario_id) -> None:
            notify(f"{name}: {line}")

        try:
            report = run_package(package, settings, tell)
        except Interrupted as interruption:
            if not runs:
                raise
            code = interruption.exit_code
            break
        if isinstance(report, Refused):
            refused.append(report)
            if report.blame is Blame.USAGE:
                break
            continue
        runs.append(report)
        if report.interrupted is not None:
            break
    return RunOutcome(runs=tuple(runs), refused=tuple(refused), exit_code=code)
