"""What a plain YAML scalar means, and what the parser's complaints mean in words an author can act on.

Scalars follow the core schema of YAML 1.2 (chapter 10.3), which is what JSON has and no more: `yes`, `2026-03-14`,
`1:30` and `1_000` are texts, `0600` is six hundred.
"""

from __future__ import annotations

import re
from typing import Final

from generator.source.limits import MAX_NUMBER_LENGTH

_WORDS: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_DECIMAL: Final = re.compile(r"[-+]?[0-9]+", re.ASCII)
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEXADECIMAL: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

# Part of what the parser says -> what is wrong, what to write instead. The first that fits counts.
_COMPLAINTS: Final = (
    (r"found character '\\t'", "a tab where the indentation or a value begins", "spaces"),
    ("found character '[@`%]'", "a text that begins with a reserved character", "quotes around the text"),
    ("mapping values are not allowed", 'a ":" where no value can begin', 'quotes around a text that holds ": "'),
    ("could not find expected ':'", 'a name without ":" after it', "name: value, on one line"),
    ("expected <block end>", "a line that is indented unlike those it belongs to", "the same indentation"),
    ("expected the node content", "a value is missing", "a value, or the line without its punctuation"),
    ("expected ',' or '}'", '"," or "}" is missing', '"," between the members, "}" after the last'),
    ("expected ',' or ']'", '"," or "]" is missing', '"," between the items, "]" after the last'),
    ("unexpected end of stream", "a text that is never closed", "the same quote at its end"),
    ("unexpected document separator", "a text that is never closed", "the same quote at its end"),
    ("unknown escape|escape sequence", "an unknown escape in a text", r"\\ for a backslash, or single quotes"),
    ("undefined tag handle|scanning a tag", "a tag, which only some tools know", "the value without its tag"),
    (
        "scanning an (alias|anchor)",
        "a text that begins with * or &, which stand for references",
        "quotes around the text",
    ),
    ("block scalar|chomping|indentation indicat", "a malformed head of a text block", "| or > at the end of the line"),
    ("directive|%YAML|incompatible", "a directive that is not %YAML 1.2", "the document without directives"),
    ("expected '<document start>'", "text after the end of the document", "one document"),
)


def meaning(text: str) -> str | float | bool | None:
    """The value of a plain scalar: null, true or false, a number, else the text itself. A number may not be finite."""
    if text in _WORDS:
        return _WORDS[text]
    if _DECIMAL.fullmatch(text):
        return int(text) if len(text) <= MAX_NUMBER_LENGTH else float("inf")
    for pattern, base in ((_OCTAL, 8), (_HEXADECIMAL, 16)):
        if pattern.fullmatch(text):
            return int(text[2:], base) if len(text) <= MAX_NUMBER_LENGTH else float("inf")
    if _FLOAT.fullmatch(text):
        return float(text) if len(text) <= MAX_NUMBER_LENGTH else float("inf")
    return float("nan") if _NOT_FINITE.fullmatch(text) else text


def in_words(complaint: str) -> tuple[str, str]:
    """What is wrong and what to write, for a complaint of the parser."""
    for pattern, message, hint in _COMPLAINTS:
        if re.search(pattern, complaint):
            return message, hint
    return f"this is not YAML: {complaint}", "a YAML 1.2 document; quotes around texts with special characters"
