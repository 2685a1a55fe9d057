"""What was read and judged of each scenario, so that whoever looks again does so only where something changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from generator.diagnostics.model import Finding
from generator.formats.draft import Reading
from generator.formats.loaded import LoadedScenario
from generator.formats.reading import read
from generator.rules.registry import Pack

Load = Callable[[Reading, Pack, Sequence[Finding], date], LoadedScenario]


class _Judged(NamedTuple):
    """A judgement, and all of what it rests on that is not the scenario's own."""

    reading: Reading
    others: object
    loaded: LoadedScenario


class Memory:
    """Starts empty; a scenario stays in it until a path of its directory is forgotten."""

    def __init__(self) -> None:
        self._readings: dict[Path, Reading] = {}
        self._judged: dict[Path, _Judged] = {}

    def read(self, directory: Path) -> Reading:
        """The document of a scenario directory."""
        found = self._readings.get(directory)
        if found is None:
            found = self._readings[directory] = read(directory)
        return found

    def load(
        self, reading: Reading, pack: Pack, findings: Sequence[Finding], today: date, load: Load
    ) -> LoadedScenario:
        """The scenario that `load` makes of these, made anew where any of them is another than the last time."""
        known = self._judged.get(reading.path)
        others = (pack.complete, pack.statuses, tuple(findings), today)
        if known is None or known.reading is not reading or known.others != others:
            known = _Judged(reading, others, load(reading, pack, findings, today))
            self._judged[reading.path] = known
        return known.loaded

    def forget(self, changed: Iterable[str]) -> None:
        """Drop every scenario whose directory is one of these paths, or holds one."""
        touched: set[str] = set()
        for path in changed:
            place = os.path.abspath(path)  # noqa: PTH100 - pathlib would keep the dots
            while place not in touched:
                touched.add(place)
                place = os.path.dirname(place)  # noqa: PTH120 - called for thousands of paths
        for directory in [one for one in self._readings if os.path.abspath(one) in touched]:  # noqa: PTH100
            del self._readings[directory]
