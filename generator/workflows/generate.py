"""Compile scenarios into packages: select, plan, and bring the output directory in line."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from generator.diagnostics.locate import locate
from generator.diagnostics.model import Diagnostic, Finding, any_error
from generator.formats.loaded import LoadedScenario
from generator.package.compare import ABSENT
from generator.package.dataset import Dataset, dataset_name
from generator.package.lock import sweep
from generator.package.model import PackagePlan, Settings
from generator.package.orphans import orphans
from generator.package.output import Output
from generator.package.plan import plan
from generator.package.write import (
    NOT_WRITTEN,
    PackageOutcome,
    Status,
    preview_package,
    refused_by_machine,
    remove_package,
    write_package,
)
from generator.workflows.advice import advice, without_held_out
from generator.workflows.dataset import DatasetReport, keep_dataset, pending_dataset, skipped_dataset, unnamed
from generator.workflows.parallel import Lost, processors, shared_out
from generator.workflows.select import Selection, ids_known, select
from generator.workflows.suggest import BUILT_IN, Usual, option_words, package_words


class Mode(StrEnum):
    """Write packages, say whether they are what they should be, or say what would be written."""

    WRITE = "write"
    CHECK = "check"
    DRY_RUN = "dry_run"


_PAYS: Final = 16  # packages for which one more process is worth starting

_DIFFERING: Final = {Mode.CHECK: Status.DRIFTED, Mode.DRY_RUN: Status.WOULD_WRITE}
_WRONG: Final = (Status.FAILED, Status.DRIFTED)
_PENDING: Final = (Status.WOULD_WRITE, Status.WOULD_REMOVE)
_LEFT_OVER: Final = {Mode.CHECK: Status.DRIFTED, Mode.DRY_RUN: Status.WOULD_REMOVE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of `generate`.

    Attributes:
        scenario_dir: Directory of scenario directories.
        ids: Only these scenarios (ids or directory names).
        tier: Only scenarios of this tier.
        paths: These scenario directories instead of `scenario_dir`.
        changed: Only scenarios that hold one of these files; None means all.
        out: Output directory.
        settings: What all packages share.
        mode: What to do about differences.
        force: Replace directories that are not ours, and edited packages.
        jobs: How many processes make packages; None means as many as pay.
        held_out: Whether scenarios that are held out are among those asked for.
        dataset: What the dataset of all packages is known by; None for no dataset.
        usual: What all this is where nobody types it, for the commands that messages suggest.
    """

    scenario_dir: Path
    ids: tuple[str, ...] = ()
    tier: str | None = None
    paths: tuple[Path, ...] = ()
    changed: tuple[Path, ...] | None = None
    out: Path
    settings: Settings = BUILT_IN.settings
    mode: Mode = Mode.WRITE
    force: bool = False
    jobs: int | None = None
    held_out: bool = True
    dataset: Dataset | None = None
    usual: Usual = BUILT_IN


@dataclass(frozen=True, slots=True)
class Listed:
    """A file that a dry run lists: path, bytes, whether it may be executed."""

    path: str
    size: int
    executable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One package of a report.

    Attributes:
        outcome: What became of it.
        files: How many files it has, its manifest among them; 0 when it could not be planned.
        listing: All of them but the manifest, in a dry run.
        task: What its `task.toml` holds, where a dataset is kept.
        diagnostics: What there is to say about it.
    """

    outcome: PackageOutcome
    files: int = 0
    listing: tuple[Listed, ...] = ()
    task: bytes | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What `generate` did.

    Attributes:
        packages: One entry a selected scenario, then one a left-over package.
        problems: What is wrong with the selection.
        refused: Why the output directory was not touched at all.
        dataset: What became of the dataset; None where none is kept.
    """

    packages: tuple[Package, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    refused: tuple[Diagnostic, ...] = ()
    dataset: DatasetReport | None = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything there is to say, in the order of the packages."""
        said = (said for package in self.packages for said in package.diagnostics)
        return (*self.refused, *self.problems, *said, *(self.dataset.diagnostics if self.dataset else ()))

    @property
    def could_not(self) -> bool:
        """Whether the machine kept a package or the dataset from being written."""
        return any(outcome.could_not for outcome in self._outcomes)

    @property
    def not_found(self) -> bool:
        """Whether something that was asked for is not there."""
        return any_error(self.problems)

    @property
    def failed(self) -> bool:
        """Whether a scenario has no package, or not the right one, or the dataset is not the right one."""
        return any(outcome.status in _WRONG for outcome in self._outcomes)

    @property
    def _outcomes(self) -> tuple[PackageOutcome, ...]:
        packages = tuple(package.outcome for package in self.packages)
        return packages if self.dataset is None else (*packages, self.dataset.outcome)

    def count(self, *statuses: Status) -> int:
        """How many packages have one of `statuses`."""
        return sum(package.outcome.status in statuses for package in self.packages)


def generate(request: Request, progress: Callable[[int, int], None] = lambda _done, _all: None) -> Report:
    """Bring the packages of the selected scenarios in line with their sources.

    An invalid scenario blocks no other. Only a selection of everything in a directory of scenarios removes what is left
    over, and only when every scenario could be read far enough to know its id.

    Args:
        request: What to do.
        progress: Called after each scenario with how many are done, and how many there are.
    """
    selection = select(request.scenario_dir, request.ids, request.tier, request.paths, changed=request.changed)
    removes = selection.unfiltered and selection.complete and ids_known(selection)
    if not request.held_out:
        selection = without_held_out(selection, (*request.paths, request.scenario_dir)[0])
    output = Output(request.out)
    problem = output.problem(loaded.directory for loaded in selection.loaded)
    problem = problem or (unnamed(request.dataset, request.settings) if selection.unfiltered else None)
    if problem is not None:
        return Report(refused=locate((problem,), None, request.out, document_file=""), problems=selection.problems)
    packages: list[Package] = []
    advised = advice(selection.loaded, output)
    if request.mode is Mode.WRITE and selection.loaded:
        packages += _swept(output)
    for done, (loaded, package) in enumerate(_made(selection.loaded, output, request), start=1):
        said = _located(advised.get(loaded.directory, ()), loaded)
        packages.append(replace(package, diagnostics=(*package.diagnostics, *said)))
        progress(done, len(selection.loaded))
    if removes:
        packages += _left_over(output, selection, request)
    report = Report(packages=tuple(packages), problems=selection.problems)
    return replace(report, dataset=_dataset(report, output, request)) if selection.unfiltered else report


def ensure_package(
    loaded: LoadedScenario, out: Path, settings: Settings = BUILT_IN.settings, *, force: bool = False
) -> Path | tuple[Finding, ...]:
    """Make the package of one scenario when it is not there or not up to date.

    Args:
        loaded: The scenario, valid or not.
        out: Output directory.
        settings: What all packages share.
        force: Replace a directory that is not ours, or was edited.

    Returns:
        The package's directory, or why there is none; `package_not_written` among the codes means that the machine is
        to blame, not the scenario.
    """
    if loaded.scenario is None:
        return loaded.findings
    output = Output(out)
    problem = output.problem((loaded.directory,))
    if problem is not None:
        return (problem,)
    planned = plan(loaded, settings)
    if not isinstance(planned, PackagePlan):
        return planned
    outcome = write_package(planned, output, force=force)
    return outcome.findings if outcome.status is Status.FAILED else Path(outcome.path)


def _made(
    scenarios: Sequence[LoadedScenario], output: Output, request: Request
) -> Iterator[tuple[LoadedScenario, Package]]:
    """Each scenario with its package, in their order, however many processes make them."""

    def one(number: int) -> Package:
        return _one(scenarios[number], output, request)

    wanted = min(processors(), len(scenarios) // _PAYS) if request.jobs is None else request.jobs
    jobs = min(wanted, len(scenarios))
    if jobs < 2:
        yield from zip(scenarios, map(one, range(len(scenarios))), strict=True)
        return
    for loaded, made in zip(scenarios, shared_out(one, len(scenarios), jobs), strict=True):
        yield loaded, made if isinstance(made, Package) else _lost(loaded, output, made)


def _lost(loaded: LoadedScenario, output: Output, lost: Lost) -> Package:
    """A package of which nobody knows what became of it; the next call puts its leavings right."""
    path = output.package(loaded.id)
    finding = Finding(
        NOT_WRITTEN, "", f"{path}: {lost.why}", "run the command again, with --jobs 1 if it happens again"
    )
    outcome = PackageOutcome(id=loaded.id, path=path, status=Status.FAILED, findings=(finding,))
    return Package(outcome=outcome, diagnostics=_at_package(outcome.findings, outcome))


def _one(loaded: LoadedScenario, output: Output, request: Request) -> Package:
    planned = loaded.findings if loaded.scenario is None else plan(loaded, request.settings)
    if not isinstance(planned, PackagePlan):
        failed = PackageOutcome(id=loaded.id, path=output.package(loaded.id), status=Status.FAILED)
        return Package(outcome=failed, diagnostics=_located(planned, loaded))
    if request.mode is Mode.WRITE:
        outcome = write_package(planned, output, force=request.force)
    else:
        outcome = preview_package(planned, output, differing=_DIFFERING[request.mode])
    about_package = [finding for finding in outcome.findings if finding.file is None]
    about_scenario = [finding for finding in outcome.findings if finding.file is not None]
    if outcome.status is Status.DRIFTED:
        about_package.append(_drifted(outcome, request))
    diagnostics = (*_located((*planned.notes, *about_scenario), loaded), *_at_package(about_package, outcome))
    listed = planned.files if request.mode is Mode.DRY_RUN else ()
    return Package(
        outcome=outcome,
        files=len(planned.files) + 1,
        listing=tuple(Listed(file.path, file.size, file.executable) for file in listed),
        task=planned.task if request.dataset else None,
        diagnostics=diagnostics,
    )


def _dataset(report: Report, output: Output, request: Request) -> DatasetReport | None:
    """What becomes of the dataset, once all packages are made: it stands and falls with them."""
    if request.dataset is None or not report.packages or report.not_found:
        return None
    if report.failed:
        return skipped_dataset(output)
    differing = _DIFFERING.get(request.mode)
    if report.count(*_PENDING):
        return pending_dataset(output)
    tasks = {one.outcome.id: one.task for one in report.packages if one.task is not None}
    command = generate_command(request)
    return keep_dataset(output, request.dataset, tasks, differing=differing, force=request.force, command=command)


def _located(findings: Sequence[Finding], loaded: LoadedScenario) -> tuple[Diagnostic, ...]:
    return locate(findings, loaded.document, loaded.directory, loaded.id)


def _at_package(findings: Sequence[Finding], outcome: PackageOutcome) -> tuple[Diagnostic, ...]:
    """Findings about what stands in the output directory, placed at the file that differs."""
    file = outcome.difference.path if outcome.difference else ""
    return locate(findings, None, Path(outcome.path), outcome.id, document_file=file)


def _swept(output: Output) -> Iterator[Package]:
    """Nothing when the leavings of killed processes could be put right, else why not."""
    try:
        sweep(output)
    except OSError as error:
        yield _unusable(output.private, error)


def _unusable(folder: Path, error: OSError) -> Package:
    """A part of the output directory that the machine does not let us work in."""
    finding = refused_by_machine(error, str(folder))
    outcome = PackageOutcome(id=folder.name, path=str(folder), status=Status.FAILED, findings=(finding,))
    return Package(outcome=outcome, diagnostics=_at_package(outcome.findings, outcome))


def _left_over(output: Output, selection: Selection, request: Request) -> Iterator[Package]:
    known = {loaded.id for loaded in selection.loaded}
    # A scenario that is broken keeps the package under its directory's name, too: its id may be what is wrong with it.
    known |= {loaded.name for loaded in selection.loaded if loaded.scenario is None}
    try:
        left_over = orphans(output, known)
    except OSError as error:
        yield _unusable(output.tasks, error)
        return
    for scenario_id in left_over:
        target = output.package(scenario_id)
        if request.mode is Mode.WRITE:
            outcome = remove_package(scenario_id, output, force=request.force)
        else:
            outcome = PackageOutcome(id=scenario_id, path=target, status=_LEFT_OVER[request.mode])
        findings = outcome.findings
        if outcome.status is Status.DRIFTED:
            findings = (Finding("package_left_over", "", "its scenario is gone", generate_command(request)),)
        yield Package(outcome=outcome, diagnostics=_at_package(findings, outcome))


def _drifted(outcome: PackageOutcome, request: Request) -> Finding:
    """The complaint of `--check`, with the command that mends it: with `--force` where an edit would be lost."""
    difference = outcome.difference
    command = generate_command(request, outcome.id)
    if outcome.edited:
        command += " --force"
    what = "there is no package"
    if difference is not None and difference != ABSENT:
        what = f"the package is not up to date: {difference.sentence}"
        if outcome.edited and difference.path:
            what = f"the package was edited: {difference.sentence}; --force discards that"
    return Finding("package_drifted", "", what, command)


def generate_command(request: Request, scenario_id: str | None = None) -> str:
    """The command that makes the same packages, or the one of `scenario_id`."""
    scenario_dir = None if request.paths else request.scenario_dir
    words = ["harborsmith", "generate", *map(str, request.paths)]
    words += package_words(scenario_dir, scenario_id, request.out, request.settings, request.usual)
    if request.dataset and scenario_id is None:
        words += _dataset_words(request.dataset, request)
    if not request.held_out and scenario_id is None:
        words.append("--without-held-out")
    return shlex.join(words)


def _dataset_words(made: Dataset, request: Request) -> list[str]:
    usual = request.usual.dataset
    name = dataset_name(usual["name"], request.settings.org) if "name" in usual else None
    options = {
        "--dataset": None if made.name == name else made.name,
        "--dataset-version": None if made.version == usual.get("version") else made.version,
        "--dataset-description": None if made.description == usual.get("description", "") else made.description,
    }
    return option_words(options)
