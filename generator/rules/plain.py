"""Whether what a scenario declares is so plain that no rule about its files can have a word against it."""

from __future__ import annotations

from functools import lru_cache

from generator.formats.draft import Draft
from generator.rules.asset_lint import DROPPED_ENDS, MADE_BY_TOOLS, MOST_BYTES
from generator.rules.declared import PRIVATE, PUBLIC, declared, everything
from generator.rules.names import GIT_RULES, RESERVED
from generator.scenario.names import path_problem, unportable_name
from generator.source.tree import Kind


def all_plain(draft: Draft) -> bool:
    """Whether every declared path is one readable file, declared once, of ordinary size and name.

    Most are, and seeing it once takes a fraction of what each rule takes that would see it for itself.
    """
    size = 0
    for one in everything(draft):
        if len(one.entries) != 1 or one.entries[0].kind is not Kind.FILE or not _plain_path(one.path):
            return False
        size += one.entries[0].size
    if size > MOST_BYTES:
        return False
    listed = len(draft.items(PUBLIC)) + len(draft.items(PRIVATE))
    return listed == len(declared(draft, PUBLIC, PRIVATE))


@lru_cache(maxsize=4096)
def _plain_path(path: str) -> bool:
    """Whether no name in `path` is one that a rule knows; lower case, so that no two of them differ in case alone."""
    return path.isascii() and path == path.lower() and path_problem(path) is None and all(map(_plain, path.split("/")))


def _plain(name: str) -> bool:
    known = name in RESERVED or name in GIT_RULES or name in MADE_BY_TOOLS or name.endswith(DROPPED_ENDS)
    return not known and unportable_name(name) is None
