"""The catalogue of codes: how much each weighs, which category it belongs to, and what `explain` says about it.

It lies in `catalogue*.toml` beside this module, one table a code. It is read only when there is something to report.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from generator.diagnostics.model import Severity


class Entry(NamedTuple):
    """What is known about one code.

    Attributes:
        code: The code.
        severity: How much it weighs.
        category: Group of codes it belongs to; usable wherever a code is.
        summary: What is wrong, in one sentence.
        why: Why it matters.
        fault: An example of the fault.
        mended: The same without it.
        since: First version that has the code.
    """

    code: str
    severity: Severity
    category: str
    summary: str
    why: str
    fault: str
    mended: str
    since: str


@cache
def catalogue() -> Mapping[str, Entry]:
    """Every code, in the order of the files and within them."""
    import tomllib

    found: dict[str, Entry] = {}
    for file in sorted(Path(__file__).parent.glob("catalogue*.toml")):
        with file.open("rb") as handle:
            for code, fields in tomllib.load(handle).items():
                fields["severity"] = Severity(fields["severity"])
                found[code] = Entry(code=code, **fields)
    return found


def categories() -> tuple[str, ...]:
    """Every category, in the order of its first code."""
    return tuple(dict.fromkeys(entry.category for entry in catalogue().values()))


def suggestions(name: str, names: list[str]) -> list[str]:
    """Up to three of `names` that `name` was probably meant to be, the best first."""
    import difflib

    asked = name.strip().lower().replace("-", "_")
    if asked in names:
        return [asked]
    close = difflib.get_close_matches(asked, names, n=3, cutoff=0.6)
    return close or [known for known in names if asked and asked in known][:3]
