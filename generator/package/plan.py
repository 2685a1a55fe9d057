"""Scenario -> plan of its package: every file, where its bytes come from, and whether it may be executed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.loaded import LoadedScenario
from generator.package import layout, render
from generator.package.evaluation import evaluation
from generator.package.manifest import digest
from generator.package.model import FileRecord, PackagePlan, PlannedFile, Settings, SourceFile
from generator.package.placement import (
    below,
    original_files,
    private_files,
    public_files,
    reviewer_files,
)
from generator.package.refusals import clashes, unsafe_tokens, unusable_entries
from generator.package.source import SourceChangedError, measure
from generator.package.task_toml import task_table
from generator.resources import RUNTIME
from generator.scenario.model import Environment, Scenario
from generator.source.tree import Tree

LEFT_OUT: Final = "asset_directory_empty"  # what rules say of a directory that no package can hold


def plan(loaded: LoadedScenario, settings: Settings) -> PackagePlan | tuple[Finding, ...]:
    """Decide everything about the package of a valid scenario without writing anything.

    Args:
        loaded: A scenario without errors (`loaded.scenario` is set).
        settings: What all packages share.

    Returns:
        The plan, or why there can be none.
    """
    scenario = loaded.scenario
    assert scenario is not None, "only a valid scenario can be planned"
    refused = (*unusable_entries(loaded), *unsafe_tokens(scenario))
    if refused:
        return refused
    try:
        files = _unique((*_declared_files(loaded, scenario), *_made_files(loaded, scenario, settings)))
    except SourceChangedError as change:
        return (change.finding,)
    if refused := tuple(clashes(files)):
        return refused
    return PackagePlan(
        id=scenario.id,
        title=scenario.title,
        version=scenario.metadata.scenario_version if scenario.metadata else None,
        tree=loaded.tree,
        files=files,
        notes=tuple(finding for finding in loaded.findings if finding.code == LEFT_OUT),
    )


def _declared_files(loaded: LoadedScenario, scenario: Scenario) -> Iterator[PlannedFile]:
    yield from public_files(loaded, scenario)
    yield from private_files(loaded, scenario)
    yield from original_files(loaded, scenario)
    if scenario.solution is not None:
        yield from below(loaded, scenario.solution, layout.REFERENCE)


def _made_files(loaded: LoadedScenario, scenario: Scenario, settings: Settings) -> Iterator[PlannedFile]:
    agent = scenario.workspace.environment
    judge = scenario.review.environment or agent
    reviewer = _hashed(loaded.tree, reviewer_files(loaded, scenario))
    judged_by = _reviewer_digest(reviewer) if reviewer else None
    has_workspace = any(True for _ in public_files(loaded, scenario))
    prompt = scenario.prompt if scenario.prompt.endswith("\n") else scenario.prompt + "\n"
    table = render.task_bytes(task_table(scenario, settings, render.COLLECT), agent.workdir)
    yield from reviewer
    yield PlannedFile("task.toml", table)
    yield PlannedFile("instruction.md", prompt.encode())
    yield PlannedFile("tests/evaluation.json", render.json_bytes(evaluation(loaded, scenario, judged_by)))
    yield from _image(loaded, "environment", agent, agent, workspace=has_workspace)
    yield from _image(loaded, "tests", judge, agent, workspace=False)
    yield from _constant_files()


@cache
def _constant_files() -> tuple[PlannedFile, ...]:
    """What every package carries, above all the review runner; read once."""
    names = sorted(name for name in os.listdir(RUNTIME) if name.endswith(".py"))
    return (
        PlannedFile(".gitattributes", render.constant("gitattributes")),
        PlannedFile(".gitignore", render.constant("gitignore")),
        PlannedFile("tests/test.sh", render.constant("tests/test.sh"), executable=True),
        PlannedFile("solution/solve.sh", render.constant("solution/solve.sh"), executable=True),
        *(PlannedFile(f"{layout.REVIEW}/{name}", (RUNTIME / name).read_bytes()) for name in names),
    )


def _image(
    loaded: LoadedScenario, folder: str, machine: Environment, agent: Environment, *, workspace: bool
) -> Iterator[PlannedFile]:
    """The Dockerfile in `folder` and what it copies; working directory and account are the agent's in both images."""
    content = render.dockerfile(folder, machine, agent.workdir, agent.user, workspace=workspace, git=agent.git)
    yield PlannedFile(f"{folder}/Dockerfile", content)
    if machine.packages:
        yield PlannedFile(f"{folder}/packages.txt", "".join(f"{name}\n" for name in machine.packages).encode())
    if machine.setup is not None:
        yield from below(loaded, machine.setup, f"{folder}/setup.sh")


def _hashed(tree: Tree, files: Iterable[PlannedFile]) -> tuple[PlannedFile, ...]:
    """The same files with the digest they have now, which the copy must still have."""
    hashed = []
    for file in files:
        assert isinstance(file.content, SourceFile)
        source = file.content
        known = SourceFile(source.real, source.size, source.identity, measure(tree, source))
        hashed.append(PlannedFile(file.path, known, file.executable))
    return tuple(hashed)


def _reviewer_digest(files: tuple[PlannedFile, ...]) -> str:
    """The SHA-256 of a reviewer: of its file, or of all its files in the form of the manifest's digests."""
    records = [
        FileRecord(file.path.removeprefix(f"{layout.REVIEWER}/"), file.content.sha256 or "", file.size, file.executable)
        for file in files
        if isinstance(file.content, SourceFile)
    ]
    return records[0].sha256 if len(records) == 1 else digest(records)


def _unique(files: Iterable[PlannedFile]) -> tuple[PlannedFile, ...]:
    """Sorted by path, each once: overlapping declarations name the same file twice. Others clash and stay."""
    return tuple(sorted(dict.fromkeys(files), key=lambda file: file.path))
