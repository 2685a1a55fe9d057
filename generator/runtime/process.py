"""Run one command in bounds: time, output, processes. When `run` returns, nothing of the command is alive."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .capture import Ring
from .interrupts import HeldBack
from .launch import Job, Outcome
from .proctree import Tree

TIMED_OUT = 124  # what timeout(1) and the published loop report
CHUNK = 64 * 1024
POLL_SECONDS = 0.05  # how often the exit is looked for where the system cannot tell us
KILL_SECONDS = 10.0
LONGEST_WAIT = 3600.0  # seconds; more than a month is more than the system call takes


class User(NamedTuple):
    """A user to run a command as; ours alone, since every process of it on this machine ends with the command."""

    uid: int
    gid: int
    groups: Tuple[int, ...] = ()


def run(
    job: Job,
    *,
    user: Optional[User] = None,
    pass_fds: Sequence[int] = (),
    on_start: Optional[Callable[[int], None]] = None,
) -> Outcome:
    """Run `job` to its end or its time limit and end everything it left behind.

    The command gets a session of its own, an empty standard input, umask 022 and no core dumps. Standard output and
    error arrive merged. At the limit its process group gets SIGTERM, after the grace SIGKILL. A child that outlives the
    main process, or holds its output open, is killed and never waited for.

    Args:
        job: What to run and its limits; `limits.processes` holds only together with `user` (root has no such limit).
        user: Run as this user, without any way back; needs root.
        pass_fds: Descriptors the command inherits.
        on_start: Called with the main process id once it runs.

    Returns:
        How it ended; a command that cannot be started is an `Outcome` with `error`. SIGINT, SIGTERM and SIGHUP to this
        process end the command; they are delivered once its processes are dead, so that what their handlers raise (or
        the end of this process) leaves nothing alive.
    """
    began = time.monotonic()
    with HeldBack() as held:
        tree = Tree(user.uid if user is not None else None)
        try:
            child = _start(job, user, tuple(pass_fds))
        except (OSError, ValueError) as problem:
            return Outcome(exit_code=None, error=_start_error(job, problem), seconds=time.monotonic() - began)
        tree.root(child.pid)
        watch = _Watch(child, tree, Ring(job.limits.keep_bytes), held)
        try:
            if on_start is not None:
                on_start(child.pid)
            timed_out = not watch.until_exit(job.limits.seconds) and held.number is None
            signals = watch.stop(job.limits.grace_seconds) if timed_out else ()
        finally:
            left_over = watch.end()
    return Outcome(
        exit_code=TIMED_OUT if timed_out else _exit_code(child.returncode),
        timed_out=timed_out,
        signals=signals,
        left_over=left_over,
        output=watch.ring.content(),
        output_bytes=watch.ring.total,
        omitted_bytes=watch.ring.omitted,
        seconds=time.monotonic() - began,
    )


class _Watch:
    """Drains the output of a running command while waiting for its end."""

    def __init__(self, child: "subprocess.Popen[bytes]", tree: Tree, ring: Ring, held: HeldBack) -> None:
        self.ring = ring
        self._held = held
        self._child = child
        self._tree = tree
        assert child.stdout is not None  # made as a pipe by _popen
        self._stream = child.stdout
        os.set_blocking(self._stream.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stream, selectors.EVENT_READ)
        self._exit_fd = _exit_descriptor(child.pid)
        if self._exit_fd is not None:
            self._selector.register(self._exit_fd, selectors.EVENT_READ)
        if held.descriptor is not None:
            self._selector.register(held.descriptor, selectors.EVENT_READ)

    def until_exit(self, seconds: float) -> bool:
        """Drain until the main process ends; False when `seconds` passed first, or a signal to this process came."""
        deadline = time.monotonic() + seconds
        while self._child.poll() is None:
            left = deadline - time.monotonic()
            if left <= 0 or self._held.number is not None:
                return False
            pause = min(left, LONGEST_WAIT if self._exit_fd is not None else POLL_SECONDS)
            for key, _ in self._selector.select(pause):
                if key.fileobj is self._stream:
                    self._read_once()
                elif key.fileobj == self._held.descriptor:
                    self._held.drain()
        return True

    def stop(self, grace_seconds: float) -> Tuple[str, ...]:
        """Ask the group to end, then make it; returns the signals that were needed."""
        self._tree.signal_group(signal.SIGTERM)
        if self.until_exit(grace_seconds):
            return ("SIGTERM",)
        self._tree.signal_group(signal.SIGKILL)
        return ("SIGTERM", "SIGKILL")

    def end(self) -> int:
        """End whatever is alive and read what is still in the pipe; returns how many outlived the main process."""
        if self._child.poll() is None:
            self._tree.signal_group(signal.SIGKILL)
        left_over = self._tree.end()
        with contextlib.suppress(subprocess.TimeoutExpired):  # stuck in the kernel, it dies when it comes back
            self._child.wait(KILL_SECONDS)
        self._finish()
        return left_over

    def _finish(self) -> None:
        """Read to the end of the pipe; its writers are dead, so the end is near."""
        deadline = time.monotonic() + KILL_SECONDS
        while self._read_once() and time.monotonic() < deadline:
            pass
        self._selector.close()
        if self._exit_fd is not None:
            os.close(self._exit_fd)
        self._stream.close()

    def _read_once(self) -> bool:
        try:
            chunk = os.read(self._stream.fileno(), CHUNK)
        except BlockingIOError:
            return False
        if not chunk and self._stream in self._selector.get_map():
            self._selector.unregister(self._stream)
        self.ring.feed(chunk)
        return bool(chunk)


def _exit_descriptor(pid: int) -> Optional[int]:
    """A descriptor that becomes readable when `pid` ends (Linux 5.3 and later)."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None


def _start(job: Job, user: Optional[User], pass_fds: Tuple[int, ...]) -> "subprocess.Popen[bytes]":
    if user is not None:
        return _start_as(job, user, pass_fds)
    child = _popen(list(job.argv), dict(job.env), job.cwd, pass_fds)
    _forbid_core_dumps(child.pid)
    return child


def _popen(argv: List[str], env: Dict[str, str], cwd: str, pass_fds: Tuple[int, ...]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        argv,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
        start_new_session=True,
        umask=0o022,
        pass_fds=pass_fds,
    )


def _forbid_core_dumps(pid: int) -> None:
    try:
        import resource

        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
    except (ImportError, AttributeError, OSError, ValueError):
        return


def _start_as(job: Job, user: User, pass_fds: Tuple[int, ...]) -> "subprocess.Popen[bytes]":
    """Start the command through `become`; raises the error its execution met, as Popen would."""
    orders = _orders(job, user)
    orders_read, orders_write = os.pipe()
    report_read, report_write = os.pipe()
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "become.py")
    argv = [sys.executable, "-I", "-S", "-B", program, str(orders_read), str(report_write)]
    try:
        child = _popen(argv, {}, job.cwd, (orders_read, report_write, *pass_fds))
    except BaseException:
        os.close(orders_write)
        os.close(report_read)
        raise
    finally:
        os.close(orders_read)
        os.close(report_write)
    with os.fdopen(report_read, "rb") as stream:
        _send(orders_write, orders)
        report = stream.read()
    if report == b"+":
        return child
    output, _ = child.communicate()
    if not report:
        raise ValueError(f"{sys.executable} could not change users: {output[-500:].decode('utf-8', 'replace').strip()}")
    number = int(report[1:])
    raise OSError(number, os.strerror(number), job.argv[0])


def _send(descriptor: int, data: bytes) -> None:
    """Write and close; a reader that is gone says more elsewhere."""
    with contextlib.suppress(BrokenPipeError), os.fdopen(descriptor, "wb") as stream:
        stream.write(data)


def _orders(job: Job, user: User) -> bytes:
    orders = {
        "argv": [_carried(word) for word in job.argv],
        "env": {_carried(name): _carried(value) for name, value in job.env.items()},
        "uid": user.uid,
        "gid": user.gid,
        "groups": list(user.groups),
        "processes": job.limits.processes,
    }
    return json.dumps(orders).encode("ascii")


def _carried(text: str) -> str:
    """The bytes of an argument as a text JSON can hold."""
    if "\0" in text:
        raise ValueError("embedded null byte")
    return os.fsencode(text).decode("latin-1")


def _exit_code(returncode: Optional[int]) -> int:
    """The shell's reading of a return code; one that never came (stuck in the kernel) counts as killed."""
    if returncode is None:
        return 128 + signal.SIGKILL
    return returncode if returncode >= 0 else 128 - returncode


def _start_error(job: Job, problem: Exception) -> str:
    name = job.argv[0] if job.argv else ""
    if not isinstance(problem, OSError):
        return f"cannot start {name!r}: {problem}"
    words = os.strerror(problem.errno) if problem.errno else str(problem)
    if not os.path.isdir(job.cwd):
        return f"cannot start {name!r}: its working directory {job.cwd!r} is missing"
    if problem.errno == 2 and os.path.isfile(os.path.join(job.cwd, name)):
        words += " (the file is there, so the interpreter in its first line is missing)"
    return f"cannot start {name!r}: {words}"
