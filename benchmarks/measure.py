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
_STARTER = """
import os, resource, sys
silent = os.open(os.devnull, os.O_WRONLY)
code = os.waitstatus_to_exitcode(os.waitpid(os.posix_spawnp(
    sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, silent, 1)]), 0)[1])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code and 1)
"""


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
class Figures:
    """All counted runs of one command, in seconds of wall time."""

    samples: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """The median."""
        return statistics.median(self.samples)

    @property
    def fastest(self) -> float:
        """The shortest run."""
        return min(self.samples)

    @property
    def slowest(self) -> float:
        """The longest run."""
        return max(self.samples)


def in_turn(commands: Mapping[str, Command], rounds: int, warm_up: bool = True) -> dict[str, Figures]:
    """Run all commands once, then all of them again, `rounds` times; a first round that warms up is not counted.

    Raises:
        BenchError: A command cannot be started or fails.
    """
    samples: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + warm_up):
        for name, command in commands.items():
            command.before()
            seconds = once(command)
            if number >= warm_up:
                samples[name].append(seconds)
    return {name: Figures(tuple(taken)) for name, taken in samples.items()}


def once(command: Command) -> float:
    """Run a command to its end, and return how many seconds that took; what it prints is thrown away.

    Raises:
        BenchError: It cannot be started or fails.
    """
    begun = time.perf_counter()
    _run(command.argv, command, subprocess.DEVNULL)
    return time.perf_counter() - begun


def peak_memory(command: Command) -> int:
    """The peak memory in bytes of the largest single process of a run.

    A process counts as large as the one that started it, so a small one does that here.

    Raises:
        BenchError: It cannot be started or fails.
    """
    command.before()
    starter = [sys.executable, "-I", "-S", "-c", _STARTER, *command.argv]
    return int(_run(starter, command, subprocess.PIPE)) * (1 if sys.platform == "darwin" else _KIB)


def _run(argv: Sequence[str], command: Command, stdout: int) -> bytes:
    try:
        done = subprocess.run(
            argv,
            cwd=command.cwd,
            env={**environment(), **command.env},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError as error:
        raise BenchError(f"{argv[0]} cannot be started: {error.strerror}") from None
    if done.returncode:
        raise BenchError(f"{' '.join(command.argv)[:200]} ended with {done.returncode} in {command.cwd}")
    return done.stdout or b""


def environment() -> dict[str, str]:
    """The caller's variables without those that change how Python works: modules are compiled once, as for users."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RUHROH_"))}
