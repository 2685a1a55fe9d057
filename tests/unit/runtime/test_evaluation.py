from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.resources import data_folder
from generator.runtime.evaluation import Check, PackagedReviewer, parse_evaluation, read_evaluation
from tests.unit.runtime.support import check, evaluation_document


def test_the_example_of_the_schema_is_read() -> None:
    schema = json.loads((data_folder("schemas") / "evaluation.schema.json").read_text(encoding="utf-8"))
    for example in schema["examples"]:
        assert parse_evaluation(example).scenario_id == example["scenarioId"]


def test_a_document_becomes_a_value() -> None:
    made = parse_evaluation(
        evaluation_document(
            checks=[check("a", ["x", "y"], restore=["tests"]), check("b", "x | y", expectExit=3)],
            reviewer={"command": ["python3", "{reviewer}/judge.py"], "sha256": "0" * 64},
            scenarioVersion=None,
            completion={"required": True, "promise": "DONE"},
        )
    )
    assert made.checks == (
        Check("a", ("x", "y"), 0, 20, ("tests",)),
        Check("b", "x | y", 3, 20, ()),
    )
    assert made.reviewer == PackagedReviewer(("python3", "{reviewer}/judge.py"), "0" * 64)
    assert made.scenario_version is None
    assert (made.completion_required, made.completion_promise) == (True, "DONE")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": "v2"}, "version is 'v2'; this runner reads 'harborsmith_evaluation_v1'"),
        ({"mode": "vibes"}, "mode is 'vibes'; it is agentic_goal_review or checks"),
        ({"mode": "checks"}, "checks is empty"),
        ({"workdir": "app"}, "workdir is 'app'; it is an absolute path below /"),
        ({"workdir": "/"}, "workdir is '/'"),
        ({"userPrompt": 5}, "userPrompt is malformed; it is a text"),
        ({"goalRubric": ["a", 5]}, r"goalRubric\[1\]: it is a text"),
        ({"criteria": [{"id": "c"}]}, r"criteria\[0\]: text is missing; it is a text"),
        ({"criteria": [5]}, r"criteria\[0\]: it is an object"),
        ({"calibrationCases": [5]}, r"calibrationCases\[0\]: it is an object"),
        ({"privateAssets": ["/etc/passwd"]}, r"privateAssets\[0\]: '/etc/passwd' is no relative path"),
        ({"privateAssets": ["a/../../b"]}, "stays inside"),
        ({"checks": [check("a", "x", restore=["../b"])]}, r"checks\[0\]: restore\[0\]"),
        ({"checks": [check("a", "x", expectExit=True)]}, "expectExit is malformed; it is an integer"),
        ({"checks": [check("a", "x", timeoutSeconds=0)]}, "timeoutSeconds is malformed"),
        ({"checks": [{**check("a", "x"), "command": 5}]}, "command is malformed; it is a list"),
        ({"reviewer": {"command": [], "sha256": "0"}}, "reviewer.command is empty"),
        ({"reviewerTimeoutSeconds": "20"}, "reviewerTimeoutSeconds is malformed; it is a number of seconds above 0"),
        ({"completion": None}, "completion is malformed; it is an object"),
        ({"completion": {"promise": None}}, "required is missing; it is true or false"),
    ],
)
def test_a_malformed_document_names_the_member(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_evaluation(evaluation_document(**changes))


def test_a_file_that_is_missing_or_broken_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is missing: this is no tests directory"):
        read_evaluation(str(tmp_path / "evaluation.json"))
    (tmp_path / "evaluation.json").write_text("{")
    with pytest.raises(ValueError, match=r"evaluation\.json: Expecting"):
        read_evaluation(str(tmp_path / "evaluation.json"))
    (tmp_path / "evaluation.json").write_text(json.dumps(evaluation_document()))
    assert read_evaluation(str(tmp_path / "evaluation.json")).scenario_id == "sum-ledger"
