"""Write the files of a plan into an empty directory, hashing what is copied while it is copied."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from generator.package import layout
from generator.package.manifest import manifest_bytes
from generator.package.model import FileRecord, PackagePlan, PlannedFile, SourceFile
from generator.package.source import chunks, confirmed

if TYPE_CHECKING:
    from concurrent.futures import Future

# Whatever the umask says, since packages are compared, published and copied into images.
_FOLDER_MODE: Final = 0o755
_FILE_MODES: Final = {False: 0o644, True: 0o755}
_LARGE: Final = 32 * 1024 * 1024  # bytes; hashing less takes as long as importing what makes a thread


def stage(plan: PackagePlan, folder: str) -> None:
    """Make the whole package, with its manifest, at `folder`, which must not exist.

    Raises:
        SourceChangedError: The scenario is no longer what was planned.
        OSError: Something cannot be written; its `filename` says what.
    """
    for path in _folders(plan.files):
        name = os.path.join(folder, path)
        os.mkdir(name)
        os.chmod(name, _FOLDER_MODE)
    records: list[FileRecord] = []
    copies: dict[SourceFile, list[PlannedFile]] = {}
    for file in plan.files:
        if isinstance(file.content, SourceFile):
            copies.setdefault(file.content, []).append(file)
        else:
            records.append(_write(folder, file, file.content))
    for source, files in copies.items():
        records += _copy(plan, folder, source, files)
    manifest = manifest_bytes(plan, sorted(records, key=lambda record: record.path))
    _write(folder, PlannedFile(layout.MANIFEST, manifest), manifest)


def _folders(files: Iterable[PlannedFile]) -> list[str]:
    """The package itself and every directory of it, parents first."""
    found = {""}
    for file in files:
        path = file.path.rpartition("/")[0]
        while path not in found:
            found.add(path)
            path = path.rpartition("/")[0]
    return sorted(found)


def _write(folder: str, file: PlannedFile, content: bytes) -> FileRecord:
    path = f"{folder}/{file.path}"
    descriptor = _create(path, file.executable)
    try:
        _write_all(descriptor, content, path)
    finally:
        os.close(descriptor)
    return FileRecord(file.path, file.made_sha256, len(content), file.executable)


def _copy(plan: PackagePlan, folder: str, source: SourceFile, files: list[PlannedFile]) -> list[FileRecord]:
    """Copy one source to all its places in one pass."""
    hashed = hashlib.sha256()
    with ExitStack() as opened:
        targets = []
        for file in files:
            path = f"{folder}/{file.path}"
            descriptor = _create(path, file.executable)
            opened.callback(os.close, descriptor)
            targets.append((descriptor, path))
        update = opened.enter_context(_beside(hashed.update)) if source.size > _LARGE else hashed.update
        for piece in chunks(plan.tree, source):
            hashing = update(piece)
            for descriptor, path in targets:
                _write_all(descriptor, piece, path)
            if hashing:
                hashing.result()
    sha256 = confirmed(source, hashed.hexdigest())
    return [FileRecord(file.path, sha256, source.size, file.executable) for file in files]


@contextmanager
def _beside(update: Callable[[memoryview], None]) -> Iterator[Callable[[memoryview], Future[None] | None]]:
    """`update`, but in another thread: hashing takes as long as writing, and both leave the interpreter alone.

    Where the system has no room for a thread it is `update` itself.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        try:
            thread.submit(int)  # starts it; what could not be started would keep a piece until its memory has another
        except RuntimeError:
            yield update
        else:
            yield lambda piece: thread.submit(update, piece)


def _create(path: str, executable: bool) -> int:
    """A descriptor of a new, empty file."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, _FILE_MODES[executable])
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _write_all(descriptor: int, data: bytes | memoryview, path: str) -> None:
    try:
        written = os.write(descriptor, data)
        rest = memoryview(data)[written:]
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError as error:
        error.filename = path
        raise
