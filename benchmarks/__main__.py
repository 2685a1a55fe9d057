"""`make bench`: measure, print the table, say which bars hold, and write docs/performance.md after a whole run."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks import generation, growth, page, running, startup, trials, validation, watching
from benchmarks.measure import BenchError
from benchmarks.place import Place, prepared
from benchmarks.rows import Row, aligned

PARTS: dict[str, Callable[[Place], Iterator[Row]]] = {
    "startup": startup.rows,
    "validate": validation.rows,
    "generate": generation.rows,
    "run": running.rows,
    "watch": watching.rows,
    "harbor": trials.rows,
}
GROWTH = "growth"
_ENGINE = os.environ.get("HARBORSMITH_HARBOR_DIR", "/var/tmp/harborsmith-harbor")  # noqa: S108 - as the tests do


def main(arguments: Sequence[str]) -> int:
    """Measure what is asked for; 0 when every bar holds, 1 when one does not or something could not be measured."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these: {', '.join([*PARTS, GROWTH])}")
    parser.add_argument("--rounds", type=int, default=5, help="counted runs of each command (default: 5)")
    parser.add_argument(
        "--engine", type=Path, default=Path(_ENGINE), help="where tests/harbor/machine.sh keeps its own"
    )
    given = parser.parse_args(arguments)
    unknown = [part for part in given.parts if part not in (*PARTS, GROWTH)]
    if unknown or given.rounds < 1:
        parser.error(f"no part is called {unknown[0]}" if unknown else "--rounds must be at least 1")
    parts = given.parts or [*PARTS, GROWTH]
    try:
        with prepared(given.rounds, given.engine) as place:
            return compared(place, parts, publish=not given.parts)
    except BenchError as error:
        say(f"NOTHING COULD BE MEASURED: {error}")
        return 1


def compared(place: Place, parts: Sequence[str], *, publish: bool) -> int:
    """Measure these parts, print what came of it, and (`publish`, if nothing is missing) write the page."""
    rows, complete = measured(place, [part for part in parts if part != GROWTH])
    print("\n".join(aligned(rows)), flush=True)
    curves: Sequence[growth.Curve] = ()
    if GROWTH in parts:
        try:
            curves = growth.curves(place, say)
            print("\n".join(page.growth_table(curves)))
        except BenchError as error:
            complete = False
            say(f"{GROWTH} COULD NOT BE MEASURED: {error}")
    if complete and publish:
        page.write(rows, curves, place)
    bad = [row for row in rows if row.failed]
    for name, reason in place.rivals.reasons.items():
        say(f"{name.upper()} COULD NOT BE INSTALLED, and nothing is compared with it: {reason}")
    print(f"{len(rows) - len(bad)} of {len(rows)} bars hold" + "".join(f"; not: {row.name}" for row in bad))
    return 1 if bad or not complete or place.rivals.reasons else 0


def measured(place: Place, parts: Sequence[str]) -> tuple[list[Row], bool]:
    """The rows of these parts, and whether all parts could be measured."""
    rows: list[Row] = []
    complete = True
    for part in parts:
        begun = time.monotonic()
        try:
            rows += PARTS[part](place)
        except BenchError as error:
            complete = False
            say(f"{part} COULD NOT BE MEASURED: {error}")
        say(f"{part}: {time.monotonic() - begun:.0f} s")
    return rows, complete


def say(line: str) -> None:
    """Progress, on stderr."""
    print(f"bench: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
