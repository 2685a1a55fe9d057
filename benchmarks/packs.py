"""The packs that are measured: the same bytes on every machine, valid and without a complaint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SUMMARY_SENTENCES = 4  # make a document of 3 KB, as large as those that people write
_PIECE = 1024 * 1024


def make_pack(folder: Path, count: int) -> Path:
    """Write `count` scenarios of 3 KB with two assets each below `folder`, and return it."""
    for number in range(1, count + 1):
        make_scenario(folder / f"ledger-{number:05}", number)
    return folder


def make_scenario(folder: Path, number: int) -> Path:
    """Write one scenario: document, prompt, a ledger the agent gets and an answer that only the reviewer gets."""
    for place in ("assets", "private"):
        (folder / place).mkdir(parents=True)
    rows = [f"{line},{number + line}.50" for line in range(1, 31)]
    prompt = f"Sum the amounts in `assets/ledger.csv` of month {number} and write the total to `report.json`.\n"
    (folder / "scenario.json").write_text(json.dumps(document(number), indent=2) + "\n", encoding="utf-8")
    (folder / "instruction.md").write_text(prompt, encoding="utf-8")
    (folder / "assets/ledger.csv").write_text("item,amount\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (folder / "private/expected.json").write_text(f'{{"total": "{number * 30 + 480}.00"}}\n', encoding="utf-8")
    return folder


def make_large_pack(folder: Path, megabytes: int) -> Path:
    """Write one scenario whose asset has `megabytes` MiB, no two of them alike, and return `folder`."""
    scenario = make_scenario(folder / "ledger-00001", 1)
    made = document(1)
    made["assets"].append("assets/records.bin")
    (scenario / "scenario.json").write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    with (scenario / "assets/records.bin").open("wb") as handle:
        for number in range(megabytes):
            handle.write(number.to_bytes(16, "big") * (_PIECE // 16))
    return folder


def document(number: int) -> dict[str, Any]:
    """The document of scenario `number`."""
    return {
        "version": "ruhroh_scenario_v2",
        "id": f"ledger-{number:05}",
        "title": f"Sum the ledger of month {number}",
        "tier": ("smoke", "nightly", "release")[number % 3],
        "kind": "real_user",
        "userPromptPath": "instruction.md",
        "assets": ["assets/ledger.csv"],
        "run": {"mode": "build", "timeoutSeconds": 600},
        "requires": {"continuity": "workspace_only", "tools": ["filesystem", "shell"], "network": False},
        "loop": {"defaultMaxIterations": 3, "stopPolicy": "goal_satisfied_or_max"},
        "evaluation": {
            "mode": "agentic_goal_review",
            "scenarioContext": [
                f"A bookkeeper closes month {number} and needs the total before noon.",
                "The ledger has thirty rows; every amount has two decimal places and none is missing.",
            ],
            "goalRubric": [
                f"The result holds the correct total of all the amounts of month {number}.",
                "The rows that were handed over are left exactly as they were at the start.",
                "The result is valid JSON with one number that has two decimal places.",
            ],
            "evidenceGuidance": [
                "Compare the total of the work with the one that was worked out for the reviewer.",
                "Compare the rows with the ones that were handed over at the start.",
            ],
            "calibrationCases": [_case(status) for status in ("passed", "failed", "review")],
            "privateAssets": ["private/expected.json"],
        },
    }


def _case(status: str) -> dict[str, str]:
    sentence = f"What was handed in is such that a careful person would say {status} after a look at it. "
    return {
        "id": f"case-{status}",
        "expectedStatus": status,
        "inputSummary": (sentence * SUMMARY_SENTENCES).strip(),
        "rationale": f"A total that was worked out by hand shows that {status} is the right word for this work.",
    }
