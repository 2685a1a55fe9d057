"""Which packages are to be proven, or have their proofs looked at."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from generator.diagnostics.locate import locate
from generator.diagnostics.model import Diagnostic, any_error
from generator.execute.refusal import Blame, Refused
from generator.execute.taskpackage import TaskPackage, open_package
from generator.formats.loaded import LoadedScenario
from generator.package.compare import planned_records
from generator.package.layout import REFERENCE
from generator.package.manifest import modes_digest, whole_digest
from generator.package.model import PackagePlan
from generator.package.plan import plan
from generator.package.source import SourceChangedError
from generator.runtime.evaluation import Evaluation, parse_evaluation
from generator.runtime.strictjson import loads
from generator.workflows.misplaced import what_was_meant
from generator.workflows.run import exit_of
from generator.workflows.select import select
from generator.workflows.targets import NOTHING_SELECTED, Choice, called, find_targets


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One package.

    Attributes:
        place: Its directory, or that of a scenario whose package was not looked for.
        scenario_id: Id of its scenario.
        version: The scenario's version.
        digest: `sha256:` and the content digest that its files have, whatever its manifest states.
        modes: Digest of which of them are executable.
        reference: Whether there is a reference solution.
        evaluation: How its work is judged.
        package: The package itself; None where it was not looked for.
    """

    place: Path
    scenario_id: str
    version: str | None
    digest: str
    modes: str
    reference: bool
    evaluation: Evaluation
    package: TaskPackage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfit:
    """What was asked for and is no package that could be tried: an invalid scenario, or an edited or missing package.

    Attributes:
        place: The directory that was asked for.
        scenario_id: Id of its scenario, else the directory's name.
        diagnostics: Why, placed in the scenario or the package.
        refused: Why, of a package that was named.
        exit_code: What that means to a script.
    """

    place: Path
    scenario_id: str
    diagnostics: tuple[Diagnostic, ...] = ()
    refused: tuple[Refused, ...] = ()
    exit_code: int = 1


@dataclass(frozen=True, slots=True)
class Subjects:
    """The packages, what could be none, what is wrong with the selection, and the exit code of that."""

    found: tuple[Subject, ...] = ()
    unfit: tuple[Unfit, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    exit_code: int = 0


def packages_to_run(choice: Choice) -> Subjects:
    """The packages asked for; those of scenarios are made, or brought up to date, first."""
    targets = find_targets(choice)
    without = (
        Unfit(
            place=one.directory,
            scenario_id=one.scenario_id,
            diagnostics=one.diagnostics,
            exit_code=one.exit_code,
        )
        for one in targets.without
    )
    opened = (_opened(folder, choice) for folder in targets.packages)
    return _sorted_out((*opened, *without), targets.diagnostics, targets.exit_code)


def packages_to_check(choice: Choice) -> Subjects:
    """The same, writing nothing: of a scenario, the package that it would compile to."""
    found = [_opened(folder, choice) for folder in choice.packages]
    if not choice.scenarios:
        return _sorted_out(found)
    selection = select(choice.scenario_dir, choice.ids, choice.tier)
    code = NOTHING_SELECTED if any_error(selection.problems) else 0
    for loaded in selection.loaded:
        planned = loaded.findings if loaded.scenario is None else plan(loaded, choice.settings)
        if isinstance(planned, PackagePlan):
            found.append(_planned(planned, loaded))
        else:
            why = locate(planned, loaded.document, loaded.directory, loaded.id)
            found.append(Unfit(place=loaded.directory, scenario_id=loaded.id, diagnostics=why))
    return _sorted_out(found, selection.problems, code)


def _sorted_out(found: Iterable[Subject | Unfit], diagnostics: tuple[Diagnostic, ...] = (), code: int = 0) -> Subjects:
    """Everything once, however often and by whatever names it was asked for: equal packages have one proof."""
    subjects: dict[tuple[str, str, str], Subject] = {}
    unfit: dict[str, Unfit] = {}
    for one in found:
        if isinstance(one, Unfit):
            unfit.setdefault(os.path.realpath(one.place), one)
        else:
            subjects.setdefault((one.scenario_id, one.digest, one.modes), one)
    code = max([code, *(one.exit_code for one in unfit.values())])
    return Subjects(tuple(subjects.values()), tuple(unfit.values()), diagnostics, code)


def _opened(directory: Path, choice: Choice) -> Subject | Unfit:
    package = open_package(directory)
    if isinstance(package, Refused):
        return _unfit(directory, called(directory), what_was_meant(package, directory, choice))
    return Subject(
        place=directory,
        scenario_id=package.scenario_id,
        version=package.version,
        digest=package.digest,
        modes=package.modes,
        reference=(directory / REFERENCE).is_dir(),
        evaluation=package.evaluation,
        package=package,
    )


def _unfit(place: Path, name: str, refused: Refused) -> Unfit:
    return Unfit(place=place, scenario_id=name, refused=(refused,), exit_code=exit_of(refused))


def _planned(planned: PackagePlan, loaded: LoadedScenario) -> Subject | Unfit:
    try:
        records = planned_records(planned)
    except SourceChangedError as error:
        changed = Refused(error.finding.code, error.finding.message, error.finding.hint, Blame.PACKAGE)
        return _unfit(loaded.directory, loaded.id, changed)
    except OSError as error:
        unread = Refused("package_unreadable", f"{error.filename}: {error.strerror}", "", Blame.MACHINE)
        return _unfit(loaded.directory, loaded.id, unread)
    return Subject(
        place=loaded.directory,
        scenario_id=planned.id,
        version=planned.version,
        digest=whole_digest(records),
        modes=modes_digest(records),
        reference=any(file.path.startswith(f"{REFERENCE}/") for file in planned.files),
        evaluation=_evaluation(planned),
    )


def _evaluation(planned: PackagePlan) -> Evaluation:
    content = next(file.content for file in planned.files if file.path == "tests/evaluation.json")
    assert isinstance(content, bytes), "it is made, not copied"
    return parse_evaluation(loads(content.decode()))
