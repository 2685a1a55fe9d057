"""What a command costs before it does anything."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks.measure import Command, in_turn
from benchmarks.place import Place, ours
from benchmarks.rows import Row, ratio

BAR = 1.3
NAMES = {"--version": "printing the version", "--help": "printing the help"}


def rows(place: Place) -> Iterator[Row]:
    """Version and help against the import of the library they are made with."""
    commands = {option: Command(ours(option), place.scratch) for option in NAMES}
    commands["click"] = Command([sys.executable, "-c", "import click"], place.scratch)
    figures = in_turn(commands, 3 * place.rounds)
    for option, name in NAMES.items():
        yield ratio(name, figures[option], figures["click"], "`import click`", BAR)
