"""Text from strangers, safe to show: nothing in it moves a cursor, changes a colour, reverses a line or commands a job.

What a job of CI prints is read for commands to the job: GitHub's runner takes `##[name]` anywhere in a line, and
`::name::` where a line begins, indented or not (`ActionCommand.cs` of github.com/actions/runner). Azure Pipelines takes
`##vso[name]` and TeamCity `##teamcity[name]`. Such signs are escaped, too.
"""

from __future__ import annotations

import re
from typing import Final

# Control characters, line separators, bidirectional overrides (CVE-2021-42574), and halves of surrogate pairs.
_UNSAFE: Final = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
# The same beyond ASCII, and DEL: what JSON lets stand in a text as it is.
_HIDDEN: Final = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"

# Where a command begins: anywhere; and where a line does, if what is shown is first in it.
_HASHES: Final = r"#(?=#\w*\[)"
_COLONS: Final = r"\A(\s*):(?=:)"


def printable(text: str) -> str:
    """`text` on one line, with everything that is not to be seen, or to be obeyed, written as an escape."""
    plain = text.isascii() and text.isprintable()
    if plain and "::" not in text and "##" not in text:  # most texts; compiling the patterns takes milliseconds
        return text
    shown = re.sub(_HASHES, r"\\x23", re.sub(_UNSAFE, _escape, text))
    return re.sub(_COLONS, r"\1\\x3a", shown)


def json_escaped(text: str) -> str:
    """JSON text with the same characters as escapes; a parser reads the same values from it."""
    shown = re.sub(_HASHES, r"\\u0023", text)
    return re.sub(_HIDDEN, lambda found: f"\\u{ord(found.group()):04x}", shown)


def xml_escaped(text: str) -> str:
    """XML text with signs of commands as references; a parser reads the same values from it."""
    return re.sub(_HASHES, "&#35;", text)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    code = ord(character)
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
