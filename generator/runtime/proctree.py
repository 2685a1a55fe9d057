"""Find every process a command has started, wherever it went to hide, and end it.

On Linux this process adopts what its descendants orphan (`PR_SET_CHILD_SUBREAPER`), so a daemon that forked twice and
took a session of its own is still found below us in /proc. Elsewhere only the process group is ended.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Callable, Dict, FrozenSet, List, NamedTuple, Optional, Set

PR_SET_CHILD_SUBREAPER = 36
SWEEP_SECONDS = 10.0  # a killed process may hang in the kernel; we do not hang with it
PAUSE_SECONDS = 0.005
STAT_BYTES = 4096  # more than the line of /proc/PID/stat ever has
_DEAD = ("Z", "X", "x")

_active: Dict[int, int] = {}  # main processes, oldest first, and the threads that wait for them
_lock = threading.Lock()


class Process(NamedTuple):
    """One row of the process table; `started` (clock ticks since boot) tells a reused pid from the one seen before."""

    pid: int
    parent: int
    group: int
    session: int
    state: str
    started: int

    @property
    def alive(self) -> bool:
        """Whether it can still do something: a zombie cannot."""
        return self.state not in _DEAD


def adopt_orphans() -> bool:
    """Make this process the parent of whatever its descendants orphan; False where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes

        return bool(ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False


def table() -> Dict[int, Process]:
    """All processes of the machine by pid; empty where there is no /proc."""
    found = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return {}
    for name in names:
        if name.isdigit():
            process = _read(int(name))
            if process is not None:
                found[process.pid] = process
    return found


def _read(pid: int) -> Optional[Process]:
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY)  # half the time of open(); a machine has many processes
        try:
            line = os.read(descriptor, STAT_BYTES)
        finally:
            os.close(descriptor)
        # the command name may hold spaces and parentheses: fields count from behind its last one
        fields = line.rpartition(b")")[2].split(None, 20)
        return Process(pid, int(fields[1]), int(fields[2]), int(fields[3]), fields[0].decode(), int(fields[19]))
    except (OSError, ValueError, IndexError):
        return None


def owned_by(uid: int) -> List[int]:
    """Pids of all living processes that hold `uid` as real, effective or saved user id."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/status", "rb") as stream:
                lines = stream.read().splitlines()
        except OSError:
            continue
        fields = dict(line.split(b":", 1) for line in lines if b":" in line)
        uids = fields.get(b"Uid", b"").split()
        if str(uid).encode() in uids[:3] and fields.get(b"State", b"Z").split()[:1] not in ([b"Z"], [b"X"]):
            found.append(int(name))
    return found


class Tree:
    """The processes of one command. Make it before the command starts, `root` it right after.

    A child of this process that somebody else starts meanwhile in a session of its own would be taken for an orphan of
    the command: whoever runs commands beside this one runs them through here.
    """

    def __init__(self, uid: Optional[int] = None) -> None:
        """`uid`: a user whose every process belongs to the command, because nothing else on this machine runs as it."""
        self._uid = uid
        self._adopting = adopt_orphans()
        self._root = 0
        own = os.getpid()
        self._before: FrozenSet[int] = frozenset(p.pid for p in table().values() if p.parent == own)

    def root(self, pid: int) -> None:
        """Name the command's main process; it leads a session of its own."""
        self._root = pid
        with _lock:
            _active[pid] = threading.get_ident()

    def signal_group(self, number: int) -> None:
        """Send a signal to the main process and its group."""
        _send(number, group=self._root)

    def members(self) -> List[Process]:
        """All processes of the command but its main one, zombies among them."""
        rows = table()
        roots = {self._root} | self._orphans(rows)
        inside: Set[int] = set()
        for pid, process in rows.items():
            if process.session == self._root or _descends(pid, roots, rows):
                inside.add(pid)
        if self._uid is not None:
            inside.update(pid for pid in owned_by(self._uid) if pid in rows)
        inside.discard(self._root)
        return [rows[pid] for pid in sorted(inside)]

    def _orphans(self, rows: Dict[int, Process]) -> Set[int]:
        """Adopted processes. They cannot have entered our own session, so what is in it is somebody else's child.

        Beside an older command nobody can tell whose an orphan is; the older one then ends it when it ends itself.
        """
        with _lock:
            active = list(_active)
        if not self._adopting or active[:1] not in ([], [self._root]):
            return set()
        own = os.getpid()
        session = os.getsid(0)
        mine = {pid for pid, process in rows.items() if process.parent == own and process.session != session}
        return mine.difference(self._before, active)

    def end(self) -> int:
        """Kill everything of the command until nothing is found twice in a row; returns how many were still alive.

        Everything found is stopped before the first is killed, so that a process that forks for ever loses the race.
        """
        killed: Set[int] = set()
        try:
            if not self._adopting:
                _send(signal.SIGKILL, group=self._root)
            _until_empty(self._kill_once, killed)
        finally:
            with _lock:
                _active.pop(self._root, None)
        return len(killed)

    def _kill_once(self, killed: Set[int]) -> bool:
        found = self.members()
        living = [process.pid for process in found if process.alive]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in living:
                _send(number, pid=pid)
        killed.update(living)
        for process in found:
            if process.parent == os.getpid():
                _reap(process.pid)
        return bool(living)


def kill_commands_of(thread: int) -> None:
    """Kill the main process of what a thread is running, so that its wait ends and it cleans up."""
    with _lock:
        roots = [pid for pid, waiting in _active.items() if waiting == thread]
    for pid in roots:
        _send(signal.SIGKILL, group=pid)


def _until_empty(kill_once: Callable[[Set[int]], bool], killed: Set[int]) -> None:
    deadline = time.monotonic() + SWEEP_SECONDS
    empty = 0
    while empty < 2 and time.monotonic() < deadline:
        if kill_once(killed):
            empty = 0
            time.sleep(PAUSE_SECONDS)
        else:
            empty += 1


def _descends(pid: int, roots: Set[int], rows: Dict[int, Process]) -> bool:
    seen: Set[int] = set()
    while pid in rows and pid not in seen:
        if pid in roots:
            return True
        seen.add(pid)
        pid = rows[pid].parent
    return False


def _send(number: int, *, pid: int = 0, group: int = 0) -> None:
    try:
        if group:
            os.killpg(group, number)
        else:
            os.kill(pid, number)
    except OSError:
        return


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except OSError:
        return
