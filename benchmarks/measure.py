"""Time whole processes in turn, so that what slows the machine down slows all of them alike."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_KIB = 1024


class BenchError(Exception):
    """Something cannot be measured; the sentence says why."""


@dataclass(frozen=True)
class Command:
    """What is run: arguments, working directory, and what to do before each run, which is not timed."""

    argv: Sequence[str]
    cwd: Path
    before: Callable[[], object] = lambda: None
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sample:
    """One run: seconds of wall time, and the peak memory in bytes of the largest single process of it."""

    seconds: float
    peak: int


@dataclass(frozen=True)
class Figures:
    """All counted runs of one command."""

    samples: tuple[Sample, ...]

    @property
    def seconds(self) -> float:
        """The median."""
        return statistics.median(sample.seconds for sample in self.samples)

    @property
    def fastest(self) -> float:
        """The shortest run, in seconds."""
        return min(sample.seconds for sample in self.samples)

    @property
    def slowest(self) -> float:
        """The longest run, in seconds."""
        return max(sample.seconds for sample in self.samples)

    @property
    def peak(self) -> int:
        """The largest peak, in bytes."""
        return max(sample.peak for sample in self.samples)


def in_turn(commands: Mapping[str, Command], rounds: int, warm_up: bool = True) -> dict[str, Figures]:
    """Run all commands once, then all of them again, `rounds` times; a first round that warms up is not counted.

    Raises:
        BenchError: A command cannot be started or fails.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    for number in range(rounds + warm_up):
        for name, command in commands.items():
            command.before()
            sample = once(command)
            if number >= warm_up:
                samples[name].append(sample)
    return {name: Figures(tuple(taken)) for name, taken in samples.items()}


def once(command: Command) -> Sample:
    """Run a command to its end; what it prints is thrown away.

    Raises:
        BenchError: It cannot be started or fails.
    """
    begun = time.perf_counter()
    try:
        process = subprocess.Popen(
            command.argv,
            cwd=command.cwd,
            env={**environment(), **command.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise BenchError(f"{command.argv[0]} cannot be started: {error.strerror}") from None
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BenchError(f"{' '.join(command.argv)[:200]} ended with {process.returncode} in {command.cwd}")
    return Sample(seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else _KIB))


def environment() -> dict[str, str]:
    """The caller's variables without those that change how Python works: modules are compiled once, as for users."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RUHROH_"))}
