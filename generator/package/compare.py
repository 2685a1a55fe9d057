"""Is what stands on disk what was planned, or what its own manifest says? Reads only."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from generator.package import layout
from generator.package.manifest import manifest_bytes, read_manifest
from generator.package.model import FileRecord, PackagePlan, PlannedFile, SourceFile
from generator.package.source import CHUNK, measure


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where a package is not what it should be: path in it (empty: the package), and what is wrong."""

    path: str
    what: str

    def __str__(self) -> str:
        return f"{self.path} {self.what}".strip()

    @property
    def sentence(self) -> str:
        """The difference as a clause that stands by itself."""
        return str(self) if self.path else f"what stands in its place {self.what}"


ABSENT: Final = Difference("", "is missing")


@dataclass(frozen=True, slots=True)
class _Found:
    size: int
    executable: bool


def drift(plan: PackagePlan, directory: str) -> Difference | None:
    """What differs first between `plan` and the package at `directory`; None when they are the same, byte for byte.

    Modes count only as far as git keeps them: whether the owner may execute a file.

    Raises:
        SourceChangedError: The scenario is no longer what was planned.
        OSError: Something in `directory` cannot be read.
    """
    found = _listing(directory)
    if isinstance(found, Difference):
        return found
    manifest = found.pop(layout.MANIFEST, None)
    if different := _shape(plan.files, found):
        return different
    records = planned_records(plan)
    if different := _content(records, directory):
        return different
    if manifest is None:
        return Difference(layout.MANIFEST, "is missing")
    expected = manifest_bytes(plan, records)
    if manifest.size != len(expected) or _sha256(directory, layout.MANIFEST) != hashlib.sha256(expected).hexdigest():
        return Difference(layout.MANIFEST, "has other content")
    return Difference(layout.MANIFEST, "is executable") if manifest.executable else None


def edits(directory: str, scenario_id: str) -> Difference | str | None:
    """How the package at `directory` differs from its own manifest; a text when it is no package of `scenario_id`.

    Raises:
        OSError: Something in `directory` cannot be read.
    """
    found = _listing(directory)
    records = read_manifest(directory, scenario_id)
    if isinstance(records, str):
        return records
    if isinstance(found, Difference):
        return found
    found.pop(layout.MANIFEST, None)  # it may have come between the two looks
    return _shape(records, found) or _content(records, directory)


def planned_records(plan: PackagePlan) -> tuple[FileRecord, ...]:
    """The files of `plan` with their digests; each source is read once, however often it is copied.

    Raises:
        SourceChangedError: A source is no longer what was planned.
    """
    known: dict[str, str] = {}
    return tuple(
        FileRecord(file.path, _planned_sha256(plan, file, known), file.size, file.executable) for file in plan.files
    )


def _planned_sha256(plan: PackagePlan, file: PlannedFile, known: dict[str, str]) -> str:
    if isinstance(file.content, SourceFile):
        if file.content.real not in known:
            known[file.content.real] = measure(plan.tree, file.content)
        return known[file.content.real]
    return hashlib.sha256(file.content).hexdigest()


def _listing(directory: str) -> dict[str, _Found] | Difference:
    """Every regular file below `directory`, or the first thing that no package holds."""
    try:
        status = os.lstat(directory)
    except FileNotFoundError:
        return ABSENT
    if not stat.S_ISDIR(status.st_mode):
        return Difference("", "is not a directory")
    found: dict[str, _Found] = {}
    folders = [""]
    while folders:
        folder = folders.pop()
        entries = list(_entries(directory, folder))
        if not entries and folder:
            return Difference(folder, "is an empty directory")
        for path, mode, size in entries:
            if stat.S_ISDIR(mode):
                folders.append(path)
            elif stat.S_ISREG(mode):
                found[path] = _Found(size, bool(mode & stat.S_IXUSR))
            else:
                return Difference(path, "is a link" if stat.S_ISLNK(mode) else "is not a regular file")
    return found


def _entries(directory: str, folder: str) -> Iterator[tuple[str, int, int]]:
    """Path, mode and size of what lies in `folder`, sorted by name."""
    with os.scandir(os.path.join(directory, folder)) as scan:
        for entry in sorted(scan, key=lambda entry: entry.name):
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            yield f"{folder}/{entry.name}" if folder else entry.name, status.st_mode, status.st_size


def _shape(expected: Iterable[PlannedFile] | Iterable[FileRecord], found: Mapping[str, _Found]) -> Difference | None:
    """The first file, by path, that is missing, too many, or of another size or executable bit."""
    wanted = {file.path: file for file in expected}
    for path in sorted(wanted.keys() | found.keys()):
        if path not in found:
            return Difference(path, "is missing")
        if path not in wanted:
            return Difference(path, "does not belong to it")
        if wanted[path].size != found[path].size:
            return Difference(path, "has other content")
        if wanted[path].executable != found[path].executable:
            return Difference(path, "is not executable" if wanted[path].executable else "is executable")
    return None


def _content(records: Iterable[FileRecord], directory: str) -> Difference | None:
    for record in records:
        try:
            same = _sha256(directory, record.path) == record.sha256
        except FileNotFoundError:
            return Difference(record.path, "is missing")
        if not same:
            return Difference(record.path, "has other content")
    return None


def _sha256(directory: str, path: str) -> str:
    descriptor = os.open(os.path.join(directory, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    hashed = hashlib.sha256()
    with os.fdopen(descriptor, "rb", buffering=0) as handle:
        buffer = memoryview(bytearray(min(CHUNK, os.fstat(descriptor).st_size + 1)))
        while count := handle.readinto(buffer):
            hashed.update(buffer[:count])
    return hashed.hexdigest()
