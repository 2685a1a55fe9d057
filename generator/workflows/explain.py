"""What `explain` says about a code, and the list of all codes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from generator.diagnostics.catalogue import Entry, catalogue, categories

WIDTH = 100


def explanation(entry: Entry) -> Iterator[str]:
    """One code in lines: what is wrong, why it matters, an example of the fault, the same without it."""
    yield f"{entry.code} ({entry.severity}, {entry.category}, since {entry.since})"
    yield ""
    yield from textwrap.wrap(f"{entry.summary} {entry.why}", WIDTH)
    for title, example in (("The fault:", entry.fault), ("Mended:", entry.mended)):
        if example:
            yield from ("", title, textwrap.indent(example, "    "))


def listing() -> Iterator[str]:
    """Every code with its weight and summary, by category."""
    width = max(map(len, catalogue()))
    for category in categories():
        yield category
        for entry in catalogue().values():
            if entry.category == category:
                yield f"  {entry.code:<{width}}  {entry.severity:<7}  {entry.summary}"


def as_json(entry: Entry) -> dict[str, Any]:
    """One code as an object."""
    return {
        "code": entry.code,
        "severity": entry.severity.value,
        "category": entry.category,
        "summary": entry.summary,
        "why": entry.why,
        "fault": entry.fault,
        "mended": entry.mended,
        "since": entry.since,
    }
