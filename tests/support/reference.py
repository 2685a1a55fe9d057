"""The parts of pages that are made from the code: `<!-- made: NAME -->` … `<!-- end -->`."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import click
from click.testing import CliRunner

from generator.cli.exits import Exit
from generator.cli.main import COMMANDS, group
from generator.diagnostics.catalogue import catalogue, categories
from generator.execute.outcome_words import OUTCOME_WORDS
from generator.workflows.schemas import schema_text, schema_titles
from tests.examples import NOT_RUN
from tests.support.examples import SCENARIO
from tests.support.repository import parsed
from tests.support.scenarios import LEDGER, PROMPT, document
from tests.support.variables import table, variables

_PART: Final = re.compile(r"(<!-- made: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
# How the value forms of the schema are called in a table; each has a row of its own in the last table of the page.
_FORMS: Final = {
    "text": "text",
    "texts": "list of texts",
    "name": "name",
    "date": "date",
    "relativePath": "path",
    "absolutePath": "absolute path",
    "seconds": "seconds",
    "imageReference": "image",
    "packageName": "package",
    "userName": "account",
    "environmentName": "variable",
    "command": "command",
    "arguments": "arguments",
}
_PREFIX: Final = "#/$defs/"


def remade(page: str) -> str:
    """A page with every made part as the code has it now. Raises KeyError for a part nobody makes."""
    return _PART.sub(lambda found: f"{found[1]}{_PARTS[found[2]]()}{found[3]}", page)


def help_text(*command: str) -> str:
    """What `--help` prints in a terminal of 100 columns."""
    given = CliRunner().invoke(group, [*command, "--help"], prog_name="harborsmith", terminal_width=100)
    assert given.exit_code == Exit.GOOD, given.output
    return given.output


def _commands() -> str:
    rows = "".join(f"| `{name}` | {summary} |\n" for name, (_, summary) in COMMANDS.items())
    return f"| Command | What it does |\n|---|---|\n{rows}"


def _help() -> str:
    made = ""
    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        below = list(command.commands) if isinstance(command, click.Group) else []
        made += _help_of("##", name) + "".join(_help_of("###", name, inner) for inner in below)
    return made + "\n"


def _help_of(level: str, *command: str) -> str:
    return f"\n{level} {' '.join(command)}\n\n```text\n{help_text(*command).rstrip()}\n```\n"


def _codes() -> str:
    made = ""
    for category in categories():
        rows = "".join(
            f"| [`{entry.code}`](codes/{category}.md#{entry.code}) | {entry.severity} | {entry.summary} |\n"
            for entry in catalogue().values()
            if entry.category == category
        )
        made += f"\n## {category}\n\n| Code | Weight | What it means |\n|---|---|---|\n{rows}"
    return made + "\n"


def _outcome_words() -> str:
    rows = "".join(f"| `{word}` | {_cell(meaning)} |\n" for word, meaning in OUTCOME_WORDS.items())
    return f"| Word | What it means |\n|---|---|\n{rows}"


def _pack() -> str:
    """The pack that the examples of codes start from."""
    text = json.dumps(document(), indent=2)
    files = {"scenario.json": text, "instruction.md": PROMPT.rstrip("\n"), "assets/ledger.csv": LEDGER.rstrip("\n")}
    language = {"json": "json", "md": "text", "csv": "text"}
    made = ""
    for name, content in files.items():
        mark = "<!-- schema: scenario-v2 -->\n" if name == "scenario.json" else ""
        made += f"\n`{SCENARIO}{name}`:\n\n{mark}```{language[name.rpartition('.')[2]]}\n{content}\n```\n"
    return made + "\n"


def _not_run() -> str:
    return "".join(f"- `{code}`: {reason}\n" for code, reason in NOT_RUN.items())


def _exit_codes() -> str:
    rows = "".join(f"| `{code}` | {meaning} | {more} |\n" for code, (meaning, more) in _exits().items())
    return f"| Code | Meaning | Examples |\n|---|---|---|\n{rows}"


def _exit_meanings() -> str:
    rows = "".join(f"| `{code}` | {meaning} |\n" for code, (meaning, _) in _exits().items())
    return f"| Code | Meaning |\n|---|---|\n{rows}"


def _exits() -> dict[int, tuple[str, str]]:
    """What the code says about each exit code: a clause, and examples."""
    (listed,) = [node for node in parsed(Path("generator/cli/exits.py")).body if isinstance(node, ast.ClassDef)]
    found = {}
    for member, text in pairwise(listed.body):
        if isinstance(member, ast.Assign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            meaning, _, more = str(text.value.value).rstrip(".").partition(": ")
            found[int(Exit[ast.unparse(member.targets[0])])] = (_lower(meaning), more)
    return found


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _files() -> str:
    rows = ""
    for name in schema_titles():
        schema = json.loads(schema_text(name) or "")
        file = _file(schema)
        meaning = str(schema["description"])
        # The name, which has a column of its own, stands first in many descriptions.
        first, _, rest = meaning.partition(": ")
        meaning = rest[:1].upper() + rest[1:] if first.endswith(file) else meaning
        rows += f"| `{name}` | {file} | {_cell(meaning)} |\n"
    return f"| Schema | File | What it is |\n|---|---|---|\n{rows}"


def _file(schema: Mapping[str, Any]) -> str:
    """The file that a schema is about, which its title names last."""
    return re.sub(r".*\((.+)\)$", r"\1", schema["title"])


def _strict() -> str:
    """Where a member that a schema does not know is an error."""
    rows = ""
    for name in schema_titles():
        schema = json.loads(schema_text(name) or "")
        places = dict(objects(schema))
        strict = [title for title, place in places.items() if place.get("additionalProperties") is False]
        if strict:
            where = "everywhere" if len(strict) == len(places) else ", ".join(f"`{title}`" for title in strict)
            rows += f"| {_file(schema)} | {where} |\n"
    return f"| File | Where |\n|---|---|\n{rows}"


def _settings() -> str:
    schema = json.loads(schema_text("config") or "")
    rows = ""
    for name, member in schema["properties"].items():
        table = schema["$defs"].get(name, {})
        meaning = member.get("description") or table.get("description", "")
        shown = f"[[{name}]]" if "items" in member and table else f"[{name}]" if table else name
        rows += f"| `{shown}` | {_cell(meaning)} |\n"
        for below, inner in table.get("properties", {}).items():
            rows += f"| `{shown}` `{below}` | {_cell(inner.get('description', ''))} |\n"
    return f"| Key | Meaning |\n|---|---|\n{rows}"


def _fields() -> str:
    schema = json.loads(schema_text("scenario-v2") or "")
    made = ""
    for title, place in objects(schema):
        made += (
            f"\n### {title}\n\n{_sentence(place)}\n\n| Member | Form | Meaning |\n|---|---|---|\n{_rows(place, title)}"
        )
    return made + "\n"


def _forms() -> str:
    definitions = json.loads(schema_text("scenario-v2") or "")["$defs"]
    rows = "".join(f"| {word} | {_cell(definitions[name]['description'])} |\n" for name, word in _FORMS.items())
    return f"| Form | What it may be |\n|---|---|\n{rows}"


def objects(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every object of a scenario under its name in the document, in the order in which they are met."""
    definitions = schema.get("$defs", {})
    waiting: list[tuple[str, Mapping[str, Any]]] = [("scenario", schema)]
    while waiting:
        title, place = waiting.pop(0)
        yield title, place
        below = []
        for name, member in place.get("properties", {}).items():
            found = _resolved(member.get("items", member), definitions)
            if "properties" in found:
                below.append((_below(title, name, listed="items" in member), found))
        waiting = below + waiting


def _below(title: str, name: str, *, listed: bool = False) -> str:
    own = f"{name}[]" if listed else name
    return own if title == "scenario" else f"{title}.{own}"


def _resolved(member: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = member.get("$ref", "")
    return definitions[reference.removeprefix(_PREFIX)] if reference.startswith(_PREFIX) else member


def _rows(place: Mapping[str, Any], title: str) -> str:
    needed = place.get("required", ())
    definitions = json.loads(schema_text("scenario-v2") or "")["$defs"]
    made = ""
    for name, member in place["properties"].items():
        if member.get("not") == {}:
            continue  # may not stand there
        meaning = member.get("description") or _resolved(member, definitions).get("description", "")
        default = f" Default: `{json.dumps(member['default'])}`." if "default" in member else ""
        mark = " (required)" if name in needed else ""
        form = _form(member, _below(title, name, listed="items" in member), definitions)
        made += f"| `{name}`{mark} | {_cell(form)} | {_cell(meaning)}{default} |\n"
    return made


def _form(member: Mapping[str, Any], title: str, definitions: Mapping[str, Any]) -> str:
    name = member.get("$ref", "").removeprefix(_PREFIX)
    if name in _FORMS:
        return _FORMS[name]
    place = _resolved(member, definitions)
    if "const" in place:
        return f"`{place['const']}`"
    if "enum" in place:
        return ", ".join(f"`{value}`" for value in place["enum"])
    if place.get("type") == "array":
        item = _form(place["items"], title, definitions)
        return f"list of {item.replace('[object]', '[objects]') if '[' in item else f'{item}s'}"
    if "properties" in place:
        return f"[object](#{re.sub(r'[^a-z]', '', title.lower())})"
    return {"object": "object, path to path", "integer": "whole number", "boolean": "`true`, `false`"}.get(
        place["type"], str(place["type"])
    )


def _sentence(place: Mapping[str, Any]) -> str:
    return str(place["description"])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


_PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "commands": _commands,
    "help": _help,
    "codes": _codes,
    "outcome-words": _outcome_words,
    "pack": _pack,
    "not-run": _not_run,
    "exit-codes": _exit_codes,
    "exit-meanings": _exit_meanings,
    "files": _files,
    "strict": _strict,
    "settings": _settings,
    "fields": _fields,
    "forms": _forms,
    **{f"variables-{group}": partial(table, group) for group in variables()},
}
