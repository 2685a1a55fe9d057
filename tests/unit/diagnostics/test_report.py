"""Diagnostics as people and programs read them."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.diagnostics.catalogue import suggestions
from generator.diagnostics.model import Diagnostic, Location, Severity
from generator.diagnostics.printable import json_escaped, printable
from generator.diagnostics.report import counted, detail, text_lines
from tests.support.joblog import job_commands


def diagnostic(severity: Severity = Severity.ERROR, message: str = "m", hint: str = "") -> Diagnostic:
    return Diagnostic(
        code="field_type",
        severity=severity,
        category="structure",
        message=message,
        hint=hint,
        location=Location(file="a/scenario.json", line=13, column=19, pointer="/metadata"),
        field="metadata",
    )


def test_a_complaint_has_one_line_of_place_and_indented_words() -> None:
    assert list(text_lines(diagnostic(message="is wrong", hint='"a": 1'))) == [
        "a/scenario.json:13:19 error field_type /metadata",
        "    is wrong",
        '    write: "a": 1',
    ]


def test_without_a_hint_there_is_no_line_for_it() -> None:
    assert len(list(text_lines(diagnostic()))) == 2


def test_only_the_weight_is_painted() -> None:
    first, *_ = text_lines(diagnostic(), lambda text, severity: f"<{severity}:{text}>")
    assert first == "a/scenario.json:13:19 <error:error> field_type /metadata"


@given(st.text())
def test_nothing_printed_can_steer_a_terminal_or_break_a_line(text: str) -> None:
    shown = printable(text)
    assert not {"Cc", "Cs", "Zl", "Zp"}.intersection(map(unicodedata.category, shown))
    assert not {"RLO", "LRO", "RLE", "LRE", "RLI", "LRI"}.intersection(map(unicodedata.bidirectional, shown))
    assert len(shown.splitlines()) <= 1
    shown.encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", "\\x3a:error::x"),
        (" \u00a0\u3000::x", " \u00a0\u3000\\x3a:x"),
        ("\t::x", "\\t::x"),
        (":x::", ":x::"),
        ("generator::main", "generator::main"),
        ("a ##[group]b", "a \\x23#[group]b"),
        ("###[x]", "#\\x23#[x]"),
        ("##vso[task.complete]", "\\x23#vso[task.complete]"),
        ("## A heading [1]", "## A heading [1]"),
    ],
)
def test_nothing_printed_begins_a_command_of_a_job(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(shown) == shown


@given(st.text(alphabet=":#[] \tx\u00a0\u3000\n"))
def test_no_text_at_the_start_of_a_line_or_in_it_is_a_command(text: str) -> None:
    assert job_commands(f"{printable(text)}\n    {printable(text)} ::\n a {printable(text)}") == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\udc80", "\\udc80"),
        ("\x9b31m", "\\x9b31m"),
        ("é 😀 \\", "é 😀 \\"),
    ],
)
def test_what_could_is_written_as_an_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    "text", ["\x7f\x85\x9b31m", "\u202egnp.exe", "\u2028\u2029", "\ufeff", 'é😀\n\t"\\', "::##[x]###[y]"]
)
def test_json_text_hides_nothing_and_says_the_same(text: str) -> None:
    written = json_escaped(json.dumps({"a": text}, ensure_ascii=False))
    assert printable(written) == written
    assert job_commands(written) == []
    assert json.loads(written) == {"a": text}


def test_half_a_surrogate_pair_stays_an_escape_in_json() -> None:
    written = json_escaped(json.dumps("\ud83d", ensure_ascii=False))
    assert written == '"\\ud83d"'


def test_the_detail_has_the_published_members_and_the_place() -> None:
    made = detail(diagnostic(Severity.WARNING, "m", "h"))
    assert json.loads(json.dumps(made)) == {
        "code": "field_type",
        "severity": "warning",
        "category": "structure",
        "field": "metadata",
        "message": "m",
        "hint": "h",
        "location": {"file": "a/scenario.json", "line": 13, "column": 19, "pointer": "/metadata"},
    }


def test_counts_name_what_there_is() -> None:
    assert counted([]) == "no complaints"
    assert counted([diagnostic(), diagnostic(Severity.WARNING), diagnostic()]) == "2 errors, 1 warning"


@pytest.mark.parametrize(
    ("name", "first"),
    [("private_exposd", "private_exposed"), ("Private-Exposed", "private_exposed"), ("exposed", "private_exposed")],
)
def test_a_misspelt_name_is_met_with_the_closest(name: str, first: str) -> None:
    assert suggestions(name, ["field_type", "private_exposed"])[0] == first


def test_a_name_like_no_other_is_met_with_nothing() -> None:
    assert suggestions("zzzz", ["field_type"]) == []
    assert suggestions("", ["field_type"]) == []
