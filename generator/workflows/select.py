"""Which scenarios a command works on, read and judged by every rule.

A selection never narrows what rules may know: ids are compared across the whole directory, however few are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from generator.diagnostics.locate import has_errors
from generator.diagnostics.model import Diagnostic, Finding, Severity, any_error
from generator.formats.discovery import DOCUMENTS, discover, has_document, is_directory
from generator.formats.draft import Draft, Reading
from generator.formats.loaded import LoadedScenario
from generator.formats.loaded_form import loaded_form
from generator.formats.reading import draft
from generator.rules.registry import Pack, check_pack, check_scenario
from generator.scenario.tiers import TIERS
from generator.workflows.asked import directory_problems, nothing_found, unknown_scenario
from generator.workflows.memory import Memory

if TYPE_CHECKING:
    from generator.scenario.model import Scenario


class Selection(NamedTuple):
    """The scenarios asked for, in the order of their directories, and what is wrong with the asking itself.

    Attributes:
        loaded: Valid and invalid scenarios alike; a valid one has a `scenario`.
        problems: Unknown ids, directories that cannot be read or hold nothing, what is passed over.
        complete: Whether the scenarios stand in one directory of scenarios that was seen whole, so that one that is not
            there is gone. A single scenario is no such directory.
        unfiltered: Whether everything in the scenario directory was asked for, so that nothing says what to leave out.
    """

    loaded: tuple[LoadedScenario, ...]
    problems: tuple[Diagnostic, ...] = ()
    complete: bool = False
    unfiltered: bool = False


class _Found(NamedTuple):
    """Readings asked for, the pack they are part of, and what was wrong with the directories."""

    readings: tuple[Reading, ...]
    pack: Pack
    problems: tuple[Diagnostic, ...]


def select(  # noqa: PLR0913 - each is one answer of the command line
    scenario_dir: Path,
    ids: Sequence[str] = (),
    tier: str | None = None,
    paths: Sequence[Path] = (),
    *,
    changed: Sequence[Path] | None = None,
    today: date | None = None,
    memory: Memory | None = None,
    models: bool = True,
) -> Selection:
    """Read the scenarios that are asked for and apply every rule to them.

    Args:
        scenario_dir: Directory of scenario directories, or itself one scenario. When `paths` are given, it is only
            asked what was meant by one that is not there.
        ids: Ids or directory names; none means all.
        tier: Only scenarios of this tier, and those whose tier cannot be told because they are broken.
        paths: Scenario directories, their documents, or directories of scenarios, instead of `scenario_dir`.
        changed: Only scenarios that hold one of these paths or lie below it (absolute, links followed); None means all.
        today: The day that sunset dates are compared with (UTC); None is now.
        memory: What is known from an earlier call with the same arguments.
        models: Whether to build the model of each valid scenario, which no rule needs.
    """
    memory = memory or Memory()
    found = _find_paths(paths, scenario_dir, memory) if paths else _find_root(scenario_dir, memory)
    readings, problems = _named(found, ids, scenario_dir)
    if changed is not None:
        readings = tuple(reading for reading in readings if _holds(reading, changed))
    pack = found.pack
    by_path = check_pack(pack)
    day = today or datetime.now(UTC).date()
    judge = partial(load, models=models)
    loaded = [memory.load(reading, pack, by_path.get(reading.path, ()), day, judge) for reading in readings]
    tiers: list[str] = []
    if tier is not None:
        tiers = [name for name in TIERS if name in map(_tier, loaded)]
        loaded = [one for one in loaded if _tier(one) in (tier, None)]
    if not loaded and changed is None and not any_error((*found.problems, *problems)):
        problems = (nothing_found(paths[0] if paths else scenario_dir, tier, tiers),)
    unfiltered = not (ids or tier or paths) and changed is None
    return Selection(tuple(loaded), (*found.problems, *problems), pack.complete, unfiltered)


def load(
    reading: Reading, pack: Pack, pack_findings: Sequence[Finding], today: date, models: bool = True
) -> LoadedScenario:
    """Check and judge one scenario directory that was read.

    Args:
        reading: What was read of it.
        pack: All scenarios that stand beside it, asked for or not.
        pack_findings: What the rules about the pack say of this one.
        today: The day that sunset dates are compared with.
        models: Whether to build its model, should it be valid.

    Returns:
        Everything that is known of it; without a document that is its findings alone.
    """
    made = draft(reading)
    if made is None:
        return LoadedScenario(tree=reading.tree, name=reading.name, findings=(*reading.findings, *pack_findings))
    findings = (*made.findings, *check_scenario(made, pack, today), *pack_findings)
    return LoadedScenario(
        tree=reading.tree,
        name=reading.name,
        document=reading.document,
        raw=loaded_form(made.document.value, made.prompt),
        scenario=_built(made) if models and not has_errors(findings) else None,
        findings=findings,
        calibration=made.calibration,
        files=made.files,
    )


def ids_known(selection: Selection) -> bool:
    """Whether every scenario was seen and its id is known, so that a package without one is really left over."""
    if not selection.loaded or any(_hides_scenarios(problem) for problem in selection.problems):
        return False
    return all(loaded.raw is not None and isinstance(loaded.raw.get("id"), str) for loaded in selection.loaded)


def _built(made: Draft) -> Scenario:
    from generator.formats.build import build

    return build(made.sound, made.prompt.text)


def _holds(reading: Reading, changed: Sequence[Path]) -> bool:
    """Whether a path lies in the scenario's directory or is a directory around it, as a submodule is."""
    folder = reading.path.resolve()
    return any(path.is_relative_to(folder) or folder.is_relative_to(path) for path in changed)


def _find_root(root: Path, memory: Memory) -> _Found:
    found = discover(root)
    readings = tuple(memory.read(directory) for directory in found.directories)
    alone = found.directories == (root,)
    return _Found(readings, Pack(readings, complete=not alone), directory_problems(root, found))


def _find_paths(paths: Sequence[Path], scenario_dir: Path, memory: Memory) -> _Found:
    directories: dict[Path, Path] = {}
    problems: list[Diagnostic] = []
    for path in paths:
        is_document = path.name in DOCUMENTS and not is_directory(path)
        directory = path.parent if is_document else path
        if is_document or has_document(directory):
            directories.setdefault(directory.absolute(), directory)
            continue
        found = discover(directory)
        problems += directory_problems(directory, found, _ids(scenario_dir, memory) if found.missing else ())
        if not (found.directories or found.missing or found.unreadable):
            problems.append(nothing_found(directory))
        for below in found.directories:
            directories.setdefault(below.absolute(), below)
    readings = tuple(memory.read(directory) for directory in directories.values())
    return _Found(readings, Pack(readings, complete=False), tuple(problems))


def _ids(scenario_dir: Path, memory: Memory) -> set[str]:
    readings = map(memory.read, discover(scenario_dir).directories)
    return {name for reading in readings for name in (reading.id, reading.name)}


def _named(found: _Found, ids: Sequence[str], root: Path) -> tuple[tuple[Reading, ...], tuple[Diagnostic, ...]]:
    if not ids:
        return found.readings, ()
    wanted = set(ids)
    chosen = tuple(reading for reading in found.readings if {reading.id, reading.name} & wanted)
    known = {name for reading in found.readings for name in (reading.id, reading.name)}
    return chosen, tuple(
        unknown_scenario(name, sorted(known), root) for name in dict.fromkeys(ids) if name not in known
    )


def _tier(loaded: LoadedScenario) -> str | None:
    tier = loaded.raw.get("tier") if loaded.raw else None
    return tier if isinstance(tier, str) and tier in TIERS else None


def _hides_scenarios(problem: Diagnostic) -> bool:
    """Whether there may be scenarios behind a problem: a link that was passed over may lead to one."""
    return problem.severity is Severity.ERROR or problem.code in ("directory_link_skipped", "document_misnamed")
