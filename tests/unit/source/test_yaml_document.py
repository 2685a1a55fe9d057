"""YAML documents: the values are those of JSON, and what only some tools understand is refused at its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.source.document import Document, read_document
from generator.source.yaml_document import read_yaml

FILE = "scenario.yaml"


def value(text: str) -> Any:
    made = read_yaml(text.encode(), FILE)
    assert isinstance(made, Document), made
    return made.value


def faults(text: str) -> list[tuple[str, tuple[int, int] | None]]:
    made = read_yaml(text.encode(), FILE)
    assert isinstance(made, tuple), made
    assert all(one.message and one.hint for one in made)
    return [(one.code, one.position) for one in made]


@pytest.mark.parametrize(
    ("scalar", "meant"),
    [
        *(("yes", "yes"), ("no", "no"), ("on", "on"), ("Off", "Off"), ("y", "y")),
        *(("true", True), ("True", True), ("FALSE", False), ("tRUE", "tRUE")),
        *(("null", None), ("~", None), ("", None), ("None", "None")),
        *(("2026-03-14", "2026-03-14"), ("2026-03-14T09:30:00Z", "2026-03-14T09:30:00Z")),
        *(("1:30", "1:30"), ("190:20:30", "190:20:30"), ("1_000", "1_000"), ("1.2.3", "1.2.3")),
        *(("0600", 600), ("0o17", 15), ("0x1F", 31), ("-7", -7), ("+7", 7), ("0b11", "0b11"), ("٣", "٣")),
        *(("1.5", 1.5), ("1e3", 1000.0), (".5", 0.5), ("1.", 1.0), ("-1.5E-2", -0.015), (".", "."), ("e3", "e3")),
        *(("'600'", "600"), ('"true"', "true"), ("'~'", "~"), ("=", "="), ("1.0.0", "1.0.0")),
    ],
)
def test_a_plain_scalar_means_what_the_core_schema_says(scalar: str, meant: Any) -> None:
    found = value(f"a: {scalar}\n")["a"]
    assert (found, type(found)) == (meant, type(meant))


def test_block_texts_comments_and_one_explicit_document_are_welcome() -> None:
    text = (
        "%YAML 1.2\n--- # a scenario\na: |\n  one\n  two\nb: >-\n  one\n  two # no comment\nc: [1, {d: 2}] # why\n...\n"
    )
    assert value(text) == {"a": "one\ntwo\n", "b": "one two # no comment", "c": [1, {"d": 2}]}


def test_an_alias_is_the_value_written_out() -> None:
    found = value("a: &x [1, {b: 2}]\nc: *x\n&k d: *k\n")
    assert found == {"a": [1, {"b": 2}], "c": [1, {"b": 2}], "d": "d"}
    assert found["a"] is not found["c"]


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("", "document_empty", (1, 1)),
        ("# nothing\n", "document_empty", (1, 1)),
        ("- a\n", "document_not_object", (1, 1)),
        ("---\nnull\n", "document_not_object", (2, 1)),
        ("a: 1\nb: 2\na: 3\n", "document_duplicate_key", (3, 1)),
        ("a: {b: 1, 'b': 2}\n", "document_duplicate_key", (1, 11)),
        ("a: !!int 5\n", "document_yaml_feature", (1, 4)),
        ("a: ! 5\n", "document_yaml_feature", (1, 4)),
        ("a: !!python/object/apply:os.system [id]\n", "document_yaml_feature", (1, 4)),
        ("a: 1\nb:\n  <<: {a: 1}\n", "document_yaml_feature", (3, 3)),
        ("1: a\n", "document_yaml_feature", (1, 1)),
        ("? [a]\n: 1\n", "document_yaml_feature", (1, 3)),
        ("null: 1\n", "document_yaml_feature", (1, 1)),
        ("a: 1\n---\nb: 1\n", "document_yaml_feature", (2, 1)),
        ("%YAML 1.1\n---\na: 1\n", "document_yaml_feature", (1, 1)),
        ("%TAG !e! tag:example.org,2026:\n---\na: 1\n", "document_yaml_feature", (1, 1)),
        ("a: *b\n", "document_yaml_alias", (1, 4)),
        ("a: &b [*b]\n", "document_yaml_alias", (1, 8)),
        ("a: &b 1\nc: &b 2\n", "document_yaml_alias", (2, 4)),
        ("a: .nan\n", "document_number", (1, 4)),
        ("a: -.inf\n", "document_number", (1, 4)),
        ("a: 1e999\n", "document_number", (1, 4)),
        (f"a: {'9' * 5000}\n", "document_number", (1, 4)),
        (f"a: 0x{'9' * 5000}\n", "document_number", (1, 4)),
        (f"a: .{'9' * 5000}\n", "document_number", (1, 4)),
        ('a: "\\0"\n', "document_nul", (1, 4)),
        ('a: "\\uD83D"\n', "document_lone_surrogate", (1, 4)),
        ("a: " + "[" * 101, "document_too_deep", (1, 103)),
        ("a: " + "[" * 400_000, "document_too_deep", (1, 103)),
        ("\ufeffa: 1\n", "document_bom", (1, 1)),
    ],
)
def test_what_json_has_no_counterpart_for_is_refused_at_its_place(text: str, code: str, place: tuple[int, int]) -> None:
    assert faults(text) == [(code, place)]


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("a:\n\tb: 1\n", "a tab", (2, 1)),
        ("a: b: c\n", '":" where no value', (1, 5)),
        ("a: @x\n", "reserved character", (1, 4)),
        ("a: *.csv\n", "begins with * or &", (1, 5)),
        ('a: "x\n', "never closed", (1, 4)),
        ("a: 'x\n---\nb: 1\n", "never closed", (1, 4)),
        ("a: [1, 2\nb: 1\n", '"]" is missing', (2, 2)),
        ("a: {b: 1\n", '"}" is missing', (2, 1)),
        ("a:\n  - b\n c: 1\n", "indented unlike", (3, 2)),
        ('a: "\\q"\n', "unknown escape", (1, 6)),
        ('a: "\\xZZ"\n', "unknown escape", (1, 7)),
        ("a: |x\n  b\n", "head of a text block", (1, 5)),
        ("a: 1\n...\nb: 1\n", "after the end", (3, 1)),
        ("a: \x01\n", "U+0001", (1, 4)),
        ('a: "\\UFFFFFFFF"\n', "out of range", (1, 1)),
        ("%YAML 2.0\n---\na: 1\n", "directive", (1, 1)),
        ("a: !e!x 1\n", "tag", (1, 4)),
        ("a: [}\n", "value is missing", (1, 5)),
        ("abc\nb: 1\n", '":"', None),
    ],
)
def test_a_fault_of_syntax_is_told_in_words_with_its_place(
    text: str, words: str, place: tuple[int, int] | None
) -> None:
    made = read_yaml(text.encode(), FILE)
    assert isinstance(made, tuple), made
    assert made[-1].code == "document_syntax"
    assert words in made[-1].message
    assert place in (None, made[-1].position)


def test_what_was_found_before_a_fault_of_syntax_is_told_as_well() -> None:
    assert [code for code, _ in faults("a: 1\na: 2\nb: *x\nc: [\n")] == [
        "document_duplicate_key",
        "document_yaml_alias",
        "document_syntax",
    ]


LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))
TALL = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} {'[' * 40}*a{n - 1}{']' * 40}\n" for n in range(1, 4))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (LAUGHS, "document_too_large"),
        (TALL, "document_too_deep"),
        (f"a: &a {'x' * 100_000}\nb: [{'*a,' * 40}]\n", "document_too_large"),
        ("a: [" + "1," * 400_000 + "]\n", "document_too_large"),
        ("".join(f"k{n}: v\n" for n in range(90_000)), "document_too_large"),
    ],
)
def test_a_document_that_grows_without_measure_is_stopped(text: str, code: str) -> None:
    assert faults(text)[-1][0] == code


def test_positions_lead_to_names_and_values_through_aliases_too() -> None:
    made = read_yaml(b"id: a\nlist: &l\n  - one\n  - {x: 2}\nagain: *l\n", FILE)
    assert isinstance(made, Document)
    assert made.position("/id") == (1, 5)
    assert made.position("/id", on_name=True) == (1, 1)
    assert made.position("/list/1/x") == (4, 9)
    assert made.position("/again") == (5, 8)
    assert made.position("/again/1/x", on_name=True) == (4, 6)
    assert made.position("/gone/further") == (1, 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc<=~ yno1", max_size=5), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=5), JSON, max_size=5))
def test_any_json_that_escapes_what_yaml_cannot_hold_is_yaml_with_the_same_value(made: dict[str, Any]) -> None:
    text = json.dumps(made, indent=1)
    if "\\ud8" in text or "\\ud9" in text or "\\uda" in text or "\\udb" in text:
        return  # escapes of surrogate pairs are JSON's alone
    as_json = read_document(text.encode(), "scenario.json")
    assert isinstance(as_json, Document)
    assert value(text) == as_json.value


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=5), JSON, max_size=5), st.booleans())
def test_what_another_writer_quotes_comes_back_as_it_was(made: dict[str, Any], flow: bool) -> None:
    class Quoting(yaml.SafeDumper):
        """Texts in double quotes, so that the two ideas of plain scalars do not matter."""

    Quoting.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))
    text = yaml.dump(made, Dumper=Quoting, default_flow_style=flow, allow_unicode=True, sort_keys=False)
    assert value(text) == made


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
    | st.text("ab:-[]{},&*!|>'\"%@`#?\n \t.0", max_size=40)
)
def test_no_text_is_answered_with_an_exception(text: str) -> None:
    found = read_yaml(text.encode(), FILE)
    assert isinstance(found, Document) or all(one.position for one in found)
