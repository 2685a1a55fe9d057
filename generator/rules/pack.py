"""What one scenario must know about the others of its directory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Reading
from generator.formats.wording import quoted
from generator.scenario.names import fold


class Pack:
    """The scenarios that stand together; `complete` when they are all, so that a missing one is known missing."""

    def __init__(self, readings: Sequence[Reading] = (), complete: bool = False) -> None:
        self.readings: Final = readings
        self.complete: Final = complete

    @cached_property
    def statuses(self) -> Mapping[str, str]:
        """Id -> lifecycle status, `active` where none is given."""
        return {reading.id: _status(reading) for reading in self.readings}


_NAMED = 2  # others named in a clash; a copied pack would name itself in every scenario


def clashes(pack: Pack) -> Mapping[Path, list[Finding]]:
    """Two scenarios whose ids differ in nothing or in case alone would write one package (`id_clash`)."""
    groups: defaultdict[str, list[Reading]] = defaultdict(list)
    for reading in pack.readings:
        if reading.document and isinstance(reading.document.value.get("id"), str):
            groups[fold(reading.id)].append(reading)
    found: dict[Path, list[Finding]] = {}
    for group in groups.values():
        for reading in group if len(group) > 1 else ():
            others = [f"{other.name} (id {quoted(other.id)})" for other in group if other is not reading]
            more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
            message = f"the id {quoted(reading.id)} is taken as well by {', '.join(others[:_NAMED])}{more}"
            hint = "an id that differs from every other, case aside, such as the name of its directory"
            found[reading.path] = [Finding("id_clash", "/id", message, hint)]
    return found


def _status(reading: Reading) -> str:
    place: Any = reading.document.value if reading.document else {}
    for name in ("metadata", "lifecycle", "status"):
        place = place.get(name) if isinstance(place, Mapping) else None
    return place if isinstance(place, str) else "active"
