"""Names of files must survive every file system, archive and tool between an author and a container."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import quoted
from generator.rules.assets import MOST_SHOWN
from generator.rules.declared import PRIVATE, PUBLIC, REVIEWER, SOLUTION, Declared, declared, everything
from generator.scenario.names import fold, long_path, path_problem, unportable_name, unsafe_name
from generator.source.tree import Kind

# Lower-case name -> code, what comes of it inside a package, what to write.
RESERVED: Final = {
    ".git": (
        "asset_git",
        "git would take it for a repository of its own and drop what is in it",
        'the files without it; "environment": { "git": true } makes the workspace a repository',
    ),
    ".harborignore": ("asset_harborignore", "Harbor would leave out what it names", "another name"),
}
# Name -> what git does because of it to a package that is committed, and what helps.
GIT_RULES: Final = {
    ".gitignore": (
        "git leaves out what it names when a package is committed",
        "git add --force, if you commit packages",
    ),
    ".gitattributes": (
        "git may change the bytes of what it names when a package is checked out",
        "a workspace without it, or packages made where they are used instead of committed",
    ),
}


def safe(draft: Draft) -> Iterator[Finding]:
    """Names that break listings, scripts or copies are refused (`asset_name_unsafe`)."""
    for one in everything(draft):
        if reason := path_problem(one.path):
            message = f"{quoted(one.path)} does not fit: {reason}"
            yield Finding("asset_name_unsafe", one.pointer, message, '"assets/orders.csv"')
            continue
        if len(one.entries) < 2:  # nothing below it
            continue
        bad = ((path, reason) for path in _below(one) if (reason := unsafe_name(_last(path)) or long_path(path)))
        for path, reason in islice(bad, MOST_SHOWN):
            message = f"the name {quoted(path)} does not fit: {reason}"
            yield Finding(
                "asset_name_unsafe", one.pointer, message, "a name of plain letters, digits, '.', '_' and '-'"
            )


def portable(draft: Draft) -> Iterator[Finding]:
    """Names that Windows cannot hold make a repository unusable there (`asset_name_not_portable`)."""
    for one in everything(draft):
        if not any(map(unportable_name, one.names)):
            continue
        there = one.entries and one.entries[0].kind is not Kind.MISSING
        names = [*one.path.split("/")[:-1], *(_last(path) for path in _all(one))] if there else []
        bad = ((name, reason) for name in dict.fromkeys(names) if name != "." and (reason := unportable_name(name)))
        for name, reason in islice(bad, MOST_SHOWN):
            message = f"not every system can hold the name {quoted(name)}: {reason}"
            yield Finding(
                "asset_name_not_portable", one.pointer, message, "a name of plain letters, digits, '.', '_' and '-'"
            )


def distinct(draft: Draft) -> Iterator[Finding]:
    """Two names that differ in case or Unicode form alone are one name on many systems (`asset_name_clash`)."""
    for pointer in (PUBLIC, PRIVATE, REVIEWER, SOLUTION):
        group = declared(draft, pointer)
        if sum([len(one.entries) for one in group]) < 2:  # it is alone
            continue
        first: dict[str, str] = {}
        for one in group:
            for path in islice(_clashing(one, first), MOST_SHOWN):
                message = (
                    f"{quoted(path)} and {quoted(first[fold(path)])} are one name where case or Unicode form is ignored"
                )
                yield Finding("asset_name_clash", one.pointer, message, "names that differ in more")


def reserved(draft: Draft) -> Iterator[Finding]:
    """Names that make git or Harbor drop what is around them are refused (`asset_git`, `asset_harborignore`)."""
    for one in declared(draft, PUBLIC, PRIVATE, REVIEWER, SOLUTION):
        if RESERVED.keys().isdisjoint(map(str.lower, one.names)):
            continue
        found: dict[str, str] = {}
        for path in (one.path, *_all(one)):
            for name in path.lower().split("/"):
                if name in RESERVED:
                    found.setdefault(name, path)
        for name, path in found.items():
            code, reason, hint = RESERVED[name]
            yield Finding(code, one.pointer, f"{quoted(path)} may not be part of a scenario: {reason}", hint)


def git_rules(draft: Draft) -> Iterator[Finding]:
    """Files by which git is told what to keep work inside a committed package as well (`asset_git_rules`)."""
    for one in declared(draft, PUBLIC, PRIVATE, REVIEWER, SOLUTION):
        if GIT_RULES.keys().isdisjoint(one.names):
            continue
        found = {_last(path): path for path in reversed(tuple(_all(one)))}
        for name, (effect, hint) in GIT_RULES.items():
            if name in found:
                yield Finding("asset_git_rules", one.pointer, f"because of {quoted(found[name])} {effect}", hint)


def _all(one: Declared) -> Iterator[str]:
    return (entry.path for entry in one.entries if entry.kind is not Kind.TOO_MANY)


def _below(one: Declared) -> Iterator[str]:
    return (path for path in _all(one) if path != one.path)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _clashing(one: Declared, first: dict[str, str]) -> Iterator[str]:
    """Paths of `one` and above that are another spelling of a path in `first`; what is no such path is added to it."""
    above = one.path.split("/")[:-1]
    prefixes = ("/".join(above[: length + 1]) for length in range(len(above)))
    for path in (*prefixes, *_all(one)):
        if first.setdefault(fold(path), path) != path:
            yield path
