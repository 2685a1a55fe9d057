"""Packages whose manifest fits and whose content is made to harm."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator.execute.refusal import Refused
from generator.execute.taskpackage import TaskPackage, open_package
from generator.package.layout import MANIFEST
from generator.package.manifest import digest, read_manifest
from tests.support.packages import written
from tests.support.runs import Bench
from tests.support.scenarios import document, write_scenario


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return written(write_scenario(tmp_path / "scenarios" / "sum-ledger", document()), tmp_path / "out")


def seal(package: Path, scenario_id: str = "sum-ledger") -> None:
    """Make the manifest fit what the package now holds."""
    path = package / MANIFEST
    manifest = json.loads(path.read_text())
    manifest["scenario"]["id"] = scenario_id
    for file in manifest["files"]:
        data = (package / file["path"]).read_bytes()
        file["sha256"], file["size"] = hashlib.sha256(data).hexdigest(), len(data)
    path.write_text(json.dumps(manifest))
    records = read_manifest(str(package), scenario_id)
    assert not isinstance(records, str), records
    manifest["digests"]["whole"] = digest(records)
    path.write_text(json.dumps(manifest))


def change_evaluation(package: Path, **members: Any) -> None:
    path = package / "tests" / "evaluation.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


def change_task(package: Path, before: str, after: str) -> None:
    path = package / "task.toml"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def refusal(package: Path, scenario_id: str = "sum-ledger") -> str:
    seal(package, scenario_id)
    found = open_package(package)
    assert isinstance(found, Refused), found
    assert found.code == "package_invalid", found
    return found.message


def test_a_package_sealed_anew_is_opened(package: Path) -> None:
    change_task(package, "max_iterations = 3", "max_iterations = 4")
    seal(package)
    found = open_package(package)
    assert isinstance(found, TaskPackage), found
    assert found.max_iterations == 4


@pytest.mark.parametrize("name", ["../../../ESCAPED", "..", "", "/ESCAPED", "a/b", "nul", "x" * 65])
def test_an_id_that_is_no_name_is_refused(package: Path, name: str) -> None:
    change_evaluation(package, scenarioId=name)
    assert "scenarioId" in refusal(package, name)


def test_an_id_that_the_manifest_does_not_name_is_refused(package: Path) -> None:
    change_evaluation(package, scenarioId="other")
    assert "which" in refusal(package)


def test_a_run_of_a_package_with_a_path_for_an_id_writes_nothing(package: Path, tmp_path: Path) -> None:
    name = "../../../ESCAPED"
    change_evaluation(package, scenarioId=name)
    seal(package, name)
    ran = Bench(tmp_path).run("run", str(package), "--agent", "nop", "--out", "deep/er/out", "--json")
    assert ran.refused == ["package_invalid"]
    assert not list(tmp_path.rglob("ESCAPED*"))


@pytest.mark.parametrize("user", ["5", '"root"', '"../x"', '"a:0:0"', '"a\\nroot2:x:0:0"', '""', "[]"])
def test_a_user_that_is_no_account_name_is_refused(package: Path, user: str) -> None:
    change_task(package, 'user = "agent"', f"user = {user}")
    assert "agent.user is malformed" in refusal(package)


@pytest.mark.parametrize("value", ["inf", "nan", "-1", "0", "true", '"3"', "1.5", "10000000", "[]"])
def test_a_number_of_turns_that_is_no_count_is_refused(package: Path, value: str) -> None:
    change_task(package, "max_iterations = 3", f"max_iterations = {value}")
    assert "metadata.max_iterations is malformed" in refusal(package)


@pytest.mark.parametrize("value", ["inf", "nan", "-1.0", "0", "true", '"3"', "1e300", "1" + "0" * 18, "[]"])
def test_a_time_that_no_clock_can_wait_for_is_refused(package: Path, value: str) -> None:
    change_task(package, "run_timeout_sec = 120.0", f"run_timeout_sec = {value}")
    assert "metadata.run_timeout_sec is malformed" in refusal(package)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("[metadata]", "[other]", "metadata is missing"),
        ('continuity = "workspace_only"', "continuity = 5", "metadata.continuity is malformed"),
        ('"filesystem"', "1", "metadata.tools is malformed"),
        ('network_mode = "no-network"', "network_mode = 5", "environment.network_mode is malformed"),
    ],
)
def test_a_member_of_another_type_is_refused(package: Path, before: str, after: str, said: str) -> None:
    change_task(package, before, after)
    assert said in refusal(package)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda package: change_evaluation(package, reviewerTimeoutSeconds=10**30), "reviewerTimeoutSeconds"),
        (lambda package: change_evaluation(package, workdir="/app/../../etc"), "workdir"),
    ],
)
def test_an_evaluation_out_of_range_is_refused(package: Path, change: Callable[[Path], None], said: str) -> None:
    change(package)
    assert said in refusal(package)
