"""The paths a scenario declares, each with the place it is declared at and what lies there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from generator.formats.draft import Draft
from generator.scenario.names import normal_path
from generator.source.tree import Entry

PUBLIC = "/assets"
PRIVATE = "/evaluation/privateAssets"
REVIEWER = "/evaluation/reviewer/path"
SOLUTION = "/solution"
SETUP = "/environment/setup"
REVIEW_SETUP = "/evaluation/environment/setup"


@dataclass(frozen=True, slots=True)
class Declared:
    """One declared path: where it is declared, the path in normal form, and what lies there (the path itself first)."""

    pointer: str
    path: str
    entries: tuple[Entry, ...]


def declared(draft: Draft, *pointers: str) -> Iterator[Declared]:
    """What is declared at `pointers`, which are single paths or lists of them. A path declared twice comes once."""
    for pointer in pointers:
        value = draft.get(pointer)
        places = draft.items(pointer) if isinstance(value, list) else ((pointer, value),)
        seen: set[str] = set()
        for at, path in places:
            if path is None or (normal := normal_path(path)) in seen:
                continue
            seen.add(normal)
            yield Declared(at, normal, draft.files.get(normal, ()))


def everything(draft: Draft) -> Iterator[Declared]:
    """Every declared path but the prompt's."""
    return declared(draft, PUBLIC, PRIVATE, REVIEWER, SOLUTION, SETUP, REVIEW_SETUP)
