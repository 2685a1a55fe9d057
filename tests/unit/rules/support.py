"""Rules applied to one scenario on disk."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import generator.diagnostics.catalogue as module
from generator.diagnostics.catalogue import catalogue
from generator.diagnostics.model import Finding, Severity
from tests.support.cases import selected
from tests.support.files import Tree
from tests.support.scenarios import document, write_scenario

# Codes of our own advice: notes about texts, which most of the scenarios that tests make up would deserve.
ADVICE = {
    code
    for code in tomllib.loads(Path(module.__file__).with_name("catalogue_lint.toml").read_text(encoding="utf-8"))
    if catalogue()[code].severity is Severity.NOTE
}


def findings(root: Path, extra: Tree | None = None, **changes: Any) -> list[Finding]:
    """What is found in a scenario that differs from a valid one in `changes` and `extra` files, advice aside."""
    return [one for one in _all(root, extra, changes) if one.code not in ADVICE]


def notes(root: Path, extra: Tree | None = None, **changes: Any) -> list[Finding]:
    """The advice given about such a scenario."""
    return [one for one in _all(root, extra, changes) if one.code in ADVICE]


def _all(root: Path, extra: Tree | None, changes: Mapping[str, Any]) -> list[Finding]:
    write_scenario(root / "sum-ledger", document(**changes), extra)
    (loaded,) = selected(root).loaded
    return list(loaded.findings)


def codes(root: Path, extra: Tree | None = None, **changes: Any) -> list[str]:
    """The codes of `findings`."""
    return [finding.code for finding in findings(root, extra, **changes)]


def metadata(**changes: Any) -> Mapping[str, Any]:
    """Metadata that is complete for a public scenario, with `changes`; `...` takes a member away."""
    made: dict[str, Any] = {
        "scenarioVersion": "1.0.0",
        "visibility": "public",
        "provenance": "Written for this pack.",
        "createdAt": "2026-03-14",
        "updatedAt": "2026-05-02",
        "contaminationNotes": "Never published before.",
        "difficulty": "standard",
        "tags": ["csv"],
        "expectedRuntimeSeconds": 60,
        "maintainers": ["Ada Example"],
        "changelog": ["1.0.0: first version"],
        "lifecycle": {"status": "active"},
        **changes,
    }
    return {name: value for name, value in made.items() if value is not ...}
