"""What a scenario says about itself: version, dates, lifecycle, and what publication needs."""

from __future__ import annotations

from typing import Any, Final

from tests.support.examples import Example, State, scenario
from tests.support.scenarios import LEDGER, PROMPT, document
from tests.unit.rules.support import metadata

PUBLIC: Final = scenario(metadata=metadata())
_NEEDED: Final = {
    "provenance": "provenance",
    "created_at": "createdAt",
    "updated_at": "updatedAt",
    "contamination_notes": "contaminationNotes",
    "difficulty": "difficulty",
    "tags": "tags",
    "expected_runtime": "expectedRuntimeSeconds",
    "maintainers": "maintainers",
    "changelog": "changelog",
    "lifecycle": "lifecycle",
}


def _without(member: str) -> Example:
    return Example(scenario(metadata=metadata(**{member: ...})), PUBLIC)


def _about(fault: dict[str, Any], mended: dict[str, Any], *, clean: bool = True) -> Example:
    version = {"scenarioVersion": "1.0.0"}
    return Example(scenario(metadata=version | fault), scenario(metadata=version | mended), clean=clean)


def _two(replacement: str, other: str = "active") -> State:
    """The pack with a deprecated scenario and the two that could take its place."""
    files: dict[str, Any] = {}
    for name, about in {
        "sum-ledger": {"status": "deprecated", "replacementId": replacement},
        "sum-ledger-2": {"status": "active"},
        "sum-old": {"status": other},
    }.items():
        made = document(id=name, metadata={"scenarioVersion": "1.0.0", "lifecycle": about})
        place = f"scenarios/{name}"
        files |= {
            f"{place}/scenario.json": made,
            f"{place}/instruction.md": PROMPT,
            f"{place}/assets/ledger.csv": LEDGER,
        }
    return State(files)


def _clash(second: str) -> State:
    return State(
        {
            "scenarios/other/scenario.json": document(id=second),
            "scenarios/other/instruction.md": PROMPT,
            "scenarios/other/assets/ledger.csv": LEDGER,
        }
    )


_CASES: Final = document()["evaluation"]["calibrationCases"]

EXAMPLES: Final = {
    **{f"publication_{name}_missing": _without(member) for name, member in _NEEDED.items()},
    "publication_network_rationale_missing": Example(
        scenario(metadata=metadata(), requires__network=True),
        scenario(metadata=metadata(networkRationale="The task is about a public API."), requires__network=True),
        clean=False,
    ),
    "publication_private_eval_missing": Example(
        scenario(metadata=metadata(visibility="held_out")),
        scenario(metadata=metadata(visibility="held_out", privateEvalRationale="The rubric alone decides.")),
    ),
    "date_format": _about({"createdAt": "14.03.2026"}, {"createdAt": "2026-03-14"}),
    "date_impossible": _about({"createdAt": "2026-02-30"}, {"createdAt": "2026-03-02"}),
    "date_order": _about(
        {"createdAt": "2026-05-02", "updatedAt": "2026-03-14"}, {"createdAt": "2026-03-14", "updatedAt": "2026-05-02"}
    ),
    "lifecycle_deprecated": _about(
        {"lifecycle": {"status": "deprecated", "reason": "Every agent passes it."}}, {"lifecycle": {"status": "active"}}
    ),
    "lifecycle_retired": _about({"lifecycle": {"status": "retired"}}, {"lifecycle": {"status": "active"}}),
    "lifecycle_sunset_passed": _about(
        {"lifecycle": {"status": "deprecated", "sunsetAt": "2020-01-31"}},
        {"lifecycle": {"status": "retired", "sunsetAt": "2020-01-31"}},
        clean=False,
    ),
    "lifecycle_replacement_self": Example(_two("sum-ledger"), _two("sum-ledger-2"), clean=False),
    "lifecycle_replacement_unknown": Example(_two("sum-ledger-3"), _two("sum-ledger-2"), clean=False),
    "lifecycle_replacement_retired": Example(_two("sum-old", "retired"), _two("sum-ledger-2", "retired"), clean=False),
    "id_clash": Example(_clash("Sum-Ledger"), _clash("sum-ledger-2")),
    "calibration_id_duplicate": Example(
        scenario(evaluation__calibrationCases=[_CASES[0], {**_CASES[1], "id": "right"}, _CASES[2]])
    ),
    "version_not_semantic": Example(
        scenario(metadata={"scenarioVersion": "v2 final"}), scenario(metadata={"scenarioVersion": "2.0.0"})
    ),
    "changelog_version_missing": Example(
        scenario(metadata={"scenarioVersion": "1.1.0", "changelog": ["1.0.0: first version"]}),
        scenario(metadata={"scenarioVersion": "1.1.0", "changelog": ["1.0.0: first version", "1.1.0: clearer prompt"]}),
    ),
}
