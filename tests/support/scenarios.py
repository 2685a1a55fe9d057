"""Small scenarios to start from: valid, lint-clean, and easy to break in one place."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.files import Tree, write_tree

_DOCUMENT: dict[str, Any] = {
    "version": "ruhroh_scenario_v2",
    "id": "sum-ledger",
    "title": "Sum the ledger",
    "tier": "smoke",
    "kind": "real_user",
    "userPromptPath": "instruction.md",
    "assets": ["assets/ledger.csv"],
    "run": {"mode": "build", "timeoutSeconds": 120},
    "requires": {"continuity": "workspace_only", "tools": ["filesystem", "shell"], "network": False},
    "loop": {"defaultMaxIterations": 3, "stopPolicy": "goal_satisfied_or_max"},
    "evaluation": {
        "mode": "agentic_goal_review",
        "scenarioContext": ["A bookkeeper closes the month.", "The ledger has three rows."],
        "goalRubric": [
            "The report holds the correct total of all the amounts in the ledger.",
            "The ledger itself is left exactly as it was handed over at the start.",
            "The report is valid JSON with one number that has two decimal places.",
        ],
        "evidenceGuidance": ["Open the report and compare the total.", "Compare the ledger with the original."],
        "calibrationCases": [
            {"id": "right", "expectedStatus": "passed", "inputSummary": "Total is 14.00.", "rationale": "It is right."},
            {"id": "wrong", "expectedStatus": "failed", "inputSummary": "Total is 13.00.", "rationale": "It is wrong."},
            {
                "id": "odd",
                "expectedStatus": "review",
                "inputSummary": "Total is a text.",
                "rationale": "A person decides.",
            },
        ],
    },
}

PROMPT = "Sum the amounts in `assets/ledger.csv` and write the total to `report.json`.\n"
LEDGER = "item,amount\npens,4.50\npaper,9.50\n"


def document(**changes: Any) -> dict[str, Any]:
    """A valid v2 document. `evaluation__checks=[…]` sets a nested member; the value `...` removes one."""
    made = copy.deepcopy(_DOCUMENT)
    for name, value in changes.items():
        *path, last = name.split("__")
        place = made
        for part in path:
            place = place.setdefault(part, {})
        if value is ...:
            place.pop(last, None)
        else:
            place[last] = value
    return made


def write_scenario(folder: Path, made: Mapping[str, Any] | None = None, extra: Tree | None = None) -> Path:
    """Write a scenario directory: the document (default: a valid one), its prompt and ledger, and `extra` files."""
    base: dict[str, Any] = {
        "scenario.json": dict(made if made is not None else document()),
        "instruction.md": PROMPT,
        "assets/ledger.csv": LEDGER,
    }
    return write_tree(folder, {**base, **(extra or {})})
