"""Where assets stand in the workspace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import quoted
from generator.rules.declared import PUBLIC, STAGE, Declared, list_is_sound, one_of, stage
from generator.rules.declared import declared as declared_paths
from generator.rules.names import RESERVED
from generator.scenario.names import fold, long_path, normal_path, path_problem, unportable_name
from generator.scenario.placement import workspace_path
from generator.source.pointer import child
from generator.source.tree import Entry, Kind


class Placed(NamedTuple):
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
            if list_is_sound(draft, PUBLIC):
                message = f"{quoted(asset)} is no declared asset"
                yield Finding("stage_undeclared", pointer, message, one_of(assets, asset), on_name=True)
        elif reason := _unsuitable(assets[normal_path(asset)], normal_path(target)):
            message = f"{quoted(target)} does not fit: {reason}"
            yield Finding(
                "stage_target_unsuitable", pointer, message, quoted(f"work/{normal_path(asset).rpartition('/')[2]}")
            )


def portable(draft: Draft) -> Iterator[Finding]:
    """Names given by staging are names like any other (`asset_name_not_portable`)."""
    for asset, target in (draft.get(STAGE) or {}).items():
        for name in normal_path(target).split("/"):
            if name != "." and (reason := unportable_name(name)):
                message = f"not every system can hold the name {quoted(name)}: {reason}"
                hint = "a name of plain letters, digits, '.', '_' and '-'"
                yield Finding("asset_name_not_portable", child(STAGE, asset), message, hint)


def once(draft: Draft) -> Iterator[Finding]:
    """One asset has one place, however often it is spelt (`stage_clash`)."""
    first: dict[str, str] = {}
    for asset in draft.get(STAGE) or ():
        normal = normal_path(asset)
        if normal in first:
            message = f"{quoted(normal)} is staged already, as {quoted(first[normal])}"
            yield Finding("stage_clash", child(STAGE, asset), message, "one target for each asset", on_name=True)
        first.setdefault(normal, asset)


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


def _placed(draft: Draft) -> Iterator[Placed]:
    targets = stage(draft)
    pointers = {normal_path(asset): child(STAGE, asset) for asset in draft.get(STAGE)}
    for one in declared_paths(draft, PUBLIC):
        for entry in one.entries:
            if entry.kind is Kind.FILE:
                pointer = pointers.get(one.path, one.pointer)
                yield Placed(workspace_path(entry.path, one.path, targets), entry.real, pointer)


def _unsuitable(one: Declared, target: str) -> str | None:
    if reason := path_problem(target):
        return reason
    for name in target.lower().split("/"):
        if name in RESERVED:
            return RESERVED[name][1]
    if any(long_path(workspace_path(entry.path, one.path, {one.path: target})) for entry in one.entries):
        return f"with what is in {quoted(one.path)}, it is too long"
    first: Entry | None = one.entries[0] if one.entries else None
    if target == "." and first and first.kind is Kind.FILE:
        return "a file needs a name, and '.' is the workspace itself"
    return None
