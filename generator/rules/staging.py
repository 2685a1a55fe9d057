"""Where assets stand in the workspace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import quoted
from generator.rules.declared import PUBLIC, Declared
from generator.rules.declared import declared as declared_paths
from generator.scenario.names import fold, normal_path, path_problem
from generator.source.pointer import child
from generator.source.tree import Entry, Kind

STAGE: Final = "/environment/stage"


@dataclass(frozen=True, slots=True)
class Placed:
    """One file of the workspace: where it stands, what it really is, and the pointer of what put it there."""

    path: str
    real: str
    pointer: str


def declared(draft: Draft) -> Iterator[Finding]:
    """Only declared assets can be staged, and only inside (`stage_undeclared`, `stage_target_unsuitable`)."""
    assets = {one.path: one for one in declared_paths(draft, PUBLIC)}
    for asset, target in (draft.get(STAGE) or {}).items():
        pointer = child(STAGE, asset)
        if normal_path(asset) not in assets:
            hint = " or ".join(quoted(path) for path in list(assets)[:5])
            message = f"{quoted(asset)} is no declared asset"
            yield Finding("stage_undeclared", pointer, message, hint, on_name=True)
        elif reason := _unsuitable(assets[normal_path(asset)], normal_path(target)):
            message = f"{quoted(target)} does not fit: {reason}"
            yield Finding(
                "stage_target_unsuitable", pointer, message, quoted(f"work/{normal_path(asset).rpartition('/')[2]}")
            )


def distinct(draft: Draft) -> Iterator[Finding]:
    """No two files may stand at one place of the workspace (`stage_clash`)."""
    if not draft.get(STAGE):
        return
    files: dict[str, Placed] = {}
    folders: dict[str, Placed] = {}
    for placed in _placed(draft):
        key = fold(placed.path)
        other = folders.get(key) or files.get(key)
        above = [key[:at] for at, letter in enumerate(key) if letter == "/"]
        other = other or next((files[folder] for folder in above if folder in files), None)
        if other and (other.real, fold(other.path)) != (placed.real, key):
            message = (
                f"{quoted(placed.real)} at {quoted(placed.path)} and {quoted(other.real)} at {quoted(other.path)} clash"
            )
            yield Finding("stage_clash", placed.pointer, message, "another target, or only one of the two")
            return
        files.setdefault(key, placed)
        for folder in above:
            folders.setdefault(folder, placed)


def workspace_path(path: str, asset: str, stage: Mapping[str, str]) -> str:
    """Where a file at `path`, of the declared `asset`, stands in the workspace. All in normal form."""
    if asset not in stage:
        return path
    return normal_path(f"{stage[asset]}/{path.removeprefix(asset)}")


def _placed(draft: Draft) -> Iterator[Placed]:
    stage = draft.scenario.workspace.environment.stage
    pointers = {normal_path(asset): child(STAGE, asset) for asset in draft.get(STAGE)}
    for one in declared_paths(draft, PUBLIC):
        for entry in one.entries:
            if entry.kind is Kind.FILE:
                pointer = pointers.get(one.path, one.pointer)
                yield Placed(workspace_path(entry.path, one.path, stage), entry.real, pointer)


def _unsuitable(one: Declared, target: str) -> str | None:
    if reason := path_problem(target):
        return reason
    if ".git" in target.lower().split("/"):
        return "git keeps its own files there"
    first: Entry | None = one.entries[0] if one.entries else None
    if target == "." and first and first.kind is Kind.FILE:
        return "a file needs a name, and '.' is the workspace itself"
    return None
