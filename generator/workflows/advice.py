"""What an author should know of a scenario's package before somebody uses it: about secrecy, and about providers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from generator.diagnostics.locate import locate
from generator.diagnostics.model import Finding
from generator.formats.loaded import LoadedScenario
from generator.harbor.providers import NO_ISOLATION
from generator.package.members import HELD_OUT
from generator.package.output import Output
from generator.scenario.model import Scenario
from generator.workflows.select import Selection

_IGNORED_OR_NOT: Final = (0, 1)  # what `git check-ignore` exits with where it can tell


def advice(loaded: Sequence[LoadedScenario], output: Output) -> Mapping[Path, tuple[Finding, ...]]:
    """Directory of a scenario -> advice about what becomes of it in `output`; invalid ones have none."""
    exposed = exposures(loaded, output)
    return {
        one.directory: (*_networks(one.scenario), *exposed.get(one.directory, ()))
        for one in loaded
        if one.scenario is not None
    }


def exposures(loaded: Iterable[LoadedScenario], output: Output) -> Mapping[Path, tuple[Finding, ...]]:
    """Directory of a valid scenario that is held out -> why git would keep its package in `output`."""
    secret = {one.directory: _task_file(output, one.id) for one in loaded if one.scenario and is_held_out(one)}
    kept = kept_by_git(secret.values())
    return {directory: (_tracked(output),) for directory, file in secret.items() if file in kept}


def is_held_out(loaded: LoadedScenario) -> bool:
    """Whether a scenario says so itself, valid or not."""
    metadata = loaded.raw.get("metadata") if loaded.raw else None
    return isinstance(metadata, dict) and metadata.get("visibility") == HELD_OUT


def without_held_out(selection: Selection, place: Path) -> Selection:
    """The same without scenarios that are held out; that none is left is a problem of `place`."""
    loaded = tuple(one for one in selection.loaded if not is_held_out(one))
    problems = selection.problems
    if selection.loaded and not loaded:
        message, hint = "every scenario that is asked for is held out", "the command without --without-held-out"
        problems += locate((Finding("selection_empty", "", message, hint),), None, place, document_file="")
    return selection._replace(loaded=loaded, problems=problems)


def kept_by_git(paths: Iterable[str]) -> frozenset[str]:
    """Those of the absolute `paths` that lie in a git work tree and are not ignored there; empty without git."""
    asked = tuple(paths)
    folder = next((parent for path in asked for parent in Path(path).parents if parent.is_dir()), None)
    if folder is None:
        return frozenset()
    from generator.workflows.git import git  # most packs hold nothing out

    try:
        done = git(folder, "check-ignore", "-z", "--stdin", given=b"".join(os.fsencode(path) + b"\0" for path in asked))
    except OSError:
        return frozenset()  # no git, so nothing that would keep them
    if done.returncode not in _IGNORED_OR_NOT:
        return frozenset()
    return frozenset(asked) - {os.fsdecode(path) for path in done.stdout.split(b"\0") if path}


def _task_file(output: Output, scenario_id: str) -> str:
    """A file of the package, where git sees it: links on the way lead elsewhere."""
    return f"{os.path.realpath(output.package(scenario_id))}/task.toml"


def _tracked(output: Output) -> Finding:
    message = f"the scenario is held out, but git does not ignore its package in {str(output.root)!r}"
    hint = "a line for it in .gitignore, or another output directory with --out"
    return Finding("held_out_tracked", "/metadata/visibility", message, hint)


def _networks(scenario: Scenario) -> tuple[Finding, ...]:
    agent, review = scenario.workspace.network, scenario.review.network
    if agent == review:
        return ()
    with_it, without = ("agent", "review") if agent else ("review", "agent")
    pointer = "/requires/network" if agent else "/evaluation/network"
    message = (
        f"the {with_it} has a network and the {without} has none, which Harbor refuses on {', '.join(NO_ISOLATION)}"
    )
    return (Finding("provider_network", pointer, message, "another provider, or the same network for both"),)
