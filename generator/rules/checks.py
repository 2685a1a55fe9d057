"""Checks: commands run on the finished work."""

from __future__ import annotations

from collections.abc import Iterator

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import quoted
from generator.rules.declared import PUBLIC, declared, list_is_sound, one_of
from generator.scenario.names import fold, normal_path


def ids(draft: Draft) -> Iterator[Finding]:
    """Checks are told apart by their ids, in reports and as file names (`check_id_duplicate`)."""
    first: dict[str, str] = {}
    for pointer, check in draft.items("/evaluation/checks"):
        name = check.get("id")
        if name is None:
            continue
        if (key := fold(name)) in first:
            message = f"the id {quoted(name)} is taken by another check ({first[key]})"
            yield Finding("check_id_duplicate", f"{pointer}/id", message, "an id of its own, case aside")
        first.setdefault(key, pointer)


def restore(draft: Draft) -> Iterator[Finding]:
    """Only what the agent was given can be put back (`check_restore_undeclared`)."""
    if not list_is_sound(draft, PUBLIC):
        return
    assets = [one.path for one in declared(draft, PUBLIC)]
    for check, _ in draft.items("/evaluation/checks"):
        for pointer, path in draft.items(f"{check}/restore"):
            if normal_path(path) not in assets:
                message = f"{quoted(path)} is no declared asset"
                yield Finding("check_restore_undeclared", pointer, message, one_of(assets, path))
