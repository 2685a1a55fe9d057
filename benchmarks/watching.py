"""How soon `validate --watch` shows what a save changed."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from benchmarks.measure import BenchError, Figures, environment
from benchmarks.packs import make_pack
from benchmarks.place import Place, ours
from benchmarks.rows import Row, spread

SCENARIOS = 200
MOST_MILLISECONDS = 200
_END = b"watching;"
_PAUSES = 7  # saves come at different moments between two looks


def rows(place: Place) -> Iterator[Row]:
    """From a save in a pack of 200 scenarios to the last line of the new report."""
    pack = make_pack(place.folder("watch") / "scenarios", SCENARIOS).parent
    command = ours("validate", "--watch")
    with subprocess.Popen(command, cwd=pack, env=environment(), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            _until_shown(process.stdout)
            taken = [_save(pack, number, process.stdout) for number in range(3 * place.rounds)]
        finally:
            process.terminate()
    figures = Figures(tuple(taken))
    yield Row(
        name=f"`validate --watch`, {SCENARIOS} scenarios, from a save to its report",
        figure=f"{figures.seconds * 1000:.0f} ms",
        value=figures.seconds * 1000,
        bar=MOST_MILLISECONDS,
        unit="ms",
        note=spread(figures),
    )


def _save(pack: Path, number: int, output: IO[bytes]) -> float:
    """Save a prompt, and return after how many seconds the report was there."""
    time.sleep(0.25 + 0.1 * (number % _PAUSES) / _PAUSES)
    prompt = pack / f"scenarios/ledger-{number % SCENARIOS + 1:05}/instruction.md"
    begun = time.perf_counter()
    prompt.write_text(f"Sum the amounts in `assets/ledger.csv`, save number {number}.\n", encoding="utf-8")
    _until_shown(output)
    return time.perf_counter() - begun


def _until_shown(output: IO[bytes]) -> None:
    for line in output:
        if line.startswith(_END):
            return
    raise BenchError("`validate --watch` ended by itself")
