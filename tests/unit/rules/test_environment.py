"""The machines of the agent and of the review, and what of them has an effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.rules.support import codes, findings


@pytest.mark.parametrize(
    "workdir",
    ["/opt/harborsmith", "/opt/harborsmith/x", "/root", "/var/lib/dpkg", "/var/tmp", "/opt", "/usr/src/app"],
)
def test_a_workspace_in_a_folder_of_the_system_is_refused(tmp_path: Path, workdir: str) -> None:
    assert codes(tmp_path, environment={"workdir": workdir}) == ["workdir_unsuitable"]


@pytest.mark.parametrize("workdir", ["/app", "/opt/work", "/srv/site", "/var/www", "/home/agent", "/data/..."])
def test_a_folder_of_its_own_may_hold_the_workspace(tmp_path: Path, workdir: str) -> None:
    assert codes(tmp_path, environment={"workdir": workdir}) == []


@pytest.mark.parametrize("name", ["bash-", "python3-=1.0", "-bash", "jq; rm", "LibFoo", "a"])
def test_a_name_that_apt_would_take_for_an_order_is_no_package(tmp_path: Path, name: str) -> None:
    assert codes(tmp_path, environment={"packages": [name]}) == ["package_name"]


@pytest.mark.parametrize("name", ["g++", "jq", "libstdc++6", "sqlite3=3.40.1-2", "linux-libc-dev"])
def test_names_of_packages_are_taken(tmp_path: Path, name: str) -> None:
    assert codes(tmp_path, environment={"packages": [name]}) == []


@pytest.mark.parametrize("block", ["environment", "evaluation__environment"])
def test_less_of_a_processor_than_a_container_can_have_is_refused(tmp_path: Path, block: str) -> None:
    for cpus, expected in ((1e-300, ["field_range"]), (0.01, [])):
        changes: dict[str, Any] = {block: {"cpus": cpus}}
        assert codes(tmp_path, **changes) == expected


BUDGETS = {
    "version": "ruhroh_resource_budgets_v1",
    "scope": "implementation",
    "onUnobservable": "fail",
    "limits": [{"resource": "totalTokens", "max": 10, "requiredEnforcement": "boundary"}],
}


def test_budgets_are_said_to_be_without_effect(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, run__resourceBudgets=BUDGETS)
    assert (found.code, found.pointer) == ("resource_budgets_not_enforced", "/run/resourceBudgets")
    assert "run.timeoutSeconds" in found.hint
    assert "loop.defaultMaxIterations" in found.hint


def test_a_scenario_without_budgets_is_told_nothing(tmp_path: Path) -> None:
    assert codes(tmp_path, run__resourceBudgets="many") == ["field_type"]
    assert codes(tmp_path) == []


@pytest.mark.parametrize(
    ("changes", "pointers"),
    [
        ({"evaluation__env": ["KEY"]}, ["/evaluation/env"]),
        ({"evaluation__env": []}, []),
        ({"evaluation__mode": "checks", "evaluation__timeoutSeconds": 5}, ["/evaluation/timeoutSeconds"]),
        ({"evaluation__mode": "checks", "evaluation__network": True}, ["/evaluation/network"]),
        ({"evaluation__mode": "checks", "evaluation__network": False}, []),
        (
            {"evaluation__mode": "checks", "evaluation__reviewer": {"path": "judge.py", "command": ["judge"]}},
            ["/evaluation/reviewer"],
        ),
        ({"evaluation__reviewer": {"path": "judge.py", "command": ["judge"]}, "evaluation__env": ["KEY"]}, []),
    ],
)
def test_blocks_that_contradict_each_other_are_named(
    tmp_path: Path, changes: dict[str, Any], pointers: list[str]
) -> None:
    checks = [{"id": "a", "command": "true"}]
    found = findings(tmp_path, {"judge.py": ""}, evaluation__checks=checks, **changes)
    assert [(one.code, one.pointer) for one in found] == [("field_without_effect", pointer) for pointer in pointers]
