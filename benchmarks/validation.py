"""Checking scenarios, against two checkers that look at the schema only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Command, Figures, in_turn, peak_memory
from benchmarks.packs import make_pack
from benchmarks.place import SCHEMA, Place, ours
from benchmarks.rows import Row, missing, ratio

ONE_AJV = 0.45
MANY = 1000
MANY_AJV = 0.8
MANY_CHECK_JSONSCHEMA = 0.35
MOST_MEMORY = 80  # MiB
_MIB = 1024 * 1024
_AJV, _CHECK = "ajv-cli", "check-jsonschema"


def rows(place: Place) -> Iterator[Row]:
    """One scenario, then a thousand in one process; rules, advice and asset checks are part of ours."""
    one = make_pack(place.folder("one") / "scenarios", 1).parent
    figures = in_turn(_commands(place, one, (_AJV,)), 2 * place.rounds)
    yield _against(place, "`validate`, 1 scenario", figures, _AJV, ONE_AJV)
    many = make_pack(place.folder("many") / "scenarios", MANY).parent
    commands = _commands(place, many, (_AJV, _CHECK))
    figures = in_turn(commands, place.rounds)
    name = f"`validate`, {MANY} scenarios"
    yield _against(place, name, figures, _AJV, MANY_AJV)
    yield _against(place, name, figures, _CHECK, MANY_CHECK_JSONSCHEMA)
    peak = peak_memory(commands["ours"]) / _MIB
    yield Row(name=f"{name}, peak memory", figure=f"{peak:.0f} MiB", value=peak, bar=MOST_MEMORY, unit="MiB")


def _commands(place: Place, pack: Path, rivals: tuple[str, ...]) -> dict[str, Command]:
    documents = sorted(str(path.relative_to(pack)) for path in pack.glob("scenarios/*/scenario.json"))
    arguments = {
        _AJV: ["validate", "--spec=draft2020", "--strict=false", "-s", str(SCHEMA), "-d", "scenarios/*/scenario.json"],
        _CHECK: ["--schemafile", str(SCHEMA), *documents],
    }
    commands = {"ours": Command(ours("validate"), pack)}
    for rival in rivals:
        if rival in place.rivals.programs:
            commands[rival] = Command([str(place.rivals.programs[rival]), *arguments[rival]], pack)
    return commands


def _against(place: Place, name: str, figures: dict[str, Figures], rival: str, bar: float) -> Row:
    if rival not in figures:
        return missing(f"{name}, against {rival}", place.rivals.reasons[rival], bar)
    return ratio(name, figures["ours"], figures[rival], rival, bar)
