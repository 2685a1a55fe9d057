"""Stages a bundled scenario, lays work over it, and has it reviewed as every finished work is."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from generator.resources import data_folder
from generator.runtime.evalinput import RunContext
from generator.runtime.evaluation import read_evaluation
from generator.runtime.launch import ReviewPlace
from generator.runtime.plain import PlainLauncher
from generator.runtime.review import ReviewReport, run_review
from generator.runtime.reviewers import command_reviewer, packaged_reviewer

SCENARIOS = data_folder("scenarios")
IDS = tuple(sorted(path.name for path in SCENARIOS.iterdir() if path.is_dir()))
DEMO = data_folder("templates") / "demo"
_PYENV = Path.home() / ".pyenv" / "versions"  # asked before tests get a home of their own


@cache
def python_3_9() -> str:
    """A Python 3.9 that runs, or skip the test: one on PATH may be a shim without a version behind it."""
    candidates = [shutil.which("python3.9"), *map(str, sorted(_PYENV.glob("3.9.*/bin/python3.9")))]
    for candidate in filter(None, candidates):
        if subprocess.run([candidate, "-c", ""], capture_output=True, check=False).returncode == 0:
            return candidate
    pytest.skip("no Python 3.9 on this machine")


def document(scenario: str) -> dict[str, Any]:
    """The scenario's document."""
    loaded: dict[str, Any] = json.loads((SCENARIOS / scenario / "scenario.json").read_text(encoding="utf-8"))
    return loaded


def place(scenario: str, asset: str) -> str:
    """Where a declared asset stands in the workspace."""
    stage: dict[str, str] = document(scenario).get("environment", {}).get("stage", {})
    return stage.get(asset, asset)


def lay(source: Path, target: Path) -> None:
    """Copy a file or a directory's content to `target`, over what is there."""
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def untouched(scenario: str, workspace: Path) -> Path:
    """The workspace as an agent finds it."""
    workspace.mkdir(parents=True, exist_ok=True)
    for asset in document(scenario).get("assets", []):
        lay(SCENARIOS / scenario / asset, workspace / place(scenario, asset))
    return workspace


def solved(scenario: str, workspace: Path) -> Path:
    """The workspace with the reference solution laid over it."""
    lay(SCENARIOS / scenario / document(scenario)["solution"], untouched(scenario, workspace))
    return workspace


def judge(package: Path, workspace: Path, scratch: Path, path: str | None = None) -> ReviewReport:
    """Review a work: the package's checks, then its own reviewer, or the demo's where it leaves that to the operator.

    `path` replaces PATH for the programs of the package.
    """
    evaluation = read_evaluation(str(package / "tests" / "evaluation.json"))
    environ = {"PATH": path or os.environ["PATH"]}
    demo = command_reviewer(str(DEMO / "reviewer.py"), source="option", env=environ)
    room = scratch / "room"
    return run_review(
        evaluation,
        place=ReviewPlace(str(package / "tests"), str(room), evaluation.workdir, str(room / "submission.sock")),
        handover=str(workspace),
        context=RunContext(),
        reviewer=packaged_reviewer(evaluation, environ) or demo,
        launcher=PlainLauncher(),
        out_dir=str(scratch / "out"),
        environ=environ,
    )


def failed_checks(report: ReviewReport) -> tuple[str, ...]:
    """The ids of the checks that failed."""
    return tuple(each.check.id for each in report.checks if not each.passed)


def unmet(result: Mapping[str, Any]) -> set[int]:
    """The positions (from 1) of the criteria that failed."""
    return {n for n, each in enumerate(result.get("criteriaResults", []), 1) if each["status"] == "failed"}


def evaluation_input(scenario: str, workspace: Path, *, published: bool = False) -> dict[str, Any]:
    """What a reviewer is told about a finished work; `published` leaves out what only Harborsmith tells."""
    evaluation = document(scenario)["evaluation"]
    rubric = evaluation["goalRubric"]
    made = {
        "version": "ruhroh_eval_input_v1",
        "scenarioId": scenario,
        "workspacePath": str(workspace),
        "goalRubric": rubric,
        "privateAssets": [str(SCENARIOS / scenario / path) for path in evaluation.get("privateAssets", [])],
    }
    if not published:
        ids = [f"c-{hashlib.sha256(text.encode()).hexdigest()[:8]}" for text in rubric]
        made["criteria"] = [{"id": name, "text": text} for name, text in zip(ids, rubric, strict=True)]
    return made


def ask_demo(given: Mapping[str, Any], scratch: Path, python: str = sys.executable) -> dict[str, Any]:
    """What the demo's reviewer answers to an evaluation input."""
    question, answer = scratch / "input.json", scratch / "output.json"
    question.write_text(json.dumps(given), encoding="utf-8")
    environment = {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "RUHROH_EVAL_INPUT_PATH": str(question),
        "RUHROH_EVAL_OUTPUT_PATH": str(answer),
    }
    command = [python, "-B", str(DEMO / "reviewer.py")]
    subprocess.run(command, cwd=scratch, env=environment, stdin=subprocess.DEVNULL, timeout=120, check=True)
    written: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return written
