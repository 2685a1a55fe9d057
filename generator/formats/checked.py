"""The schema check of one document, and the document without what it found: rules then speak only of sound values."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from generator.diagnostics.model import Finding
from generator.formats.keys import closest, unknown_keys
from generator.formats.schemas import V1, V2, schema_errors, subschema_at
from generator.formats.wording import misspelt, word
from generator.source.pointer import child, join, parent, parts, value_at

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_PUBLICATION: Final = "allOf"  # the branch of the schema whose rules have better words of their own
_BRANCHES: Final = frozenset({"then", "else"})


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
    version = _version(value)
    errors = schema_errors(value, version)
    if errors:
        found, invalid = _complaints(errors, version)
    else:
        found, invalid = {}, set()
    found.update((finding, None) for finding in unknown_keys(value, version) if finding.pointer not in invalid)
    return Checked(version, without(value, invalid) if invalid else value, frozenset(invalid), tuple(found))


def _version(value: Mapping[str, Any]) -> str:
    """The version to check a document as: a misspelt one is that of the author's mind, for the rest follows from it."""
    given = value.get("version")
    if given in (V1, V2) or not isinstance(given, str):
        return V1 if given == V1 else V2
    return closest(given, [V2, V1]) or V2


def _complaints(errors: Sequence[ValidationError], version: str) -> tuple[dict[Finding, None], set[str]]:
    """What schema errors stand for, each once, and the pointers of what is to be taken out."""
    worded = [(error, tuple(word(error, version))) for error in errors if error.absolute_schema_path[0] != _PUBLICATION]
    doubtful = {child(join(error.absolute_path), name) for error, _ in worded for name in misspelt(error)}
    doubtful.update(finding.pointer for error, findings in worded for finding in findings if _is_refused(error))
    found: dict[Finding, None] = {}
    invalid: set[str] = set()
    for error, findings in worded:
        if doubtful.isdisjoint(_deciding(error, version)):
            found.update(dict.fromkeys(findings))
            if _is_refused(error):
                invalid.update(finding.pointer for finding in findings)
    return found, invalid


def _is_refused(error: ValidationError) -> bool:
    """Whether an error is about a value that is there."""
    return error.validator != "required"


def _deciding(error: ValidationError, version: str) -> Iterator[str]:
    """Pointers of the members for whose values the schema asks what the error complains of; mostly there are none.

    A rule below `then` or `else` holds only because of what its `if` found. Where that was no sound value, the author
    meant another one, and with it perhaps another rule.
    """
    if _BRANCHES.isdisjoint(error.absolute_schema_path):
        return
    path = tuple(error.absolute_path)
    for length in range(len(path) + 1):
        above = join(path[:length])
        condition = subschema_at(above, version).get("if", {})
        yield from (child(above, name) for name in condition.get("properties", ()))


def without(value: Mapping[str, Any], pointers: set[str]) -> Mapping[str, Any]:
    """A copy of `value` in which members at `pointers` are gone and items are None."""
    made = copy.deepcopy(dict(value))
    for pointer in sorted(pointers, reverse=True):
        last = parts(pointer)[-1]
        place = value_at(made, parent(pointer))
        if isinstance(place, list):
            place[int(last)] = None
        elif isinstance(place, dict):
            place.pop(last, None)
    return made
