"""Hold back Ctrl-C and requests to end while a command runs, so that none arrives in the middle of cleaning up."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Dict, Optional, Type

HELD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class HeldBack:
    """While inside, the signals are noted instead of acted on; on leaving, the first one is delivered as it was meant.

    An exception out of a handler can strike between any two steps, also between an error and its clean-up. Here it
    comes when everything is over. Only the main thread gets signals; in any other this does nothing. Inside another one
    delivering means that the outer one notes it.
    """

    def __init__(self) -> None:
        """Nothing is held back before entering."""
        self.number: Optional[int] = None
        self.descriptor: Optional[int] = None
        self._write = -1
        self._wakeup = -1
        self._handlers: Dict[int, Any] = {}

    def __enter__(self) -> "HeldBack":  # noqa: PYI034 -- typing.Self is newer
        """Take the signals over; `descriptor` becomes readable when one arrives."""
        if threading.current_thread() is not threading.main_thread():
            return self
        self.descriptor, self._write = os.pipe()
        for end in (self.descriptor, self._write):
            os.set_blocking(end, False)
        self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in HELD:
            handler = signal.getsignal(number)
            # None is a handler of another language; what is ignored stays ignored, for us and for the command
            if handler is not None and handler != signal.SIG_IGN:
                self._handlers[number] = signal.signal(number, self._note)
        self.number = self._noted_outside()
        return self

    def _noted_outside(self) -> Optional[int]:
        """What another one around this one has noted by now and still holds back: this one must not miss it."""
        around = (getattr(handler, "__self__", None) for handler in self._handlers.values())
        return next((one.number for one in around if isinstance(one, HeldBack) and one.number is not None), None)

    def drain(self) -> None:
        """Empty the descriptor; signals that are not held back wake it as well."""
        with contextlib.suppress(BlockingIOError):
            while self.descriptor is not None and os.read(self.descriptor, 512):
                pass

    def _note(self, number: int, _frame: Optional[FrameType]) -> None:
        if self.number is None:
            self.number = number

    def __exit__(
        self, kind: Optional[Type[BaseException]], problem: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """Give the signals back and deliver the first that came."""
        if self.descriptor is None:
            return
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        os.close(self.descriptor)
        os.close(self._write)
        if self.number is not None:
            signal.raise_signal(self.number)
