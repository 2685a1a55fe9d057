"""What lies at each path a scenario declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from generator.scenario.names import normal_path
from generator.source.tree import MAX_ENTRIES, Entry, Kind, Tree

_NOTHING: Final[Mapping[str, Any]] = {}


def declared_paths(sound: Mapping[str, Any]) -> tuple[str, ...]:
    """Every path below the scenario directory that a sound document names, the prompt's aside, in normal form, once."""
    review = sound.get("evaluation", _NOTHING)
    named = [
        *sound.get("assets", ()),
        *review.get("privateAssets", ()),
        sound.get("solution"),
        review.get("reviewer", _NOTHING).get("path"),
        sound.get("environment", _NOTHING).get("setup"),
        review.get("environment", _NOTHING).get("setup"),
    ]
    return tuple(dict.fromkeys([normal_path(path) for path in named if path is not None]))


def look_at_files(tree: Tree, sound: Mapping[str, Any], limit: int = MAX_ENTRIES) -> Mapping[str, tuple[Entry, ...]]:
    """Declared path -> what lies there and below, as `Tree.walk` gives it.

    Once more than `limit` entries are found, what is declared after that is one `TOO_MANY` entry each: links and paths
    within paths could otherwise multiply one tree by the length of the list.
    """
    found: dict[str, tuple[Entry, ...]] = {}
    total = 0
    for path in declared_paths(sound):
        entries = tree.walk(path) if total <= limit else (_beyond(path, limit),)
        total += len(entries)
        found[path] = entries
    return found


def _beyond(path: str, limit: int) -> Entry:
    return Entry(path, Kind.TOO_MANY, detail=f"with what is declared before it, more than {limit} entries")
