"""The JSON Schemas that ship with Harborsmith, each as one document that needs no other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from generator.resources import data_folder

BASE: Final = "https://harborsmith.dev/schemas/"  # of every `$id`; an identifier, never fetched
_SUFFIX: Final = ".schema.json"


def schema_titles() -> Mapping[str, str]:
    """Name of each schema (`scenario-v2`) -> its title, sorted by name."""
    files = sorted(data_folder("schemas").glob(f"*{_SUFFIX}"))
    return {file.name.removesuffix(_SUFFIX): json.loads(file.read_bytes())["title"] for file in files}


def schema_text(name: str) -> str | None:
    """The schema called `name` as JSON text, or None when there is no such schema.

    Schemas that it refers to are embedded under `$defs` by their `$id`, which is how JSON Schema 2020-12 (core, 9.3)
    bundles documents: an editor that gets the text resolves every reference in it.
    """
    if name not in _names():
        return None
    text = _file(name).read_text(encoding="utf-8")
    schema = json.loads(text)
    others = _referenced(schema, {name: schema})
    if not others:
        return text
    definitions = schema.get("$defs", {}) | {other["$id"]: other for other in others.values()}
    return json.dumps(schema | {"$defs": definitions}, indent=2) + "\n"


def _names() -> set[str]:
    return {file.name.removesuffix(_SUFFIX) for file in data_folder("schemas").glob(f"*{_SUFFIX}")}


def _file(name: str) -> Path:
    return data_folder("schemas") / f"{name}{_SUFFIX}"


def _referenced(schema: Mapping[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """The schemas that `schema` needs, directly or through others, without those in `known`."""
    found: dict[str, Any] = {}
    for name in sorted(set(_references(schema))):
        if name not in known | found:
            found[name] = json.loads(_file(name).read_bytes())
            found |= _referenced(found[name], known | found)
    return found


def _references(value: object) -> Iterator[str]:
    """The names of the schema files that the references in `value` lead to."""
    if isinstance(value, Mapping):
        reference = value.get("$ref")
        if isinstance(reference, str) and reference.startswith(BASE):
            yield reference.removeprefix(BASE).partition(".json")[0]
        for below in value.values():
            yield from _references(below)
    elif isinstance(value, list):
        for below in value:
            yield from _references(below)
