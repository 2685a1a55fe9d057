"""Works that look right and are not: what each changes in the reference solution, and what has to notice it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class WrongWork:
    """A flawed work.

    Attributes:
        scenario: The scenario it is a work for.
        title: What is wrong with it.
        changes: File -> pairs of a text in the reference solution and what stands there instead.
        files: File -> its whole content; None removes the file.
        checks: The checks that fail; the reviewer is then not asked.
        unmet: Positions (from 1) of the criteria that the reviewer finds unmet.
    """

    scenario: str
    title: str
    changes: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    files: Mapping[str, str | None] = field(default_factory=dict)
    checks: tuple[str, ...] = ()
    unmet: frozenset[int] = frozenset()

    def apply(self, workspace: Path) -> None:
        """Spoil a workspace that holds the reference solution."""
        for name, pairs in self.changes.items():
            text = (workspace / name).read_text(encoding="utf-8")
            for old, new in pairs:
                assert old in text, f"{name} has no {old!r}"
                text = text.replace(old, new)
            (workspace / name).write_text(text, encoding="utf-8")
        for name, content in self.files.items():
            if content is None:
                (workspace / name).unlink()
            else:
                (workspace / name).write_text(content, encoding="utf-8")


def _web(title: str, name: str, old: str, new: str, criterion: int, *checks: str) -> WrongWork:
    unmet = frozenset({criterion} if not checks else ())
    return WrongWork("simple-newsletter", title, {name: ((old, new),)}, checks=checks, unmet=unmet)


_OUTSIDE = "nothing-from-outside"
_NEWSLETTER = (
    _web("a web font", "styles.css", "* {", "@import url(https://fonts.example/x.css);\n* {", 1, _OUTSIDE),
    _web("a foreign script", "index.html", 'src="signup.js"', 'src="//cdn.example/signup.js"', 1, _OUTSIDE),
    _web(
        "an address sent away",
        "signup.js",
        "form.reset();",
        "navigator.sendBeacon('log', address);\n    form.reset();",
        1,
    ),
    _web("a message that is not announced", "index.html", ' role="status" aria-live="polite"', "", 2),
    _web("a field without a label", "index.html", 'for="consent"', 'for="agree"', 2),
    _web("a consent that nobody asks for", "signup.js", "form.elements.consent.checked", "true", 3),
    _web("an address that is kept twice", "signup.js", ".toLowerCase()", "", 4),
    _web("what is typed taken for HTML", "signup.js", "status.textContent", "status.innerHTML", 5),
    _web("a page too wide for a phone", "styles.css", "width: 100%;\n  max-width: 32rem", "width: 640px", 6),
)


def _ledger(title: str, name: str, old: str, new: str, criteria: set[int], *checks: str) -> WrongWork:
    changes = {name: ((old, new),)}
    return WrongWork("market-ledger-clean-up", title, changes, checks=checks, unmet=frozenset(criteria))


_GOOD, _BAD = "clean/payments.csv", "clean/rejected.csv"
_LEDGER = (
    _ledger("a correction that is not followed", _GOOD, "FLW,72.25", "FLW,27.25", {1, 3}),
    _ledger("days and months mixed up", _GOOD, "P-1013,2026-05-04", "P-1013,2026-04-05", {2}),
    _ledger("a cancelled payment rejected for another reason", _BAD, "P-1019,void", "P-1019,bad_date", {4}),
    _ledger("a sum that is a penny off", "clean/summary.json", "170.40", "170.39", {5}),
    _ledger("an input tidied", "assets/payments.csv", "Honey  House", "Honey House", set(), "inputs-untouched"),
)


def _parcel(title: str, criteria: set[int], **files: tuple[tuple[str, str], ...] | str | None) -> WrongWork:
    """`quote=` and the like are modules of the program; `tests=` is the content of its new test file."""
    changes = {f"parcel/{name}.py": pairs for name, pairs in files.items() if isinstance(pairs, tuple)}
    own = {f"{name}/test_complaints.py": text for name, text in files.items() if not isinstance(text, tuple)}
    return WrongWork("parcel-quote-bug-fix", title, changes, own, unmet=frozenset(criteria))


_IDLE_TESTS = """import unittest


class Nothing(unittest.TestCase):
    def test_bulky(self):
        pass

    def test_club(self):
        pass
"""
_LEAK = (
    ("def surcharges(parcel):", "def surcharges(parcel, found=[]):"),
    ('return [("bulky", BULKY_PENCE)]', 'found[:] = [("bulky", BULKY_PENCE)]'),
    ("return []", "return found"),
)
_TO_EVEN = (("(pence * (100 - CLUB_PERCENT) + 50) // 100", "round(pence * (1 - CLUB_PERCENT / 100))"),)
_PARCEL = (
    _parcel(
        "only the given test passes",
        {1, 2, 3, 4},
        prices=(("grams <= limit", "grams < limit or grams == 2000 == limit"),),
    ),
    _parcel("a surcharge that still leaks", {2, 3, 4, 5}, surcharge=_LEAK),
    _parcel("half a penny rounded to even", {3, 4, 5}, quote=_TO_EVEN),
    _parcel("an output that shows pence", {1, 2, 3}, __main__=(('f"{pence // 100}.{pence % 100:02d}"', "str(pence)"),)),
    _parcel(
        "prices that are no whole numbers",
        {4, 5},
        quote=(("return pence\n", "return float(pence)\n"),),
        __main__=(("pence //", "int(pence) //"), ("pence %", "int(pence) %")),
    ),
    _parcel("no tests of its own", {5}, tests=None),
    _parcel("tests that test nothing", {5}, tests=_IDLE_TESTS),
)


def _plan(title: str, criteria: set[int], *pairs: tuple[str, str]) -> WrongWork:
    return WrongWork("archive-move-plan", title, {"PLAN.md": pairs}, unmet=frozenset(criteria))


_PLAN = (
    _plan(
        "a service before what it needs",
        {1},
        ("W1 | 1 | directory", "W1 | 2 | directory"),
        ("W1 | 2 | mail", "W1 | 1 | mail"),
    ),
    _plan("a service that never moves", {1}, ("| W3 | 3 | kiosk | 17 |\n", "")),
    _plan("an overfull night", {1, 2}, ("| W1 | 3 | scans | 43 |", "| W2 | 4 | scans | 29 |")),
    _plan("a frozen day", {1, 2}, ("W3 | 1 | search", "W2 | 4 | search")),
    _plan("minutes rounded down", {3}, ("search | 26", "search | 25")),
    _plan("a way back that forgets the kiosk", {4}, ("old host. | kiosk", "old host. | -")),
    _plan(
        "an owner made up", {5}, ("- `scans` has no owner in the inventory", "The owner of the scans is J. Lindqvist")
    ),
    _plan("questions about everything", {5}, ("- `scans`", "- `mail`, `search`, `scans`")),
    WrongWork(
        "archive-move-plan", "a script that was not asked for", files={"move.sh": "#!/bin/sh\n"}, unmet=frozenset({6})
    ),
)


def _bill(title: str, criteria: set[int], *pairs: tuple[str, str]) -> WrongWork:
    return WrongWork("water-meter-billing", title, {"bill.py": pairs}, unmet=frozenset(criteria))


_BILLS = (
    _bill("a meter that never goes round", {1, 4}, ("(rows[on][0] - base) % COUNTS", "rows[on][0] - base")),
    _bill("a swap taken for a reading", {1, 2}, ('0 if previous[1] == "swap" else previous[0]', "previous[0]")),
    _bill("estimates that count", {2, 4}, ('if kind != "estimate":', "if True:")),
    _bill("half a penny to even", {1, 2, 3}, ("import ROUND_HALF_UP", "import ROUND_HALF_EVEN as ROUND_HALF_UP")),
    _bill("a bad row skipped", {5}, ('raise Unusable(f"row {number}: {problem}") from problem', "continue")),
)


def _digest(title: str, checks: tuple[str, ...], old: str, new: str) -> WrongWork:
    return WrongWork("access-log-digest", title, {"digest.py": ((old, new),)}, checks=checks)


_CUT = 'fields[3].split(b"?", 1)[0]'
_FILTERED = ("status-alone", "both-options", "other-order-of-options")
_DIGEST = (
    _digest("paths as text", ("odd-lines",), _CUT, f"{_CUT}.decode().encode()"),
    _digest("any white space parts fields", ("sample", "odd-lines"), 'line.split(b" ")', "line.split()"),
    _digest(
        "a filter that skips", _FILTERED, "if status is None", "skipped += bool(status)\n        if status is None"
    ),
    _digest("another exit code", ("unknown-class", "top-of-nothing", "refusals-say-why"), "return 64", "return 2"),
)

WRONG_WORKS = (*_NEWSLETTER, *_LEDGER, *_PARCEL, *_PLAN, *_BILLS, *_DIGEST)
