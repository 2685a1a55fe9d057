"""A program run confined to see whether that works here, in a process that may be started before anybody asks."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Iterable
from typing import Final

from generator.execute.bubblewrap import BWRAP_PLACES, PROCESSES, Flavour, confine
from generator.execute.view import SYSTEM_PATH, View

SECONDS: Final = 20

_begun: Final[dict[Flavour, Attempt]] = {}


class Attempt:
    """One try of one way to confine programs."""

    def __init__(self, flavour: Flavour) -> None:
        """Start a program under `flavour`."""
        self._child: subprocess.Popen[bytes] | None = None
        self._error = ""
        try:
            confined = confine(View(binds=(), workdir="/"), ["/usr/bin/env", "true"], flavour, PROCESSES)
        except OSError as error:
            self._error = str(error)
            return
        try:
            self._child = subprocess.Popen(
                confined.argv,
                env={"PATH": SYSTEM_PATH},
                pass_fds=confined.descriptors,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            self._error = str(error)
        finally:
            confined.close()

    def complaint(self) -> str | None:
        """Wait for the program: None when it ran, else the last line that was said. Once an attempt."""
        if self._child is None:
            return self._error
        with self._child as child:
            try:
                _, said = child.communicate(timeout=SECONDS)
            except BaseException as error:
                child.kill()
                if isinstance(error, subprocess.TimeoutExpired):
                    return str(error)
                raise
        if child.returncode == 0:
            return None
        lines = said.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"exit status {child.returncode}"


def installed(places: Iterable[str]) -> str | None:
    """The first of `places` where bubblewrap is."""
    return next((path for path in places if os.access(path, os.X_OK)), None)


def strongest(bwrap: str) -> Flavour:
    """What is tried first."""
    return Flavour(bwrap=bwrap, as_root=os.geteuid() == 0)


@functools.cache
def begin() -> None:
    """Start the attempt that most likely succeeds, for the `attempt_of` that asks for it later; once a process.

    An attempt takes as long as importing a command, and needs nothing of it.
    """
    bwrap = installed(BWRAP_PLACES)
    if bwrap is not None:
        flavour = strongest(bwrap)
        _begun[flavour] = Attempt(flavour)


def attempt_of(flavour: Flavour) -> Attempt:
    """The attempt with `flavour`, started now unless it was begun."""
    return _begun.pop(flavour, None) or Attempt(flavour)
