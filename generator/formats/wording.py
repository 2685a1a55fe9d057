"""Schema errors in words: what stands there, what may stand there, and an example to paste.

The schema's own `examples`, `default` and `description` are the source of every hint, so that editor, documentation
and command line say the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from generator.diagnostics.model import Finding
from generator.formats.keys import closest
from generator.formats.mending import of_form, of_type
from generator.formats.schemas import V1, V2, schema, subschema_at
from generator.scenario.names import id_problem, path_problem
from generator.source.document import Json
from generator.source.pointer import child, join

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_TYPES: Final[Mapping[str, str]] = {
    "string": "a text",
    "array": "a list",
    "object": "an object",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
    "null": "null",
}
_LIMITS: Final[Mapping[str, str]] = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
}
# What a definition's `pattern` stands for: code, and the reason in words where a function knows it better.
_PATTERN_CODES: Final[Mapping[str, str]] = {
    "text": "text_blank",
    "command": "text_blank",
    "name": "name_not_portable",
    "date": "date_format",
    "relativePath": "path_unsafe",
    "absolutePath": "workdir_unsuitable",
    "imageReference": "image_reference",
    "packageName": "package_name",
    "userName": "user_name",
    "environmentName": "environment_name",
}
_REASONS: Final[Mapping[str, Callable[[str], str | None]]] = {
    "name_not_portable": id_problem,
    "path_unsafe": path_problem,
    "text_blank": lambda _: "it is blank",
}
# A path that stands in an example would be pasted, and lead to nothing.
_HINTS: Final[Mapping[str, str]] = {"path_unsafe": "the path of a copy inside the scenario directory, seen from there"}
_SHOWN_LENGTH: Final = 60


def quoted(value: object) -> str:
    """A value as it could stand in the document, cut when long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[: _SHOWN_LENGTH - 1]}…"


def member_example(pointer: str, version: str) -> str:
    """A member to paste: the name at the end of `pointer` and the value that the schema shows as its example."""
    return f'"{pointer.rpartition("/")[2]}": {_example(subschema_at(pointer, version))}'


def word(error: ValidationError, base: str) -> Iterator[Finding]:
    """The findings that one schema error of a document in format version `base` stands for."""
    pointer = join(error.absolute_path)
    keyword = str(error.validator)
    if keyword == "required":
        yield from _missing(error, pointer, base)
    elif keyword == "additionalProperties":
        yield from _extra(error, pointer)
    elif "propertyNames" in error.absolute_schema_path:
        made = _value(error, keyword, child(pointer, str(error.instance)), _schema(error))
        yield made._replace(message=f"as a key, {made.message}", on_name=True)
    else:
        yield _value(error, keyword, pointer, subschema_at(pointer, base))


def misspelt(error: ValidationError) -> Mapping[str, str]:
    """Name of each member whose absence is the error -> the member that was probably meant to be it; few have one."""
    if error.validator != "required":
        return {}
    missing = _absent(error)
    strangers = [name for name in _instance(error) if name not in _schema(error).get("properties", {})]
    return {meant: one for one in reversed(strangers) if (meant := closest(one, missing)) is not None}


def _absent(error: ValidationError) -> list[str]:
    return [name for name in _rule(error) if name not in _instance(error)]


def _instance(error: ValidationError) -> Json:
    return error.instance


def _rule(error: ValidationError) -> Json:
    return error.validator_value


def _schema(error: ValidationError) -> Mapping[str, Any]:
    return error.schema if isinstance(error.schema, Mapping) else {}


def _missing(error: ValidationError, pointer: str, base: str) -> Iterator[Finding]:
    alike = misspelt(error)
    for name in _absent(error):
        message, hint = f'the member "{name}" is missing', member_example(child(pointer, name), base)
        like = alike.get(name)
        if like is not None:
            message, hint = f"{message}, and {quoted(like)} looks like it", f'"{name}" instead of {quoted(like)}'
        yield Finding("field_missing", pointer, message, hint)


def _extra(error: ValidationError, pointer: str) -> Iterator[Finding]:
    names = list(_schema(error)["properties"])
    for name in _instance(error):
        if name not in names:
            meant = closest(name, names)
            hint = f'"{meant}"' if meant else "one of " + ", ".join(sorted(names))
            yield Finding("field_not_allowed", child(pointer, name), f'"{name}" is not known here', hint, on_name=True)


def _value(error: ValidationError, keyword: str, pointer: str, subschema: Mapping[str, Any]) -> Finding:
    value, rule = _instance(error), _rule(error)
    if keyword == "type":
        return _type(value, rule, subschema, pointer)
    if keyword in ("enum", "const"):
        return _choice(value, _choices(keyword, rule, pointer), pointer)
    if keyword in _LIMITS:
        message = f"{quoted(value)} must be {_LIMITS[keyword]} {rule}"
        return Finding("field_range", pointer, message, _example(subschema))
    if keyword == "minItems":
        return Finding("field_empty", pointer, "the list is empty", _example(subschema))
    if keyword in ("pattern", "maxLength"):
        return _pattern(error, subschema, pointer)
    message = f"not allowed here: {_sentence(subschema.get('description', 'it may not stand here'))}"
    return Finding("field_not_allowed", pointer, message, "nothing in its place", on_name=True)


def _type(value: object, rule: str | list[str], subschema: Mapping[str, Any], pointer: str) -> Finding:
    types = [rule] if isinstance(rule, str) else rule
    wanted = " or ".join(_TYPES[name] for name in types)
    mended = of_type(value, types, subschema)
    hint = _example(subschema) if mended is None else json.dumps(mended, ensure_ascii=False)
    return Finding("field_type", pointer, f"expected {wanted}, found {quoted(value)}", hint)


def _choices(keyword: str, rule: Any, pointer: str) -> list[Any]:
    """What may stand there. A schema knows its own format version alone; we read all that have one."""
    if pointer == "/version":
        return [V2, V1]
    return list(rule) if keyword == "enum" else [rule]


def _choice(value: object, choices: list[Any], pointer: str) -> Finding:
    meant = closest(value, [str(choice) for choice in choices]) if isinstance(value, str) else None
    hint = quoted(meant) if meant else " or ".join(quoted(choice) for choice in choices)
    known = ", ".join(str(choice) for choice in choices)
    return Finding("field_value", pointer, f"{quoted(value)} is not one of: {known}", hint)


def _pattern(error: ValidationError, subschema: Mapping[str, Any], pointer: str) -> Finding:
    value = _instance(error)
    code = _codes().get((str(error.validator), _rule(error)), "field_format")
    explain = _REASONS.get(code)
    # The definition that holds the pattern describes the form; the place it is used at describes the purpose.
    form = str(_schema(error).get("description", "another form")).partition(". ")[0]
    reason = explain(value) if explain else None
    what = f"does not fit: {reason}" if reason else f"does not fit; expected {_sentence(form)}"
    mended = of_form(code, value)
    usual = _HINTS.get(code) or _example(subschema)
    hint = usual if mended is None else json.dumps(mended, ensure_ascii=False)
    # What stands behind the name of a variable may be a secret, which no log should repeat.
    shown = f"{value.partition('=')[0]}=…" if code == "environment_name" and "=" in value else value
    return Finding(code, pointer, f"{quoted(shown)} {what}", hint)


@cache
def _codes() -> Mapping[tuple[str, object], str]:
    """(keyword, its value) -> code, for the keywords that stand in one definition alone."""
    defs = schema(V2)["$defs"]
    made: dict[tuple[str, object], str] = {}
    for name, code in _PATTERN_CODES.items():
        made.setdefault(("pattern", defs[name]["pattern"]), code)
    made["maxLength", defs["name"]["maxLength"]] = "name_not_portable"
    return made


def _example(subschema: Mapping[str, Any]) -> str:
    """A value to paste; empty when the schema shows none."""
    for key in ("const", "default"):
        if key in subschema:
            return quoted(subschema[key])
    examples = subschema.get("examples")
    if examples:
        return json.dumps(examples[0], ensure_ascii=False)
    return " or ".join(quoted(choice) for choice in subschema.get("enum", ()))


def _sentence(text: str) -> str:
    """A description as a clause of a message: no capital at its start, no full stop at its end."""
    text = text.rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text
