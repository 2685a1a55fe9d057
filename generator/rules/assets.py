"""Declared paths must lead to plain files and directories inside the scenario."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.keys import closest
from generator.formats.wording import quoted
from generator.rules.declared import (
    PRIVATE,
    PUBLIC,
    REVIEW_SETUP,
    REVIEWER,
    SETUP,
    SOLUTION,
    Declared,
    declared,
    everything,
)
from generator.scenario.names import is_same_or_below, normal_path, path_problem
from generator.source.tree import Entry, Kind

MOST_SHOWN: Final = 10  # of one declared directory; a broken tree of thousands says no more than its first few
MAX_BYTES: Final = 4 * 2**30  # of all that is declared together: far over real tasks, far under a full disk
MOST_COMPARED: Final = 200  # names that a missing one is compared with

_PATTERN: Final = r"[*?\[{]"

# Kind -> code, what is wrong, what to write.
_PROBLEMS: Final[Mapping[Kind, tuple[str, str, str]]] = {
    Kind.MISSING: ("asset_missing", "does not exist", "the path of a file or directory below the scenario directory"),
    Kind.OUTSIDE: ("asset_outside", "leads out of the scenario directory", "a copy of the file inside it"),
    Kind.LOOP: ("asset_loop", "leads to itself through links", "a link that ends at a file, or the file itself"),
    Kind.SPECIAL: ("asset_special", "is neither a file nor a directory", "a regular file"),
    Kind.UNREADABLE: ("asset_unreadable", "cannot be read", "a file you may read"),
    Kind.TOO_MANY: ("asset_too_many", "holds too much", "one archive, or fewer files"),
}


def present(draft: Draft) -> Iterator[Finding]:
    """Everything declared exists, can be read, and is a file or directory inside the scenario (`asset_*`)."""
    there: tuple[str, ...] | None = None
    left = MOST_SHOWN
    for one in everything(draft):
        if path_problem(one.path):
            continue
        broken = [entry for entry in one.entries if entry.kind in _PROBLEMS]
        for entry in broken[:MOST_SHOWN]:
            found = _problem(one, entry)
            if left and entry.kind is Kind.MISSING and entry.path == one.path:
                left -= 1
                there = draft.reading.tree.sample(MOST_COMPARED) if there is None else there
                found = found._replace(hint=_meant(draft, one.path, there) or found.hint)
            yield found


def bounded(draft: Draft) -> Iterator[Finding]:
    """A package holds each file up to three times, and is hashed, copied and uploaded (`asset_too_large`)."""
    total, known = 0, set[str]()
    for one in everything(draft):
        for entry in one.entries:
            if entry.kind is Kind.FILE and entry.real not in known:
                known.add(entry.real)
                total += entry.size
        if total > MAX_BYTES:
            message = f"with {quoted(one.path)}, more than {MAX_BYTES // 2**30} GiB are declared"
            hint = "less data, or data that the image brings along: environment.image, environment.setup"
            yield Finding("asset_too_large", one.pointer, message, hint)
            return


def duplicates(draft: Draft) -> Iterator[Finding]:
    """A path declared twice in one list is taken once (`asset_duplicate`)."""
    for name in (PUBLIC, PRIVATE):
        first: dict[str, str] = {}
        for pointer, path in draft.items(name):
            normal = normal_path(path)
            if normal in first:
                message = f"{quoted(path)} is declared already ({first[normal]})"
                yield Finding("asset_duplicate", pointer, message, "each path once")
            first.setdefault(normal, pointer)


def setup_is_file(draft: Draft) -> Iterator[Finding]:
    """A set-up script is a file (`setup_not_a_file`)."""
    for one in declared(draft, SETUP, REVIEW_SETUP):
        if one.entries and one.entries[0].kind is Kind.DIRECTORY:
            yield Finding("setup_not_a_file", one.pointer, f"{quoted(one.path)} is a directory", '"setup.sh"')


def solution_is_directory(draft: Draft) -> Iterator[Finding]:
    """A reference solution is a directory, laid over the workspace (`solution_not_a_directory`)."""
    for one in declared(draft, SOLUTION):
        if one.entries and one.entries[0].kind is Kind.FILE:
            yield Finding("solution_not_a_directory", one.pointer, f"{quoted(one.path)} is a file", '"solution"')


def empty_directories(draft: Draft) -> Iterator[Finding]:
    """git, and so a package that went through it, keeps no empty directory (`asset_directory_empty`)."""
    said: set[str] = set()
    for one in declared(draft, PUBLIC, PRIVATE, REVIEWER, SOLUTION):
        if len(one.entries) == 1 and one.entries[0].kind is not Kind.DIRECTORY:
            continue
        following = (*one.entries[1:], None)
        for entry, after in zip(one.entries, following, strict=False):
            inside = after is not None and (entry.path == "." or after.path.startswith(entry.path + "/"))
            if entry.kind is Kind.DIRECTORY and not inside and entry.path not in said:
                said.add(entry.path)
                message = f"the directory {quoted(entry.path)} is empty and will not be there"
                yield Finding("asset_directory_empty", one.pointer, message, "a file in it, such as .gitkeep")


def _problem(one: Declared, entry: Entry) -> Finding:
    code, what, hint = _PROBLEMS[entry.kind]
    if entry.kind is Kind.MISSING and entry.path != one.path:
        what = "is a link that leads nowhere"
    detail = f" ({entry.detail})" if entry.detail else ""
    return Finding(code, one.pointer, f"{quoted(entry.path)} {what}{detail}", hint)


def _meant(draft: Draft, path: str, there: Iterable[str]) -> str | None:
    """What an author who declared `path` probably meant, as far as the files that are there tell."""
    fixed = path
    while re.search(_PATTERN, fixed):
        fixed = fixed.rpartition("/")[0]
    if fixed != path and fixed and draft.reading.tree.look(fixed).kind is Kind.DIRECTORY:
        return f"{quoted(fixed)}, which takes all that is in it"
    taken = (*draft.files, draft.document.file)
    free = [name for name in there if not any(is_same_or_below(name, one) for one in taken)]
    close = closest(path, free)
    return quoted(close) if close else None
