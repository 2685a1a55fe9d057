"""Is what stands on disk what was planned, or what its own manifest says? Reads only."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple

from generator.package import layout
from generator.package.manifest import manifest_bytes, read_manifest
from generator.package.model import FileRecord, PackagePlan, PlannedFile
from generator.package.source import CHUNK, measure


class Difference(NamedTuple):
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
LONGEST_PATH: Final = 4095  # bytes that Linux takes as a path (PATH_MAX without the final NUL)


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
    if different := _names(plan.files, found):
        return different
    known: dict[str, str] = {}
    for file in plan.files:
        content = file.content if isinstance(file.content, bytes) else partial(_planned_sha256, plan, file, known)
        if different := _difference(directory, file, content):
            return different
    manifest = manifest_bytes(plan, planned_records(plan, known))
    return _difference(directory, PlannedFile(layout.MANIFEST, manifest), manifest)


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
    if different := _names(records, found):
        return different
    differences = (_difference(directory, record, partial(str, record.sha256)) for record in records)
    return next(filter(None, differences), None)


def copy_difference(records: Iterable[FileRecord], folder: str, copy: str) -> Difference | None:
    """How a copy of one folder of a package differs from what the package was known to hold; None when it does not.

    Args:
        records: All files of the package.
        folder: Path of the folder in the package, with a slash at its end; a package may have none of its files.
        copy: Where the copy stands.

    Raises:
        OSError: The copy cannot be read.
    """
    expected = [one._replace(path=one.path.removeprefix(folder)) for one in records if one.path.startswith(folder)]
    found = _listing(copy)
    if isinstance(found, Difference):
        return None if found is ABSENT and not expected else found
    if different := _names(expected, found):
        return different
    differences = (_difference(copy, record, partial(str, record.sha256)) for record in expected)
    return next(filter(None, differences), None)


def planned_records(plan: PackagePlan, known: dict[str, str] | None = None) -> tuple[FileRecord, ...]:
    """The files of `plan` with their digests; `known` has those of sources that were read already, by real path.

    Raises:
        SourceChangedError: A source is no longer what was planned.
    """
    known = {} if known is None else known
    return tuple(
        FileRecord(file.path, _planned_sha256(plan, file, known), file.size, file.executable) for file in plan.files
    )


def _planned_sha256(plan: PackagePlan, file: PlannedFile, known: dict[str, str]) -> str:
    """The digest of a planned file; each source is read once, however often it is copied."""
    if isinstance(file.content, bytes):
        return file.made_sha256
    if file.content.real not in known:
        known[file.content.real] = measure(plan.tree, file.content)
    return known[file.content.real]


def _listing(directory: str) -> set[str] | Difference:
    """Every regular file below `directory`, or the first thing that no package holds."""
    try:
        status = os.lstat(directory)
    except FileNotFoundError:
        return ABSENT
    if not stat.S_ISDIR(status.st_mode):
        return Difference("", "is not a directory")
    found: set[str] = set()
    folders = [""]
    while folders:
        folder = folders.pop()
        place = f"{directory}/{folder}".rstrip("/")
        if len(os.fsencode(place)) > LONGEST_PATH:
            return Difference(folder.partition("/")[0], "holds a path that is longer than any of a package")
        with os.scandir(place) as scan:
            entries = sorted(scan, key=attrgetter("name"))
        if not entries and folder:
            return Difference(folder.rstrip("/"), "is an empty directory")
        for entry in entries:
            path = folder + entry.name
            if entry.is_file(follow_symlinks=False):
                found.add(path)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(f"{path}/")
            else:
                return Difference(path, "is a link" if entry.is_symlink() else "is not a regular file")
    return found


def _names(expected: Iterable[PlannedFile] | Iterable[FileRecord], found: set[str]) -> Difference | None:
    """The first file, by path, that is missing or too many; the manifest is compared by itself."""
    wanted = {file.path for file in expected}
    different = wanted ^ (found - {layout.MANIFEST})
    if not different:
        return None
    path = min(different)
    return Difference(path, "is missing" if path in wanted else "does not belong to it")


def _difference(
    directory: str, file: PlannedFile | FileRecord, content: bytes | Callable[[], str]
) -> Difference | None:
    """How a file in `directory` is not what it should be; `content` is all of it, or gives its SHA-256 when asked."""
    try:
        descriptor = os.open(f"{directory}/{file.path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return Difference(file.path, "is missing")
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Difference(file.path, "is not a regular file")
        if status.st_size != file.size or not _holds(descriptor, file.size, content):
            return Difference(file.path, "has other content")
    finally:
        os.close(descriptor)
    if bool(status.st_mode & stat.S_IXUSR) != file.executable:
        return Difference(file.path, "is not executable" if file.executable else "is executable")
    return None


def _holds(descriptor: int, size: int, content: bytes | Callable[[], str]) -> bool:
    """Whether an open file of `size` bytes has this content."""
    if isinstance(content, bytes):
        return os.read(descriptor, size + 1) == content
    expected = content()
    hashed = hashlib.sha256()
    buffer = memoryview(bytearray(min(CHUNK, size + 1)))
    while count := os.readv(descriptor, [buffer]):
        hashed.update(buffer[:count])
    return hashed.hexdigest() == expected
