"""Read a scenario's files for a package: in one pass, in constant memory, and only if they are what was planned."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import Final

from generator.diagnostics.model import Finding
from generator.package.model import SourceFile
from generator.source.tree import Tree

CHUNK: Final = 1024 * 1024  # bytes; less makes handing a piece to another thread cost as much as hashing it


class SourceChangedError(Exception):
    """A file is not what it was when the package was planned; caught where the package is given up."""

    def __init__(self, source: SourceFile, why: str) -> None:
        super().__init__(source.real, why)
        self.finding = Finding(
            "package_source_changed",
            "",
            f"{source.real!r} changed while the package was made: {why}",
            "run the command again when nothing writes to the scenario",
            file=source.real,
        )


def chunks(tree: Tree, source: SourceFile) -> Iterator[memoryview]:
    """The bytes of `source` in pieces, each valid until the next is asked for.

    Raises:
        SourceChangedError: It is gone, unreadable, another file, of another size, or was written to meanwhile.
    """
    try:
        descriptor = tree.open(source.real)
    except OSError as error:
        raise SourceChangedError(source, error.strerror or str(error)) from None
    with os.fdopen(descriptor, "rb", buffering=0) as handle:
        before = os.fstat(descriptor)
        if source.identity not in (None, (before.st_dev, before.st_ino)):
            raise SourceChangedError(source, "another file took its place")
        buffer = memoryview(bytearray(min(CHUNK, source.size + 1)))
        total = 0
        while count := handle.readinto(buffer):
            total += count
            if total > source.size:
                break
            yield buffer[:count]
        after = os.fstat(descriptor)
        if total != source.size or (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            raise SourceChangedError(source, "it was written to")


def measure(tree: Tree, source: SourceFile) -> str:
    """The SHA-256 of `source` in hexadecimal digits.

    Raises:
        SourceChangedError: As for `chunks`, or the digest is not the planned one.
    """
    hashed = hashlib.sha256()
    for piece in chunks(tree, source):
        hashed.update(piece)
    return confirmed(source, hashed.hexdigest())


def confirmed(source: SourceFile, sha256: str) -> str:
    """`sha256`, when it is the planned one or none was planned.

    Raises:
        SourceChangedError: It is another.
    """
    if source.sha256 not in (None, sha256):
        raise SourceChangedError(source, "its content is another")
    return sha256
