"""Folders of conventional names that nothing declares: what is in them reaches neither agent nor reviewer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import quoted
from generator.rules.asset_lint import DROPPED_ENDS
from generator.rules.declared import PRIVATE, PUBLIC, SOLUTION, list_is_sound
from generator.rules.mentions import mentions
from generator.scenario.names import is_same_or_below, normal_path
from generator.source.document import Json
from generator.source.pointer import value_at
from generator.source.tree import Entry, Kind

CODE: Final = "folder_undeclared"
_REVIEWER: Final = "/evaluation/reviewer"
_NOTHING: Final[Mapping[str, Any]] = {}
# Folder, whether a member of the evaluation names it, that member, and its pointer.
_FOLDERS: Final = (
    ("solution", False, "solution", SOLUTION),
    ("assets", False, "assets", PUBLIC),
    ("private", True, "privateAssets", PRIVATE),
    ("reviewer", True, "reviewer", _REVIEWER),
)
_STRANGE: Final = frozenset({"field_unknown", "field_not_allowed"})
# Files that say that a folder is empty, and those that tools leave: nobody meant them to reach anybody.
_EMPTY_ENDS: Final = ("/.gitkeep", "/.keep", "/.gitignore", *DROPPED_ENDS)
_THERE: Final = (Kind.FILE, Kind.DIRECTORY)


def folders(draft: Draft) -> Iterator[Finding]:
    """A folder of a conventional name is there, and the member that would declare it is not (`folder_undeclared`)."""
    sound = draft.sound
    review = sound.get("evaluation", _NOTHING)
    there = draft.reading.names
    for folder, is_of_review, member, pointer in _FOLDERS:
        if folder in there and not (review if is_of_review else sound).get(member):
            yield from _forgotten(draft, folder, pointer)


def _forgotten(draft: Draft, folder: str, pointer: str) -> Iterator[Finding]:
    if not _is_asked_for(draft, pointer) or any(is_same_or_below(path, folder) for path in _named(draft, pointer)):
        return
    below = draft.reading.tree.walk(folder)[1:]
    files = [entry for entry in below if entry.kind is Kind.FILE and not entry.path.endswith(_EMPTY_ENDS)]
    if files:
        message = f"the folder {quoted(folder)} stands here, and nothing declares it"
        yield Finding(CODE, pointer, message, _member(folder, pointer, files))


def _is_asked_for(draft: Draft, pointer: str) -> bool:
    """Whether the member would have an effect, and nothing that was refused stands in for it."""
    if pointer in (PRIVATE, _REVIEWER) and not draft.get("/evaluation"):
        return False
    return list_is_sound(draft, pointer) and not (
        pointer == _REVIEWER and draft.get("/evaluation/mode") != "agentic_goal_review"
    )


def _named(draft: Draft, pointer: str) -> Iterator[str]:
    """Paths that something declares, or that a complaint is about already."""
    for path, entries in draft.files.items():
        yield path
        yield from (entry.real for entry in entries if entry.kind in _THERE)
    if draft.prompt.file is not None:
        yield normal_path(draft.prompt.file)
    if pointer == PUBLIC:  # what the prompt names and the workspace lacks is told one by one
        look = draft.reading.tree.look
        yield from (one.path for one in mentions(draft.prompt.text) if look(one.path).kind in _THERE)
    for finding in draft.findings:
        if finding.code in _STRANGE:
            yield from map(normal_path, _texts(value_at(draft.document.value, finding.pointer)))


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for below in value.values() if isinstance(value, dict) else value:
            yield from _texts(below)


def _member(folder: str, pointer: str, files: Sequence[Entry]) -> str:
    """The member to paste, and where to."""
    if pointer == SOLUTION:
        return f'"solution": {quoted(folder)}'
    if pointer == PUBLIC:
        return f'"assets": [{quoted(folder)}]'
    if pointer == PRIVATE:
        return f'"privateAssets": [{quoted(folder)}] in "evaluation"'
    names = [entry.path.removeprefix(f"{folder}/") for entry in files]
    program = "run" if "run" in names else next((name for name in names if name.endswith(".py")), names[0])
    command = [*(["python3"] if program.endswith(".py") else []), f"{{reviewer}}/{program}"]
    made = json.dumps({"path": folder, "command": command}, ensure_ascii=False)
    return f'"reviewer": {made} in "evaluation"'
