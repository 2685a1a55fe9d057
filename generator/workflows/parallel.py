"""Share out tasks among processes forked from this one; the results come back in the order of the tasks.

Processes, not threads: what a compiler does between two calls of the system holds the interpreter's lock. Forked, not
started anew: they have all that was read already. Each takes every n-th task, so that its results stand in its pipe
in the order in which they are wanted.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import IO, Generic, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Lost:
    """What stands for a result whose process ended before it gave one; `why` is a clause for people."""

    why: str


@dataclass(slots=True)
class _Worker(Generic[Result]):
    """A process and the end of the pipe its results come out of."""

    pid: int
    results: IO[bytes]
    ended: Lost | None = None

    def next(self) -> Result | Lost:
        """Its next result."""
        if self.ended is None:
            try:
                # Our own fork wrote it: nobody else holds the other end of the pipe.
                made: Result = pickle.load(self.results)  # noqa: S301
            except (EOFError, pickle.UnpicklingError):
                self.ended = Lost(_told(self.wait()))
            else:
                return made
        return self.ended

    def stop(self) -> None:
        """Have it put away what it has begun, and wait until it has."""
        self.results.close()
        if self.ended is None:
            os.kill(self.pid, signal.SIGINT)
            self.wait()

    def wait(self) -> int:
        """Its exit code; negative for a signal."""
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shared_out(work: Callable[[int], Result], count: int, jobs: int) -> Iterator[Result | Lost]:
    """`work(0)`, `work(1)`, … up to `count`, each done in one of `jobs` processes.

    When the caller gives up (an interrupt, an exception), every process is told to stop, puts away what it has begun,
    and has ended before this returns. Tasks of a process that the system does not let us start are done here.

    Args:
        work: Does one task; its result can be pickled.
        count: How many tasks there are.
        jobs: How many processes to start, at most one for each task.
    """
    workers: list[_Worker[Result] | None] = []
    try:
        for first in range(jobs):
            workers.append(_start(work, range(first, count, jobs), workers))
        for number in range(count):
            worker = workers[number % jobs]
            yield work(number) if worker is None else worker.next()
        for worker in filter(None, workers):
            if worker.ended is None:
                worker.ended = Lost(_told(worker.wait()))
    finally:
        for worker in filter(None, workers):
            worker.stop()


def _start(
    work: Callable[[int], Result], numbers: Iterable[int], others: list[_Worker[Result] | None]
) -> _Worker[Result] | None:
    """A process that does these tasks; None when the system has no room for one more."""
    reading, writing = os.pipe()
    for stream in filter(None, (sys.stdout, sys.stderr)):  # or what they hold would be written twice
        stream.flush()
    try:
        pid = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return None
    if pid:
        os.close(writing)
        return _Worker(pid, os.fdopen(reading, "rb"))
    code = 1
    try:
        os.close(reading)
        for other in filter(None, others):  # or a pipe would stay open when its reader is gone
            os.close(other.results.fileno())
        code = _serve(work, numbers, writing)
    finally:
        os._exit(code)


def _serve(work: Callable[[int], Result], numbers: Iterable[int], writing: int) -> int:
    """What a process does; returns its exit code."""
    signal.signal(signal.SIGINT, _interrupted)
    try:
        with os.fdopen(writing, "wb") as results:
            for number in numbers:
                pickle.dump(work(number), results)
                results.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # nobody wants the rest
        return 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        raise
    return 0


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    """Stop, once: a terminal tells the whole group, and the parent tells us again."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _told(code: int) -> str:
    return f"its process was ended by signal {-code}" if code < 0 else f"its process ended with exit code {code}"
