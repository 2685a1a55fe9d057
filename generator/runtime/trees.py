"""Walk, copy and remove directory trees whose content nobody vouches for.

Nothing here follows a link, blocks on a special file, recurses as deep as a tree is, or trusts a mode.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import BinaryIO, Iterator, List, NamedTuple, Optional, Tuple

from . import sparse

FILE, DIRECTORY, LINK, SPECIAL, UNREADABLE = "file", "directory", "link", "special", "unreadable"
SPECIAL_FILE = "special file"  # the reason given for FIFOs, sockets and devices


class Entry(NamedTuple):
    """One thing in a tree: `path` below its top, `kind`, and for unreadable ones why in `error`."""

    path: str
    kind: str
    mode: int = 0
    size: int = 0
    mtime: float = 0.0
    error: str = ""

    @property
    def executable(self) -> bool:
        """Whether anybody may execute it."""
        return bool(self.mode & 0o111)


class LeftOut(NamedTuple):
    """Something of the work that the reviewed tree does not have, and why; `target` is where a link led."""

    path: str
    reason: str
    target: str = ""

    def as_json(self) -> "dict[str, str]":
        """The published form; bytes that are no UTF-8 are shown as escapes."""
        shape = {"path": shown(self.path), "reason": self.reason}
        if self.target:
            shape["target"] = shown(self.target)
        return shape


def shown(path: str) -> str:
    r"""A path as text that every JSON reader takes: bytes that are no UTF-8 become `\\xNN`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def walk(top: str, *, mend: bool = False) -> Iterator[Entry]:
    """Everything below `top`, parents before children, siblings by the bytes of their names.

    Args:
        top: The directory; it is not reported itself.
        mend: Give ourselves the right to list a directory of our own that forbids it (the tree is ours to change).
    """
    stack = list(reversed(_children(top, "", mend)))
    while stack:
        entry = stack.pop()
        yield entry
        if entry.kind == DIRECTORY:
            stack.extend(reversed(_children(top, entry.path, mend)))


def _children(top: str, path: str, mend: bool) -> List[Entry]:
    folder = os.path.join(top, path) if path else top
    try:
        names = _names(folder, mend)
    except OSError as problem:
        return [Entry(path or ".", UNREADABLE, error=os.strerror(problem.errno or 0))]
    return [_entry(top, os.path.join(path, name)) for name in sorted(names, key=os.fsencode)]


def _names(folder: str, mend: bool) -> List[str]:
    try:
        return os.listdir(folder)
    except PermissionError:
        if not mend:
            raise
        os.chmod(folder, 0o700)
        return os.listdir(folder)


def _entry(top: str, path: str) -> Entry:
    try:
        found = os.lstat(os.path.join(top, path))
    except OSError as problem:
        return Entry(path, UNREADABLE, error=os.strerror(problem.errno or 0))
    kinds = {stat.S_IFREG: FILE, stat.S_IFDIR: DIRECTORY, stat.S_IFLNK: LINK}
    kind = kinds.get(stat.S_IFMT(found.st_mode), SPECIAL)
    return Entry(path, kind, stat.S_IMODE(found.st_mode), found.st_size, found.st_mtime)


def open_file(path: str, *, mend: bool = False) -> int:
    """Open a regular file for reading without following a link or waiting for a writer. Raises OSError."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        fd = os.open(path, flags)
    except PermissionError:
        if not mend:
            raise
        os.chmod(path, 0o600)
        fd = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(0, "no regular file", path)
    return fd


def create_file(path: str, executable: bool) -> int:
    """Create a file that was not there, for writing, with mode 0644 or 0755 whatever the umask. Raises OSError."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    os.fchmod(fd, 0o755 if executable else 0o644)
    return fd


@contextlib.contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """Write a file that appears at `path` when it is finished, and of which nothing stays when it is not.

    Whatever has its temporary name, `path` and `.tmp`, is removed first and not written to: it may be a link or a FIFO.
    Raises OSError.
    """
    temporary = f"{path}.tmp"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)
    stream = open(temporary, "xb")  # noqa: SIM115 -- what could not be created is not ours to remove
    try:
        with stream:
            yield stream
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def create_directory(path: str) -> None:
    """Create one directory with mode 0755 whatever the umask. Raises OSError when something is there."""
    os.mkdir(path, 0o755)
    os.chmod(path, 0o755)  # noqa: S103 -- everybody may read the work


def set_time(fd: int, mtime: float) -> None:
    """Give an open file a modification time; one the system cannot hold is left alone."""
    try:
        os.utime(fd, (mtime, mtime))
    except (OSError, OverflowError, ValueError):
        return


def clone_tree(source: str, target: str) -> Tuple[LeftOut, ...]:
    """Copy `source` to the new directory `target`: links as links, holes as holes, modes 0644 or 0755, times kept.

    Returns:
        What could not be copied: special files, unreadable ones. Raises OSError when `target` cannot be written.
    """
    create_directory(target)
    return clone_into(source, target)


def clone_into(source: str, target: str) -> Tuple[LeftOut, ...]:
    """`clone_tree` into a directory that exists and has none of the names."""
    left_out = []
    for entry in walk(source):
        problem = _clone(entry, os.path.join(source, entry.path), os.path.join(target, entry.path))
        if problem is not None:
            left_out.append(LeftOut(entry.path, problem))
    return tuple(left_out)


def move_children(source: str, target: str) -> None:
    """Move all that a directory holds into another one, by copying where they lie on different file systems."""
    try:
        for name in os.listdir(source):
            os.rename(os.path.join(source, name), os.path.join(target, name))
    except OSError as problem:
        if problem.errno != errno.EXDEV:
            raise
        clone_into(source, target)
        empty_directory(source)


def _clone(entry: Entry, source: str, target: str) -> Optional[str]:
    if entry.kind == DIRECTORY:
        create_directory(target)
    elif entry.kind == LINK:
        os.symlink(os.readlink(source), target)
    elif entry.kind == FILE:
        return clone_file(source, target, entry.executable)
    else:
        return SPECIAL_FILE if entry.kind == SPECIAL else entry.error
    return None


def clone_file(source: str, target: str, executable: bool) -> Optional[str]:
    """Copy one regular file to a name that is free; returns why it cannot be read. Raises OSError for the target."""
    try:
        fd = open_file(source)
    except OSError as problem:
        return problem.strerror or "unreadable"
    try:
        found = os.fstat(fd)
        out = create_file(target, executable)
        try:
            sparse.copy(fd, out, sparse.segments(fd, found.st_size), found.st_size)
            set_time(out, found.st_mtime)
        finally:
            os.close(out)
    finally:
        os.close(fd)
    return None


def give_to(top: str, uid: int, gid: int) -> None:
    """Make everything in the tree, and its top, belong to a user; links are not followed. Raises OSError."""
    os.chown(top, uid, gid, follow_symlinks=False)
    for entry in walk(top):
        if entry.kind != UNREADABLE:
            os.chown(os.path.join(top, entry.path), uid, gid, follow_symlinks=False)


def remove_tree(top: str) -> None:
    """Remove a directory tree, or whatever else stands there; nothing there is fine. Raises OSError when it cannot."""
    try:
        found = os.lstat(top)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode):
        os.unlink(top)
        return
    if found.st_mode & 0o700 != 0o700:
        os.chmod(top, 0o700)  # whoever worked in it may have closed it
    empty_directory(top)
    os.rmdir(top)


def empty_directory(top: str) -> None:
    """Remove everything below a directory, however deep it goes.

    Each directory's subdirectories are first moved up to the top, so that no path grows longer than the system allows.
    """
    top_fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        number = 0
        names = os.listdir(top_fd)
        while names:
            for name in names:
                number = _flatten(top_fd, name, number)
            names = os.listdir(top_fd)
    finally:
        os.close(top_fd)


def _flatten(top_fd: int, name: str, number: int) -> int:
    """Remove one entry of the top; what its subdirectories hold moves up under new names, counted from `number`."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=top_fd, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=top_fd)
        return number
    os.chmod(name, 0o700, dir_fd=top_fd)
    fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top_fd)
    try:
        for child in os.listdir(fd):
            if stat.S_ISDIR(os.stat(child, dir_fd=fd, follow_symlinks=False).st_mode):
                os.chmod(child, 0o700, dir_fd=fd)
                number = _move_up(fd, child, top_fd, number)
            else:
                os.unlink(child, dir_fd=fd)
    finally:
        os.close(fd)
    os.rmdir(name, dir_fd=top_fd)
    return number


def _move_up(fd: int, child: str, top_fd: int, number: int) -> int:
    while True:
        number += 1
        moved = f".removed-{number}"
        try:
            os.stat(moved, dir_fd=top_fd, follow_symlinks=False)
        except FileNotFoundError:
            os.rename(child, moved, src_dir_fd=fd, dst_dir_fd=top_fd)
            return number
