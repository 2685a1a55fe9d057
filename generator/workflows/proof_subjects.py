"""Which packages are to be proven, or have their proofs looked at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from generator.diagnostics.locate import locate
from generator.diagnostics.model import Diagnostic, Severity
from generator.execute.refusal import Blame, Refused
from generator.execute.taskpackage import TaskPackage, open_package
from generator.formats.loaded import LoadedScenario
from generator.package.compare import planned_records
from generator.package.layout import REFERENCE
from generator.package.manifest import read_manifest, whole_digest
from generator.package.model import PackagePlan, Settings
from generator.package.plan import plan
from generator.package.source import SourceChangedError
from generator.package.write import Status
from generator.workflows.generate import DEFAULTS, Report, Request, generate
from generator.workflows.select import select


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was selected.

    Attributes:
        packages: Package directories.
        scenario_dir: Directory of scenario directories; only looked at when scenarios are asked for.
        ids: Scenarios (ids or directory names).
        tier: Scenarios of a tier.
        everything: All scenarios.
        out: Output directory.
        settings: What all packages share.
    """

    packages: tuple[Path, ...] = ()
    scenario_dir: Path = Path("scenarios")
    ids: tuple[str, ...] = ()
    tier: str | None = None
    everything: bool = False
    out: Path = Path("generated")
    settings: Settings = DEFAULTS

    @property
    def scenarios(self) -> bool:
        """Whether scenarios are asked for, beside packages."""
        return bool(self.ids or self.tier or self.everything)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One package.

    Attributes:
        place: Its directory, or that of a scenario whose package was not looked for.
        scenario_id: Id of its scenario.
        version: The scenario's version.
        digest: `sha256:` and the content digest that its files have, whatever its manifest states.
        reference: Whether there is a reference solution.
        package: The package itself; None where it was not looked for.
    """

    place: Path
    scenario_id: str
    version: str | None
    digest: str
    reference: bool
    package: TaskPackage | None = None


@dataclass(frozen=True, slots=True)
class Subjects:
    """The packages, what is wrong with others and with the selection, and the exit code of that."""

    found: tuple[Subject, ...] = ()
    refused: tuple[Refused, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    exit_code: int = 0


def packages_to_run(asked: Asked) -> Subjects:
    """The packages asked for; those of scenarios are made, or brought up to date, first."""
    report = Report()
    if asked.scenarios:
        report = generate(
            Request(
                scenario_dir=asked.scenario_dir,
                ids=asked.ids,
                tier=asked.tier,
                # As a path, since a selection of everything would also remove packages without a scenario.
                paths=(asked.scenario_dir,) if asked.everything else (),
                out=asked.out,
                settings=asked.settings,
            )
        )
    made = [one.outcome for one in report.packages if one.outcome.status in (Status.WRITTEN, Status.UNCHANGED)]
    folders = (*asked.packages, *(Path(outcome.path) for outcome in made))
    opened = [_opened(folder) for folder in {folder.resolve(): folder for folder in folders}.values()]
    code = max(4 * report.could_not, 3 * report.nothing_selected, 2 * bool(report.refused), int(report.failed))
    return _sorted_out(opened, tuple(_worded(diagnostic) for diagnostic in report.diagnostics), code)


def packages_to_check(asked: Asked) -> Subjects:
    """The same, writing nothing: of a scenario, the package that it would compile to."""
    found = [_opened(folder) for folder in asked.packages]
    if not asked.scenarios:
        return _sorted_out(found)
    selection = select(asked.scenario_dir, asked.ids, asked.tier)
    diagnostics = list(selection.problems)
    code = 3 if any(problem.severity is Severity.ERROR for problem in selection.problems) else 0
    for loaded in selection.loaded:
        planned = loaded.findings if loaded.scenario is None else plan(loaded, asked.settings)
        if isinstance(planned, PackagePlan):
            found.append(_planned(planned, loaded))
        else:
            diagnostics += locate(planned, loaded.document, loaded.directory, loaded.id)
            code = max(code, 1)
    return _sorted_out(found, tuple(diagnostics), code)


def _sorted_out(found: list[Subject | Refused], diagnostics: tuple[Diagnostic, ...] = (), code: int = 0) -> Subjects:
    refused = tuple(one for one in found if isinstance(one, Refused))
    return Subjects(tuple(one for one in found if isinstance(one, Subject)), refused, diagnostics, code)


def _opened(directory: Path) -> Subject | Refused:
    try:
        package = open_package(directory)
        if isinstance(package, Refused):
            return package
        records = read_manifest(str(directory), package.scenario_id)
    except OSError as error:
        return Refused("package_unreadable", f"{error.filename or directory}: {error.strerror}", "", Blame.MACHINE)
    if isinstance(records, str):  # another process was at it between the two looks
        return Refused("package_invalid", f"{directory} is no package: {records}", "", Blame.PACKAGE)
    return Subject(
        place=directory,
        scenario_id=package.scenario_id,
        version=package.version,
        digest=whole_digest(records),
        reference=(directory / REFERENCE).is_dir(),
        package=package,
    )


def _planned(planned: PackagePlan, loaded: LoadedScenario) -> Subject | Refused:
    try:
        digest = whole_digest(planned_records(planned))
    except SourceChangedError as error:
        return Refused(error.finding.code, error.finding.message, error.finding.hint, Blame.PACKAGE)
    except OSError as error:
        return Refused("package_unreadable", f"{error.filename}: {error.strerror}", "", Blame.MACHINE)
    return Subject(
        place=loaded.directory,
        scenario_id=planned.id,
        version=planned.version,
        digest=digest,
        reference=any(file.path.startswith(f"{REFERENCE}/") for file in planned.files),
    )


def _worded(diagnostic: Diagnostic) -> Diagnostic:
    """The complaint with `--force` as the option of the command that has it."""
    command = f"`harborsmith generate --scenario {diagnostic.scenario} --force`"
    return diagnostic._replace(hint=diagnostic.hint.replace("--force", command))
