"""Unpack a handed-over workspace whose author controls every byte of the archive.

Nothing is written outside the target, no link is ever written through (links are made last), a hard link is a copy
from the archive and never a name for something on this machine, and special files are listed instead of made.
"""

from __future__ import annotations

import os
import tarfile
from dataclasses import dataclass, field
from typing import BinaryIO, Dict, List, Optional, Sequence, Tuple

from . import sparse
from .handover import DEFAULT_LIMITS, HandoverLimits
from .links import drop_leaving_links
from .trees import SPECIAL_FILE, LeftOut, create_directory, create_file, set_time

_PARSE_ERRORS = (
    tarfile.TarError,
    EOFError,
    ValueError,
    OverflowError,
    LookupError,
    MemoryError,
    RecursionError,
    OSError,
)


@dataclass(frozen=True)
class Unpacked:
    """The tree is complete but for `left_out` when `problem` is empty; else the archive is damaged or too large."""

    left_out: Tuple[LeftOut, ...] = ()
    problem: str = ""


def unpack(
    archive: str,
    target: str,
    limits: HandoverLimits = DEFAULT_LIMITS,
    homes: Sequence[str] = (),
    forbidden: Sequence[str] = (),
) -> Unpacked:
    """Unpack a plain tar into `target`, an empty or missing directory.

    Modes become 0644, 0755 for what was executable, and 0755 for directories; setuid and owners are dropped. Of members
    with one name the last counts. A member that cannot be placed is listed and does not stop the others.

    Args:
        archive: The tar, GNU or PAX, sparse files included.
        target: Where to.
        limits: Entries and bytes of data that may be written.
        homes: Where the tree stands for those who look at it; see `links.drop_leaving_links`.
        forbidden: Where no link may lead; see there.
    """
    try:
        with open(archive, "rb") as stream, tarfile.open(fileobj=stream, mode="r:") as tar:
            if not os.path.isdir(target):
                create_directory(target)
            work = _Unpacking(os.path.realpath(target), stream, limits)
            for member in tar:
                work.take(member)
            _check_end(tar, stream)
            work.make_links()
            left_out = (*work.left_out, *drop_leaving_links(work.top, homes, forbidden))
    except _TooLargeError as problem:
        return Unpacked(problem=str(problem))
    except _PARSE_ERRORS as problem:
        return Unpacked(problem=f"the archive of the workspace is damaged: {problem}")
    return Unpacked(tuple(left_out))


def _check_end(tar: tarfile.TarFile, stream: BinaryIO) -> None:
    """`tarfile` takes a missing rest, or garbage, for the end of the archive; the end is a block of zeros."""
    stream.seek(tar.offset)
    if stream.read(sparse.BLOCK) != bytes(sparse.BLOCK):
        raise tarfile.ReadError("its end is missing")


class _TooLargeError(Exception):
    """The archive holds more than may be unpacked."""


@dataclass
class _Unpacking:
    top: str
    stream: BinaryIO
    limits: HandoverLimits
    entries: int = 0
    written: int = 0
    left_out: List[LeftOut] = field(default_factory=list)
    _files: Dict[str, tarfile.TarInfo] = field(default_factory=dict)
    _links: Dict[str, str] = field(default_factory=dict)

    def take(self, member: tarfile.TarInfo) -> None:
        """Place one member, or list why not."""
        self.entries += 1
        if self.entries > self.limits.max_files:
            raise _TooLargeError(f"the archive of the workspace has more than {self.limits.max_files} members")
        path = _safe_path(member.name)
        if path is None:
            self.left_out.append(LeftOut(member.name, "name leads out of the workspace"))
        elif path:
            reason = self._place(path, member)
            if reason:
                self.left_out.append(LeftOut(path, reason))

    def _place(self, path: str, member: tarfile.TarInfo) -> str:
        if member.isdir():
            return self._directory(path)
        if member.issym():
            return self._note_link(path, member.linkname)
        if member.isreg():
            return self._file(path, member)
        if member.islnk():
            return self._hard_link(path, member.linkname)
        return SPECIAL_FILE

    def _directory(self, path: str) -> str:
        """Make a directory and its parents; a file in the way stays."""
        made = ""
        for part in path.split("/"):
            made = f"{made}/{part}" if made else part
            place = os.path.join(self.top, made)
            if made in self._files:
                return f"{made} is a file"
            if not os.path.isdir(place):
                try:
                    create_directory(place)
                except OSError as problem:
                    return problem.strerror or "cannot be made"
        return ""

    def _parent(self, path: str) -> str:
        return self._directory(os.path.dirname(path)) if "/" in path else ""

    def _note_link(self, path: str, target: str) -> str:
        self._forget(path)
        self._links[path] = target
        return ""

    def _forget(self, path: str) -> None:
        """A later member of the same name takes the place of an earlier file or link."""
        self._links.pop(path, None)
        if self._files.pop(path, None) is not None:
            os.unlink(os.path.join(self.top, path))

    def _hard_link(self, path: str, target: str) -> str:
        first = _safe_path(target) or ""
        if first in self._links:
            return self._note_link(path, self._links[first])
        member = self._files.get(first)
        if member is None:
            return "hard link to nothing in the archive"
        return "" if first == path else self._file(path, member)

    def _file(self, path: str, member: tarfile.TarInfo) -> str:
        reason = self._parent(path)
        if reason:
            return reason
        self._forget(path)
        place = os.path.join(self.top, path)
        try:
            fd = create_file(place, bool(member.mode & 0o111))
        except OSError as problem:
            return problem.strerror or "cannot be made"
        self._files[path] = member
        try:
            self._fill(fd, member)
        finally:
            os.close(fd)
        return ""

    def _fill(self, fd: int, member: tarfile.TarInfo) -> None:
        parts = _parts(member)
        self.written += sparse.data_bytes(parts)
        if self.written > self.limits.max_bytes:
            raise _TooLargeError(f"the workspace holds more than {self.limits.max_bytes} bytes of data")
        os.ftruncate(fd, member.size)
        position = member.offset_data
        for offset, length in parts:
            sparse.copy_part(self.stream.fileno(), position, fd, offset, length)
            position += length
        set_time(fd, float(member.mtime))

    def make_links(self) -> None:
        """Make all links: directories for them first, so that none is made through another."""
        fit = {}
        for path, target in sorted(self._links.items()):
            reason = self._parent(path)
            if reason:
                self.left_out.append(LeftOut(path, reason, target))
            else:
                fit[path] = target
        for path, target in fit.items():
            try:
                os.symlink(target, os.path.join(self.top, path))
            except (OSError, ValueError) as problem:
                self.left_out.append(LeftOut(path, getattr(problem, "strerror", None) or "no link can be made", target))


def _parts(member: tarfile.TarInfo) -> List[sparse.Segment]:
    """Where the stored data of a member belongs in its file."""
    listed = getattr(member, "sparse", None)
    if listed is None:
        return [(0, member.size)]
    parts = [(offset, length) for offset, length in listed if length]
    for offset, length in parts:
        if offset < 0 or length < 0 or offset + length > member.size:
            raise tarfile.ReadError(f"the map of {member.name!r} reaches outside the file")
    return parts


def _safe_path(name: str) -> Optional[str]:
    """A member name as a path below the top, `""` for the top itself, None when it leads out."""
    if name.startswith("/") or "\0" in name:
        return None
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return None if ".." in parts else "/".join(parts)
