"""Every bundled scenario tells right work from wrong: its reference passes, and what only looks right does not."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.unit.scenarios_pack.workbench import (
    IDS,
    document,
    failed_checks,
    judge,
    python_3_9,
    solved,
    unmet,
    untouched,
)
from tests.unit.scenarios_pack.wrong_works import WRONG_WORKS, WrongWork

REVIEWED = tuple(name for name in IDS if document(name)["evaluation"]["mode"] == "agentic_goal_review")


@pytest.mark.parametrize("scenario", IDS)
def test_the_reference_solution_passes(scenario: str, packages: Path, tmp_path: Path) -> None:
    report = judge(packages / scenario, solved(scenario, tmp_path / "work"), tmp_path)
    assert (report.result["status"], report.verdict.score, report.problem) == ("passed", 1, "")
    assert failed_checks(report) == ()


@pytest.mark.parametrize("scenario", REVIEWED)
def test_a_pass_has_a_result_with_evidence_for_each_criterion_and_nothing_to_warn_of(
    scenario: str, packages: Path, tmp_path: Path
) -> None:
    report = judge(packages / scenario, solved(scenario, tmp_path / "work"), tmp_path)
    results = report.result["criteriaResults"]
    assert [each["description"] for each in results] == document(scenario)["evaluation"]["goalRubric"]
    assert {each["status"] for each in results} == {"passed"}
    assert all(each["evidenceRefs"] and each["notes"] for each in results)
    assert report.warnings == ()
    assert not report.result.get("reviewerWarnings")


@pytest.mark.parametrize("scenario", IDS)
def test_the_untouched_workspace_fails(scenario: str, packages: Path, tmp_path: Path) -> None:
    report = judge(packages / scenario, untouched(scenario, tmp_path / "work"), tmp_path)
    assert (report.result["status"], report.verdict.score, report.problem) == ("failed", 0, "")
    assert failed_checks(report) or unmet(report.result)
    assert report.result["reasons"]


def test_no_check_of_the_checks_only_scenario_passes_without_work(packages: Path, tmp_path: Path) -> None:
    scenario = "access-log-digest"
    report = judge(packages / scenario, untouched(scenario, tmp_path / "work"), tmp_path)
    assert failed_checks(report) == tuple(check["id"] for check in document(scenario)["evaluation"]["checks"])


@pytest.mark.parametrize("work", WRONG_WORKS, ids=lambda work: f"{work.scenario}: {work.title}")
def test_what_only_looks_right_fails_where_it_is_wrong(work: WrongWork, packages: Path, tmp_path: Path) -> None:
    workspace = solved(work.scenario, tmp_path / "work")
    work.apply(workspace)
    report = judge(packages / work.scenario, workspace, tmp_path)
    assert (report.result["status"], report.verdict.score, report.problem) == ("failed", 0, "")
    assert failed_checks(report) == work.checks, report.result["reasons"]
    if not work.checks:
        assert unmet(report.result) == work.unmet, report.result["reasons"]


@pytest.mark.parametrize("scenario", IDS)
def test_each_scenario_has_wrong_works_of_at_least_two_kinds(scenario: str) -> None:
    assert len({(work.checks, work.unmet) for work in WRONG_WORKS if work.scenario == scenario}) >= 2


def test_tests_that_were_weakened_are_put_back_before_the_check(packages: Path, tmp_path: Path) -> None:
    scenario = "parcel-quote-bug-fix"
    workspace = untouched(scenario, tmp_path / "work")
    (workspace / "tests" / "test_quote.py").write_text("import unittest\n", encoding="utf-8")
    (workspace / "unittest.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    assert failed_checks(judge(packages / scenario, workspace, tmp_path)) == ("given-tests",)


def spoil(deliverable: Path, kind: str) -> None:
    """Put something in the place of a deliverable that nobody would hand in."""
    deliverable.unlink()
    match kind:
        case "noise":
            deliverable.write_bytes(bytes(range(256)) * 64)
        case "huge":
            deliverable.write_bytes(b"\n" * (2 << 20))
        case "directory":
            deliverable.mkdir()
        case "loop":
            deliverable.symlink_to(deliverable.name)
        case _:
            os.mkfifo(deliverable)


@pytest.mark.parametrize(
    ("scenario", "deliverable"),
    [
        ("simple-newsletter", "styles.css"),
        ("market-ledger-clean-up", "clean/summary.json"),
        ("archive-move-plan", "PLAN.md"),
        ("archive-move-plan", "assets/inventory.json"),
    ],
)
@pytest.mark.parametrize("kind", ["noise", "huge", "directory", "loop", "pipe"])
def test_an_odd_deliverable_is_failed_work_and_no_broken_review(
    scenario: str, deliverable: str, kind: str, packages: Path, tmp_path: Path
) -> None:
    workspace = solved(scenario, tmp_path / "work")
    spoil(workspace / deliverable, kind)
    report = judge(packages / scenario, workspace, tmp_path)
    assert (report.result["status"], report.problem) == ("failed", "")


def test_a_program_that_cannot_be_run_by_the_helper_breaks_the_review_and_fails_nobody(
    packages: Path, tmp_path: Path
) -> None:
    package = tmp_path / "package"
    shutil.copytree(packages / "water-meter-billing", package)
    reviewer = package / "tests" / "reviewer" / "judging.py"
    text = reviewer.read_text(encoding="utf-8")
    reviewer.write_text(text.replace('"--timeout", str(seconds)', '"--timeout", "-1"'), encoding="utf-8")
    report = judge(package, solved("water-meter-billing", tmp_path / "work"), tmp_path)
    assert (report.result["status"], report.verdict.score) == ("infra_failed", None)


@pytest.mark.parametrize("scenario", IDS)
def test_checks_and_reviewers_run_on_python_3_9(scenario: str, packages: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python3").symlink_to(python_3_9())
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    report = judge(packages / scenario, solved(scenario, tmp_path / "work"), tmp_path, path)
    assert (report.result["status"], report.problem) == ("passed", "")


def test_judging_leaves_the_work_as_it_is(packages: Path, tmp_path: Path) -> None:
    workspace = solved("parcel-quote-bug-fix", tmp_path / "work")
    before = {path: (stat.S_IFMT(path.stat().st_mode), path.stat().st_mtime_ns) for path in workspace.rglob("*")}
    judge(packages / "parcel-quote-bug-fix", workspace, tmp_path)
    after = {path: (stat.S_IFMT(path.stat().st_mode), path.stat().st_mtime_ns) for path in workspace.rglob("*")}
    assert after == before
