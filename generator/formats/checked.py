"""The schema check of one document, and the document without what it found: rules then speak only of sound values."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

from generator.diagnostics.model import Finding
from generator.formats.keys import unknown_keys
from generator.formats.schemas import V1, V2, schema_errors
from generator.formats.wording import word
from generator.source.document import Json
from generator.source.pointer import parts


class Checked(NamedTuple):
    """A document after the schema check.

    Attributes:
        version: The format version it was checked as.
        sound: The document without invalid values; an invalid item of a list is None, so that indices stay true.
        invalid: Pointers of what was taken out.
        findings: What the schema says, but for publication rules, which have better words of their own.
    """

    version: str
    sound: Mapping[str, Any]
    invalid: frozenset[str]
    findings: tuple[Finding, ...]


def check(value: Mapping[str, Any]) -> Checked:
    """Check a document against the schema of the version it names (v2 when it names none)."""
    version = V1 if value.get("version") == V1 else V2
    found: dict[Finding, None] = {}
    invalid: set[str] = set()
    for error in schema_errors(value, version):
        if error.absolute_schema_path[0] == "allOf":  # the publication branch
            continue
        for finding in word(error, version):
            found[finding] = None
            if error.validator != "required":
                invalid.add(finding.pointer)
    found.update((finding, None) for finding in unknown_keys(value, version) if finding.pointer not in invalid)
    return Checked(version, without(value, invalid) if invalid else value, frozenset(invalid), tuple(found))


def without(value: Mapping[str, Any], pointers: set[str]) -> Mapping[str, Any]:
    """A copy of `value` in which members at `pointers` are gone and items are None."""
    made = copy.deepcopy(dict(value))
    for pointer in sorted(pointers, reverse=True):
        *path, last = parts(pointer)
        place: Json = made
        for part in path:
            place = _step(place, part)
        if isinstance(place, list):
            place[int(last)] = None
        elif isinstance(place, dict):
            place.pop(last, None)
    return made


def _step(place: Json, part: str) -> Json:
    if isinstance(place, dict):
        return place.get(part)
    if isinstance(place, list) and part.isdigit():
        return place[int(part)]
    return None
