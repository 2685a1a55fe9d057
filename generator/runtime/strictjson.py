"""Read JSON that others wrote, without the leniency of `json`: it means one thing or it is refused.

Also the one way in which JSON files are written here.
"""

from __future__ import annotations

import json
import math
import os
from typing import Any, Dict, List, Tuple, Union

from .trees import open_file, whole_file

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 64


def loads(data: Union[bytes, str]) -> Any:
    """Parse one JSON document.

    Raises:
        ValueError: No UTF-8, no JSON, a repeated member, a number out of range, NaN, half a surrogate pair, or nested
            deeper than 64 levels; the message says which.
    """
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite, parse_int=_short_int
        )
    except RecursionError:
        raise ValueError("nested too deep") from None
    _check(value)
    return value


def read_object(path: str, max_bytes: int = MAX_BYTES) -> Dict[str, Any]:
    """The JSON object in a regular file.

    Raises:
        FileNotFoundError: There is nothing.
        ValueError: It is no regular file, too large, or not one JSON object; the message says which.
    """
    data = _read(path, max_bytes)
    if not data.strip():
        raise ValueError("is empty")
    value = loads(data)
    if not isinstance(value, dict):
        raise ValueError("is JSON but no object")
    return value


def _read(path: str, max_bytes: int) -> bytes:
    try:
        fd = open_file(path)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise ValueError(f"cannot be read: {problem.strerror}") from None
    try:
        with os.fdopen(fd, "rb") as stream:
            data = stream.read(max_bytes + 1)
    except OSError as problem:
        raise ValueError(f"cannot be read: {problem.strerror}") from None
    if len(data) > max_bytes:
        raise ValueError(f"is larger than {max_bytes} bytes")
    return data


def dumps(value: Any) -> str:
    """JSON as all files here are written: sorted keys, two spaces, ASCII, a final newline."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=True, allow_nan=False) + "\n"


def write(path: str, value: Any) -> None:
    """Write a JSON file whole or not at all. Raises OSError."""
    with whole_file(path) as stream:
        stream.write(dumps(value).encode("ascii"))


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("an object names a member twice")
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]} is out of range")
    return number


def _short_int(text: str) -> int:
    if len(text) > 400:
        raise ValueError(f"the number {text[:40]}… is out of range")
    return int(text)


def _check(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        deeper: List[Any] = []
        for item in level:
            if isinstance(item, dict):
                deeper += item.keys()
                deeper += item.values()
            elif isinstance(item, list):
                deeper += item
            elif isinstance(item, str):
                _check_text(item)
        if not deeper:
            return
        level = deeper
    raise ValueError("nested too deep")


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a text holds half a surrogate pair") from None
