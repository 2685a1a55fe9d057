"""The demo's fixture agent and reviewer: one deserved pass, one deserved failure, and honesty about anything else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.scenarios_pack.workbench import (
    DEMO,
    IDS,
    ask_demo,
    document,
    evaluation_input,
    failed_checks,
    judge,
    python_3_9,
    solved,
    unmet,
    untouched,
)

KNOWN = ("market-ledger-clean-up", "simple-newsletter")


def take_turn(
    scenario: str, workspace: Path, turn: int, scratch: Path, python: str = sys.executable
) -> tuple[str, str]:
    """One turn of the agent: (status in its result file, last line of its output)."""
    result = scratch / f"result-{turn}.json"
    environment = {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "RUHROH_SCENARIO_ID": scenario,
        "RUHROH_WORKSPACE_PATH": str(workspace),
        "RUHROH_ITERATION": str(turn),
        "RUHROH_RESULT_PATH": str(result),
    }
    command = [python, "-B", str(DEMO / "agent.py")]
    done = subprocess.run(
        command, cwd=workspace, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    written = json.loads(result.read_text(encoding="utf-8"))
    assert written["version"] == "ruhroh_run_agent_result_v2"
    return written["status"], done.stdout.splitlines()[-1]


def work_through(scenario: str, tmp_path: Path, python: str = sys.executable) -> tuple[Path, list[str]]:
    """The workspace after the agent's turns, and the status of each."""
    workspace = untouched(scenario, tmp_path / "work")
    statuses: list[str] = []
    while not statuses or (statuses[-1] == "continue" and len(statuses) < 5):
        status, last_line = take_turn(scenario, workspace, len(statuses) + 1, tmp_path, python)
        assert json.loads(last_line) == {"status": status}
        statuses.append(status)
    return workspace, statuses


@pytest.mark.parametrize("name", ["agent.py", "reviewer.py"])
def test_both_fixtures_are_executable_and_name_their_interpreter(name: str) -> None:
    assert os.access(DEMO / name, os.X_OK)
    assert (DEMO / name).read_text(encoding="utf-8").startswith("#!/usr/bin/env python3\n")


def test_what_the_agent_states_is_enough_for_the_scenarios_it_knows() -> None:
    stated = json.loads((DEMO / "agent.json").read_text(encoding="utf-8"))
    assert stated["id"] == "demo-agent"
    for scenario in KNOWN:
        requires = document(scenario)["requires"]
        assert requires["continuity"] == stated["continuity"]
        assert set(requires["tools"]) <= set(stated["tools"])


def test_the_agent_builds_the_page_over_two_turns_and_it_passes(packages: Path, tmp_path: Path) -> None:
    workspace, statuses = work_through("simple-newsletter", tmp_path)
    assert statuses == ["continue", "goal_satisfied"]
    report = judge(packages / "simple-newsletter", workspace, tmp_path)
    assert (report.result["status"], report.verdict.score, failed_checks(report)) == ("passed", 1, ())


def test_the_page_is_not_finished_after_the_first_turn(packages: Path, tmp_path: Path) -> None:
    workspace = untouched("simple-newsletter", tmp_path / "work")
    take_turn("simple-newsletter", workspace, 1, tmp_path)
    assert failed_checks(judge(packages / "simple-newsletter", workspace, tmp_path))
    assert unmet(ask_demo(evaluation_input("simple-newsletter", workspace), tmp_path)) == {3, 4, 5}


def test_the_agent_finishes_the_page_also_when_its_first_turn_was_lost(packages: Path, tmp_path: Path) -> None:
    workspace = untouched("simple-newsletter", tmp_path / "work")
    take_turn("simple-newsletter", workspace, 2, tmp_path)
    assert judge(packages / "simple-newsletter", workspace, tmp_path).verdict.score == 1


def test_the_hasty_ledger_passes_the_checks_and_fails_the_review_with_reasons(packages: Path, tmp_path: Path) -> None:
    workspace, statuses = work_through("market-ledger-clean-up", tmp_path)
    assert statuses == ["goal_satisfied"]
    report = judge(packages / "market-ledger-clean-up", workspace, tmp_path)
    assert (report.result["status"], report.verdict.score, report.problem) == ("failed", 0, "")
    assert failed_checks(report) == ()
    assert unmet(report.result) == {1, 3, 4, 5}
    assert len(report.result["unmetCriteria"]) == 4
    notes = [each["notes"] for each in report.result["criteriaResults"]]
    assert "P-1003 counts 2 times" in notes[0]
    assert "P-1010 has 12.50, right is -12.50" in notes[2]
    assert report.result["finalSummary"] == "2 of 6 criteria are met."


@pytest.mark.parametrize("scenario", [name for name in IDS if name not in KNOWN])
def test_of_any_other_scenario_both_say_that_they_do_not_know_it(scenario: str, tmp_path: Path) -> None:
    workspace, statuses = work_through(scenario, tmp_path)
    assert statuses == ["cannot_satisfy"]
    given = evaluation_input(scenario, workspace)
    verdict = ask_demo(given, tmp_path)
    assert (verdict["status"], verdict["goalMet"], verdict["confidence"]) == ("review", False, "low")
    assert {each["status"] for each in verdict["criteriaResults"]} == {"review"}


@pytest.mark.parametrize("name", ["payments.csv", "stalls.csv"])
def test_the_reviewer_notices_a_changed_input_by_itself(name: str, tmp_path: Path) -> None:
    workspace = solved("market-ledger-clean-up", tmp_path / "work")
    with open(workspace / "assets" / name, "a", encoding="utf-8") as file:
        file.write("\n")
    assert unmet(ask_demo(evaluation_input("market-ledger-clean-up", workspace), tmp_path)) == {6}


def test_the_reviewer_owes_the_verdict_when_it_has_no_expected_figures(tmp_path: Path) -> None:
    given = evaluation_input("market-ledger-clean-up", solved("market-ledger-clean-up", tmp_path / "work"))
    given["privateAssets"] = [str(tmp_path / "expected.json")]
    verdict = ask_demo(given, tmp_path)
    assert (verdict["status"], verdict["goalMet"]) == ("review", False)
    assert "could not be opened" in verdict["reasons"][0]


def test_the_reviewer_understands_the_published_input_without_criteria_ids(tmp_path: Path) -> None:
    workspace = solved("simple-newsletter", tmp_path / "work")
    given = evaluation_input("simple-newsletter", workspace, published=True)
    verdict = ask_demo(given, tmp_path)
    assert verdict["status"] == "passed"
    assert [each["id"] for each in verdict["criteriaResults"]][:2] == ["criterion-1", "criterion-2"]


def test_code_and_styles_inside_the_page_count_as_well(tmp_path: Path) -> None:
    workspace = solved("simple-newsletter", tmp_path / "work")
    page = (workspace / "index.html").read_text(encoding="utf-8")
    script, styles = (workspace / name for name in ("signup.js", "styles.css"))
    page = page.replace('<script src="signup.js">', f"<script>{script.read_text(encoding='utf-8')}")
    page = page.replace("</head>", f"<style>{styles.read_text(encoding='utf-8')}</style></head>")
    (workspace / "index.html").write_text(page, encoding="utf-8")
    script.write_text("// moved\n", encoding="utf-8")
    styles.write_text("/* moved */\n", encoding="utf-8")
    verdict = ask_demo(evaluation_input("simple-newsletter", workspace), tmp_path)
    assert verdict["status"] == "passed"


@pytest.mark.parametrize("scenario", KNOWN)
def test_the_fixtures_run_on_python_3_9(scenario: str, tmp_path: Path) -> None:
    workspace, _ = work_through(scenario, tmp_path, python_3_9())
    verdict = ask_demo(evaluation_input(scenario, workspace), tmp_path, python_3_9())
    assert verdict["status"] == {"simple-newsletter": "passed"}.get(scenario, "failed")
