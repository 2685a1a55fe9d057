"""Take an operator's secrets out of what agents and reviewers wrote: they may print what they were given."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, Mapping

from .trees import FILE, open_file, walk

# Settings of a shell session whose values are ordinary words and paths; every other variable may hold a secret.
PLAIN_NAME = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|COLUMNS|LINES|TMPDIR"
    r"|EDITOR|PAGER|DEBUG|LOG_LEVEL|PYTHONPATH|PYTHONUNBUFFERED|NODE_ENV|NODE_PATH|JAVA_HOME|GOPATH|CI|MODE|VERBOSE",
    re.ASCII,
)
SHORTEST = 6  # characters; a shorter value would hide ordinary words, and protects nothing


def secrets_among(variables: Mapping[str, str]) -> Dict[str, str]:
    """Those variables whose values are to be kept secret: all that are long enough, without plain settings."""
    return {
        name: value
        for name, value in variables.items()
        if len(value) >= SHORTEST and not PLAIN_NAME.fullmatch(name.upper())
    }


def redacted_bytes(data: bytes, secrets: Mapping[str, str]) -> bytes:
    """The same bytes with every value of `secrets` replaced by its name, also as JSON writes it; longer ones first."""
    for name, value in sorted(secrets.items(), key=lambda item: -len(item[1])):
        for form in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]):
            data = data.replace(form.encode("utf-8", "surrogateescape"), f"[value of {name}]".encode())
    return data


def redacted_value(value: Any, secrets: Mapping[str, str]) -> Any:
    """The same texts, lists and objects without secret values anywhere in them."""
    if not secrets:
        return value
    if isinstance(value, str):
        return redacted_bytes(value.encode("utf-8", "surrogatepass"), secrets).decode("utf-8", "surrogatepass")
    if isinstance(value, Mapping):
        return {redacted_value(key, secrets): redacted_value(item, secrets) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(redacted_value(item, secrets) for item in value)
    return value


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
