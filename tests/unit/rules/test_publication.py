"""Publication metadata: one complaint a missing item, none about what is there but wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generator.rules.publication import ITEMS
from tests.unit.rules.support import codes, findings, metadata


@pytest.mark.parametrize("visibility", ["public", "held_out"])
def test_missing_items_come_in_the_published_order(tmp_path: Path, visibility: str) -> None:
    bare = {"scenarioVersion": "1.0.0", "visibility": visibility}
    found = codes(tmp_path, metadata=bare, requires__network=True)
    expected = [code for code, _ in ITEMS.values()] + ["publication_network_rationale_missing"]
    assert found == expected + ["publication_private_eval_missing"] * (visibility == "held_out") + ["network_public"]


@pytest.mark.parametrize("visibility", ["private", ...])
def test_a_private_scenario_needs_none_of_it(tmp_path: Path, visibility: Any) -> None:
    made = {"scenarioVersion": "1.0.0", "visibility": visibility}
    assert codes(tmp_path, metadata={k: v for k, v in made.items() if v is not ...}) == []


@pytest.mark.parametrize("name", ITEMS)
def test_an_item_that_is_there_but_wrong_is_not_called_missing(tmp_path: Path, name: str) -> None:
    found = findings(tmp_path, metadata=metadata(**{name: True}))
    assert [(one.code.partition("_")[0], one.pointer) for one in found] == [("field", f"/metadata/{name}")]


def test_the_place_is_the_visibility_and_the_hint_can_be_pasted(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, metadata=metadata(provenance=...))
    assert (found.pointer, found.at) == ("/metadata", "/metadata/visibility")
    assert found.hint.startswith('"provenance": "')


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({}, True),
        ({"evaluation__privateAssets": []}, True),
        ({"evaluation__privateAssets": ["key"]}, False),
        ({"metadata": metadata(visibility="held_out", privateEvalRationale="Nothing to hide.")}, False),
    ],
)
def test_a_held_out_scenario_says_what_is_held_out(tmp_path: Path, changes: dict[str, Any], missing: bool) -> None:
    found = codes(tmp_path, {"key": "k"}, **{"metadata": metadata(visibility="held_out"), **changes})
    assert found == ["publication_private_eval_missing"] * missing


def test_broken_private_assets_are_not_called_missing(tmp_path: Path) -> None:
    found = codes(tmp_path, metadata=metadata(visibility="held_out"), evaluation__privateAssets="key")
    assert found == ["field_type"]


def test_a_network_with_a_reason_is_only_warned_about(tmp_path: Path) -> None:
    assert codes(tmp_path, metadata=metadata(networkRationale="Needs it."), requires__network=True) == [
        "network_public"
    ]


@pytest.mark.parametrize(
    ("version", "changelog", "expected"),
    [
        ("1.0.0", ["1.0.0: first"], []),
        ("1.0.0", ["0.9.0: draft", "now 1.0.0!"], []),
        ("1.0.0", ["1.0: first"], ["changelog_version_missing"]),
        ("1.0.0-rc.1+build.5", ["1.0.0-rc.1+build.5"], []),
        ("01.0.0", ["01.0.0"], ["version_not_semantic"]),
        ("1.0", ["1.0"], ["version_not_semantic"]),
        ("1.0.0\n", ["1.0.0\n"], ["version_not_semantic"]),
        ("١.0.0", ["١.0.0"], ["version_not_semantic"]),
    ],
)
def test_versions_are_semantic_and_mentioned(
    tmp_path: Path, version: str, changelog: list[str], expected: list[str]
) -> None:
    assert codes(tmp_path, metadata={"scenarioVersion": version, "changelog": changelog}) == expected
