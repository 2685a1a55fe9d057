"""Let an agent work on packages and have each result judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from generator.execute.evidence import shown_path
from generator.execute.interrupt import Interrupted, raising
from generator.execute.notify import Notify
from generator.execute.preparation import check_package
from generator.execute.refusal import Blame, Refused
from generator.execute.room import sweep_rooms
from generator.execute.settings import Options, RunSettings, understand
from generator.execute.tally import Asked, Row, tally
from generator.execute.taskpackage import TaskPackage, open_package
from generator.resources import data_folder
from generator.workflows.batch import Batch
from generator.workflows.misplaced import what_was_meant
from generator.workflows.missing_solution import explained
from generator.workflows.targets import Choice, Targets, called, find_targets

if TYPE_CHECKING:
    from generator.diagnostics.model import Diagnostic
    from generator.execute.report import RunReport
    from generator.harbor.settings import HarborOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest(Choice):
    """What is asked of `run`.

    Attributes:
        options: How to run what was chosen.
        runs: How often each package is run on this machine.
        jobs: Runs at the same time on this machine.
        fail_fast: Start no more runs on this machine once one did not pass, or something cannot be run.
        harbor: How to run them through Harbor instead; None for a run on this machine.
    """

    options: Options
    runs: int = 1
    jobs: int = 1
    fail_fast: bool = False
    harbor: HarborOptions | None = None


class RunOutcome(NamedTuple):
    """What `run` did.

    Attributes:
        runs: One report a run.
        refused: Why something was not run.
        diagnostics: What is wrong with scenarios or with the selection.
        rows: What the runs of each scenario came to.
        interrupted: Exit code of the signal that cut it off; None when it was not.
        exit_code: The highest of all.
    """

    runs: tuple[RunReport, ...] = ()
    refused: tuple[Refused, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    rows: tuple[Row, ...] = ()
    interrupted: int | None = None
    exit_code: int = 0


_BLAME_EXIT: Mapping[Blame, int] = {Blame.USAGE: 2, Blame.PACKAGE: 1, Blame.MACHINE: 4}


def run(request: RunRequest, environ: Mapping[str, str], notify: Notify) -> RunOutcome:
    """Generate what is needed, check everything that can be checked, then run the packages.

    A package that cannot be run does not keep others from running, unless `fail_fast` is set; a wrong command does.

    Raises:
        Interrupted: Before the first run began; later it is part of the outcome.
    """
    with raising():
        bundled = (data_folder("scenarios"),)
        guarded = (request.scenario_dir,) if request.scenario_dir.exists() else ()
        if request.harbor is not None:
            return _through_harbor(request, request.harbor, (*bundled, *guarded), environ, notify)
        sweep_rooms()
        settings = understand(request.options, request.out, guarded, bundled, environ)
        if isinstance(settings, Refused):
            return RunOutcome(refused=(settings,), exit_code=exit_of(settings))
        return _on_this_machine(request, settings, notify)


def _on_this_machine(request: RunRequest, settings: RunSettings, notify: Notify) -> RunOutcome:
    targets = find_targets(request)
    opened = _open(targets, request, request.runs, lambda package: check_package(package, settings), notify)
    held = request.fail_fast and max(targets.exit_code, opened.exit_code) > 0
    plan = () if held else opened.packages * request.runs
    batch = Batch(plan, notify, fail_fast=request.fail_fast)
    batch.run(settings, request.jobs)
    if batch.interrupted is not None and not batch.results:
        raise batch.interrupted
    late = [_asked(package, 0, exit_of(refused)) for package, refused in batch.refusals]
    wrong = [exit_of(refused) for _, refused in batch.refusals if refused.of_the_command]
    late += [_asked(package, 0, code) for code in wrong[:1] for package in batch.unreached]
    why = dict.fromkeys((refused, package.scenario_id) for package, refused in batch.refusals)
    told = (explained(*one, request) for one in why)
    refused = tuple(dict.fromkeys((*opened.refused, *told)))
    return _outcome(targets, (*opened.asked, *late), batch.reports, refused, batch.interrupted)


def _through_harbor(
    request: RunRequest, options: HarborOptions, guarded: tuple[Path, ...], environ: Mapping[str, str], notify: Notify
) -> RunOutcome:
    from generator.harbor.backend import run_packages

    targets = find_targets(request)
    opened = _open(targets, request, options.runs, lambda _: None, notify)
    done = run_packages(opened.packages, options, request.out, environ, notify, guarded=guarded)
    apart = {package.directory: exit_of(refused) for package, refused in done.apart}
    shared = {*done.refused}.difference(refused for _, refused in done.apart)
    code = max(map(exit_of, shared), default=0)
    kept = tuple(_asked(one, 0, max(code, apart.get(one.directory, 0))) for one in opened.packages)
    return _outcome(targets, (*opened.asked, *kept), done.runs, (*opened.refused, *done.refused))


def _outcome(
    targets: Targets,
    asked: tuple[Asked, ...],
    runs: tuple[RunReport, ...],
    refused: tuple[Refused, ...],
    interrupted: Interrupted | None = None,
) -> RunOutcome:
    codes = [targets.exit_code, *(report.exit_code for report in runs), *map(exit_of, refused)]
    cut = [interrupted.exit_code] if interrupted else [one.interrupted for one in runs if one.interrupted is not None]
    return RunOutcome(
        runs=runs,
        refused=refused,
        diagnostics=targets.complaints,
        rows=tally(asked, runs),
        interrupted=next(iter(cut), None),
        exit_code=max([*codes, *cut]),
    )


def exit_of(refused: Refused) -> int:
    """The exit code of a refusal."""
    return _BLAME_EXIT[refused.blame]


def refusal_detail(refused: Refused) -> dict[str, Any]:
    """A refusal as JSON reports show it."""
    from generator.diagnostics.catalogue import catalogue

    entry = catalogue()[refused.code]
    return {
        "code": refused.code,
        "severity": entry.severity.value,
        "category": entry.category,
        "message": refused.message,
        "hint": refused.hint,
    }


class _Opened(NamedTuple):
    """Packages that may run, what is wrong with the others, and all runs that were asked for."""

    packages: tuple[TaskPackage, ...]
    refused: tuple[Refused, ...]
    asked: tuple[Asked, ...]

    @property
    def exit_code(self) -> int:
        """The highest of what keeps a run from being started."""
        return max((one.exit_code for one in self.asked), default=0)


def _open(
    targets: Targets, choice: Choice, runs: int, check: Callable[[TaskPackage], Refused | None], notify: Notify
) -> _Opened:
    """Everything once, however often and by whatever names it was asked for, and copies of a package with it."""
    packages: list[TaskPackage] = []
    refused: list[Refused] = []
    asked = [
        Asked(one.scenario_id, None, runs, one.exit_code, place=shown_path(one.directory)) for one in targets.without
    ]
    places: dict[tuple[str, str, str], Path] = {}
    for directory in _distinct(targets.packages):
        package = open_package(directory)
        if isinstance(package, Refused):
            refused.append(what_was_meant(package, directory, choice))
            asked.append(Asked(called(directory), None, runs, exit_of(package), place=shown_path(directory)))
            continue
        place = places.setdefault((package.scenario_id, package.digest, package.modes), directory)
        if place != directory:
            notify(f"{directory} is the same package as {place}, which is run")
            continue
        problem = check(package)
        asked.append(_asked(package, runs, exit_of(problem) if problem else 0))
        if problem is None:
            packages.append(package)
        else:
            refused.append(problem)
    return _Opened(packages=tuple(packages), refused=tuple(refused), asked=tuple(asked))


def _distinct(directories: Iterable[Path]) -> Iterable[Path]:
    """Each directory under the first of its names."""
    found: dict[str, Path] = {}
    for directory in directories:
        found.setdefault(os.path.realpath(directory), directory)
    return found.values()


def _asked(package: TaskPackage, runs: int, exit_code: int) -> Asked:
    place = shown_path(package.directory)
    return Asked(package.scenario_id, package.version, runs, exit_code, package.digest, place, package.modes)
