"""The values that pass between planning, comparing and writing a package."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from generator.diagnostics.model import Finding
from generator.source.tree import Tree

DEFAULT_ORG = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a pack's owner decides about all packages alike.

    Attributes:
        org: Stands before the slash of every task name.
        authors: Authors of tasks whose scenario names no maintainers.
    """

    org: str = DEFAULT_ORG
    authors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """Bytes that stay where they are until they are copied.

    Attributes:
        real: Path below the scenario directory, without links.
        size: Bytes it had when the package was planned.
        identity: Device and inode it had then.
        sha256: Hexadecimal digest it had then, where the plan needed it; None when it was not read.
    """

    real: str
    size: int
    identity: tuple[int, int] | None
    sha256: str | None = None


@dataclass(frozen=True)
class PlannedFile:
    """One file of a package: relative POSIX path, content, and whether it may be executed."""

    path: str
    content: bytes | SourceFile
    executable: bool = False

    @cached_property
    def made_sha256(self) -> str:
        """The SHA-256 of bytes of our own, in hexadecimal digits; worked out once for what every package holds."""
        assert isinstance(self.content, bytes), "the digest of a source is known when it is read"
        return hashlib.sha256(self.content).hexdigest()

    @property
    def size(self) -> int:
        """Bytes it will have."""
        return len(self.content) if isinstance(self.content, bytes) else self.content.size


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagePlan:
    """Everything that will stand in a package but its manifest, which needs the digests of what was really copied.

    Attributes:
        id: The scenario's id, which is the directory's name.
        title: The scenario's title.
        version: The scenario's own version; None when it states none.
        tree: Where `SourceFile`s are read from.
        files: Sorted by path.
        notes: What the author should know although the package is made.
    """

    id: str
    title: str
    version: str | None
    tree: Tree
    files: tuple[PlannedFile, ...]
    notes: tuple[Finding, ...] = ()

    @property
    def task(self) -> bytes:
        """What its `task.toml` will hold."""
        content = next(file.content for file in self.files if file.path == "task.toml")
        assert isinstance(content, bytes), "it is made, not copied"
        return content


class FileRecord(NamedTuple):
    """A file as the manifest lists it: relative POSIX path, hexadecimal SHA-256, bytes, executable bit."""

    path: str
    sha256: str
    size: int
    executable: bool
