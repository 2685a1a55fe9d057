"""A directory to a draft: what is read, and the published loaded form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from generator.formats.build import build
from generator.formats.draft import Draft
from generator.formats.files import look_at_files
from generator.formats.loaded_form import loaded_form
from generator.formats.reading import draft, read
from generator.scenario.model import CalibrationCase, Check, Completion, Environment, Lifecycle, Reviewer, Scenario
from generator.source.tree import Kind
from tests.support.files import Link
from tests.support.scenarios import PROMPT, document, write_scenario


def drafted(root: Path, made: dict[str, Any] | None = None, extra: dict[str, Any] | None = None) -> Draft:
    found = draft(read(write_scenario(root / "sum-ledger", made, extra)))
    assert found is not None
    return found


def built(found: Draft) -> Scenario:
    return build(found.sound, found.prompt.text)


def test_the_model_has_what_the_document_says(tmp_path: Path) -> None:
    made = document(
        metadata={
            "scenarioVersion": "1.0.0",
            "tags": ["a"],
            "expectedRuntimeSeconds": 60,
            "lifecycle": {"status": "retired", "sunsetAt": "2026-01-01", "reason": "Old.", "replacementId": "b"},
        },
        environment={
            "packages": ["jq"],
            "setup": "./setup.sh",
            "stage": {"./assets/ledger.csv": "x/"},
            "memoryMb": 64.0,
        },
        loop__completion={"promise": "DONE"},
        solution="solution/",
        assets=["assets/ledger.csv", "./assets//ledger.csv"],
        evaluation__checks=[
            {"id": "a", "command": "true"},
            {"id": "b", "command": ["x", ""], "expectExit": 2, "timeoutSeconds": 5, "restore": ["./assets/ledger.csv"]},
        ],
        evaluation__reviewer={"path": "review", "command": ["python3"]},
        evaluation__environment={"cpus": 2},
        evaluation__env=["KEY"],
        evaluation__network=True,
        evaluation__timeoutSeconds=9,
    )
    scenario = built(drafted(tmp_path, made))
    assert scenario.prompt == PROMPT
    assert scenario.workspace.assets == ("assets/ledger.csv",)
    assert scenario.workspace.environment == Environment(
        packages=("jq",), setup="setup.sh", stage={"assets/ledger.csv": "x"}, memory_mb=64
    )
    assert scenario.loop.completion == Completion(required=False, promise="DONE")
    assert scenario.solution == "solution"
    assert scenario.metadata is not None
    assert scenario.metadata.lifecycle == Lifecycle(status="retired", reason="Old.", replacement_id="b")
    assert scenario.review.checks == (
        Check(id="a", command="true"),
        Check(id="b", command=("x", ""), expect_exit=2, timeout_seconds=5, restore=("assets/ledger.csv",)),
    )
    assert scenario.review.reviewer == Reviewer(path="review", command=("python3",))
    assert scenario.review.environment == Environment(cpus=2)
    assert scenario.review.calibration[0] == CalibrationCase(
        id="right", expected_status="passed", input_summary="Total is 14.00.", rationale="It is right."
    )
    assert (scenario.review.env, scenario.review.network, scenario.review.timeout_seconds) == (("KEY",), True, 9)


def test_defaults_are_the_published_ones(tmp_path: Path) -> None:
    scenario = built(drafted(tmp_path))
    assert scenario.workspace.environment == Environment()
    assert (scenario.review.timeout_seconds, scenario.review.checks, scenario.solution) == (300, (), None)


def test_version_1_takes_its_limit_and_mode_from_the_driver(tmp_path: Path) -> None:
    driver = {"adapter": "a", "timeoutSeconds": 7, "mode": "plan"}
    made = document(version="ruhroh_scenario_v1", run=..., driver=driver)
    found = drafted(tmp_path, made)
    assert (built(found).loop.timeout_seconds, built(found).loop.mode) == (7, "plan")
    assert loaded_form(made, found.prompt)["run"] == {"mode": "plan", "timeoutSeconds": 7}


@pytest.mark.parametrize(
    ("run", "loaded"),
    [
        ({"timeoutSeconds": 5, "mode": "chat"}, {"mode": "chat", "timeoutSeconds": 5}),
        ({"timeoutSeconds": "5", "mode": 5}, {"timeoutSeconds": 600}),
        ({"timeoutSeconds": True}, {"timeoutSeconds": 600}),
        ({}, {"timeoutSeconds": 600}),
        (7, {"timeoutSeconds": 600}),
        (..., {"timeoutSeconds": 600}),
        ({"resourceBudgets": {"a": 1}, "x": 2}, {"timeoutSeconds": 600, "resourceBudgets": {"a": 1}, "x": 2}),
    ],
)
def test_the_loaded_form_completes_run_and_keeps_the_rest(tmp_path: Path, run: Any, loaded: dict[str, Any]) -> None:
    made = document(run=run)
    assert loaded_form(made, drafted(tmp_path, made).prompt)["run"] == loaded


def test_the_loaded_form_has_the_prompt_last_or_in_its_place(tmp_path: Path) -> None:
    found = drafted(tmp_path)
    form = loaded_form(found.document.value, found.prompt)
    assert list(form) == [*document(), "userPrompt"]
    assert form["userPrompt"] == PROMPT
    inline = {"userPrompt": "Inline.", **document()}
    other = drafted(tmp_path / "inline", inline)
    assert list(loaded_form(inline, other.prompt)) == list(inline)


def test_every_declared_path_is_looked_at_once(tmp_path: Path) -> None:
    made = document(
        evaluation__privateAssets=["key"],
        solution="solution",
        environment={"setup": "setup.sh"},
        evaluation__reviewer={"path": "gone", "command": ["x"]},
        evaluation__environment={"setup": "setup.sh"},
    )
    files = drafted(tmp_path, made, {"key": "k", "setup.sh": "", "solution/a": ""}).files
    assert {path: [entry.kind for entry in entries] for path, entries in files.items()} == {
        "assets/ledger.csv": [Kind.FILE],
        "key": [Kind.FILE],
        "solution": [Kind.DIRECTORY, Kind.FILE],
        "gone": [Kind.MISSING],
        "setup.sh": [Kind.FILE],
    }


def test_declared_paths_are_counted_together(tmp_path: Path) -> None:
    made = document(assets=["a", "b", "c"])
    found = drafted(tmp_path, made, {"a/1": "", "b/1": "", "c/1": ""})
    files = look_at_files(found.reading.tree, found.sound, limit=3)
    assert {path: [entry.kind for entry in entries] for path, entries in files.items()} == {
        "a": [Kind.DIRECTORY, Kind.FILE],
        "b": [Kind.DIRECTORY, Kind.FILE],
        "c": [Kind.TOO_MANY],
    }


def test_a_document_that_is_a_pipe_is_refused_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "scenario.json")
    found = read(tmp_path)
    assert [one.code for one in found.findings] == ["document_unreadable"]
    assert draft(found) is None


@pytest.mark.parametrize(
    ("link", "codes"),
    [("../real.json", ["document_unreadable"]), ("/etc/hostname", ["document_unreadable"]), ("in.json", [])],
)
def test_a_linked_document_is_read_only_inside(tmp_path: Path, link: str, codes: list[str]) -> None:
    root = write_scenario(tmp_path / "a", extra={"in.json": document()})
    (tmp_path / "real.json").write_text("{}")
    (root / "scenario.json").unlink()
    (root / "scenario.json").symlink_to(Link(link).target)
    assert [one.code for one in read(root).findings] == codes


def test_a_directory_as_document_and_a_missing_directory_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a/scenario.json").mkdir(parents=True)
    assert [one.code for one in read(tmp_path / "a").findings] == ["document_unreadable"]
    assert [one.code for one in read(tmp_path / "gone").findings] == ["document_missing"]


@pytest.mark.parametrize(
    ("given", "expected"), [("x", "x"), (" ", "sum-ledger"), (5, "sum-ledger"), (..., "sum-ledger")]
)
def test_a_scenario_without_a_usable_id_goes_by_its_directory(tmp_path: Path, given: Any, expected: str) -> None:
    assert read(write_scenario(tmp_path / "sum-ledger", document(id=given))).id == expected


def test_a_draft_tells_sound_values_by_pointer(tmp_path: Path) -> None:
    found = drafted(tmp_path, document(evaluation__goalRubric=["x" * 50, 5, "y" * 50], title=5))
    assert found.get("/evaluation/goalRubric/1") is None
    assert found.get("/evaluation/goalRubric/9") is None
    assert found.get("/id/x") is None
    assert [pointer for pointer, _ in found.items("/evaluation/goalRubric")] == [
        "/evaluation/goalRubric/0",
        "/evaluation/goalRubric/2",
    ]
    assert found.has("/title")
    assert not found.has("/solution")
