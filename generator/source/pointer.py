"""JSON Pointers (RFC 6901): building them, taking them apart, and the published dotted form."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

_MOST_DIGITS: Final = 9  # more items than any document has, and few enough for `int`


def child(pointer: str, name: str | int) -> str:
    """The pointer of the member or item `name` below `pointer`."""
    return f"{pointer}/{_escape(name) if isinstance(name, str) else name}"


def join(parts: Iterable[str | int]) -> str:
    """The pointer made of `parts`, from the top of the document."""
    made = ""
    for part in parts:
        made = child(made, part)
    return made


@lru_cache(maxsize=4096)  # rules ask for the same few hundred places of every scenario
def parts(pointer: str) -> tuple[str, ...]:
    """The unescaped parts of `pointer`; none for the whole document."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def is_index(part: str) -> bool:
    """Whether an unescaped part can be the number of an item; a member may be called "²" or have 5,000 digits."""
    return part.isascii() and part.isdigit() and len(part) <= _MOST_DIGITS


def value_at(document: Any, pointer: str) -> Any:
    """The JSON value at `pointer` in `document`, or None when there is none."""
    place = document
    for part in parts(pointer):
        if isinstance(place, dict):
            place = place.get(part)
        elif isinstance(place, list) and is_index(part) and int(part) < len(place):
            place = place[int(part)]
        else:
            return None
    return place


def parent(pointer: str) -> str:
    """The pointer of what holds `pointer`; the whole document holds itself."""
    return pointer.rpartition("/")[0]


def within(pointer: str, region: str) -> bool:
    """Whether `pointer` is `region` or lies below it."""
    return pointer == region or pointer.startswith(region + "/")


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1") if "~" in name or "/" in name else name
