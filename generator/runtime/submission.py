"""Lets a reviewer run the agent's program without trusting it: as the checks are run, and not in the reviewer's place.

Three things in one file, because a reviewer meets it as a file (`HARBORSMITH_SUBMISSION`):

* a program: `python3 "$HARBORSMITH_SUBMISSION" [--timeout SECONDS] [--keep] -- COMMAND [ARGUMENT ...]` prints what the
  command wrote and exits as it did (124 when it ran out of time, 125 when it could not be run at all);
* a module: `from submission import run`, after putting its directory on `sys.path`;
* the `Broker` inside the review that answers both.

Each command gets a fresh copy of the finished work, unless `--keep` asks for one copy shared by all that ask for it.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import sys
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

SOCKET = "HARBORSMITH_SUBMISSION_SOCKET"
MAX_REQUEST = 1024 * 1024  # bytes
REQUEST_SECONDS = 10.0  # to say what is wanted once connected
DEFAULT_SECONDS = 60.0
NOT_RUN = 125

Answer = Dict[str, Any]
Handler = Callable[[Sequence[str], float, bool], Answer]


@dataclass(frozen=True)
class Result:
    """How a command ended: see `generator.runtime.launch.Outcome`; `error` says why it was not run."""

    exit_code: Optional[int]
    output: str
    timed_out: bool
    error: str


def run(command: Union[str, Sequence[str]], timeout: float = DEFAULT_SECONDS, keep: bool = False) -> Result:
    """Have a command run in a copy of the finished work and wait for its end.

    Args:
        command: Arguments, or one string for bash.
        timeout: Seconds it may take; never more than what is left of the reviewer's own.
        keep: Use the shared copy, with what earlier commands changed in it.

    Raises:
        RuntimeError: Nobody answers: this is no review.
    """
    argv = ["/bin/bash", "-c", command] if isinstance(command, str) else list(command)
    answer = _ask({"argv": argv, "timeoutSeconds": timeout, "keep": keep})
    return Result(
        answer.get("exitCode"), answer.get("output", ""), bool(answer.get("timedOut")), answer.get("error", "")
    )


def _ask(request: Dict[str, Any]) -> Answer:
    place = os.environ.get(SOCKET)
    if not place:
        raise RuntimeError(f"{SOCKET} is not set: submissions can only be run during a review")
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            with _short_path(place) as address:
                connection.connect(address)
            connection.sendall(json.dumps(request).encode("ascii"))
            connection.shutdown(socket.SHUT_WR)
            data = b"".join(iter(lambda: connection.recv(65536), b""))
        answer = json.loads(data)
    except (OSError, ValueError) as problem:
        raise RuntimeError(f"the review does not answer at {place}: {problem}") from None
    if not isinstance(answer, dict):
        raise RuntimeError(f"the review gave no answer at {place}")
    return answer


@contextlib.contextmanager
def _short_path(path: str) -> Iterator[str]:
    """The address of a socket: the system takes 107 bytes at most, so a long directory is named by its descriptor."""
    if len(os.fsencode(path)) <= 100 or not os.path.isdir("/proc/self/fd"):
        yield path
        return
    fd = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{fd}/{os.path.basename(path)}"
    finally:
        os.close(fd)


class Broker:
    """Answers requests one after another on a socket, in a thread of the review; a context manager."""

    def __init__(self, path: str, handler: Handler, cancel: Callable[[int], None]) -> None:
        """Prepare to listen.

        Args:
            path: Where; must be free.
            handler: `handler(argv, seconds, keep)` runs a command and gives the answer.
            cancel: Ends the command that the thread with the given identifier is running.
        """
        self._path = path
        self._handler = handler
        self._cancel = cancel
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, name="submissions", daemon=True)
        self._closing = False

    def __enter__(self) -> "Broker":  # noqa: PYI034 -- typing.Self is newer
        try:
            with _short_path(self._path) as address:
                self._socket.bind(address)
            self._socket.listen(8)
            self._socket.settimeout(0)
        except OSError:
            for end in (self._socket, self._wake, self._woken):
                end.close()
            raise
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, and end a command that still runs; an interruption is raised only after that."""
        self._closing = True
        self._wake.send(b"x")  # a reviewer may have removed the path by which one could connect
        interruption = self._join()
        for end in (self._socket, self._wake, self._woken):
            end.close()
        with contextlib.suppress(OSError):
            os.unlink(self._path)
        if interruption is not None:
            raise interruption

    def _join(self) -> Optional[BaseException]:
        interruption: Optional[BaseException] = None
        while self._thread.is_alive():
            try:
                # again and again: the command may not have been started at the first time
                self._cancel(self._thread.ident or 0)
                self._thread.join(0.05)
            except (KeyboardInterrupt, SystemExit) as again:
                interruption = again
        return interruption

    def _serve(self) -> None:
        waiting = selectors.DefaultSelector()
        for end in (self._socket, self._woken):
            waiting.register(end, selectors.EVENT_READ)
        while not self._closing:
            waiting.select()
            try:
                connection, _ = self._socket.accept()
            except OSError:  # we were woken to end, or whoever asked is gone
                continue
            with connection:
                if not self._closing:
                    self._answer(connection)
        waiting.close()

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(REQUEST_SECONDS)
        try:
            answer = self._handle(_receive(connection))
        except (OSError, ValueError, RecursionError) as problem:
            answer = {"exitCode": None, "error": f"the request is not understood: {problem}"}
        with contextlib.suppress(OSError):  # whoever asked may be gone
            connection.sendall(json.dumps(answer).encode("ascii"))

    def _handle(self, request: Any) -> Answer:
        if not isinstance(request, dict):
            raise ValueError("it is a JSON object")
        argv = request.get("argv")
        seconds = request.get("timeoutSeconds", DEFAULT_SECONDS)
        if (
            not isinstance(argv, list)
            or not argv
            or not all(isinstance(word, str) and "\0" not in word for word in argv)
        ):
            raise ValueError("argv is a list of texts that begins with a program")
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < 1e9:
            raise ValueError("timeoutSeconds is a number above 0")
        return self._handler(argv, float(seconds), request.get("keep") is True)


def _receive(connection: socket.socket) -> Any:
    data = bytearray()
    while len(data) <= MAX_REQUEST:
        chunk = connection.recv(65536)
        if not chunk:
            return json.loads(data)
        data += chunk
    raise ValueError(f"it is larger than {MAX_REQUEST} bytes")


def main(arguments: List[str]) -> int:
    """The program; returns its exit status."""
    import argparse

    parser = argparse.ArgumentParser(prog="submission", description="Run a command in a copy of the finished work.")
    parser.add_argument("--timeout", type=float, default=DEFAULT_SECONDS, metavar="SECONDS", help="default: 60")
    parser.add_argument("--keep", action="store_true", help="use the shared copy instead of a fresh one")
    parser.add_argument("command", nargs="+", help="program and its arguments, after --")
    chosen = parser.parse_args(arguments)
    try:
        result = run(chosen.command, chosen.timeout, chosen.keep)
    except RuntimeError as problem:
        sys.stderr.write(f"submission: {problem}\n")
        return NOT_RUN
    sys.stdout.flush()
    sys.stdout.buffer.write(result.output.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
    if result.exit_code is None:
        sys.stderr.write(f"submission: {result.error}\n")
        return NOT_RUN
    return result.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
