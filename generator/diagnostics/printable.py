"""Text from strangers, safe to show: nothing in it can move a cursor, change a colour or reverse a line."""

from __future__ import annotations

import re
from typing import Final

# Control characters, line separators, bidirectional overrides (CVE-2021-42574), and halves of surrogate pairs.
_UNSAFE: Final = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
# The same beyond ASCII, and DEL: what JSON lets stand in a text as it is.
_HIDDEN: Final = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"


def printable(text: str) -> str:
    """`text` on one line, with everything that is not to be seen written as an escape."""
    if text.isascii() and text.isprintable():  # most texts; compiling the pattern takes milliseconds
        return text
    return re.sub(_UNSAFE, _escape, text)


def json_escaped(text: str) -> str:
    """JSON text with the same characters as escapes; a parser reads the same values from it."""
    return re.sub(_HIDDEN, lambda found: f"\\u{ord(found.group()):04x}", text)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    code = ord(character)
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
