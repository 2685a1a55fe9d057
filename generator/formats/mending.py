"""What an author probably meant by a value that does not fit: the same value in the form the schema asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from generator.scenario.names import path_problem, portable_name

_NUMBER: Final = r"[0-9]{1,15}(?:\.[0-9]{1,15})?"
_WORDS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
_LONGEST: Final = 200  # characters; a longer hint is not read


def of_type(value: object, types: list[str], subschema: Mapping[str, Any]) -> object | None:
    """`value` as one of `types`, where nothing of what was written is lost; None where that cannot be told."""
    if isinstance(value, str):
        return _from_text(value, types, subschema)
    if "string" in types and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def of_form(code: str, value: str) -> str | None:
    """`value` in the form that `code` asks for, or None where there is none that is close."""
    mend = _FORMS.get(code)
    return mend(value) if mend and len(value) <= _LONGEST else None


def _from_text(text: str, types: list[str], subschema: Mapping[str, Any]) -> object | None:
    word = text.strip().lower()
    if "boolean" in types:
        return _WORDS.get(word)
    if {"number", "integer"}.intersection(types) and re.fullmatch(_NUMBER, word):
        number: object = json.loads(word) if not word.startswith("0") or word.startswith("0.") else None
        return number if isinstance(number, int) or "number" in types else None
    is_list_of_texts = "array" in types and "prefixItems" not in subschema and _holds_texts(subschema)
    return [text] if is_list_of_texts and word and len(text) <= _LONGEST else None


def _holds_texts(subschema: Mapping[str, Any]) -> bool:
    return any(isinstance(item, str) for example in subschema.get("examples", ()) for item in example)


def _path(value: str) -> str | None:
    mended = value.replace("\\", "/")
    return mended if mended != value and path_problem(mended) is None else None


def _lower(value: str) -> str | None:
    mended = value.strip().lower()
    return mended if re.fullmatch(r"[a-z0-9][a-z0-9+.-]*[a-z0-9+.]", mended, re.ASCII) else None


def _name_alone(value: str) -> str | None:
    name = value.partition("=")[0].strip()
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name, re.ASCII) else None


_FORMS: Final[Mapping[str, Callable[[str], str | None]]] = {
    "name_not_portable": portable_name,
    "path_unsafe": _path,
    "package_name": _lower,
    "environment_name": _name_alone,
}
