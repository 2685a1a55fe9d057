"""Turn Ctrl-C and SIGTERM into one exception, so that a run can end its processes and keep its evidence."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Final

from generator.runtime.interrupts import HeldBack

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(KeyboardInterrupt):
    """The operator or the system asked this process to end; `signal_number` is one of `SIGNALS`."""

    def __init__(self, signal_number: int) -> None:
        """Remember which signal it was."""
        super().__init__(signal.Signals(signal_number).name)
        self.signal_number = signal_number

    @property
    def exit_code(self) -> int:
        """What a shell expects of a process that a signal ended."""
        return 128 + self.signal_number


@contextlib.contextmanager
def raising() -> Iterator[None]:
    """While inside, the signals raise `Interrupted` in the main thread. Elsewhere it changes nothing.

    A signal that is ignored (a hangup under `nohup`) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, _frame: FrameType | None) -> None:
        raise Interrupted(number)

    wanted = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(slots=True)
class Held:
    """What a piece of work that must not be cut off was asked to do meanwhile: `by` is the interruption, if any."""

    by: Interrupted | None = None


@contextlib.contextmanager
def uninterrupted() -> Iterator[Held]:
    """Do short work to its end; a signal that comes meanwhile stands in `by` afterwards and raises nothing."""
    held = Held()
    try:
        with HeldBack():
            yield held
    except Interrupted as interruption:
        held.by = interruption
