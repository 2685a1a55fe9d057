"""Every schema is sound in itself: by the metaschema, offline, described, and true to its own examples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing.exceptions import Unresolvable

from generator.workflows.schemas import BASE
from tests.unit.schemas.shipped import REGISTRY, SCHEMAS, fast, is_valid, wordy

_HOLDS_SCHEMAS_BY_NAME = ("properties", "$defs")
_HOLDS_SCHEMAS = ("allOf", "anyOf", "prefixItems")
_HOLDS_A_SCHEMA = ("items", "additionalProperties", "propertyNames", "if", "then", "else", "not")


def subschemas(schema: object, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every schema within `schema` with its place."""
    if not isinstance(schema, Mapping):
        return
    yield place, schema
    for keyword in _HOLDS_SCHEMAS_BY_NAME:
        for name, below in schema.get(keyword, {}).items():
            yield from subschemas(below, f"{place}/{keyword}/{name}")
    for keyword in _HOLDS_SCHEMAS:
        for index, below in enumerate(schema.get(keyword, [])):
            yield from subschemas(below, f"{place}/{keyword}/{index}")
    for keyword in _HOLDS_A_SCHEMA:
        yield from subschemas(schema.get(keyword), f"{place}/{keyword}")


ALL = [found for name, schema in SCHEMAS.items() for found in subschemas(schema, name)]
EXAMPLES = [(place, schema, index) for place, schema in ALL for index in range(len(schema.get("examples", ())))]
PATTERNS = sorted({schema["pattern"] for _, schema in ALL if "pattern" in schema})


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_valid_by_the_metaschema_and_says_what_it_is(name: str) -> None:
    schema = SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"{BASE}{name}.json"
    assert schema["title"]
    assert schema["description"]
    assert schema["examples"]


def test_every_reference_leads_into_a_shipped_schema() -> None:
    references = [(place, schema["$ref"]) for place, schema in ALL if "$ref" in schema]
    lost = []
    for place, reference in references:
        resolver = REGISTRY.resolver(SCHEMAS[place.partition("/")[0]]["$id"])
        try:
            resolver.lookup(reference)
        except Unresolvable:
            lost.append((place, reference))
    assert references
    assert lost == []


def test_every_definition_is_used() -> None:
    used = {
        reference if reference.startswith(BASE) else SCHEMAS[place.partition("/")[0]]["$id"] + reference
        for place, schema in ALL
        if isinstance(reference := schema.get("$ref"), str)
    }
    defined = {f"{schema['$id']}#/$defs/{name}" for schema in SCHEMAS.values() for name in schema.get("$defs", {})}
    assert defined - used == set()


@pytest.mark.parametrize(
    ("place", "schema", "index"), EXAMPLES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_an_example_is_valid_by_the_schema_it_stands_in(place: str, schema: Mapping[str, Any], index: int) -> None:
    root = SCHEMAS[place.partition("/")[0]]
    # The subschema takes the root's name for the check, so that its references are read as they are in place.
    local = {**schema, "$id": root["$id"], "$defs": root.get("$defs", {})}
    validator = jsonschema.Draft202012Validator(local, registry=REGISTRY)
    assert [error.message for error in validator.iter_errors(schema["examples"][index])] == []


def test_every_member_is_described() -> None:
    def described(place: str, schema: Mapping[str, Any]) -> bool:
        reference = schema.get("$ref")
        if "description" in schema or reference is None:
            return "description" in schema
        resolver = REGISTRY.resolver(SCHEMAS[place.partition("/")[0]]["$id"])
        return "description" in resolver.lookup(reference).contents

    members = [
        (f"{place}/{name}", below)
        for place, schema in ALL
        if not set(place.split("/")) & {"if", "then", "else", "allOf", "anyOf"}
        for name, below in schema.get("properties", {}).items()
    ]
    assert [place for place, below in members if not described(place, below)] == []


def test_authors_get_an_example_for_every_member_they_write_themselves() -> None:
    written = ("scenario-v2", "scenario-v1/$defs/driver", "agent", "run-agent-result")
    obvious = ({"const"}, {"type", "default"})
    without = []
    for place, schema in ALL:
        if not place.startswith(written) or set(place.split("/")) & {"if", "then", "else", "allOf", "anyOf"}:
            continue
        for name, below in schema.get("properties", {}).items():
            shown = {**below}
            if "$ref" in below:
                resolver = REGISTRY.resolver(SCHEMAS[place.partition("/")[0]]["$id"])
                shown = {**resolver.lookup(below["$ref"]).contents, **below}
            if "examples" not in shown and "not" not in shown and not any(keys <= set(shown) for keys in obvious):
                without.append(f"{place}/{name}")
    assert without == []


def test_the_files_are_plain_ascii_so_that_any_terminal_can_show_them() -> None:
    from generator.resources import data_folder

    for file in data_folder("schemas").iterdir():
        assert file.read_bytes().isascii(), file.name
        assert file.read_bytes().endswith(b"}\n"), file.name


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_uses_nothing_that_engines_read_differently(pattern: str) -> None:
    # `\d`, `\w`, `\s` and `.` cover other characters in Python than in ECMA-262, and Python's `$` allows a line end.
    assert re.search(r"\\[dwsbDWSBAZz]", pattern) is None
    assert "." not in re.sub(r"\[[^\]]*\]|\\\.", "", pattern)
    assert "$" not in pattern.replace(r"$(?!\n)", "")


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("value", [None, True, 0, 1.5, "", "x", [], {"version": 1}], ids=repr)
def test_no_schema_accepts_a_value_of_another_kind(name: str, value: object) -> None:
    assert not is_valid(name, value)


def test_the_two_validators_know_the_same_schemas() -> None:
    for name, schema in SCHEMAS.items():
        for example in schema["examples"]:
            assert wordy(name).is_valid(example)
            assert fast(name).is_valid(example)


def test_the_reference_page_lists_every_schema_once() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/files.md").read_text(encoding="utf-8")
    table = page.partition("<!-- made: files -->")[2].partition("<!-- end -->")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| ")]
    assert sorted(row[1].strip().strip("`") for row in rows[1:]) == sorted(SCHEMAS)
