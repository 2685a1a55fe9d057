"""One run in a process of its own: the order comes on stdin, what happens goes out on stdout, one JSON object a line.

It says where the evidence lies as soon as there is some: whoever kills this process kills its report.

The other end is `workers`. When it goes away, whatever the reason, the run is ended as by SIGTERM and recorded.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from generator.execute.interrupt import Interrupted, raising, uninterrupted
from generator.execute.report import RunReport
from generator.execute.run import run_package


def main() -> None:
    """Read the order, run, and answer with `report`, `refused`, or nothing where the run never began."""
    channel = os.dup(1)
    os.dup2(2, 1)  # what anything else prints is no answer
    with raising(), contextlib.suppress(Interrupted):
        package, settings = pickle.load(sys.stdin.buffer)  # noqa: S301 -- our own parent wrote it
        threading.Thread(target=_end_with_parent, daemon=True).start()
        result = run_package(
            package,
            settings,
            lambda line: _send(channel, {"note": line}),
            lambda place: _send(channel, {"begun": str(place)}),
        )
        with uninterrupted():  # what is over is told, whatever comes now
            _send(channel, {"report" if isinstance(result, RunReport) else "refused": asdict(result)})


def _end_with_parent() -> None:
    """Wait until nobody holds the other end of stdin, then ask this process to end."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _send(channel: int, message: Mapping[str, Any]) -> None:
    """Write a line; nobody reading it is no reason to stop a run."""
    line = json.dumps(message).encode("ascii") + b"\n"
    with contextlib.suppress(OSError):
        while line:
            line = line[os.write(channel, line) :]


if __name__ == "__main__":
    main()
