"""What `explain` says about a code or a word of a run, and the list of all codes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from generator.diagnostics.catalogue import Entry, catalogue, categories
from generator.execute.outcome_words import OUTCOME_WORDS, PAGE

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


def word_explanation(word: str) -> Iterator[str]:
    """A word of a run that is no code: what it means, and where more stands."""
    yield f"{word} (how a run ended)"
    yield ""
    yield from textwrap.wrap(OUTCOME_WORDS[word], WIDTH)
    yield f"See {PAGE}."


def word_as_json(word: str) -> dict[str, Any]:
    """A word of a run as an object."""
    return {"word": word, "summary": OUTCOME_WORDS[word], "page": PAGE}


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
