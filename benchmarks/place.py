"""Where the bench works, and what all measurements share."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import BenchError
from benchmarks.rivals import Rivals, install

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "schemas/scenario-v2.schema.json"
_MEMORY = Path("/dev/shm")  # noqa: S108 - the point is a file system in memory, the same on every Linux


@dataclass(frozen=True)
class Place:
    """A scratch directory in memory, the programs that are compared, and how often each is run.

    Attributes:
        scratch: Removed at the end.
        rivals: What is compared.
        rounds: Counted runs of each command; measurements of long ones take fewer.
        machine: Directory of a container engine for Harbor, as `tests/harbor/machine.sh up` made it.
    """

    scratch: Path
    rivals: Rivals
    rounds: int
    machine: Path

    def folder(self, name: str) -> Path:
        """An empty directory."""
        made = self.scratch / name
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        return made


def ours(*arguments: str) -> list[str]:
    """The arguments of a Harborsmith command."""
    return [str(Path(sys.executable).with_name("harborsmith")), *arguments]


@contextmanager
def prepared(rounds: int, machine: Path) -> Iterator[Place]:
    """A place to measure in; what was made there is gone afterwards, but for the programs to compare with."""
    above = _MEMORY if _MEMORY.is_dir() else Path(tempfile.gettempdir())
    kept = above / f"harborsmith-bench-{os.getuid()}"
    kept.mkdir(mode=0o700, exist_ok=True)
    if kept.is_symlink() or kept.stat().st_uid != os.getuid():
        raise BenchError(f"{kept} is somebody else's: programs are run from there")
    scratch = Path(tempfile.mkdtemp(prefix="run-", dir=kept))
    try:
        yield Place(scratch, install(kept), rounds, machine)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def removed(path: Path) -> None:
    """Remove a directory, if it is there."""
    shutil.rmtree(path, ignore_errors=True)
