"""Files with holes: find the parts that hold data, copy only those, and put them into a tar as GNU sparse 1.0."""

from __future__ import annotations

import errno
import os
from typing import Dict, Iterator, List, Tuple

CHUNK = 256 * 1024
BLOCK = 512
Segment = Tuple[int, int]  # offset, length; both in bytes


def segments(fd: int, size: int) -> List[Segment]:
    """The parts of an open file that hold data, in order; one part where the file system cannot tell."""
    found: List[Segment] = []
    position = 0
    while position < size:
        try:
            start = os.lseek(fd, position, os.SEEK_DATA)
            end = os.lseek(fd, start, os.SEEK_HOLE)
        except OSError as problem:
            if problem.errno == errno.ENXIO:  # nothing but a hole from here to the end
                break
            return [(0, size)]
        if start >= size:
            break
        found.append((start, min(end, size) - start))
        position = end
    return found


def data_bytes(parts: List[Segment]) -> int:
    """How much data the parts hold."""
    return sum(length for _, length in parts)


def copy(source: int, target: int, parts: List[Segment], size: int) -> None:
    """Copy the parts of one open file into another of `size` bytes at their offsets. Raises OSError."""
    os.ftruncate(target, size)
    for offset, length in parts:
        copy_part(source, offset, target, offset, length)


def copy_part(source: int, source_offset: int, target: int, target_offset: int, length: int) -> None:
    """Copy `length` bytes between two open files. Raises OSError when the source ends too early."""
    done = 0
    while done < length:
        chunk = os.pread(source, min(CHUNK, length - done), source_offset + done)
        if not chunk:
            raise OSError(errno.EIO, "the file ends before its recorded size")
        written = 0
        while written < len(chunk):
            written += os.pwrite(target, chunk[written:], target_offset + done + written)
        done += len(chunk)


class Stored:
    """What a tar member holds of a file: for a sparse one a map of its parts in decimal lines, then the parts."""

    def __init__(self, fd: int, name: str, size: int) -> None:
        """Read from the open file `fd`, which appears in the archive as `name` with `size` bytes."""
        self._fd = fd
        self.parts = segments(fd, size)
        self.headers: Dict[str, str] = {}
        self._map = b""
        self._rest = b""
        if self.parts != [(0, size)] and size:
            # a last, empty part tells where the file ends when it ends in a hole
            listed = self.parts if self.parts and sum(self.parts[-1]) == size else [*self.parts, (size, 0)]
            self._map = _map(listed)
            self.headers = {
                "GNU.sparse.major": "1",
                "GNU.sparse.minor": "0",
                "GNU.sparse.name": name,
                "GNU.sparse.realsize": str(size),
            }
        self.size = len(self._map) + data_bytes(self.parts)
        self._ahead = self._pieces()

    def read(self, count: int) -> bytes:
        """The next bytes, at most `count`, as a file object would give them; short only at the end."""
        collected = self._rest
        while len(collected) < count:
            piece = next(self._ahead, b"")
            if not piece:
                break
            collected += piece
        self._rest = collected[count:]
        return collected[:count]

    def _pieces(self) -> Iterator[bytes]:
        if self._map:
            yield self._map
        for offset, length in self.parts:
            done = 0
            while done < length:
                piece = os.pread(self._fd, min(CHUNK, length - done), offset + done)
                if not piece:
                    return
                yield piece
                done += len(piece)


def _map(parts: List[Segment]) -> bytes:
    lines = [len(parts)]
    for offset, length in parts:
        lines += [offset, length]
    text = "".join(f"{number}\n" for number in lines).encode("ascii")
    return text + b"\0" * (-len(text) % BLOCK)
