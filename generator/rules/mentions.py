"""Paths that a text speaks of, and what the agent finds in its workspace at the start."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.rules.declared import PUBLIC, declared, stage
from generator.scenario.names import normal_path
from generator.scenario.placement import workspace_path
from generator.source.document import line_starts, place
from generator.source.tree import Kind

MOST_SHOWN: Final = 10  # of one kind in one text; an author who mends the first few sees the rest

# Endings that make a word without a slash a file's name. `json.load` and `e.g` are none.
_ENDINGS: Final = (
    "bash|bat|cfg|conf|css|csv|db|diff|docx|go|html|ini|ipynb|java|jpg|js|json|jsonl|jsx|key|kt|log|lua|md|mjs|ndjson|out"
    "|parquet|patch|pdf|php|pl|png|proto|py|pyi|rb|rs|rst|sass|scss|sh|sql|sqlite|svg|swift|tar|tex|toml|ts|tsv|tsx|txt"
    "|vue|xlsx|xml|yaml|yml|zip"
)
_FILE_ENDINGS: Final = frozenset(_ENDINGS.split("|"))
_IN_NAMES: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
# A relative path of plain names, with a dot or a slash. What stands before or after it would make it part of an
# address, an absolute path, a pattern or a placeholder.
_PATH: Final = re.compile(
    r"(?<![\w./~$@:{}*<>%\\-])(?=[\w-]*[./])[\w.][\w.-]*(?:/[\w.-]+)*/?(?![\w/*{}<>$@])", re.ASCII
)
_LETTER: Final = re.compile("[A-Za-z]")


class Mention(NamedTuple):
    """A relative path in a text (normal form), and the offset at which it stands there."""

    path: str
    offset: int


def mentions(text: str) -> Iterator[Mention]:
    """The relative paths that a text names: words with a slash, and names with a file's ending."""
    if "/" not in text and "." not in text.rstrip(". \n"):  # most sentences, and much faster than looking
        return
    for match in _PATH.finditer(text):
        written = match.group()
        if "/" not in written and "." not in written:  # a plain word, as most are
            continue
        path = _path(written)
        if path:
            yield Mention(path, match.start())


@lru_cache(maxsize=4096)
def _path(written: str) -> str | None:
    """The path that a word names, in normal form; None where it names none. A pack's scenarios name the same ones."""
    written = written.rstrip(".-")
    path = normal_path(written)
    if ".." in path.split("/") or path == "." or not _LETTER.search(path):
        return None
    named = is_file_name(path.rpartition("/")[2]) or "/" in written.removeprefix("./").rstrip("/")
    return path if named else None


def is_file_name(word: str) -> bool:
    """Whether a word looks like the name of a file of a common kind."""
    stem, _, ending = word.rpartition(".")
    return ending in _FILE_ENDINGS and stem != "" and not stem.strip(_IN_NAMES)


def workspace_paths(draft: Draft) -> set[str]:
    """Every file and directory that the agent finds at the start, by its place in the workspace."""
    targets = stage(draft)
    found: set[str] = set()
    for one in declared(draft, PUBLIC):
        for entry in one.entries:
            if entry.kind in (Kind.FILE, Kind.DIRECTORY):
                path = workspace_path(entry.path, one.path, targets)
                while path not in found and path != ".":
                    found.add(path)
                    path = path.rpartition("/")[0] or "."
    return found


def in_prompt(draft: Draft, code: str, offset: int, message: str, hint: str) -> Finding:
    """A finding about what stands at `offset` of the prompt, be it a file or a member of the document."""
    prompt = draft.prompt
    if prompt.file is None:
        return Finding(code, "/userPrompt", message, hint)
    where = place(line_starts(prompt.text), offset)
    return Finding(code, "", message, hint, file=prompt.file, position=where)
