from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.resources import data_folder
from generator.runtime.audit import audit_warnings
from generator.runtime.verdict import (
    CONTRADICTORY,
    MALFORMED,
    Verdict,
    decide,
    from_checks,
    infra_failed,
    judge_agreement,
    normalise,
    read_verdict,
)

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((data_folder("schemas") / "eval-result.schema.json").read_text(encoding="utf-8"))
)
PASS = {"version": "ruhroh_eval_result_v1", "status": "passed", "goalMet": True}


@pytest.mark.parametrize(
    ("value", "problem", "words"),
    [
        (None, MALFORMED, "no JSON object"),
        ([PASS], MALFORMED, "no JSON object"),
        ({}, MALFORMED, "status is None"),
        ({"status": "ok"}, MALFORMED, "status is 'ok'"),
        ({"status": True}, MALFORMED, "status is True"),
        ({"status": ["passed"]}, MALFORMED, "status is ['passed']"),
        ({**PASS, "version": "v2"}, MALFORMED, "version is 'v2'"),
        ({**PASS, "version": None}, MALFORMED, "version is None"),
        ({"status": "passed"}, MALFORMED, "goalMet: true itself"),
        ({**PASS, "goalMet": "true"}, MALFORMED, "goalMet: true itself"),
        ({**PASS, "goalMet": 1}, MALFORMED, "goalMet: true itself"),
        ({**PASS, "goalMet": False}, CONTRADICTORY, "goalMet false"),
        ({**PASS, "unmetCriteria": ["the total"]}, CONTRADICTORY, "unmet criteria"),
        ({**PASS, "unmetCriteria": "the total"}, CONTRADICTORY, "unmet criteria"),
        ({**PASS, "unmetCriteria": [{"id": "c-1"}]}, CONTRADICTORY, "unmet criteria"),
    ],
)
def test_what_is_no_verdict_is_infra_failed_with_its_reason(value: Any, problem: str, words: str) -> None:
    made = normalise(value)
    assert (made.problem, made.result["status"]) == (problem, "infra_failed")
    assert words in made.detail
    assert made.result["reasons"] == [made.detail]
    assert decide(made.result).score is None
    SCHEMA.validate(made.result)


def test_a_pass_with_nothing_but_the_required_parts_is_one() -> None:
    made = normalise({"status": "passed", "goalMet": True})
    assert made.problem is None
    assert made.result["confidence"] == "medium"
    assert made.result["finalSummary"] == "The reviewer passed the work."
    assert decide(made.result) == Verdict("completed", "none", 1)


def test_a_failed_criterion_inside_a_pass_does_not_contradict_it() -> None:
    made = normalise({**PASS, "criteriaResults": [{"id": "a", "status": "failed", "score": 0}]})
    assert (made.problem, made.warnings) == (None, ())


FULL: dict[str, Any] = {
    "version": "ruhroh_eval_result_v1",
    "status": "failed",
    "goalMet": False,
    "confidence": "low",
    "reasons": ["wrong"],
    "unmetCriteria": ["total"],
    "evidenceRefs": [{"kind": "file", "ref": "report.json", "summary": "13"}],
    "commandsRun": [{"command": "cat report.json", "exitCode": 1, "summary": "s"}],
    "artifacts": {"workspacePath": "/w"},
    "finalSummary": "The total is wrong.",
    "repairBrief": "Add.",
    "criteriaResults": [
        {"id": "c", "description": "d", "status": "review", "score": 0.5, "weight": 2, "notes": "n",
         "evidenceRefs": [{"kind": "file", "ref": "r", "summary": ""}]},
    ],
    "subscores": {"accuracy": 0.5},
    "judge": {"kind": "model", "model": "m", "version": "1"},
    "judgeVotes": [
        {"judge": {"kind": "model", "model": "m"}, "status": "failed", "confidence": "high", "rationale": "r",
         "evidenceRefs": [], "weight": 1.5},
    ],
}  # fmt: skip


def test_a_complete_verdict_comes_through_as_it_is() -> None:
    made = normalise(FULL)
    assert made.warnings == ()
    agreement = made.result.pop("judgeAgreement")
    assert made.result.pop("reviewerWarnings") == []
    assert made.result == FULL
    assert agreement["votes"] == 1
    assert agreement["majorityStatus"] == "failed"


@pytest.mark.parametrize(
    ("name", "given", "kept", "warning"),
    [
        ("confidence", "sure", "medium", "confidence dropped: 'sure' is none of low, medium, high"),
        ("reasons", "because", [], "reasons dropped: it is no list"),
        ("reasons", ["a", 1], ["a"], "reasons[1] dropped: it is no text"),
        ("unmetCriteria", [1, "b"], ["b"], "unmetCriteria[0] dropped"),
        ("evidenceRefs", [{"kind": "file"}], [], "evidenceRefs[0] dropped: it needs the texts kind and ref"),
        ("evidenceRefs", [{"kind": "f", "ref": "r", "summary": 5}], [{"kind": "f", "ref": "r", "summary": ""}],
         "evidenceRefs[0].summary dropped"),
        ("commandsRun", ["ls"], [], "commandsRun[0] dropped: it needs the text command"),
        ("commandsRun", [{"command": "ls", "exitCode": "1"}], [], "commandsRun[0] dropped: exitCode is no number"),
        ("commandsRun", [{"command": "ls", "exitCode": True}], [], "commandsRun[0] dropped: exitCode is no number"),
        ("artifacts", {"a": 1, "b": "/b"}, {"b": "/b"}, "artifacts.a dropped: it is no text"),
        ("artifacts", [], {}, "artifacts dropped: it is no object"),
        ("goalMet", "no", False, "goalMet dropped: it is neither true nor false"),
        ("repairBrief", ["x"], None, "verdict.repairBrief dropped: it is no text"),
        ("criteriaResults", [5], None, "criteriaResults[0] dropped: it is no object"),
        ("subscores", {"a": "b", "c": 7}, {"c": 1}, "subscores.a dropped: it is no number"),
        ("judge", {"kind": "oracle"}, None, "judge dropped: its kind is none of"),
        ("judgeVotes", [{"status": "passed"}], None, "judgeVotes[0] dropped: it has no valid judge"),
        ("subscores", {"a": 10**400}, None, "subscores.a dropped: it is no number"),
        ("judgeVotes", [7], None, "judgeVotes[0] dropped: it has no valid judge"),
    ],
)  # fmt: skip
def test_a_malformed_optional_part_is_dropped_and_listed(name: str, given: Any, kept: Any, warning: str) -> None:
    made = normalise({"status": "failed", "goalMet": False, name: given})
    assert made.problem is None
    assert made.result.get(name) == kept
    assert any(item.startswith(warning) for item in made.warnings), made.warnings
    assert made.result["reviewerWarnings"] == list(made.warnings)
    SCHEMA.validate(made.result)


def test_criteria_are_completed_as_published_but_keep_their_status() -> None:
    given = [{"id": " ", "status": "great", "score": 7}, {"id": "b", "status": "review", "score": -1, "weight": "x"}]
    made = normalise({"status": "failed", "criteriaResults": given}).result["criteriaResults"]
    assert made == [
        {"id": "criterion-1", "description": "criterion-1", "status": "failed", "score": 1},
        {"id": "b", "description": "b", "status": "review", "score": 0},
    ]


def test_what_judges_agree_on_is_counted_and_never_believed() -> None:
    def vote(status: str, model: str) -> dict[str, Any]:
        return {"judge": {"kind": "model", "model": model, "version": "2"}, "status": status}

    given = {"status": "failed", "judgeVotes": [vote("failed", "a"), vote("passed", "b"), vote("failed", "c")]}
    made = normalise({**given, "judgeAgreement": {"unanimous": True, "votes": 9}}).result["judgeAgreement"]
    assert made == {
        "votes": 3,
        "unanimous": False,
        "statusCounts": {"passed": 1, "failed": 2, "review": 0, "infra_failed": 0},
        "majorityStatus": "failed",
        "dissentingJudges": ["model/b@2"],
    }


def test_without_a_plurality_every_judge_dissents() -> None:
    votes = [{"judge": {"kind": "command"}, "status": status} for status in ("passed", "failed")]
    made = judge_agreement(votes)
    assert "majorityStatus" not in made
    assert made["dissentingJudges"] == ["command", "command"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5)
    | st.sampled_from(["passed", "failed", "review", "infra_failed", "model", "low"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["id", "kind", "ref", "status", "score", "command", "exitCode", "judge", "summary", "x"]),
        inner, max_size=4,
    ),
    max_leaves=15,
)  # fmt: skip
verdicts = st.fixed_dictionaries(
    {"status": st.sampled_from(["passed", "failed", "review", "infra_failed"])},
    optional={name: st.just(value) | json_values for name, value in FULL.items() if name not in {"status", "version"}},
)


@given(verdicts | json_values)
def test_whatever_a_reviewer_says_the_result_is_what_the_schema_says(value: Any) -> None:
    made = normalise(value)
    SCHEMA.validate(made.result)
    if made.result["status"] == "passed":
        assert value["goalMet"] is True
        assert not value.get("unmetCriteria")
    assert normalise(made.result).result["status"] == made.result["status"]


@pytest.mark.parametrize(
    ("status", "completion", "verdict"),
    [
        ("passed", {}, Verdict("completed", "none", 1)),
        ("failed", {}, Verdict("failed", "goal_mismatch", 0)),
        ("review", {}, Verdict("failed", "review_required", None)),
        ("infra_failed", {}, Verdict("failed", "infra_failed", None)),
        ("passed", {"completed": False}, Verdict("completed", "none", 1)),
        ("passed", {"completion_required": True}, Verdict("completed", "none", 1)),
        (
            "passed",
            {"completion_required": True, "completed": False, "stopped": "cannot_satisfy"},
            Verdict("failed", "cannot_satisfy", 0),
        ),
        (
            "passed",
            {"completion_required": True, "completed": False},
            Verdict("failed", "missing_completion_signal", 0),
        ),
        ("review", {"completion_required": True, "completed": False}, Verdict("failed", "review_required", None)),
        ("infra_failed", {"completion_required": True, "completed": False}, Verdict("failed", "infra_failed", None)),
    ],
)
def test_only_a_verdict_makes_a_score(status: str, completion: dict[str, Any], verdict: Verdict) -> None:
    assert decide({"status": status}, **completion) == verdict


def test_a_synthetic_result_fits_the_schema() -> None:
    made = infra_failed("it broke", "last words", {"workspacePath": "/w"})
    SCHEMA.validate(made)
    assert made["evidenceRefs"] == [{"kind": "environment", "ref": "reviewer", "summary": "last words"}]
    assert made["artifacts"] == {"workspacePath": "/w"}


def test_checks_alone_make_a_verdict() -> None:
    def done(name: str, passed: bool) -> dict[str, Any]:
        return {"id": name, "command": "c", "passed": passed, "exitCode": int(not passed), "reason": "exited"}

    good, bad = from_checks([done("a", True)]), from_checks([done("a", True), done("b", False)])
    for made in (good, bad):
        SCHEMA.validate(made)
        assert normalise(made).problem is None
    assert (good["status"], bad["status"]) == ("passed", "failed")
    assert bad["unmetCriteria"] == ["check b"]
    assert bad["finalSummary"] == "1 of 2 checks passed."


def test_a_check_that_passed_by_exiting_otherwise_is_no_failed_command() -> None:
    made = from_checks([{"id": "a", "command": "c", "passed": True, "exitCode": 65, "reason": "exited with 65"}])
    assert made["commandsRun"] == []
    assert audit_warnings(made) == ()


def test_the_output_file_comes_before_the_output(tmp_path: Path) -> None:
    (tmp_path / "out").write_text('{"status": "failed"}')
    reading = read_verdict(str(tmp_path / "out"), '{"status": "passed"}')
    assert (reading.value, reading.source) == ({"status": "failed"}, "file")


@pytest.mark.parametrize(
    "content", ["", "{", '{"status": "passed"', '[{"status": "passed"}]', '{"status": "passed"}{}', "null"]
)
def test_a_broken_output_file_is_never_passed_over_for_the_output(tmp_path: Path, content: str) -> None:
    (tmp_path / "out").write_text(content)
    reading = read_verdict(str(tmp_path / "out"), json.dumps(PASS))
    assert reading.value is None
    assert "output file is not one JSON object" in reading.problem


def test_an_output_file_that_is_none_is_not_passed_over_either(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("/etc/passwd")
    for name in ("fifo", "link", "."):
        assert "is not one JSON object" in read_verdict(str(tmp_path / name), json.dumps(PASS)).problem


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('log\n{"a": 1}\n{"b": 2}\nbye\n', {"b": 2}),
        ('  {"a": 1}  \r\n\n', {"a": 1}),
        ('{"a": "\u2028"}\n', {"a": "\u2028"}),
        ('{"a": 1}\n{"b": \n[1]\n"x"\n', {"a": 1}),
        ('{"a": NaN}\n', None),
        ('{"a": 1, "a": 2}\n', None),
        ("", None),
        ("[]\n", None),
    ],
)
def test_else_the_last_line_that_is_an_object_counts(tmp_path: Path, text: str, value: Any) -> None:
    reading = read_verdict(str(tmp_path / "none"), text)
    assert reading.value == value
    assert bool(reading.problem) is (value is None)
