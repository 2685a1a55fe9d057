"""The private directory of one run: everything its programs are shown, gone when the run is over."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from generator.runtime.interrupts import HeldBack
from generator.runtime.trees import create_directory, remove_tree

# A Unix socket's path may have 107 bytes (unix(7)); ours is at most 40 longer than the directory it starts with.
_LONGEST: Final = 60
_PREFIX: Final = "harborsmith-"
_MARK: Final = ".room"
_LOOKING: Final = stat.S_IRUSR | stat.S_IXUSR


@dataclass(frozen=True, slots=True)
class Room:
    """Where things lie below `root`. Names tell nothing: an agent can read where its folders come from."""

    root: Path

    @property
    def workspace(self) -> Path:
        """The agent's workspace."""
        return self.root / "workspace"

    @property
    def home(self) -> Path:
        """The agent's home, kept between turns."""
        return self.root / "home"

    @property
    def state(self) -> Path:
        """The agent's run root, kept between turns like its home."""
        return self.root / "state"

    def message(self, turn: int) -> Path:
        """Holds the message of a turn."""
        return self.root / "messages" / str(turn)

    def result(self, turn: int) -> Path:
        """Where the agent writes the result file of a turn; new for each, so that none is left from an earlier one."""
        return self.root / "results" / str(turn)

    @property
    def agent(self) -> Path:
        """Copies of the agent's own files."""
        return self.root / "agent"

    @property
    def proxy(self) -> Path:
        """The proxy's socket and the forwarder."""
        return self.root / "proxy"

    @property
    def tests(self) -> Path:
        """The package's `tests/`."""
        return self.root / "tests"

    @property
    def solution(self) -> Path:
        """The package's `solution/`."""
        return self.root / "solution"

    @property
    def review(self) -> Path:
        """What the review works with."""
        return self.root / "review"


def room_folder() -> str:
    """The directory that rooms are made in."""
    place = tempfile.gettempdir()
    return place if len(os.fsencode(place)) <= _LONGEST else "/tmp"  # noqa: S108 -- mkdtemp makes a private directory


@contextlib.contextmanager
def open_room() -> Iterator[Room]:
    """Make a room with what every run needs, and remove it afterwards. Raises OSError when it cannot be made."""
    made = tempfile.mkdtemp(prefix=_PREFIX, dir=room_folder())
    lock = None
    try:
        lock = _locked(made)
        room = Room(Path(made))
        for folder in (room.home, room.state, room.root / "messages", room.root / "results"):
            create_directory(str(folder))
        yield room
    finally:
        with HeldBack():
            try:
                _remove(made)
            finally:
                if lock is not None:
                    os.close(lock)


def sweep_rooms() -> None:
    """Remove the rooms of this account whose processes were killed; one that cannot be removed stays.

    A room is one only with our mark in it, and a living process holds its lock. Links are never followed.
    """
    with contextlib.suppress(OSError), os.scandir(room_folder()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _sweep(entry.path)


def _locked(path: str) -> int | None:
    """A descriptor that holds the lock of a new room; None where the file system has no locks.

    The mark comes after the lock, so that no room is marked and free while somebody is about to use it.
    """
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    try:
        os.close(os.open(_MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=descriptor))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _sweep(path: str) -> None:
    with _looking_into(path) as descriptor:
        mark = os.stat(_MARK, dir_fd=descriptor, follow_symlinks=False)
        if {mark.st_uid, os.fstat(descriptor).st_uid} != {os.geteuid()} or not stat.S_ISREG(mark.st_mode):
            return
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.lstat(path)):
            _remove(path)


@contextlib.contextmanager
def _looking_into(path: str) -> Iterator[int]:
    """A descriptor of a directory; one of ours that is closed to us is open for that long, and then as before.

    An agent without a sandbox may have closed its room, and whether a room is in use is only seen inside. Where a
    system has no descriptors of closed directories, as macOS, such a room is not looked into.
    """
    if not hasattr(os, "O_PATH"):
        with _opened(path, os.O_RDONLY | os.O_NOFOLLOW) as descriptor:
            yield descriptor
        return
    with _opened(path, os.O_PATH | os.O_NOFOLLOW) as handle:
        there = f"/proc/self/fd/{handle}"  # unlike the path, it cannot become another directory meanwhile
        found = os.fstat(handle)
        closed = found.st_uid == os.geteuid() and found.st_mode & _LOOKING != _LOOKING
        if closed:
            os.chmod(there, stat.S_IMODE(found.st_mode) | _LOOKING)
        try:
            with _opened(there, os.O_RDONLY) as descriptor:
                yield descriptor
        finally:
            if closed:
                os.chmod(there, stat.S_IMODE(found.st_mode))


@contextlib.contextmanager
def _opened(path: str, how: int) -> Iterator[int]:
    descriptor = os.open(path, how | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _open(path: str) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def _remove(path: str) -> None:
    """Remove a room, its mark last: where this is cut off, a later sweep still knows it.

    An agent without a sandbox may have put a link in its place, which is not followed, or mounted something in it.

    Raises:
        OSError: Something in it cannot be removed, or is mounted there and nobody's to remove.
    """
    mounted = _mounted_in(path)
    if mounted is not None:
        raise OSError(errno.EBUSY, f"something is mounted at {mounted}; unmount it, and a later run removes the rest")
    if os.path.isdir(path) and not os.path.islink(path):
        os.chmod(path, 0o700)  # an agent without a sandbox may have closed it
        for name in os.listdir(path):
            if name != _MARK:
                remove_tree(os.path.join(path, name))
    remove_tree(path)


def _mounted_in(path: str) -> str | None:
    """The first place below a directory where a file system begins; see proc_pid_mountinfo(5)."""
    above = f"{os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))}/"
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as lines:
            places = [re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), line.split(" ")[4]) for line in lines]
    except OSError:
        return None
    return next((place for place in places if place.startswith(above)), None)
