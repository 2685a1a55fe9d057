"""Read files below one directory and never outside it.

Authors link, nest and mistype; strangers do it on purpose. Every question about a path is answered as a value
(`Entry`), links are followed only while they stay inside, nothing that could block or misbehave when opened (FIFOs,
devices, sockets) is ever opened, and opening and listing refuse links component by component, so that a link put there
after the look cannot redirect them.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

_ALL_READ: Final = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH

_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PIECE: Final = 64 * 1024  # bytes; larger ones are allocated page by page each time
MAX_LINKS: Final = 40  # what Linux itself allows in one resolution (path_resolution(7))
MAX_ENTRIES: Final = 100_000  # directory links can multiply a small tree without end
MAX_DEPTH: Final = 200  # far over what people make; the cost of a walk grows with the square of it


class Kind(StrEnum):
    """What a path turned out to be."""

    FILE = "file"
    DIRECTORY = "directory"
    MISSING = "missing"
    OUTSIDE = "outside"
    LOOP = "loop"
    SPECIAL = "special"
    UNREADABLE = "unreadable"
    TOO_MANY = "too_many"
    TOO_LARGE = "too_large"


class Entry(NamedTuple):
    """One path of the tree.

    Attributes:
        path: Relative POSIX path as it was asked for or found, links not followed.
        kind: What it is once links are followed.
        real: Relative POSIX path with every link followed; empty unless file or directory (`.` is the root itself).
        size: Bytes of a file.
        executable: Whether the owner may execute the file.
        identity: Device and inode of a file, to recognise hard links.
        detail: Why, for people: the link's target, the system's message.
    """

    path: str
    kind: Kind
    real: str = ""
    size: int = 0
    executable: bool = False
    identity: tuple[int, int] | None = None
    detail: str = ""


class Refusal(NamedTuple):
    """Why a file was not read; `detail` is for people."""

    kind: Kind
    detail: str = ""


class Tree(NamedTuple):
    """The files below `root`, which is followed if it is itself a link."""

    root: Path

    def names(self) -> tuple[str, ...]:
        """What stands in the root itself, in no order; nothing where it cannot be listed."""
        try:
            return tuple(os.listdir(str(self.root)))
        except OSError:
            return ()

    def look(self, path: str) -> Entry:
        """What `path` (relative, POSIX) is, links followed while they stay inside."""
        if path.startswith("/") or "\0" in path:
            return Entry(path, Kind.OUTSIDE, detail="not a relative path")
        return self._look(path, [], path)

    def _look(self, shown: str, above: list[str], path: str) -> Entry:
        """What `path` is, seen from the directory `above` (its parts without links)."""
        resolved = self._resolve(shown, above, path)
        if isinstance(resolved, Entry):
            return resolved
        parts, status = resolved
        real = "/".join(parts) or "."
        if stat.S_ISDIR(status.st_mode):
            return Entry(shown, Kind.DIRECTORY, real)
        if not stat.S_ISREG(status.st_mode):
            return Entry(shown, Kind.SPECIAL, detail=stat.filemode(status.st_mode))
        if self._is_closed(parts, status):
            return Entry(shown, Kind.UNREADABLE, detail=os.strerror(errno.EACCES))
        executable = bool(status.st_mode & stat.S_IXUSR)
        return Entry(shown, Kind.FILE, real, status.st_size, executable, (status.st_dev, status.st_ino))

    def walk(self, path: str) -> tuple[Entry, ...]:
        """`path` and, when it is a directory, everything below it, sorted; directories come before what they hold.

        Links appear as what they lead to. A link back to a directory that contains it is one `LOOP` entry, a directory
        nested deeper than `MAX_DEPTH` one `TOO_MANY` entry, and the end of a walk after `MAX_ENTRIES` another.
        """
        first = self.look(path)
        if first.kind is not Kind.DIRECTORY:
            return (first,)
        found: list[Entry] = []
        for entry in self._walk(path):
            if len(found) == MAX_ENTRIES:
                found.append(Entry(path, Kind.TOO_MANY, detail=f"more than {MAX_ENTRIES} files and directories"))
                break
            found.append(entry)
        return tuple(found)

    def sample(self, count: int) -> tuple[str, ...]:
        """The first `count` paths of the tree, in the order of `walk`."""
        return tuple(entry.path for entry in islice(self._walk("."), 1, count + 1))

    def read(self, path: str, limit: int) -> bytes | Refusal:
        """The bytes of the regular file at `path`, or why not; a file over `limit` bytes is not read."""
        return self.content(self.look(path), limit)

    def content(self, entry: Entry, limit: int) -> bytes | Refusal:
        """The bytes of what a look or a walk found, as `read` gives them."""
        if entry.kind is not Kind.FILE:
            return Refusal(entry.kind, entry.detail)
        try:
            data = _read(*self._opened(entry.real), limit + 1)
        except OSError as error:
            return Refusal(Kind.UNREADABLE, _why(error))
        if len(data) > limit:
            return Refusal(Kind.TOO_LARGE, f"over {limit} bytes")
        return data

    def open(self, real: str) -> int:
        """A read-only descriptor of the regular file at `real` (a path without links, as in `Entry.real`).

        Raises:
            OSError: It is gone, or is now a link or anything but a regular file.
        """
        return self._opened(real)[0]

    def _opened(self, real: str) -> tuple[int, int]:
        """The same, and how many bytes the file has now: another one may have taken its place since the look."""
        folder, _, name = real.rpartition("/")
        if folder:
            where = self._open_folder(folder)
            try:
                descriptor = os.open(name, _FILE_FLAGS, dir_fd=where)
            finally:
                os.close(where)
        else:
            descriptor = os.open(f"{self.root}/{name}", _FILE_FLAGS)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise OSError(f"not a regular file any more: {real}")
        return descriptor, status.st_size

    def _open_folder(self, real: str) -> int:
        """A descriptor of the directory at `real`, reached component by component without following a link."""
        folders = [name for name in real.split("/") if name not in ("", ".")]
        if ".." in folders:
            raise OSError(f"not a path without links: {real}")
        if not folders:
            return os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        where = os.open(f"{self.root}/{folders[0]}", _FOLDER_FLAGS)
        for folder in folders[1:]:
            try:
                below = os.open(folder, _FOLDER_FLAGS, dir_fd=where)
            finally:
                os.close(where)
            where = below
        return where

    def _names(self, real: str) -> list[str]:
        where = self._open_folder(real)
        try:
            return sorted(os.listdir(where))
        finally:
            os.close(where)

    def _walk(self, path: str) -> Iterator[Entry]:
        """Depth first, each name seen from the directory it stands in instead of from the root.

        What lies ahead is a path as it will be shown, its name in its directory, and the real paths of all directories
        around it, outermost first.
        """
        ahead: list[tuple[str, str, tuple[str, ...]]] = [(path, path, ())]
        while ahead:
            shown, name, above = ahead.pop()
            entry = self._look(shown, _parts(above[-1]), name) if above else self.look(shown)
            if entry.kind is Kind.DIRECTORY and entry.real in above:
                entry = Entry(shown, Kind.LOOP, detail=f"leads back to {entry.real}")
            elif entry.kind is Kind.DIRECTORY and len(above) == MAX_DEPTH:
                entry = Entry(shown, Kind.TOO_MANY, detail=f"nested deeper than {MAX_DEPTH} directories")
            try:
                names = self._names(entry.real) if entry.kind is Kind.DIRECTORY else []
            except OSError as error:
                entry, names = Entry(shown, Kind.UNREADABLE, detail=_why(error)), []
            yield entry
            prefix = "" if shown in ("", ".") else f"{shown.rstrip('/')}/"
            ahead += [(prefix + below, below, (*above, entry.real)) for below in reversed(names)]

    def _resolve(self, shown: str, above: list[str], path: str) -> Entry | tuple[list[str], os.stat_result]:
        """Parts without links and their status, or the entry (as `shown`) that says why there is none."""
        ahead = path.split("/")[::-1]
        parts = list(above)
        place = self._place(parts)
        status: os.stat_result | None = None  # of what `parts` leads to, where it is known
        target = ""
        links = 0
        try:
            while ahead:
                part = ahead.pop()
                if part in ("", "."):
                    continue
                if part == "..":
                    if not parts:
                        return Entry(shown, Kind.OUTSIDE, detail="leads out of the scenario directory")
                    parts.pop()
                    place, status = self._place(parts), None
                    continue
                parts.append(part)
                place = f"{place}/{part}"
                status = os.lstat(place)
                kind = stat.S_IFMT(status.st_mode)
                if kind == stat.S_IFLNK:
                    links += 1
                    if links > MAX_LINKS:
                        return Entry(shown, Kind.LOOP, detail="a link that leads to itself")
                    target = os.readlink(place)
                    parts.pop()
                    place, status = self._place(parts), None
                    if target.startswith("/"):
                        return Entry(shown, Kind.OUTSIDE, detail=f"a link to {target}")
                    ahead += target.split("/")[::-1]
                    continue
                if ahead and kind != stat.S_IFDIR:
                    return Entry(shown, Kind.MISSING, detail=f"{'/'.join(parts)} is not a directory")
            return parts, status or (os.lstat(place) if parts else os.stat(self.root))
        except FileNotFoundError:
            return Entry(shown, Kind.MISSING, detail=f"by way of a link to {target}" if target else "")
        except (OSError, ValueError) as error:
            return Entry(shown, Kind.UNREADABLE, detail=_why(error))

    def _is_closed(self, parts: list[str], status: os.stat_result) -> bool:
        """Whether a file may not be read; the system is asked only where the mode leaves a doubt."""
        return status.st_mode & _ALL_READ != _ALL_READ and not os.access(
            self._place(parts), os.R_OK, effective_ids=os.access in os.supports_effective_ids
        )

    def _place(self, parts: list[str]) -> str:
        return "/".join([str(self.root), *parts]) if parts else str(self.root)


def _read(descriptor: int, size: int, most: int) -> bytes:
    """At most `most` bytes of an open file, which is closed; in pieces, so that a high limit costs nothing.

    Most files end where their `size` says, and need not be asked whether anything follows.
    """
    try:
        data = os.read(descriptor, min(most, _PIECE))
        while data and len(data) not in (size, most) and (piece := os.read(descriptor, min(most - len(data), _PIECE))):
            data += piece
    finally:
        os.close(descriptor)
    return data


def _parts(real: str) -> list[str]:
    return [] if real == "." else real.split("/")


def _why(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)
