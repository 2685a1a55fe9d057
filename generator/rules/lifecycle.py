"""Dates, and whether a scenario is still meant to be used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import quoted
from generator.rules.pack import Pack

_DATES: Final = ("/metadata/createdAt", "/metadata/updatedAt", "/metadata/lifecycle/sunsetAt")
_LONG_FRACTION: Final = r"(\.[0-9]{6})[0-9]+"
_LIFECYCLE: Final = "/metadata/lifecycle"


def possible_dates(draft: Draft) -> Iterator[Finding]:
    """A date has the right form already; it must also be one that exists (`date_impossible`)."""
    for pointer in _DATES:
        text = draft.get(pointer)
        if text is not None and moment(text) is None:
            message = f"there is no such date: {quoted(text)}"
            yield Finding("date_impossible", pointer, message, '"2026-03-14" or "2026-03-14T09:30:00Z"')


def updated_after_created(draft: Draft) -> Iterator[Finding]:
    """Nothing is changed before it is made (`date_order`)."""
    created, updated = (draft.get(pointer) for pointer in _DATES[:2])
    if created and updated and _is_before(updated, created):
        message = f"updatedAt {updated} is before createdAt {created}"
        yield Finding("date_order", _DATES[1], message, quoted(created))


def status(draft: Draft) -> Iterator[Finding]:
    """A scenario that is not active still runs, but should not count (`lifecycle_retired`, `lifecycle_deprecated`)."""
    given = draft.get(f"{_LIFECYCLE}/status")
    if given in ("retired", "deprecated"):
        reason = draft.get(f"{_LIFECYCLE}/reason")
        replacement = draft.get(f"{_LIFECYCLE}/replacementId")
        message = f"the scenario is {given}" + (f": {reason}" if reason else "")
        if replacement and replacement != draft.get("/id"):
            hint = f"{replacement} in its place"
        else:
            hint = "for new comparisons a scenario that is active; its id as replacementId"
        yield Finding(f"lifecycle_{given}", f"{_LIFECYCLE}/status", message, hint)


def sunset(draft: Draft, today: date) -> Iterator[Finding]:
    """After its sunset date a scenario should be retired (`lifecycle_sunset_passed`). `today` is a day in UTC."""
    text = draft.get(f"{_LIFECYCLE}/sunsetAt")
    end = moment(text) if text else None
    if end and end.date() < today and draft.get(f"{_LIFECYCLE}/status") != "retired":
        message = f"the sunset date {text} has passed"
        yield Finding(
            "lifecycle_sunset_passed", f"{_LIFECYCLE}/sunsetAt", message, '"status": "retired", or a later date'
        )


def replacement(draft: Draft, pack: Pack) -> Iterator[Finding]:
    """A replacement must be another scenario, of this pack, that is still in use (`lifecycle_replacement_*`)."""
    pointer = f"{_LIFECYCLE}/replacementId"
    wanted = draft.get(pointer)
    if wanted is None:
        return
    if wanted == draft.get("/id"):
        yield Finding(
            "lifecycle_replacement_self", pointer, f"{wanted} would replace itself", "the id of another scenario"
        )
        return
    found = pack.statuses.get(wanted)
    if found is None and pack.complete:
        message = f"there is no scenario {quoted(wanted)} beside this one"
        yield Finding("lifecycle_replacement_unknown", pointer, message, "the id of a scenario of this directory")
    elif found == "retired":
        message = f"the replacement {wanted} is itself retired"
        yield Finding("lifecycle_replacement_retired", pointer, message, "the id of a scenario in use")


def moment(text: str) -> datetime | None:
    """The moment a published date stands for, in UTC; a day is its first second, no offset is UTC. None for no date."""
    try:
        read = datetime.fromisoformat(re.sub(_LONG_FRACTION, r"\1", text))
    except ValueError:
        return None
    if read.tzinfo is None:
        return read.replace(tzinfo=UTC)
    try:
        return read.astimezone(UTC)
    except OverflowError:  # the first or last day there is, shifted over the edge
        return read.replace(tzinfo=UTC)


def _is_before(text: str, other: str) -> bool:
    """Whether one date is before another; a day without a time counts as written, whatever the zone of the other."""
    first, second = moment(text), moment(other)
    if first is None or second is None:
        return False
    if "T" in text and "T" in other:
        return first < second
    return text[:10] < other[:10]
