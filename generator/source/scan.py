"""Where things stand in a JSON text: one pass that finds every value's offset and everything a strict reader refuses.

The standard parser is fast and forgets positions; this one is slower and remembers them. It therefore runs only when
there is something to report.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # the parser's own, undocumented
from math import isfinite
from typing import Final

from generator.source.limits import MAX_DEPTH, MAX_NUMBER_LENGTH
from generator.source.pointer import child

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD: Final = re.compile(r"-?[A-Za-z_][A-Za-z0-9_]*")
_NOT_FINITE: Final = frozenset({"NaN", "Infinity", "-Infinity"})
_CONFLICT: Final = re.compile(r"<<<<<<< |=======[\r\n]|>>>>>>> ")
_OTHER_QUOTES: Final = {
    "'": "a text in single quotes",
    **dict.fromkeys("\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb", "a text in typographic quotes"),
}
_NAME: Final = "a member name in double quotes"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing a strict reader refuses: catalogue code, offset in characters, pointer of the value, message, hint."""

    code: str
    offset: int
    pointer: str
    message: str
    hint: str


@dataclass(slots=True)
class Scan:
    """What a pass found: offsets of values and of member names by JSON Pointer, and the faults in text order."""

    values: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


class _StopError(Exception):
    """The text cannot be read any further; the fault is already noted."""


def scan(text: str) -> Scan:
    """Go through a JSON text once. Syntax errors end the pass; other faults are collected."""
    found = Scan()
    with suppress(_StopError):
        _Scanner(text, found).document()
    return found


class _Scanner:
    """Recursive descent over one text; recursion is bounded by `MAX_DEPTH`."""

    def __init__(self, text: str, found: Scan) -> None:
        self.text = text
        self.found = found

    def document(self) -> None:
        at = self.skip(0)
        if at == len(self.text):
            raise self.fail("document_empty", 0, "", "the file is empty", "one JSON object: { … }")
        at = self.skip(self.value(at, "", 1))
        if at < len(self.text):
            raise self.syntax(at, "", "text after the end of the document", "nothing after the closing brace")

    def value(self, at: int, pointer: str, depth: int) -> int:
        """Read one value at `at` and return the offset after it."""
        self.found.values.setdefault(pointer, at)
        first = self.text[at : at + 1]
        if first == '"':
            return self.string(at, pointer)[1]
        if first in ("{", "["):
            if depth > MAX_DEPTH:
                message = f"nested more than {MAX_DEPTH} levels deep"
                raise self.fail("document_too_deep", at, pointer, message, f"at most {MAX_DEPTH} levels")
            return self.members(at, pointer, depth) if first == "{" else self.items(at, pointer, depth)
        if match := _NUMBER.match(self.text, at):
            return self.number(match, pointer)
        return self.word(at, pointer)

    def members(self, at: int, pointer: str, depth: int) -> int:
        seen: set[str] = set()
        at = self.skip(at + 1)
        if self.text[at : at + 1] == "}":
            return at + 1
        while True:
            if self.text[at : at + 1] != '"':
                raise self.expected(at, pointer, _NAME)
            name_at = at
            name, at = self.string(at, pointer)
            below = child(pointer, name)
            if name in seen:
                message = f'"{name}" stands twice in one object'
                self.note("document_duplicate_key", name_at, below, message, "each member once")
            seen.add(name)
            self.found.names.setdefault(below, name_at)
            at = self.skip(at)
            if self.text[at : at + 1] != ":":
                raise self.expected(at, below, f'":" after the name "{name}"')
            at = self.skip(self.value(self.skip(at + 1), below, depth + 1))
            if self.text[at : at + 1] == "}":
                return at + 1
            at = self.comma(at, pointer, "}")

    def items(self, at: int, pointer: str, depth: int) -> int:
        index = 0
        at = self.skip(at + 1)
        if self.text[at : at + 1] == "]":
            return at + 1
        while True:
            at = self.skip(self.value(at, f"{pointer}/{index}", depth + 1))
            if self.text[at : at + 1] == "]":
                return at + 1
            at = self.comma(at, pointer, "]")
            index += 1

    def comma(self, at: int, pointer: str, closing: str) -> int:
        """Step over the comma at `at` to the next name or value."""
        if self.text[at : at + 1] != ",":
            raise self.expected(at, pointer, f'"," or "{closing}"')
        after = self.skip(at + 1)
        if self.text[after : after + 1] == closing:
            raise self.syntax(at, pointer, f'a comma before "{closing}"', f'no comma before "{closing}"')
        return after

    def string(self, at: int, pointer: str) -> tuple[str, int]:
        try:
            value, after = scanstring(self.text, at + 1)
        except JSONDecodeError as error:
            raise self.broken_string(error, at, pointer) from None
        if "\0" in value:
            message = "a text with the character NUL (\\u0000)"
            self.note("document_nul", at, pointer, message, "the text without \\u0000")
        if _SURROGATE.search(value):
            message = "a text with half a surrogate pair, which is no character"
            self.note(
                "document_lone_surrogate", at, pointer, message, "the character itself, or both of its \\u escapes"
            )
        return value, after

    def number(self, match: re.Match[str], pointer: str) -> int:
        digits = match.group()
        if len(digits) > MAX_NUMBER_LENGTH or not isfinite(float(digits)):
            shown = digits if len(digits) <= 20 else f"{digits[:12]}… ({len(digits)} characters)"
            message = f"the number {shown} is too large to be represented"
            self.note("document_number", match.start(), pointer, message, "a finite number, such as 600")
        after = match.end()
        if self.text[after : after + 1] in ".0123456789eE" and after < len(self.text):
            message = f"malformed number {self.text[match.start() : after + 1]!r}"
            raise self.syntax(match.start(), pointer, message, "a number like 600, 0.5 or 1e3, without leading zeros")
        return after

    def word(self, at: int, pointer: str) -> int:
        match = _WORD.match(self.text, at)
        word = match.group() if match else ""
        if word in ("true", "false", "null"):
            return at + len(word)
        if word in _NOT_FINITE:
            self.note("document_number", at, pointer, f"{word} is not a JSON number", "a finite number, such as 600")
            return at + len(word)
        if word.lower() in ("true", "false", "none", "null", "undefined"):
            right = {"true": "true", "false": "false"}.get(word.lower(), "null")
            raise self.syntax(at, pointer, f"{word} is not JSON", right)
        raise self.expected(at, pointer, "a value")

    def broken_string(self, error: JSONDecodeError, at: int, pointer: str) -> _StopError:
        if error.msg.startswith("Invalid control character"):
            shown = {"\n": "a line break", "\t": "a tab"}.get(
                self.text[error.pos], f"U+{ord(self.text[error.pos]):04X}"
            )
            written = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(
                self.text[error.pos], f"\\u{ord(self.text[error.pos]):04x}"
            )
            return self.syntax(error.pos, pointer, f"{shown} inside a text", f"{written} in its place")
        if error.msg.startswith("Unterminated"):
            return self.syntax(at, pointer, "a text that is never closed", 'a double quote (") at its end')
        return self.syntax(
            error.pos,
            pointer,
            "an unknown escape in a text",
            '\\\\ for a backslash; known escapes are \\" \\/ \\b \\f \\n \\r \\t \\uXXXX',
        )

    def expected(self, at: int, pointer: str, what: str) -> _StopError:
        rest = self.text[at : at + 2]
        if not rest:
            return self.syntax(at, pointer, f"the file ends where {what} should stand", "the rest of the document")
        if rest in ("//", "/*") or rest[0] == "#":
            return self.syntax(at, pointer, "a comment, which JSON does not have", "the document without comments")
        if rest[0] in _OTHER_QUOTES:
            return self.syntax(at, pointer, _OTHER_QUOTES[rest[0]], 'double quotes: "…"')
        if _CONFLICT.match(self.text, at):
            hint = "one of the two sides, without the lines that begin with <<<<<<<, ======= and >>>>>>>"
            return self.syntax(at, pointer, "an unresolved merge conflict", hint)
        if what == _NAME and (word := _WORD.match(self.text, at)):
            return self.syntax(at, pointer, f"the name {word.group()} stands without quotes", f'"{word.group()}"')
        if rest[0] == '"' and what.startswith('","'):
            return self.syntax(at, pointer, f"{what} is missing", "a comma after the value before")
        return self.syntax(at, pointer, f"found {rest[0]!r} where {what} should stand", what)

    def skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def note(self, code: str, at: int, pointer: str, message: str, hint: str) -> None:
        self.found.faults.append(Fault(code, at, pointer, message, hint))

    def fail(self, code: str, at: int, pointer: str, message: str, hint: str) -> _StopError:
        self.note(code, at, pointer, message, hint)
        return _StopError()

    def syntax(self, at: int, pointer: str, message: str, hint: str) -> _StopError:
        return self.fail("document_syntax", at, pointer, message, hint)
