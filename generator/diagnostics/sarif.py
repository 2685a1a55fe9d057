"""Complaints as SARIF 2.1.0 (OASIS), which code scanning services and editors read."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from generator import __version__
from generator.diagnostics.catalogue import Entry, catalogue
from generator.diagnostics.model import Diagnostic
from generator.diagnostics.places import uri
from generator.diagnostics.printable import printable

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT: Final = "harborsmithPointer/v1"


def sarif(diagnostics: Sequence[tuple[Diagnostic, str | None]], root: Path) -> dict[str, Any]:
    """One run with a rule for each code that was found.

    Args:
        diagnostics: What was found, each with the reason it is ignored for, or None.
        root: Top of the repository, absolute; files are named relative to it.
    """
    codes = sorted({diagnostic.code for diagnostic, _ in diagnostics})
    seen: Counter[str] = Counter()
    results = []
    for diagnostic, reason in diagnostics:
        identity = _identity(diagnostic, root)
        results.append(_result(diagnostic, codes, root, f"{identity}:{seen[identity]}"))
        seen[identity] += 1
        if reason is not None:
            results[-1]["suppressions"] = [{"kind": "external", "justification": reason}]
    driver = {"name": "harborsmith", "version": __version__, "rules": [_rule(catalogue()[code]) for code in codes]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(entry: Entry) -> dict[str, Any]:
    parts = [entry.why, *(f"{title}\n{text}" for title, text in (("Fault:", entry.fault), ("Mended:", entry.mended)))]
    return {
        "id": entry.code,
        "shortDescription": {"text": entry.summary},
        "fullDescription": {"text": f"{entry.summary} {entry.why}"},
        "help": {"text": "\n\n".join(parts)},
        "defaultConfiguration": {"level": entry.severity.value},
        "properties": {"tags": [entry.category]},
    }


def _result(diagnostic: Diagnostic, codes: list[str], root: Path, fingerprint: str) -> dict[str, Any]:
    place = diagnostic.location
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(place.file, root)}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line} | _column(place.column)
    location: dict[str, Any] = {"physicalLocation": physical}
    if place.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": printable(place.pointer), "kind": "member"}]
    hint = f"\nwrite: {printable(diagnostic.hint)}" if diagnostic.hint else ""
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": diagnostic.severity.value,
        "message": {"text": printable(diagnostic.message) + hint},
        "locations": [location],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }


def _column(column: int | None) -> dict[str, int]:
    return {} if column is None else {"startColumn": column}


def _identity(diagnostic: Diagnostic, root: Path) -> str:
    """The same for the same complaint after lines moved: code, file and member decide, not the place in the text."""
    place = diagnostic.location
    parts = (diagnostic.code, uri(place.file, root), place.pointer)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]
