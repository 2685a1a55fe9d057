"""What one more scenario costs, from 1 to 10,000 of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks.measure import Command, in_turn
from benchmarks.packs import make_pack
from benchmarks.place import Place, ours, removed

COUNTS = (1, 10, 100, 1000, 10_000)
_OFTEN = 1000  # packs up to this size are measured more than once


@dataclass(frozen=True)
class Curve:
    """A command and its seconds by the number of scenarios."""

    name: str
    points: tuple[tuple[int, float], ...]


def curves(place: Place, progress: Callable[[str], None]) -> tuple[Curve, ...]:
    """`validate` and `generate` (into nothing, one process) for packs of every size."""
    points: dict[str, list[tuple[int, float]]] = {"validate": [], "generate": []}
    for count in COUNTS:
        progress(f"{count} scenarios")
        pack = make_pack(place.folder("growth") / "scenarios", count).parent
        commands = {
            "validate": Command(ours("validate"), pack),
            "generate": Command(ours("generate", "--jobs", "1"), pack, partial(removed, pack / "generated")),
        }
        few = count > _OFTEN
        figures = in_turn(commands, 1 if few else 3, warm_up=not few)
        for name, found in points.items():
            found.append((count, figures[name].seconds))
        removed(pack)
    return tuple(Curve(name, tuple(found)) for name, found in points.items())
