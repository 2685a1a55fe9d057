"""Dates, states and replacements."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from generator.rules.lifecycle import moment
from generator.workflows.select import select
from tests.support.scenarios import document, write_scenario
from tests.unit.rules.support import codes, findings


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-14",
        "2024-02-29",
        "2026-03-14T23:59:59",
        "2026-03-14T09:30:00.5Z",
        "2026-03-14T09:30:00.123456789+05:30",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_a_date_that_exists_is_taken(text: str) -> None:
    assert moment(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-29",
        "2026-13-45",
        "0000-00-00",
        "2026-03-14T24:00:01",
        "2026-03-14T09:60:00",
        "2026-03-14T09:30:61Z",
        "2026-03-14T09:30:00+99:99",
        "9999-99-99T99:99:99Z",
        "",
    ],
)
def test_a_date_that_does_not_exist_is_none(text: str) -> None:
    assert moment(text) is None


@pytest.mark.parametrize(
    ("created", "updated", "swapped"),
    [
        ("2026-03-14", "2026-03-14", False),
        ("2026-03-15", "2026-03-14", True),
        ("2026-03-14T20:00:00-08:00", "2026-03-14", False),
        ("2026-03-14", "2026-03-13T23:59:59Z", True),
        ("2026-03-14T10:00:00+02:00", "2026-03-14T08:00:00Z", False),
        ("2026-03-14T10:00:00+02:00", "2026-03-14T07:59:59Z", True),
    ],
)
def test_a_change_before_the_making_is_noticed_across_zones(
    tmp_path: Path, created: str, updated: str, swapped: bool
) -> None:
    made = {"scenarioVersion": "1.0.0", "createdAt": created, "updatedAt": updated}
    assert codes(tmp_path, metadata=made) == ["date_order"] * swapped


@pytest.mark.parametrize(
    ("sunset", "status", "today", "passed"),
    [
        ("2026-05-31", "active", date(2026, 5, 31), False),
        ("2026-05-31", "active", date(2026, 6, 1), True),
        ("2026-05-31T23:30:00-02:00", "active", date(2026, 6, 1), False),
        ("2026-05-31", "retired", date(2026, 6, 1), False),
    ],
)
def test_a_sunset_date_has_passed_the_day_after(
    tmp_path: Path, sunset: str, status: str, today: date, passed: bool
) -> None:
    made = {"scenarioVersion": "1.0.0", "lifecycle": {"status": status, "sunsetAt": sunset}}
    write_scenario(tmp_path / "a", document(metadata=made))
    (loaded,) = select(tmp_path, today=today).loaded
    assert ("lifecycle_sunset_passed" in [one.code for one in loaded.findings]) is passed


def replaced_by(root: Path, name: str, **asked: Any) -> list[str]:
    lifecycle = {"status": "active", "replacementId": name}
    write_scenario(root / "a", document(metadata={"scenarioVersion": "1.0.0", "lifecycle": lifecycle}))
    write_scenario(root / "b", document(id="newer"))
    retired = {"scenarioVersion": "1.0.0", "lifecycle": {"status": "retired"}}
    write_scenario(root / "c", document(id="older", metadata=retired))
    found = select(asked.pop("scenario_dir", root), today=date(2026, 6, 1), **asked).loaded[0]
    assert found.name == "a"
    return [one.code for one in found.findings]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("newer", []),
        ("older", ["lifecycle_replacement_retired"]),
        ("gone", ["lifecycle_replacement_unknown"]),
        ("sum-ledger", ["lifecycle_replacement_self"]),
    ],
)
def test_a_replacement_must_be_another_scenario_in_use(tmp_path: Path, name: str, expected: list[str]) -> None:
    assert replaced_by(tmp_path, name) == expected
    assert replaced_by(tmp_path, name, ids=["sum-ledger"]) == expected


@pytest.mark.parametrize(
    ("replacement", "hint"),
    [
        ({"replacementId": "sum-ledger-2"}, "sum-ledger-2 in its place"),
        ({"replacementId": "sum-ledger"}, "for new comparisons a scenario that is active; its id as replacementId"),
        ({}, "for new comparisons a scenario that is active; its id as replacementId"),
    ],
)
def test_a_deprecated_scenario_is_never_called_its_own_replacement(
    tmp_path: Path, replacement: dict[str, str], hint: str
) -> None:
    about = {"scenarioVersion": "1.0.0", "lifecycle": {"status": "deprecated", **replacement}}
    found = findings(tmp_path, metadata=about)
    assert [one.hint for one in found if one.code == "lifecycle_deprecated"] == [hint]


def test_where_the_pack_is_not_known_a_replacement_is_not_called_unknown(tmp_path: Path) -> None:
    assert replaced_by(tmp_path, "gone", paths=[tmp_path / "a"]) == []
    assert replaced_by(tmp_path, "gone", scenario_dir=tmp_path / "a") == []
