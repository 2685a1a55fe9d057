"""Bytes to a document whose every value knows where it stands; anything a strict reader refuses becomes findings.

Two readers can agree on a document only if it says one thing: so duplicate members, numbers that overflow, texts that
are no text and byte order marks are errors here, where common parsers let them pass (RFC 8259 sections 4, 6, 8).
"""

from __future__ import annotations

import codecs
import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from generator.diagnostics.model import Finding
from generator.source.limits import MAX_DEPTH, MAX_NUMBER_LENGTH
from generator.source.pointer import parent

if TYPE_CHECKING:
    from generator.source.scan import Fault, Scan

MAX_BYTES: Final = 1024 * 1024

Json: TypeAlias = Any  # any JSON value; what it is, the schema decides


class Document:
    """One parsed document: its top-level object, its text, and the name of its file.

    `outline` says where its values stand; without one the text is JSON, and is gone through when that is asked.
    """

    def __init__(
        self, value: Mapping[str, Any], text: str, file: str, outline: Callable[[], Scan] | None = None
    ) -> None:
        self.value: Final = value
        self.text: Final = text
        self.file: Final = file
        self._outline: Final = outline

    def position(self, pointer: str, on_name: bool = False) -> tuple[int, int]:
        """Line and column, 1-based and in characters, of a value or (`on_name`) of the name it is a member under.

        A pointer that leads nowhere gets the position of the nearest value that holds it.
        """
        offsets = self._scan.names if on_name else self._scan.values
        while pointer not in offsets and pointer:
            pointer = parent(pointer)
            offsets = self._scan.values
        return self._place(offsets.get(pointer, 0))

    @cached_property
    def _scan(self) -> Scan:
        return self._outline() if self._outline else _scanned(self.text)

    @cached_property
    def _lines(self) -> list[int]:
        return line_starts(self.text)

    def _place(self, offset: int) -> tuple[int, int]:
        return place(self._lines, offset)


class _RefusedError(ValueError):
    """Raised inside the parser at the first thing a strict reader refuses; never leaves this module."""


def read_document(data: bytes, file: str) -> Document | tuple[Finding, ...]:
    """Parse the bytes of one JSON document.

    Args:
        data: The whole file, at most `MAX_BYTES` (the caller bounds its reading).
        file: Name of the file, relative to the scenario directory.

    Returns:
        The document, or at least one finding with a position and a code `document_*`.
    """
    text = decode(data)
    if isinstance(text, Finding):
        return (text,)
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _faults(text)
    if _suspicious(text) and (faults := _faults(text)):
        return faults
    if not isinstance(value, dict):
        return (not_object(value, place(line_starts(text), _scanned(text).values[""])),)
    return Document(value, text, file)


def decode(data: bytes) -> str | Finding:
    """The text of a UTF-8 file, or the finding that says where it is none."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or (len(data) > 1 and data[:2].count(0) == 1):
        return Finding("document_encoding", "", "not UTF-8 but UTF-16", "the file saved as UTF-8", position=(1, 1))
    if data.startswith(codecs.BOM_UTF8):
        message = "a byte order mark stands before the first character"
        return Finding("document_bom", "", message, "the file saved as UTF-8 without BOM", position=(1, 1))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        where = place(line_starts(before), len(before))
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return Finding("document_encoding", "", message, "the file saved as UTF-8", position=where)


def at_places(faults: Iterable[Fault], text: str) -> tuple[Finding, ...]:
    """What was found in a text, with line and column."""
    lines = line_starts(text)
    return tuple(
        Finding(fault.code, fault.pointer, fault.message, fault.hint, position=place(lines, fault.offset))
        for fault in faults
    )


def _faults(text: str) -> tuple[Finding, ...]:
    return at_places(_scanned(text).faults, text)


def _scanned(text: str) -> Scan:
    from generator.source.scan import scan

    return scan(text)


def _suspicious(text: str) -> bool:
    """Whether the text may hold what the parser accepts and we do not: escapes that make no character, deep nesting."""
    escapes = "\\" in text and ("\\u" in text or "\\U" in text)  # one character is found much faster than two
    lowered = text.lower() if escapes else ""
    return "\\ud" in lowered or "\\u0000" in lowered or text.count("[") + text.count("{") > MAX_DEPTH


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _RefusedError
    return made


def _constant(_: str) -> None:
    raise _RefusedError


def _float(digits: str) -> float:
    number = float(digits)
    if len(digits) > MAX_NUMBER_LENGTH or number in (float("inf"), float("-inf")):
        raise _RefusedError
    return number


def _int(digits: str) -> int:
    if len(digits) > MAX_NUMBER_LENGTH:
        raise _RefusedError
    return int(digits)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_int
)


def not_object(value: object, position: tuple[int, int]) -> Finding:
    """The finding about a document that is one `value` at `position`, but no object."""
    names = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    message = f"the document is {names.get(type(value), 'a number')}, not an object"
    return Finding("document_not_object", "", message, "{ … }", position=position)


def line_starts(text: str) -> list[int]:
    """Offset of the first character of each line."""
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def place(lines: list[int], offset: int) -> tuple[int, int]:
    """Line and column, 1-based, of an offset in the text whose lines start at `lines`."""
    line = bisect_right(lines, offset)
    return line, offset - lines[line - 1] + 1
