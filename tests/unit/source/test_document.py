"""Reading one document: what a strict reader takes, what it refuses, and where it says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.diagnostics.model import Finding
from generator.source.document import Document, read_document
from generator.source.pointer import child

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=5)
LAYOUTS = st.sampled_from([{"indent": 2}, {"indent": "\t"}, {}, {"separators": (",", ":")}, {"ensure_ascii": False}])


def read(text: str | bytes) -> Document | tuple[Finding, ...]:
    return read_document(text if isinstance(text, bytes) else text.encode(), "scenario.json")


def refused(text: str | bytes) -> tuple[Finding, ...]:
    found = read(text)
    assert isinstance(found, tuple)
    return found


def walk(value: Any, pointer: str = "") -> list[tuple[str, Any]]:
    found = [(pointer, value)]
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, below in members:
        found += walk(below, child(pointer, name))
    return found


def offset(text: str, position: tuple[int, int]) -> int:
    line, column = position
    starts = [0]
    starts += [at + 1 for at, letter in enumerate(text) if letter == "\n"]
    return starts[line - 1] + column - 1


@given(OBJECTS, LAYOUTS)
def test_the_text_at_the_position_of_every_pointer_parses_to_its_value(value: dict[str, Any], layout: Any) -> None:
    text = json.dumps(value, **layout)
    document = read(text)
    assert isinstance(document, Document)
    assert document.value == value
    for pointer, expected in walk(value):
        found, _ = json.JSONDecoder().raw_decode(text, offset(text, document.position(pointer)))
        assert found == expected


@given(OBJECTS, LAYOUTS)
def test_the_name_of_every_member_stands_at_its_name_position(value: dict[str, Any], layout: Any) -> None:
    text = json.dumps(value, **layout)
    document = read(text)
    assert isinstance(document, Document)
    for pointer, below in walk(value):
        for name in below if isinstance(below, dict) else ():
            at = offset(text, document.position(child(pointer, name), on_name=True))
            assert json.JSONDecoder().raw_decode(text, at)[0] == name


@given(st.binary(max_size=40) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_give_a_document_or_findings_with_a_position(data: bytes) -> None:
    found = read(data)
    if isinstance(found, Document):
        assert isinstance(found.value, dict)
    else:
        assert found
        assert all(one.position is not None and min(one.position) >= 1 for one in found)


@given(OBJECTS.map(json.dumps), st.data())
def test_what_the_standard_parser_refuses_is_refused_with_a_reason(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))
    inserted = data.draw(st.sampled_from([",", "}", "]", "'", '"', "//", "\t", "nul", "0", "\\", "1e999", ""]))
    broken = text[:cut] + inserted + text[cut:]
    try:
        json.loads(broken)
    except ValueError:
        assert refused(broken)


def test_a_pointer_that_leads_nowhere_gets_the_position_of_what_would_hold_it() -> None:
    document = read('{\n  "metadata": {"a": [1]}\n}')
    assert isinstance(document, Document)
    assert document.position("/metadata/provenance/x") == (2, 15)
    assert document.position("/metadata/provenance", on_name=True) == (2, 15)
    assert document.position("/metadata/a/7") == (2, 21)
    assert document.position("/nothing") == (1, 1)


def test_columns_count_characters_not_bytes() -> None:
    document = read('{"é😀": {"x": 1}, "y": 2}')
    assert isinstance(document, Document)
    assert document.position("/y") == (1, 23)


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        (b"\xef\xbb\xbf{}", "document_bom", (1, 1)),
        (b'{\n "a": "\xff"}', "document_encoding", (2, 8)),
        ('{"a": 1}'.encode("utf-16"), "document_encoding", (1, 1)),
        ('{"a": 1}'.encode("utf-16-le"), "document_encoding", (1, 1)),
        ('{"a": 1}'.encode("utf-16-be"), "document_encoding", (1, 1)),
        (b"\0", "document_syntax", (1, 1)),
        (" \n ", "document_empty", (1, 1)),
        ('{"a": 1,\n "a": 2}', "document_duplicate_key", (2, 2)),
        ('{"a": {"b": 1, "b": 1}}', "document_duplicate_key", (1, 16)),
        ('{"a": NaN}', "document_number", (1, 7)),
        ('{"a": -Infinity}', "document_number", (1, 7)),
        ('{"a": [1, 1e400]}', "document_number", (1, 11)),
        ('{"a": ' + "9" * 5000 + "}", "document_number", (1, 7)),
        ('{"a": -' + "9" * 400 + ".5}", "document_number", (1, 7)),
        ('{"a": "x\\ud800"}', "document_lone_surrogate", (1, 7)),
        ('{"\\uDFFF": 1}', "document_lone_surrogate", (1, 2)),
        ('{"a": "x\\u0000"}', "document_nul", (1, 7)),
        ('{"a": ' + "[" * 100 + "]" * 100 + "}", "document_too_deep", (1, 106)),
        ('{"a": ' + "[" * 100_000, "document_too_deep", (1, 106)),
        ("[1]", "document_not_object", (1, 1)),
        ("\n 5", "document_not_object", (2, 2)),
        ("null", "document_not_object", (1, 1)),
    ],
)
def test_what_a_strict_reader_refuses_is_said_with_its_place(
    text: str | bytes, code: str, position: tuple[int, int]
) -> None:
    assert [(one.code, one.position) for one in refused(text)] == [(code, position)]


@pytest.mark.parametrize(
    ("text", "position", "message", "hint"),
    [
        ('{"a": 1,}', (1, 8), "comma before", 'no comma before "}"'),
        ('{"a": [1,\n]}', (1, 9), "comma before", 'no comma before "]"'),
        ('{"a": 1 // b\n}', (1, 9), "comment", "without comments"),
        ('# a\n{"a": 1}', (1, 1), "comment", "without comments"),
        ('{/* b */ "a": 1}', (1, 2), "comment", "without comments"),
        ("{'a': 1}", (1, 2), "single quotes", "double quotes"),
        ("{\"a\": 'b'}", (1, 7), "single quotes", "double quotes"),
        ('{"a": True}', (1, 7), "True is not JSON", "true"),
        ('{"a": None}', (1, 7), "None is not JSON", "null"),
        ('{"a": 1 "b": 2}', (1, 9), "is missing", "comma after the value before"),
        ('{"a": 1', (1, 8), "the file ends", "the rest"),
        ('{"a" 1}', (1, 6), '":" after the name "a"', ":"),
        ("{a: 1}", (1, 2), "the name a stands without quotes", '"a"'),
        ('{"a": 01}', (1, 7), "malformed number", "without leading zeros"),
        ('{"a": 1.}', (1, 7), "malformed number", "600"),
        ('{"a": .5}', (1, 7), "a value should stand", "a value"),
        ('{"a": "b\nc"}', (1, 9), "a line break inside", "\\n"),
        ('{"a": "b\x01c"}', (1, 9), "U+0001 inside", "\\u0001"),
        ('{"a": "\\q"}', (1, 8), "unknown escape", "\\\\"),
        ('{"a": "\\u12"}', (1, 9), "unknown escape", "\\uXXXX"),
        ('{"a": "b}', (1, 7), "never closed", "double quote"),
        ("{} {}", (1, 4), "after the end", "nothing after"),
    ],
)
def test_a_slip_of_the_pen_is_named_with_its_mend(
    text: str, position: tuple[int, int], message: str, hint: str
) -> None:
    (found,) = refused(text)
    assert (found.code, found.position) == ("document_syntax", position)
    assert message in found.message
    assert hint in found.hint


def test_several_faults_of_one_text_are_all_named_in_order() -> None:
    found = refused('{"a": NaN, "a": 1, "b": "\\u0000", "c": }')
    assert [one.code for one in found] == [
        "document_number",
        "document_duplicate_key",
        "document_nul",
        "document_syntax",
    ]


def test_a_value_exactly_at_the_limits_is_read() -> None:
    text = (
        '{"a": '
        + "[" * 99
        + "]" * 99
        + ', "n": '
        + "9" * 300
        + ', "e": 1e308, "s": "\\ud83d\\ude00", "u": "\\\\ud800"}'
    )
    document = read(text)
    assert isinstance(document, Document)
    assert document.value["s"] == "😀"


def test_dates_stay_texts() -> None:
    document = read('{"a": "2026-03-14"}')
    assert isinstance(document, Document)
    assert document.value["a"] == "2026-03-14"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('{"a": "x\ty"}', "a tab inside a text", "\\t in its place"),
        ('{"a": "x\ny"}', "a line break inside a text", "\\n in its place"),
        ('{"a": "x\x01y"}', "U+0001 inside a text", "\\u0001 in its place"),
        ("{\u201cid\u201d: 1}", "a text in typographic quotes", 'double quotes: "…"'),
        ("{'id': 1}", "a text in single quotes", 'double quotes: "…"'),
        ("{id: 1}", "the name id stands without quotes", '"id"'),
        (
            '{\n<<<<<<< HEAD\n"id": 1\n=======\n"id": 2\n>>>>>>> x\n}',
            "an unresolved merge conflict",
            "one of the two sides, without the lines that begin with <<<<<<<, ======= and >>>>>>>",
        ),
        (
            '{"id": 1\n=======\n}',
            "an unresolved merge conflict",
            "one of the two sides, without the lines that begin with <<<<<<<, ======= and >>>>>>>",
        ),
    ],
)
def test_common_slips_are_recognised(text: str, message: str, hint: str) -> None:
    (found,) = refused(text)
    assert (found.code, found.message, found.hint) == ("document_syntax", message, hint)
