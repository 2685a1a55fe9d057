"""Advice about assets: what comes along unseen, and what gets lost on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from generator.diagnostics.model import Finding
from generator.diagnostics.report import plural
from generator.formats.draft import Draft
from generator.formats.wording import quoted
from generator.rules.declared import PRIVATE, PUBLIC, declared
from generator.source.tree import Entry, Kind, Refusal, Tree

MOST_FILES: Final = 1000
MOST_BYTES: Final = 100 * 1024 * 1024
MOST_COMPARED: Final = 16 * 1024 * 1024  # bytes of one file; larger ones are data, not answers

# Folders that tools fill, each on its own machine.
MADE_BY_TOOLS: Final = frozenset(
    {"node_modules", ".venv", "venv", "site-packages", ".tox", ".mypy_cache", ".pytest_cache"}
)
# What Harbor leaves out of a package by default, and ignore lists of git and editors everywhere have in common.
_DROPPED: Final = r"__pycache__|\.DS_Store|Thumbs\.db|.*(?:\.pyc|\.swp|\.swo|~)"
DROPPED_ENDS: Final = ("__pycache__", ".DS_Store", "Thumbs.db", ".pyc", ".swp", ".swo", "~")


def too_broad(draft: Draft) -> Iterator[Finding]:
    """A directory that brings along more than anybody chose (`asset_too_broad`)."""
    for one in declared(draft, PUBLIC, PRIVATE):
        size = sum([entry.size for entry in one.entries])
        if len(one.entries) <= MOST_FILES and size <= MOST_BYTES and MADE_BY_TOOLS.isdisjoint(one.names):
            continue
        files = [entry for entry in one.entries if entry.kind is Kind.FILE]
        tools = next((entry.path for entry in one.entries if _last(entry) in MADE_BY_TOOLS), None)
        if len(files) > MOST_FILES or size > MOST_BYTES:
            reason = f"holds {plural(len(files), 'file')}, {size // 1024} KiB"
        elif tools is not None:
            reason = f"holds {quoted(tools)}, which tools make anew"
        else:
            continue
        message = f"{quoted(one.path)} {reason}"
        yield Finding("asset_too_broad", one.pointer, message, "the files and folders that the task needs")


def dropped_names(draft: Draft) -> Iterator[Finding]:
    """Names that git ignore lists or Harbor drop may be missing where it matters (`asset_name_dropped`)."""
    for one in declared(draft, PUBLIC, PRIVATE):
        if not any(name.endswith(DROPPED_ENDS) for name in one.names):
            continue
        dropped = [entry.path for entry in one.entries if re.fullmatch(_DROPPED, _last(entry))]
        if dropped:
            more = f" and {len(dropped) - 1} more" if len(dropped) > 1 else ""
            message = f"{quoted(dropped[0])}{more}: git or Harbor drop files of such names"
            yield Finding("asset_name_dropped", one.pointer, message, "another name, or the asset without the file")


def private_content(draft: Draft) -> Iterator[Finding]:
    """What a public file says is no secret in a private asset (`private_content_in_public`).

    What a reviewer keeps of the inputs, to compare them, is no private asset and is not looked at.
    """
    sizes = {entry.size for one in declared(draft, PRIVATE) for entry in filter(_comparable, one.entries)}
    if not sizes:
        return
    tree = draft.reading.tree
    public: dict[bytes, Entry] = {}
    for one in declared(draft, PUBLIC):
        for entry in one.entries:
            if entry.size in sizes and _comparable(entry):
                public.setdefault(_digest(tree, entry), entry)
    shared = {entry.size for entry in public.values()}
    for one in declared(draft, PRIVATE):
        for entry in one.entries:
            twin = public.get(_digest(tree, entry)) if entry.size in shared and _comparable(entry) else None
            if twin is not None and twin.identity != entry.identity:  # one file under two names is an error of its own
                message = f"{quoted(entry.path)} has the content of the public file {quoted(twin.path)}"
                hint = "what the agent may see as an asset, and what it may not as a private asset"
                yield Finding("private_content_in_public", one.pointer, message, hint)


def _comparable(entry: Entry) -> bool:
    return entry.kind is Kind.FILE and 0 < entry.size <= MOST_COMPARED


def _digest(tree: Tree, entry: Entry) -> bytes:
    """What a file says, in short; its name when it cannot be read or is only white space, which says nothing."""
    import hashlib

    data = tree.content(entry, MOST_COMPARED)
    if isinstance(data, Refusal) or not data.strip():
        return entry.path.encode("utf-8", "surrogateescape")
    return hashlib.sha256(data).digest()


def _last(entry: Entry) -> str:
    return entry.path.rpartition("/")[2]
