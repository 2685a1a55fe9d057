"""`manifest.json`: what a package holds, so that anyone can tell whether it still does."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from typing import Any, Final

from generator.package import layout
from generator.package.model import FileRecord, PackagePlan
from generator.package.render import json_bytes

MAX_MANIFEST_BYTES: Final = 64 * 1024 * 1024  # a package of 100,000 files has a manifest of about 20 MB

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
_HEX: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)


def manifest_bytes(plan: PackagePlan, records: Iterable[FileRecord]) -> bytes:
    """The manifest of a package made from `plan` whose files turned out as `records` (sorted by path).

    Each file stands on one line: that is what a reader compares, and the encoder that indents is ten times as slow.
    """
    listed = tuple(records)
    document = {
        "packageFormat": layout.PACKAGE_FORMAT,
        "generator": {"name": "harborsmith"},
        "scenario": {"id": plan.id, "version": plan.version, "title": plan.title},
        "digests": {
            "agent": _digest_of(listed, ("environment/",), ("instruction.md",)),
            "judge": _digest_of(listed, ("tests/",), ()),
            "metadata": _digest_of(listed, (), ("task.toml",)),
            "whole": whole_digest(listed),
        },
    }
    files = ",\n".join(f"    {_line(record)}" for record in listed)
    return json_bytes(document).removesuffix(b"\n}\n") + f',\n  "files": [\n{files}\n  ]\n}}\n'.encode()


def _line(record: FileRecord) -> str:
    executable = "true" if record.executable else "false"
    path = _encode(record.path)
    return f'{{"path": {path}, "sha256": "{record.sha256}", "size": {record.size}, "executable": {executable}}}'


def digest(records: Iterable[FileRecord]) -> str:
    """Harbor's content digest in hexadecimal digits: SHA-256 over the sorted lines `<path>NUL<sha256 of file>LF`."""
    lines = sorted(f"{record.path}\0{record.sha256}\n" for record in records)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def whole_digest(records: Iterable[FileRecord]) -> str:
    """The digest Harbor knows a task by: `sha256:` and digits over those of its files that Harbor publishes."""
    return _digest_of(tuple(records), ("environment/", "tests/", "solution/"), ("task.toml", "instruction.md"))


def modes_digest(records: Iterable[FileRecord]) -> str:
    """`sha256:` and the digest of which files are executable: whether a program starts, and no part of Harbor's digest.

    SHA-256 over the sorted lines `<path>LF` of the files that are.
    """
    lines = sorted(f"{record.path}\n" for record in records if record.executable)
    return f"sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}"


def read_manifest(directory: str, scenario_id: str) -> tuple[FileRecord, ...] | str:
    """The files a package says it holds, sorted by path, or why `directory` is no package of `scenario_id`."""
    path = os.path.join(directory, layout.MANIFEST)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as handle:
            data = handle.read(MAX_MANIFEST_BYTES + 1)
    except OSError as error:
        return f"{layout.MANIFEST}: {error.strerror}"
    try:
        document: Any = json.loads(data) if len(data) <= MAX_MANIFEST_BYTES else None
        if document["packageFormat"] != layout.PACKAGE_FORMAT:
            return f"{layout.MANIFEST} is of another format"
        if document["scenario"]["id"] != scenario_id:
            return f"{layout.MANIFEST} is that of another scenario"
        return tuple(sorted((_record(file) for file in document["files"]), key=lambda record: record.path))
    except (ValueError, TypeError, KeyError, RecursionError):
        return f"{layout.MANIFEST} is not one of ours"


def _record(file: dict[str, object]) -> FileRecord:
    path, sha256, size, executable = file["path"], file["sha256"], file["size"], file["executable"]
    if not (isinstance(path, str) and isinstance(sha256, str) and _HEX.fullmatch(sha256)):
        raise ValueError("no path or no digest")
    if not (isinstance(size, int) and isinstance(executable, bool)):
        raise ValueError("no size or no executable bit")
    return FileRecord(path, sha256, size, executable)


def _digest_of(records: tuple[FileRecord, ...], folders: tuple[str, ...], files: tuple[str, ...]) -> str:
    chosen = (record for record in records if record.path.startswith(folders) or record.path in files)
    return f"sha256:{digest(chosen)}"
