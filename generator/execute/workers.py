"""Runs at the same time, each in a process of its own: signals, umask and temporary state of one are not another's."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Final

from generator.execute.evidence import RunDirectory, shown_path
from generator.execute.interrupt import Interrupted
from generator.execute.refusal import Blame, Refused
from generator.execute.report import FailedCheck, RunReport
from generator.execute.settings import RunSettings
from generator.execute.taskpackage import TaskPackage
from generator.resources import python_path
from generator.runtime.interrupts import HeldBack

Result = RunReport | Refused
CHUNK: Final = 65536
SHOWN_BYTES: Final = 2000  # of what a broken worker printed


@dataclass(slots=True)
class _Worker:
    """A process with one run.

    Attributes:
        index: Which of the plan.
        child: The process.
        order: What it reads; closing it ends the run.
        messages: What it says.
        printed: A file with what it printed beside that.
        unread: The beginning of a message.
        answer: What it answered.
        evidence: The run directory, once there is one.
        started: When, on the clock that never goes back, in seconds.
    """

    index: int
    child: subprocess.Popen[bytes]
    order: IO[bytes]
    messages: IO[bytes]
    printed: IO[bytes]
    unread: bytes = b""
    answer: Result | None = None
    evidence: Path | None = None
    started: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class Workers:
    """Runs packages, at most `jobs` at the same time.

    Attributes:
        plan: What to run.
        settings: How.
        jobs: Most processes.
        note: Gets the index of a run and a line of its progress.
        ended: Gets the index of a run and its result; says whether others may still be started.
    """

    plan: Sequence[TaskPackage]
    settings: RunSettings
    jobs: int
    note: Callable[[int, str], None]
    ended: Callable[[int, Result], bool]
    _waiting: deque[int] = field(init=False)
    _busy: dict[int, _Worker] = field(init=False, default_factory=dict)
    _selector: selectors.BaseSelector = field(init=False, default_factory=selectors.DefaultSelector)
    _told: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Nothing runs yet."""
        self._waiting = deque(range(len(self.plan)))

    def work(self) -> Interrupted | None:
        """Run everything to its end; an interruption is passed on once to every run, and waited for."""
        try:
            with HeldBack() as held, self._selector:
                if held.descriptor is not None:
                    self._selector.register(held.descriptor, selectors.EVENT_READ)
                try:
                    self._work(held)
                finally:
                    self._abandon()
        except Interrupted as interruption:
            return interruption
        return None

    def _work(self, held: HeldBack) -> None:
        while True:
            if held.number is not None and not self._told:
                self._pass_on(held.number)
            while self._waiting and len(self._busy) < self.jobs:
                self._start(self._waiting.popleft())
            if not self._busy:
                return
            for key, _ in self._selector.select():
                if key.data is None:
                    held.drain()
                else:
                    self._read(key.data)

    def _pass_on(self, number: int) -> None:
        self._waiting.clear()
        self._told = True
        for worker in self._busy.values():
            with contextlib.suppress(ProcessLookupError):
                worker.child.send_signal(number)

    def _abandon(self) -> None:
        """Leave nothing behind: after an error of ours there are runs that nobody listens to any more."""
        self._pass_on(signal.SIGTERM)
        for worker in self._busy.values():
            for stream in (worker.order, worker.messages, worker.printed):
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
            worker.child.wait()

    def _start(self, index: int) -> None:
        order = pickle.dumps((self.plan[index], replace(self.settings, environ=dict(self.settings.environ))))
        with contextlib.ExitStack() as undo:
            try:
                printed = undo.enter_context(tempfile.TemporaryFile())
                child = self._popen(printed)
            except OSError as error:
                problem = f"the run could not be started: {error}"
                self._end(index, Refused("run_not_possible", problem, "", Blame.MACHINE))
                return
            undo.pop_all()  # closed when the worker has ended
        assert child.stdin is not None
        assert child.stdout is not None
        self._busy[index] = worker = _Worker(index, child, child.stdin, child.stdout, printed)
        self._selector.register(worker.messages, selectors.EVENT_READ, worker)
        with contextlib.suppress(BrokenPipeError):  # it died: its end says so
            worker.order.write(order)
            worker.order.flush()

    def _popen(self, printed: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            # -P: a folder named like our package where somebody happens to stand is not imported.
            [sys.executable, "-P", "-m", "generator.execute.worker"],
            env={**self.settings.environ, "PYTHONPATH": python_path(self.settings.environ)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=printed,
            start_new_session=True,  # Ctrl-C reaches it once, through us
        )

    def _read(self, worker: _Worker) -> None:
        data = os.read(worker.messages.fileno(), CHUNK)
        *lines, worker.unread = (worker.unread + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "note" in message:
                self.note(worker.index, message["note"])
            elif "begun" in message:
                worker.evidence = Path(message["begun"])
            else:
                worker.answer = _result(message)
        if not data:
            self._close(worker)

    def _close(self, worker: _Worker) -> None:
        self._selector.unregister(worker.messages)
        worker.child.wait()
        del self._busy[worker.index]
        if worker.answer is None and worker.evidence is not None:
            worker.answer = _cut_off(worker, worker.evidence, self.plan[worker.index], self.settings)
        elif worker.answer is None and not self._told:
            message = f"the process of the run gave no report: it {_end_of(worker)}"
            worker.answer = Refused("run_not_possible", message, "", Blame.MACHINE)
        for stream in (worker.order, worker.messages, worker.printed):
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        if worker.answer is not None:
            self._end(worker.index, worker.answer)

    def _end(self, index: int, result: Result) -> None:
        if not self.ended(index, result):
            self._waiting.clear()


def _cut_off(worker: _Worker, evidence: Path, package: TaskPackage, settings: RunSettings) -> RunReport:
    """What a run came to whose process ended without a report: what it recorded is there, and is no verdict."""
    with contextlib.suppress(OSError):  # what is not reported must not be found either
        RunDirectory(evidence).forget_verdict()
    return RunReport(
        scenario_id=package.scenario_id,
        scenario_version=package.version,
        digest=package.digest,
        modes=package.modes,
        run_id=evidence.name,
        failure_kind="infra_failed",
        score=None,
        reasons=(f"the run was cut off: its process {_end_of(worker)}",),
        duration_ms=round((time.monotonic() - worker.started) * 1000),
        isolation=settings.options.isolation,
        evidence=shown_path(evidence),
    )


def _end_of(worker: _Worker) -> str:
    """How a worker ended, as a clause: it was killed, or there is a fault in it, of which its last line tells."""
    code = worker.child.returncode
    if code < 0:
        memory = ", as a machine does that has no memory left" if -code == signal.SIGKILL else ""
        return f"was ended by signal {-code}{memory}"
    worker.printed.seek(0, os.SEEK_END)
    worker.printed.seek(max(0, worker.printed.tell() - SHOWN_BYTES))
    lines = worker.printed.read().decode("utf-8", "replace").strip().splitlines()
    return f"ended with exit code {code}{f': {lines[-1]}' if lines else ''}"


def _result(message: Mapping[str, Any]) -> Result:
    """The value that `worker` sent as JSON."""
    if "refused" in message:
        return Refused(**{**message["refused"], "blame": Blame(message["refused"]["blame"])})
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in message["report"].items()
    }
    fields["failed_checks"] = tuple(FailedCheck(**check) for check in fields["failed_checks"])
    return RunReport(**fields)
