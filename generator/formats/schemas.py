"""The scenario schemas, compiled once per process: a fast one that says yes or no, and one that can say why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from generator.resources import data_folder
from generator.source.pointer import is_index, parts

if TYPE_CHECKING:
    import jsonschema
    import jsonschema_rs
    from jsonschema.exceptions import ValidationError

V1: Final = "ruhroh_scenario_v1"
V2: Final = "ruhroh_scenario_v2"
_FILES: Final[Mapping[str, str]] = {V1: "scenario-v1.schema.json", V2: "scenario-v2.schema.json"}


def schema_errors(value: object, version: str) -> list[ValidationError]:
    """Everything the schema of `version` finds wrong with a document; empty when it is valid."""
    if _fast(version).is_valid(value):
        return []
    return list(_wordy(version).iter_errors(value))


@cache
def schema(version: str) -> dict[str, Any]:
    """The schema of a format version, as it lies in `schemas/`."""
    loaded: dict[str, Any] = json.loads((data_folder("schemas") / _FILES[version]).read_bytes())
    return loaded


def resolve(subschema: Mapping[str, Any], base: str) -> tuple[Mapping[str, Any], str]:
    """Follow the `$ref` of a subschema that stands in the schema of version `base`.

    Returns:
        The subschema with what it refers to merged under its own keywords, and the version whose `$ref`s it holds.
    """
    reference = subschema.get("$ref")
    if reference is None:
        return subschema, base
    file, _, fragment = reference.partition("#")
    target = next(version for version in _FILES if schema(version)["$id"] == file) if file else base
    found: Any = schema(target)
    for part in fragment.split("/")[1:]:
        found = found[part]
    found, target = resolve(found, target)
    return {**found, **{key: item for key, item in subschema.items() if key != "$ref"}}, target


def subschema_at(pointer: str, version: str) -> Mapping[str, Any]:
    """What the schema of `version` says about the value at `pointer`, references followed; empty for nothing.

    An item without examples of its own has those of its list.
    """
    found: Mapping[str, Any] = schema(version)
    base = version
    for part in parts(pointer):
        below = _below(found, part)
        if not isinstance(below, Mapping):
            return {}
        examples = [item for example in found.get("examples", ()) if isinstance(example, list) for item in example]
        found, base = resolve(below, base)
        if is_index(part) and examples and "examples" not in below:
            found = {**found, "examples": examples}
    return found


def _below(found: Mapping[str, Any], part: str) -> object:
    """The subschema of the member or item `part` of what `found` describes."""
    if part in found.get("properties", {}):
        return found["properties"][part]
    if not is_index(part):
        return found.get("additionalProperties")
    first = found.get("prefixItems", ())
    return first[int(part)] if int(part) < len(first) else found.get("items")


@cache
def _fast(version: str) -> jsonschema_rs.Draft202012Validator:
    import jsonschema_rs

    needed = _FILES if version == V1 else (V2,)  # version 1 refers to version 2, which refers to itself alone
    registry = jsonschema_rs.Registry([(schema(name)["$id"], schema(name)) for name in needed])
    return jsonschema_rs.Draft202012Validator(schema(version), registry=registry)


@cache
def _wordy(version: str) -> jsonschema.Draft202012Validator:
    import jsonschema
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    # A registry without retrieval: an unknown reference is an error, never a network request.
    known = [(schema(name)["$id"], DRAFT202012.create_resource(schema(name))) for name in _FILES]
    registry: Any = Registry().with_resources(known)
    return jsonschema.Draft202012Validator(schema(version), registry=registry)
