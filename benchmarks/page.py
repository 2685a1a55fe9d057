"""Write what was measured into `docs/performance.md` and `docs/performance.svg`."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks.chart import svg
from benchmarks.growth import Curve
from benchmarks.place import ROOT, Place
from benchmarks.rivals import AJV
from benchmarks.rows import Row, duration, markdown

PAGE = ROOT / "docs/performance.md"
PICTURE = ROOT / "docs/performance.svg"
BEGIN = "<!-- measured by `make bench`: begin -->"
END = "<!-- measured by `make bench`: end -->"
_PART = re.compile(f"{re.escape(BEGIN)}\n.*?{re.escape(END)}", re.DOTALL)


def write(rows: Sequence[Row], curves: Sequence[Curve], place: Place) -> None:
    """Put table, machine and chart of this run in the place of those of the last."""
    made = [*about(place), "", *markdown(rows), "", *growth_table(curves)]
    PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")
    title = "Seconds that validate and generate take for 1 to 10,000 scenarios"
    PICTURE.write_text(svg(curves, title, "scenarios", "seconds"), encoding="utf-8")


def replaced(page: str, lines: Sequence[str]) -> str:
    """The page with `lines` between the two marks."""
    part = "\n".join([BEGIN, "", *lines, "", END])
    made, count = _PART.subn(lambda _: part, page)
    assert count == 1, f"{PAGE.name} must have both marks, once"
    return made


def growth_table(curves: Sequence[Curve]) -> Iterator[str]:
    """Seconds by number of scenarios, and what one of them costs in the largest pack."""
    counts = [count for count, _ in curves[0].points]
    yield f"| scenarios | {' | '.join(f'{count:,}' for count in counts)} | each, in the largest |"
    yield f"| --- |{' --- |' * (len(counts) + 1)}"
    for curve in curves:
        seconds = [taken for _, taken in curve.points]
        cells = [*map(duration, seconds), duration(seconds[-1] / counts[-1])]
        yield f"| `{curve.name}` | {' | '.join(cells)} |"


def about(place: Place) -> Iterator[str]:
    """Day, machine and versions."""
    yield f"Measured on {datetime.now(UTC).date()}, on {machine()}."
    found = [
        f"Harborsmith {version('harborsmith')}",
        f"Python {platform.python_version()}",
        f"click {version('click')}",
    ]
    found += [f"ajv-cli {AJV} (ajv {_ajv(place)}, node {_said('node', '--version')})"]
    found += [_said(str(program), "--version") for program in _programs(place, "check-jsonschema")]
    found += [_said("bwrap", "--version")]
    yield f"Versions: {', '.join(found)}."


def machine() -> str:
    """Processors, memory and kernel of this machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    count = os.cpu_count() or 1
    return f"{count} processors ({_processor()}), {memory:.0f} GiB of memory, {platform.system()} {platform.release()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def _ajv(place: Place) -> str:
    for program in _programs(place, "ajv-cli"):
        described = program.parents[1] / "ajv/package.json"
        return str(json.loads(described.read_text(encoding="utf-8"))["version"])
    return "not installed"


def _programs(place: Place, name: str) -> list[Path]:
    return [program for known, program in place.rivals.programs.items() if known == name]


def _said(*argv: str) -> str:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    except OSError:
        return f"no {argv[0]}"
    return done.stdout.strip().partition("\n")[0].replace(", version", "")
