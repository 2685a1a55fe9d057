"""Take an operator's secrets out of what an agent wrote: it may print what it was given, or write it down."""

from __future__ import annotations

import json
import os
from typing import Mapping

from .trees import FILE, open_file, walk


def redacted_bytes(data: bytes, secrets: Mapping[str, str]) -> bytes:
    """The same bytes with every value of `secrets` replaced by its name, also as JSON writes it; longer ones first."""
    for name, value in sorted(secrets.items(), key=lambda item: -len(item[1])):
        for form in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]):
            data = data.replace(form.encode("utf-8", "surrogateescape"), f"[value of {name}]".encode())
    return data


def redact_files(folder: str, secrets: Mapping[str, str]) -> None:
    """Rewrite the regular files below `folder`, which nobody else uses any more, without secret values.

    Raises:
        OSError: A file that holds one cannot be rewritten.
    """
    for entry in walk(folder, mend=True) if secrets else ():
        if entry.kind == FILE:
            _redact_file(os.path.join(folder, entry.path), entry.mode, secrets)


def _redact_file(path: str, mode: int, secrets: Mapping[str, str]) -> None:
    try:
        with open(open_file(path, mend=True), "rb") as stream:
            data = stream.read()
    except OSError:
        return  # what cannot be read is not kept
    kept = redacted_bytes(data, secrets)
    if kept != data:
        os.chmod(path, mode | 0o600)
        with open(path, "wb") as stream:
            stream.write(kept)
