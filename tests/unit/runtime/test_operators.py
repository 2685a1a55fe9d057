"""What an operator hands to a review in a container, and which reviewer is asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator.runtime.command import _with_sockets, asked_reviewer
from generator.runtime.evalinput import RunContext
from generator.runtime.evaluation import Evaluation, PackagedReviewer, parse_evaluation
from generator.runtime.operators import FILE, Operator, read_operator

STATED = {"argv": ["judge"], "source": "option", "sha256": "0" * 64}


@pytest.fixture
def evaluation() -> Evaluation:
    value: dict[str, Any] = {
        "version": "harborsmith_evaluation_v1",
        "mode": "agentic_goal_review",
        "workdir": "/app",
        "git": False,
        "completion": {"required": False},
        "reviewerTimeoutSeconds": 5,
    }
    value |= dict.fromkeys(("scenarioId", "scenarioTitle", "userPrompt"), "x")
    lists = ("scenarioContext", "goalRubric", "criteria", "evidenceGuidance", "calibrationCases", "privateAssets")
    value |= {name: [] for name in (*lists, "checks", "reviewerEnv")}
    parsed = parse_evaluation(value)
    return replace(parsed, reviewer=PackagedReviewer(("packaged",), "1" * 64), reviewer_env=("KEY",))


def handed(tmp_path: Path, value: object) -> dict[str, str]:
    path = tmp_path / "operator.json"
    path.write_text(json.dumps(value))
    return {FILE: str(path)}


def test_without_a_file_nothing_was_handed_over() -> None:
    assert read_operator({}) == Operator()


def test_a_file_is_deleted_once_it_is_read(tmp_path: Path) -> None:
    operator = read_operator(handed(tmp_path, {"reviewer": STATED, "env": {"KEY": "value"}}))

    assert not (tmp_path / "operator.json").exists()
    assert operator.env == {"KEY": "value"}
    assert operator.reviewer is not None
    assert operator.reviewer.trusted


@pytest.mark.parametrize(
    "value", [[], {}, {"env": {}}, {"env": 3, "reviewer": None}, {"env": {}, "reviewer": {"argv": []}}]
)
def test_a_malformed_file_is_said_by_name(tmp_path: Path, value: object) -> None:
    with pytest.raises(ValueError, match=FILE):
        read_operator(handed(tmp_path, value))


def test_a_missing_file_is_said_by_name() -> None:
    with pytest.raises(ValueError, match="/no/such/file"):
        read_operator({FILE: "/no/such/file"})


@pytest.mark.parametrize(
    ("source", "packaged", "asked"),
    [("option", True, "option"), ("environment", True, "package"), ("environment", False, "environment")],
)
def test_an_option_comes_before_the_package_and_the_environment_after_it(
    tmp_path: Path, evaluation: Evaluation, source: str, packaged: bool, asked: str
) -> None:
    asks = evaluation if packaged else replace(evaluation, reviewer=None)

    chosen = asked_reviewer(asks, handed(tmp_path, {"reviewer": {**STATED, "source": source}, "env": {}}))

    assert chosen is not None
    assert chosen.source == asked


def test_the_operators_reviewer_gets_all_variables_but_the_files_name(tmp_path: Path, evaluation: Evaluation) -> None:
    environ = {**handed(tmp_path, {"reviewer": STATED, "env": {"KEY": "value"}}), "PATH": "/bin"}

    chosen = asked_reviewer(evaluation, environ)

    assert chosen is not None
    assert chosen.env == {"PATH": "/bin", "KEY": "value"}


def test_a_packaged_reviewer_gets_of_them_what_it_declares(tmp_path: Path, evaluation: Evaluation) -> None:
    environ = handed(tmp_path, {"reviewer": None, "env": {"KEY": "value", "OTHER": "unasked"}})

    chosen = asked_reviewer(evaluation, environ)

    assert chosen is not None
    assert (chosen.source, chosen.env) == ("package", {"KEY": "value"})


def test_the_environments_command_is_asked_when_nobody_else_is_there(evaluation: Evaluation) -> None:
    alone = replace(evaluation, reviewer=None)

    chosen = asked_reviewer(alone, {"RUHROH_EVAL_COMMAND": "judge it"})

    assert chosen is not None
    assert chosen.source == "environment"
    assert asked_reviewer(alone, {}) is None


def test_sockets_that_are_listed_beside_an_archive_are_left_out_of_the_work(tmp_path: Path) -> None:
    (tmp_path / "sockets").write_bytes(b"./door\0./sub/odd-\xff\0")

    context = _with_sockets(RunContext(run_id="r"), str(tmp_path / "workspace.tar"))

    assert [item.as_json() for item in context.left_out] == [
        {"path": "door", "reason": "special file"},
        {"path": "sub/odd-\\xff", "reason": "special file"},
    ]
    assert _with_sockets(RunContext(), str(tmp_path / "elsewhere" / "workspace.tar")) == RunContext()
