"""Rules applied to one scenario on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from generator.diagnostics.model import Finding
from tests.support.cases import selected
from tests.support.files import Tree
from tests.support.scenarios import document, write_scenario


def findings(root: Path, extra: Tree | None = None, **changes: Any) -> list[Finding]:
    """What is found in a scenario that differs from a valid one in `changes` and `extra` files."""
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
