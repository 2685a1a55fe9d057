"""`harborsmith.toml`: what a pack decides once for everybody who works on it.

It is found from the working directory upward; paths in it are relative to its own directory. A fault in it is wrong
usage: with other settings than the pack's own, every answer would be a different one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from generator.diagnostics.catalogue import catalogue, categories, suggestions
from generator.diagnostics.locate import locate
from generator.diagnostics.model import Diagnostic, Finding, Severity
from generator.formats.keys import closest
from generator.formats.wording import quoted
from generator.scenario.names import is_harbor_name
from generator.source.document import MAX_BYTES
from generator.source.pointer import child
from generator.source.tree import Refusal, Tree

ANY_WARNING: Final = "warning"
ANY_NOTE: Final = "note"
# Key -> an example of its value.
SETTINGS: Final = {
    "scenario-dir": '"scenarios"',
    "out": '"generated"',
    "org": '"example"',
    "authors": '["Ada Example"]',
    "fail-on": '["warning"]',
    "dataset": "[dataset]",
    "ignore": "[[ignore]]",
}
IGNORE_KEYS: Final = {"code": '"network_public"', "scenario": '"csv-clean-up"', "reason": '"why it is right here"'}
DATASET_KEYS: Final = {
    "name": '"ledger-tasks"',
    "version": '"1.0.0"',
    "description": '"Bookkeeping tasks."',
}

_KEY_LINE: Final = re.compile(r"""\s*["']?([\w-]+)["']?\s*=""", re.ASCII)
_IGNORE_LINE: Final = re.compile(r"\s*\[\[\s*ignore\s*\]\]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TABLE_LINE: Final = re.compile(r"\s*\[\s*dataset\s*\]")
_SYNTAX_PLACE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, slots=True)
class Ignore:
    """One `[[ignore]]`: complaints with `code`, of `scenario` (None is any), are not shown, for `reason`."""

    code: str
    scenario: str | None
    reason: str
    pointer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of a pack; None where it leaves a choice open. Paths are absolute."""

    file: Path | None = None
    text: str = ""
    scenario_dir: Path | None = None
    out: Path | None = None
    org: str | None = None
    authors: tuple[str, ...] = ()
    fail_on: tuple[str, ...] = ()
    dataset: Mapping[str, str] = field(default_factory=dict)
    ignores: tuple[Ignore, ...] = ()

    def at(self, findings: tuple[Finding, ...]) -> tuple[Diagnostic, ...]:
        """Findings about this file, with their places in it."""
        assert self.file is not None
        return locate(findings, _Places(self.text, self.file.name), self.file.parent)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the keys of a TOML text stand. What the patterns do not find gets the place of what holds it."""

    text: str
    file: str

    def position(self, pointer: str, on_name: bool = False) -> tuple[int, int]:
        """Line and column of a key, or of an `[[ignore]]`."""
        places: dict[str, tuple[int, int]] = {}
        table = ""
        count = 0
        for number, line in enumerate(self.text.split("\n"), start=1):
            start = (number, len(line) - len(line.lstrip()) + 1)
            if _IGNORE_LINE.match(line):
                table = f"/ignore/{count}"
                count += 1
                places[table] = start
                places.setdefault("/ignore", start)
            elif _TABLE_LINE.match(line):
                table = "/dataset"
                places[table] = start
            elif match := _KEY_LINE.match(line):
                places.setdefault(child(table, match[1]), start)
        while pointer not in places and pointer:
            pointer = pointer.rpartition("/")[0]
        return places.get(pointer, (1, 1))


def read_config(file: Path) -> Config | tuple[Diagnostic, ...]:
    """The settings in `file`, or everything that is wrong with it."""
    import tomllib

    data = Tree(file.parent).read(file.name, MAX_BYTES)
    if isinstance(data, Refusal):
        reason = f"it cannot be read: {data.kind.value.replace('_', ' ')}" + (
            f" ({data.detail})" if data.detail else ""
        )
        return _alone(file, Finding("config_unreadable", "", reason, "a text file of TOML, at most 1 MiB"))
    try:
        text = data.decode("utf-8")
        given = tomllib.loads(text)
    except UnicodeDecodeError:
        return _alone(file, Finding("config_unreadable", "", "it is not UTF-8", "the file saved as UTF-8"))
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, and numbers too long for Python
        return _alone(file, _syntax(str(error)))
    findings = tuple(_faults(given))
    return Config(file=file, text=text).at(findings) if findings else _config(given, file, text)


def known_names() -> list[str]:
    """What `fail-on` may name: every code, every category, `warning` and `note`."""
    return [*catalogue(), *categories(), ANY_WARNING, ANY_NOTE]


def _config(given: Mapping[str, Any], file: Path, text: str) -> Config:
    def path(name: str) -> Path | None:
        return file.parent / given[name] if name in given else None

    return Config(
        file=file,
        text=text,
        scenario_dir=path("scenario-dir"),
        out=path("out"),
        org=given.get("org"),
        authors=tuple(given.get("authors", ())),
        fail_on=tuple(given.get("fail-on", ())),
        dataset=given.get("dataset", {}),
        ignores=tuple(
            Ignore(table["code"], table.get("scenario"), table["reason"], f"/ignore/{index}")
            for index, table in enumerate(given.get("ignore", ()))
        ),
    )


def _faults(given: Mapping[str, Any]) -> Iterator[Finding]:
    yield from _unknown(given, "", list(SETTINGS))
    for name, fits in (("scenario-dir", _is_text), ("out", _is_text), ("org", _is_org)):
        yield from _value(given, "", name, fits, SETTINGS[name])
    for name in ("authors", "fail-on"):
        yield from _value(given, "", name, _are_texts, SETTINGS[name])
    if _are_texts(given.get("fail-on", [])):
        for name in given.get("fail-on", []):
            yield from _unknown_name(name, known_names(), "/fail-on", "neither a code nor a category")
    if "dataset" in given:
        yield from _dataset_faults(given["dataset"])
    tables = given.get("ignore", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        yield Finding("config_value", "/ignore", f"ignore is {quoted(tables)}, not a list of tables", "[[ignore]]")
        return
    for index, table in enumerate(tables):
        yield from _ignore_faults(table, f"/ignore/{index}")


def _dataset_faults(table: object) -> Iterator[Finding]:
    if not isinstance(table, dict):
        yield Finding("config_value", "/dataset", f"dataset is {quoted(table)}, not a table", "[dataset]")
        return
    yield from _unknown(table, "/dataset", list(DATASET_KEYS))
    for name, fits in (("name", _is_dataset_name), ("version", _is_line), ("description", _is_line)):
        yield from _value(table, "/dataset", name, fits, DATASET_KEYS[name])
    if "name" not in table:
        yield Finding("config_value", "/dataset", "a [dataset] without a name", f"name = {DATASET_KEYS['name']}")


def _ignore_faults(table: Mapping[str, Any], pointer: str) -> Iterator[Finding]:
    yield from _unknown(table, pointer, list(IGNORE_KEYS))
    yield from _value(table, pointer, "scenario", _is_text, IGNORE_KEYS["scenario"])
    reason = table.get("reason", "")
    if not _is_text(reason):
        message = "an [[ignore]] without a reason"
        yield Finding("config_reason_missing", pointer, message, f"reason = {IGNORE_KEYS['reason']}")
    code = table.get("code")
    if not isinstance(code, str) or not _is_text(code):
        yield Finding("config_value", pointer, "an [[ignore]] without a code", f"code = {IGNORE_KEYS['code']}")
    elif code not in catalogue():
        yield from _unknown_name(code, list(catalogue()), child(pointer, "code"), "no code")
    elif catalogue()[code].severity is Severity.ERROR:
        message = f"{code} is an error, and errors cannot be ignored"
        yield Finding("config_ignore_error", child(pointer, "code"), message, "the scenario mended, and no [[ignore]]")


def _unknown(given: Mapping[str, Any], pointer: str, names: list[str]) -> Iterator[Finding]:
    for name in given:
        if name not in names:
            meant = closest(name, names)
            hint = meant or "one of " + ", ".join(names)
            yield Finding(
                "config_key_unknown", child(pointer, name), f"the key {quoted(name)} means nothing here", hint
            )


def _unknown_name(name: str, known: list[str], pointer: str, what: str) -> Iterator[Finding]:
    if name not in known:
        close = suggestions(name, known)
        hint = quoted(close[0]) if close else "what `harborsmith explain` lists"
        yield Finding("config_value", pointer, f"{quoted(name)} is {what}", hint)


def _value(
    given: Mapping[str, Any], pointer: str, name: str, fits: Callable[[object], bool], example: str
) -> Iterator[Finding]:
    if name in given and not fits(given[name]):
        message = f"{quoted(given[name])} does not fit {name}; expected {_FORMS[fits]}"
        yield Finding("config_value", child(pointer, name), message, f"{name} = {example}")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _is_org(value: object) -> bool:
    return isinstance(value, str) and is_harbor_name(value)


def _is_dataset_name(value: object) -> bool:
    return isinstance(value, str) and value.count("/") <= 1 and all(map(_is_org, value.split("/")))


def _is_line(value: object) -> bool:
    return isinstance(value, str) and _is_text(value) and _CONTROL.search(value) is None


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


_FORMS: Final[Mapping[Callable[[object], bool], str]] = {
    _is_text: "a text",
    _is_org: "letters, digits, dots, dashes and underscores",
    _is_dataset_name: "NAME or ORG/NAME, both of letters, digits, dots, dashes and underscores",
    _is_line: "a text of one line",
    _are_texts: "a list of texts",
}


def _syntax(complaint: str) -> Finding:
    match = _SYNTAX_PLACE.search(complaint)
    position = (int(match[1]), int(match[2])) if match and match[1] else None
    message = f"this is not TOML: {_SYNTAX_PLACE.sub('', complaint)}"
    return Finding(
        "config_syntax",
        "",
        message,
        "texts in quotes, lists in brackets, and tables that begin with [[ignore]]",
        position=position,
    )


def _alone(file: Path, finding: Finding) -> tuple[Diagnostic, ...]:
    return locate((finding,), None, file.parent, document_file=file.name)
