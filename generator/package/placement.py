"""Where the files of a scenario come to stand in its package."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from generator.formats.loaded import LoadedScenario
from generator.package import layout
from generator.package.model import PlannedFile, SourceFile
from generator.scenario.model import Check, Scenario
from generator.scenario.placement import workspace_path
from generator.source.tree import Kind


def below(loaded: LoadedScenario, declared: str, target: str) -> Iterator[PlannedFile]:
    """Every file at or below `declared`, moved to `target`."""
    for entry in loaded.files[declared]:
        if entry.kind is Kind.FILE:
            path = posixpath.normpath(posixpath.join(target, posixpath.relpath(entry.path, declared)))
            yield PlannedFile(path, SourceFile(entry.real, entry.size, entry.identity), entry.executable)


def public_files(loaded: LoadedScenario, scenario: Scenario) -> Iterator[PlannedFile]:
    """Declared assets: in the workspace, and at their declared paths where those are free."""
    workspace = scenario.workspace
    for declared in workspace.assets:
        staged = workspace_path(declared, declared, workspace.environment.stage)
        yield from below(loaded, declared, f"{layout.WORKSPACE}/{staged}")
        if not layout.is_reserved(posixpath.normpath(declared)):
            yield from below(loaded, declared, declared)


def private_files(loaded: LoadedScenario, scenario: Scenario) -> Iterator[PlannedFile]:
    """Private assets: at their published place, and where the reviewer's image takes them from."""
    for declared in scenario.review.private_assets:
        yield from below(loaded, declared, f"{layout.PRIVATE}/{declared}")
        yield from below(loaded, declared, f"tests/{layout.PRIVATE}/{declared}")


def reviewer_files(loaded: LoadedScenario, scenario: Scenario) -> Iterator[PlannedFile]:
    """The packaged reviewer: a file keeps its name, a directory hands over its content."""
    reviewer = scenario.review.reviewer
    if reviewer is None:
        return
    first = loaded.files[reviewer.path][0]
    is_file = first.kind is Kind.FILE
    target = f"{layout.REVIEWER}/{posixpath.basename(first.path)}" if is_file else layout.REVIEWER
    yield from below(loaded, reviewer.path, target)


def restored(loaded: LoadedScenario, scenario: Scenario, check: Check) -> tuple[str, ...]:
    """Workspace paths that a check puts back, sorted: files, so that what an agent added beside them stays."""
    stage = scenario.workspace.environment.stage
    return tuple(
        sorted(
            {
                file.path
                for declared in check.restore
                for file in below(loaded, declared, workspace_path(declared, declared, stage))
            }
        )
    )


def original_files(loaded: LoadedScenario, scenario: Scenario) -> Iterator[PlannedFile]:
    """What checks put back, below `tests/originals/` at its workspace path."""
    stage = scenario.workspace.environment.stage
    for declared in sorted({path for check in scenario.review.checks for path in check.restore}):
        yield from below(loaded, declared, f"{layout.ORIGINALS}/{workspace_path(declared, declared, stage)}")
