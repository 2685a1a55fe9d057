"""Put a finished workspace into one archive: everything that was left, nothing cut in silence.

`pack` makes the plain tar that travels to the review; `archive` the deterministic `tar.gz` kept as evidence.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import stat
import tarfile
from dataclasses import dataclass, field
from typing import BinaryIO, Dict, List, NamedTuple, Tuple, Union

from . import sparse
from .trees import DIRECTORY, FILE, LINK, SPECIAL, SPECIAL_FILE, Entry, LeftOut, open_file, walk, whole_file

MAX_BYTES = 5 * 1024**3
MAX_FILES = 200_000


class HandoverLimits(NamedTuple):
    """What a workspace may hold: bytes of data (holes are free) and number of entries."""

    max_bytes: int = MAX_BYTES
    max_files: int = MAX_FILES


DEFAULT_LIMITS = HandoverLimits()


class PackResult(NamedTuple):
    """What became of packing; the archive exists only when `problem` is empty.

    Attributes:
        problem: Why there is no archive.
        too_large: Whether the reason is that the workspace is over a limit.
        entries: Files, directories and links in the archive.
        data_bytes: Bytes of file data in it.
        left_out: Special files and what could not be read.
        sha256: Of the archive.
    """

    problem: str = ""
    too_large: bool = False
    entries: int = 0
    data_bytes: int = 0
    left_out: Tuple[LeftOut, ...] = ()
    sha256: str = ""


def pack(workspace: str, archive_path: str, limits: HandoverLimits = DEFAULT_LIMITS) -> PackResult:
    """Archive all of a dead workspace: build output, dotfiles, `.git`, links as links, sparse files sparse.

    Modes become 0644 or 0755, owners are dropped, modification times are kept (build tools live by them). A directory
    or file that forbids its own reading is opened up first, so that it makes no difference who packs.

    Args:
        workspace: The directory; nothing may run in it any more.
        archive_path: The tar to write; an older one is replaced.
        limits: Over them the result says so and there is no archive.

    Returns:
        The result; an archive that cannot be written (full disk) is a `problem` too.
    """
    writer = _Writer(workspace, limits, keep_times=True, mend=True)
    try:
        with (
            open(archive_path, "wb") as stream,
            tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            writer.write(tar)
    except _OverLimitError as problem:
        _discard(archive_path)
        return PackResult(problem=str(problem), too_large=True, left_out=tuple(writer.left_out))
    except OSError as problem:
        _discard(archive_path)
        return PackResult(problem=f"the workspace could not be archived: {problem}", left_out=tuple(writer.left_out))
    return PackResult(
        entries=writer.entries,
        data_bytes=writer.data_bytes,
        left_out=tuple(writer.left_out),
        sha256=digest(archive_path),
    )


def over_limits(tree: str, limits: HandoverLimits) -> str:
    """Why a directory that is not ours to change is too large to be reviewed; empty when it is not."""
    data_bytes = 0
    for entries, entry in enumerate(walk(tree), start=1):
        if entries > limits.max_files:
            return _too_many_files(limits)
        if entry.kind == FILE:
            data_bytes += _data_bytes(os.path.join(tree, entry.path))
        if data_bytes > limits.max_bytes:
            return _too_many_bytes(limits)
    return ""


def _data_bytes(path: str) -> int:
    try:
        fd = open_file(path)
    except OSError:  # left out of every copy, and listed there
        return 0
    try:
        return sparse.data_bytes(sparse.segments(fd, os.fstat(fd).st_size))
    finally:
        os.close(fd)


def _too_many_files(limits: HandoverLimits) -> str:
    return f"the workspace holds more than {limits.max_files} files, directories and links"


def _too_many_bytes(limits: HandoverLimits) -> str:
    return f"the workspace holds more than {limits.max_bytes} bytes of data"


def archive(tree: str, path: str, *, mend: bool = False) -> Tuple[LeftOut, ...]:
    """Write a tree as `tar.gz` whose bytes depend on its content alone.

    Args:
        tree: The directory.
        path: The archive to write.
        mend: Open up what forbids its own reading; the tree is ours to change.

    Returns:
        Special files, and what could not be read. Raises OSError when `path` cannot be written.
    """
    writer = _Writer(tree, HandoverLimits(max_bytes=1 << 62, max_files=1 << 62), keep_times=False, mend=mend)
    with whole_file(path) as stream, gzip.GzipFile("", "wb", 1, stream, mtime=0) as packed, _tar(packed) as tar:
        writer.write(tar)
    return tuple(writer.left_out)


def digest(path: str) -> str:
    """SHA-256 of a file, in hexadecimal. Raises OSError."""
    made = hashlib.sha256()
    with open(path, "rb") as stream:
        for chunk in iter(lambda: stream.read(1 << 20), b""):
            made.update(chunk)
    return made.hexdigest()


class _OverLimitError(Exception):
    """The workspace holds more than a limit allows."""


@dataclass
class _Writer:
    """Writes one tree into one tar and keeps count."""

    top: str
    limits: HandoverLimits
    keep_times: bool
    mend: bool
    entries: int = 0
    data_bytes: int = 0
    left_out: List[LeftOut] = field(default_factory=list)

    def write(self, tar: tarfile.TarFile) -> None:
        for entry in walk(self.top, mend=self.mend):
            if entry.kind in (DIRECTORY, LINK, FILE):
                self._add(tar, entry)
            else:
                self.left_out.append(LeftOut(entry.path, SPECIAL_FILE if entry.kind == SPECIAL else entry.error))

    def _add(self, tar: tarfile.TarFile, entry: Entry) -> None:
        self.entries += 1
        if self.entries > self.limits.max_files:
            raise _OverLimitError(_too_many_files(self.limits))
        info = self._info(entry)
        place = os.path.join(self.top, entry.path)
        if entry.kind == FILE:
            self._add_file(tar, info, place)
            return
        if entry.kind == DIRECTORY:
            info.type = tarfile.DIRTYPE
        else:
            info.type = tarfile.SYMTYPE
            info.linkname = os.readlink(place)
        tar.addfile(info)

    def _info(self, entry: Entry) -> tarfile.TarInfo:
        info = tarfile.TarInfo(entry.path)
        info.mode = 0o755 if entry.executable or entry.kind == DIRECTORY else 0o644
        info.mtime = max(0, int(entry.mtime)) if self.keep_times else 0
        return info

    def _add_file(self, tar: tarfile.TarFile, info: tarfile.TarInfo, place: str) -> None:
        try:
            fd = open_file(place, mend=self.mend)
        except OSError as problem:
            self.entries -= 1
            self.left_out.append(LeftOut(info.name, problem.strerror or "unreadable"))
            return
        try:
            stored = sparse.Stored(fd, info.name, os.fstat(fd).st_size)
            self._count(sparse.data_bytes(stored.parts))
            headers: Dict[str, str] = stored.headers
            if headers:
                info.pax_headers = headers
                info.name = f"GNUSparseFile.0/{self.entries}"  # the real name stands in the headers
            info.size = stored.size
            tar.addfile(info, _as_stream(stored))
        finally:
            os.close(fd)

    def _count(self, size: int) -> None:
        self.data_bytes += size
        if self.data_bytes > self.limits.max_bytes:
            raise _OverLimitError(_too_many_bytes(self.limits))


def _as_stream(stored: sparse.Stored) -> BinaryIO:
    """`tarfile` only ever calls `read`."""
    return stored  # type: ignore[return-value]


def _tar(stream: Union[BinaryIO, gzip.GzipFile]) -> tarfile.TarFile:
    return tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT)


def _discard(path: str) -> None:
    """Remove a half-written archive; whatever else was named as one is not ours to remove."""
    try:
        if stat.S_ISREG(os.lstat(path).st_mode):
            os.unlink(path)
    except OSError:
        return
