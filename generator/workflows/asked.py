"""What is wrong with the asking: paths that are not there, ids nobody has, and what was probably meant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from generator.diagnostics.catalogue import suggestions
from generator.diagnostics.locate import locate
from generator.diagnostics.model import Diagnostic, Finding
from generator.formats.discovery import (
    DOCUMENT,
    YAML_DOCUMENT,
    Discovered,
    has_document,
    is_directory,
    misnamed,
)
from generator.formats.keys import closest
from generator.formats.wording import quoted
from generator.source.tree import Tree


def directory_problems(root: Path, found: Discovered, ids: Collection[str] = ()) -> tuple[Diagnostic, ...]:
    """Why `root` does not hold what was looked for, and what of it is passed over.

    Args:
        root: What was asked for.
        found: What it holds.
        ids: Ids and directory names of the configured scenario directory, one of which may have been meant.
    """
    problems: list[Diagnostic] = []
    if found.missing:
        hint = _meant(root, ids) or "--scenario-dir DIR, or harborsmith init"
        problems.append(_at(root, "directory_missing", "there is no such directory", hint))
    if found.unreadable:
        problems.append(_unreadable(root, found.unreadable))
    for link in found.skipped_links:
        message, hint = "a link to a directory is passed over", "the directory itself, or its path as an argument"
        problems.append(_at(link, "directory_link_skipped", message, hint))
    for wrong in found.misnamed:
        message = f"no document is called {quoted(wrong.file.name)}; its directory is passed over"
        problems.append(_at(wrong.file, "document_misnamed", message, wrong.right))
    return tuple(problems)


def unknown_scenario(name: str, known: Sequence[str], root: Path) -> Diagnostic:
    """No scenario of `root` is called `name`; `known` are the ids and directory names that are there."""
    close = suggestions(name, list(known))
    hint = " or ".join(close) or ("one of " + ", ".join(known[:10]) if known else "")
    return _at(root, "selection_unknown_scenario", f"no scenario has the id or directory name {quoted(name)}", hint)


def nothing_found(place: Path, tier: str | None = None, tiers: Sequence[str] = ()) -> Diagnostic:
    """There is no scenario in `place`, or none of `tier`; those that are there have `tiers`."""
    asked = f"scenario of tier {tier}" if tier else "scenario"
    if tiers:
        hint = " or ".join(f"--tier {name}" for name in tiers)
        return _at(place, "selection_empty", f"no {asked} found; there are: {', '.join(tiers)}", hint)
    if wrong := misnamed(place):
        message = f"no {asked} found; no document is called {quoted(wrong.file.name)}"
        return _at(place, "selection_empty", message, wrong.right)
    message = f"no {asked} found; looked for */{DOCUMENT} and */{YAML_DOCUMENT}"
    return _at(place, "selection_empty", message, f"a directory with <name>/{DOCUMENT} in it")


def _meant(root: Path, ids: Collection[str]) -> str | None:
    """The option or the directory beside `root` that whoever typed it probably meant."""
    if str(root) in ids:
        return f"--scenario {root}"
    close = closest(root.name, [name for name in sorted(Tree(root.parent).names()) if is_directory(root.parent / name)])
    return str(root.parent / close) if close else None


def _unreadable(root: Path, reason: str) -> Diagnostic:
    if root.is_file():
        wrong = misnamed(root.parent)
        named = wrong.right if wrong and wrong.file == root else "the directory of a scenario"
        hint = str(root.parent) if has_document(root.parent) else named
        message = "this is a file that is no scenario's document, where a directory belongs"
        return _at(root, "directory_unreadable", message, hint)
    return _at(root, "directory_unreadable", f"the directory cannot be read: {reason}", "a directory you may read")


def _at(path: Path, code: str, message: str, hint: str) -> Diagnostic:
    """A problem with a file or directory as such, not with anything that stands in it."""
    (problem,) = locate((Finding(code, "", message, hint),), None, path, document_file="")
    return problem
