"""The paths a scenario declares, each with the place it is declared at and what lies there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import NamedTuple

from generator.formats.draft import Draft
from generator.formats.keys import closest
from generator.formats.wording import quoted
from generator.scenario.names import normal_path
from generator.source.pointer import within
from generator.source.tree import Entry

PUBLIC = "/assets"
PRIVATE = "/evaluation/privateAssets"
REVIEWER = "/evaluation/reviewer/path"
SOLUTION = "/solution"
SETUP = "/environment/setup"
REVIEW_SETUP = "/evaluation/environment/setup"
_EVERYTHING = (PUBLIC, PRIVATE, REVIEWER, SOLUTION, SETUP, REVIEW_SETUP)
STAGE = "/environment/stage"


class Declared(NamedTuple):
    """One declared path.

    Attributes:
        pointer: Where it is declared.
        path: The path in normal form.
        entries: What lies there, the path itself first.
        names: Every name of a directory or file that its path and its entries are made of, each once: what no name
            here gives a reason for, no entry does.
    """

    pointer: str
    path: str
    entries: tuple[Entry, ...]
    names: frozenset[str] = frozenset()


def declared(draft: Draft, *pointers: str) -> tuple[Declared, ...]:
    """What is declared at `pointers` (of those that stand above). A path declared twice in one list comes once."""
    known: dict[tuple[str, ...], tuple[Declared, ...]] = draft.memo["declared"]
    found = known.get(pointers)
    if found is None:
        if not known:
            known.update({(pointer,): _at(draft, pointer) for pointer in _EVERYTHING})
        found = known[pointers] = tuple(chain.from_iterable([known[(pointer,)] for pointer in pointers]))
    return found


def _at(draft: Draft, pointer: str) -> tuple[Declared, ...]:
    value = draft.get(pointer)
    if value is None:
        return ()
    places = draft.items(pointer) if isinstance(value, list) else ((pointer, value),)
    made: dict[str, Declared] = {}
    for at, path in places:
        if (normal := normal_path(path)) not in made:
            entries = draft.files.get(normal, ())
            below = [entry.path.rpartition("/")[2] for entry in entries[1:]]
            made[normal] = Declared(at, normal, entries, frozenset(normal.split("/") + below))
    return tuple(made.values())


def everything(draft: Draft) -> tuple[Declared, ...]:
    """Every declared path but the prompt's."""
    return declared(draft, *_EVERYTHING)


def stage(draft: Draft) -> Mapping[str, str]:
    """Asset -> where it is staged in the workspace, both in normal form."""
    given = draft.get(STAGE)
    if not given:
        return {}
    return {normal_path(asset): normal_path(target) for asset, target in given.items()}


def list_is_sound(draft: Draft, pointer: str) -> bool:
    """Whether nothing of the list was taken out, so that what it lacks is really not declared."""
    return not any(within(taken, pointer) for taken in draft.invalid)


def one_of(declared_assets: Iterable[str], meant: str) -> str:
    """What to write where a declared asset must stand: the closest one, any of the first few, or how to declare it."""
    known = list(declared_assets)
    if not known:
        return f'{quoted(meant)}, declared by "assets": [{quoted(meant)}]'
    close = closest(meant, known)
    return quoted(close) if close else " or ".join(quoted(path) for path in known[:5])
