"""Members no format knows: a misspelt key is silently without effect everywhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from generator.diagnostics.model import Finding
from generator.formats.schemas import resolve, schema
from generator.source.pointer import join

Path: TypeAlias = tuple[str | int, ...]  # names of members and indices of items, from the top

MAX_COMPARED: Final = 64  # comparing takes time that grows with the length; no known name is nearly as long


class Known(NamedTuple):
    """What may stand in one place: an object's members, and a list's items. Where nothing is known, anything goes.

    `deep` are the names of members below which something is known: only there it is worth looking.
    """

    members: Mapping[str, Known] = MappingProxyType({})
    items: Known | None = None
    deep: frozenset[str] = frozenset()


def unknown_keys(value: Mapping[str, Any], version: str) -> Iterator[Finding]:
    """Warn about each member that the schema of `version` does not name, with the closest one it does."""
    known = known_keys(version)
    found: list[tuple[Path, Known]] = []
    if _is_known(value, known):
        return iter(())
    _add_unknown(value, known, (), found)
    return (_finding(path, place, known) for path, place in found)


@cache
def known_keys(version: str) -> Known:
    """The members that the schema of `version` names, from the top."""
    return _known(schema(version), version)


def closest(name: str, names: list[str]) -> str | None:
    """The one of `names` that `name` was probably meant to be."""
    if len(name) > MAX_COMPARED:
        return None
    import difflib

    found = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return _respelt(name, names) or (found[0] if found else None)


def _respelt(name: str, names: list[str]) -> str | None:
    """The one of `names` that differs from `name` in case, dashes and underscores alone."""
    lowered = {known.lower().replace("_", ""): known for known in names}
    return lowered.get(name.lower().replace("_", "").replace("-", ""))


def _known(subschema: Mapping[str, Any], base: str) -> Known:
    subschema, base = resolve(subschema, base)
    allowed = ((name, below) for name, below in subschema.get("properties", {}).items() if below.get("not") != {})
    members = {name: _known(below, base) for name, below in allowed}
    items = subschema.get("items")
    below = _known(items, base) if isinstance(items, Mapping) else Known()
    deep = frozenset(name for name, known in members.items() if known.members or known.items)
    return Known(members, below if below.members or below.items else None, deep)


def _is_known(value: object, known: Known) -> bool:
    """Whether somebody knows every member, as a look tells that keeps no paths; most documents hold no other."""
    if isinstance(value, dict) and known.members:
        if not value.keys() <= known.members.keys():
            return False
        for name in known.deep:
            if name in value and not _is_known(value[name], known.members[name]):
                return False
    elif isinstance(value, list) and known.items:
        for below in value:
            if not _is_known(below, known.items):
                return False
    return True


def _add_unknown(value: object, known: Known, above: Path, found: list[tuple[Path, Known]]) -> None:
    """Add the path of each member that nobody knows, and what is known in its place; `above` is the path of `value`."""
    if isinstance(value, dict) and known.members:
        for name, below in value.items():
            if name not in known.members:
                found.append(((*above, name), known))
            elif name in known.deep:
                _add_unknown(below, known.members[name], (*above, name), found)
    elif isinstance(value, list) and known.items:
        for index, below in enumerate(value):
            _add_unknown(below, known.items, (*above, index), found)


def _finding(path: Path, known: Known, top: Known) -> Finding:
    name, names = str(path[-1]), list(known.members)
    places = list(_places(name, top))
    if len(places) == 1 and _respelt(name, names) is None:
        hint = f'"{name}" in its place, {join([*places[0], name])}'
    else:
        meant = closest(name, names)
        hint = f'"{meant}"' if meant else "one of " + ", ".join(sorted(names))
    return Finding("field_unknown", join(path), f'the key "{name}" means nothing here', hint, on_name=True)


def _places(name: str, known: Known) -> Iterator[list[str]]:
    """Where else a member of this name may stand, as the names that lead there; no items of lists."""
    for above, below in known.members.items():
        if name in below.members:
            yield [above]
        yield from ([above, *path] for path in _places(name, below))
