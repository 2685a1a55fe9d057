"""The pages about codes: one a category, with what the tool says about an example of each."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from generator.diagnostics.catalogue import Entry, catalogue
from tests.examples import NOT_RUN, examples
from tests.support.examples import Example, Seen, played, section
from tests.support.repository import ROOT

FOLDER: Final = ROOT / "docs" / "reference" / "codes"
_WIDTH: Final = 120
_COMPLAINT: Final = re.compile(r" (?:error|warning|note) [a-z_]+(?: |$)|^error [a-z_]+:", re.MULTILINE)


def entries(category: str) -> list[Entry]:
    """The codes of a category, in the order of the catalogue."""
    return [entry for entry in catalogue().values() if entry.category == category]


def shown(category: str) -> dict[str, Example]:
    """The examples of a category that are run."""
    return {entry.code: examples()[entry.code] for entry in entries(category) if entry.code not in NOT_RUN}


def page(category: str, seen: Mapping[str, Seen]) -> str:
    """The page of a category, given what its examples did."""
    intro = (
        f"# Codes: {category}\n\n[All codes](../codes.md). Each example starts from [a small "
        "pack](../codes.md#the-pack) with one fault, shows what is printed, and mends it. It is run by the tests.\n"
    )
    parts = [_part(entry, seen.get(entry.code)) for entry in entries(category)]
    return "\n".join([_wrapped(intro), *parts])


def faults(code: str, example: Example, seen: Seen) -> Iterator[str]:
    """What is wrong with an example: the fault must give its code, and its mend must take it away."""
    given = re.compile(rf"\b(?:error|warning|note) {code}\b")
    if not given.search(seen.faulty[-1].output):
        yield f"{code} is not given:\n{seen.faulty[-1].output}"
    if given.search(seen.mended):
        yield f"{code} is given in spite of the mend:\n{seen.mended}"
    if example.clean and (seen.exit_code != "0" or _COMPLAINT.search(seen.mended)):
        yield f"{code}: the mended pack is not clean:\n{seen.mended}"


def played_all(category: str, folder: Path, environment: Mapping[str, str]) -> dict[str, Seen]:
    """Every example of a category, each in a folder of its own below `folder`."""
    seen = {}
    for code, example in shown(category).items():
        (folder / code).mkdir()
        seen[code] = played(example, folder / code, environment)
    return seen


def _part(entry: Entry, seen: Seen | None) -> str:
    head = _wrapped(f"{entry.severity.capitalize()}, since {entry.since}. {entry.summary} {entry.why}")
    if seen is not None:
        return section(entry.code, head.rstrip("\n"), seen)
    return (
        f"## {entry.code}\n\n{head}\nFor example:\n\n```text\n{entry.fault}\n```\n\n"
        f"Mended:\n\n```text\n{entry.mended}\n```\n\n{_wrapped(f'Not run by the tests: {NOT_RUN[entry.code]}.')}"
    )


def _wrapped(text: str) -> str:
    paragraphs = text.rstrip("\n").split("\n\n")
    filled = (textwrap.fill(one, _WIDTH, break_on_hyphens=False, break_long_words=False) for one in paragraphs)
    return "\n\n".join(filled) + "\n"
