"""Packages through a stand-in for Harbor: what is refused before, and what is made of what it leaves."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator.execute.settings import Options
from generator.execute.taskpackage import TaskPackage, open_package
from generator.harbor.backend import HarborOutcome, run_packages, run_understood
from generator.harbor.launch import stamp
from generator.harbor.settings import HarborOptions, HarborSettings, understand
from generator.workflows.run import RunRequest
from generator.workflows.run import run as run_workflow
from tests.support.packages import written
from tests.support.scenarios import document, write_scenario

# In Harbor's place: leaves the result of one trial for every task but those that HARBOR_FORGETS names.
HARBOR = """
import json, os, pathlib, sys
config = json.load(open(sys.argv[3]))
job = pathlib.Path(config["jobs_dir"]) / config["job_name"]
job.mkdir()
(job / "config.json").write_text("{}")
for task in config["tasks"]:
    name = pathlib.Path(task["path"]).name
    if name in os.environ.get("HARBOR_FORGETS", "").split():
        continue
    trial = job / (name + "__abc")
    (trial / "verifier").mkdir(parents=True)
    (trial / "result.json").write_text(json.dumps({
        "trial_name": trial.name, "config": {"task": task}, "verifier_result": {"rewards": {"reward": 1}},
    }))
    (trial / "verifier" / "reward-details.json").write_text(os.environ["HARBOR_DETAILS"])
    if digest := os.environ.get("HARBOR_DIGEST"):
        (trial / "lock.json").write_text(json.dumps({"task": {"digest": digest}}))
"""
DETAILS = {
    "version": "harborsmith_reward_details_v1",
    "status": "completed",
    "failureKind": "none",
    "score": 1,
    "evalResult": {
        "version": "ruhroh_eval_result_v1",
        "status": "passed",
        "goalMet": True,
        "reasons": ["Every check passed."],
        "unmetCriteria": [],
        "evidenceRefs": [],
    },
    "checks": [{"id": "runs", "passed": True, "exitCode": 0}],
    "reviewer": None,
}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "stand-in" / "harbor" / "cli"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent):
        (place / "__init__.py").touch()
    (folder / "main.py").write_text(HARBOR)
    return {**os.environ, "PYTHONPATH": str(tmp_path / "stand-in"), "HARBOR_DETAILS": json.dumps(DETAILS)}


def package(tmp_path: Path, name: str, **changes: Any) -> TaskPackage:
    checks = {"evaluation__mode": "checks", "evaluation__checks": [{"id": "runs", "command": ["true"]}]}
    made = document(id=name, **(changes or checks))
    opened = open_package(written(write_scenario(tmp_path / "scenarios" / name, made), tmp_path / "out"))
    assert isinstance(opened, TaskPackage)
    return opened


def run(tmp_path: Path, environ: dict[str, str], *packages: TaskPackage, **options: Any) -> HarborOutcome:
    settings = understand(HarborOptions(**{"agent": "nop", **options}), tmp_path / "room", environ)
    assert isinstance(settings, HarborSettings)
    return run_understood(packages, settings, tmp_path / "out", lambda _: None)


def test_every_trial_becomes_a_run_and_a_missing_one_is_said(tmp_path: Path, environ: dict[str, str]) -> None:
    packages = [package(tmp_path, "one"), package(tmp_path, "two")]

    done = run(tmp_path, {**environ, "HARBOR_FORGETS": "two"}, *packages)

    assert [(run.scenario_id, run.status) for run in done.runs] == [("one", "passed"), ("two", "no_verdict")]
    assert done.refused == ()
    assert (tmp_path / "out" / "runs" / "one" / "one__abc" / "ruhroh-loop-result.json").exists()


@pytest.mark.parametrize(("same", "status"), [(True, "passed"), (False, "no_verdict")])
def test_a_trial_of_another_package_than_the_verified_one_has_no_verdict(
    tmp_path: Path, environ: dict[str, str], same: bool, status: str
) -> None:
    one = package(tmp_path, "one")
    done = run(tmp_path, {**environ, "HARBOR_DIGEST": one.digest if same else "sha256:" + "0" * 64}, one)
    assert [run.status for run in done.runs] == [status]
    assert ("is not the one that was verified" in str(done.runs[0].reasons)) is not same


def test_a_job_without_a_name_gets_one(tmp_path: Path, environ: dict[str, str]) -> None:
    run(tmp_path, environ, package(tmp_path, "one"))

    (config,) = (tmp_path / "out" / "harbor" / "jobs").glob("*.json")
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{6}", config.stem)


def test_jobs_of_the_same_second_have_names_of_their_own() -> None:
    assert len({stamp() for _ in range(20)}) == 20


def test_trials_of_other_packages_in_a_job_are_not_ours(tmp_path: Path, environ: dict[str, str]) -> None:
    one, two = package(tmp_path, "one"), package(tmp_path, "two")
    run(tmp_path, environ, one, two, job="same")
    config = tmp_path / "out" / "harbor" / "jobs" / "same.json"

    assert json.loads(config.read_text())["tasks"][1]["path"] == str(two.directory)
    assert [refused.code for refused in run(tmp_path, environ, one, job="same").refused] == ["harbor_job_differs"]


def test_evidence_that_cannot_be_written_leaves_no_verdict(tmp_path: Path, environ: dict[str, str]) -> None:
    one = package(tmp_path, "one")
    (tmp_path / "out" / "runs").write_text("in the way")

    (report,) = run(tmp_path, environ, one).runs

    assert (report.status, "could not be written" in report.reasons[0]) == ("no_verdict", True)


def test_a_place_for_jobs_that_cannot_be_made_is_said(tmp_path: Path, environ: dict[str, str]) -> None:
    one = package(tmp_path, "one")
    (tmp_path / "out" / "harbor" / "jobs").write_text("in the way")

    done = run(tmp_path, environ, one)

    assert [refused.code for refused in done.refused] == ["run_not_possible"]
    assert [run.status for run in done.runs] == ["no_verdict"]


def attempt(tmp_path: Path, environ: dict[str, str], *packages: TaskPackage, **options: Any) -> list[str]:
    """The codes of what is refused before Harbor is looked for or started."""
    done = run_packages(packages, HarborOptions(**options), tmp_path / "out", environ, lambda _: None)
    assert done.runs == ()
    return [refused.code for refused in done.refused]


def test_a_wrong_command_is_refused_before_anything_else(tmp_path: Path, environ: dict[str, str]) -> None:
    assert attempt(tmp_path, environ, package(tmp_path, "one")) == ["harbor_option_mismatch"]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python is new enough for Harbor")
def test_a_machine_without_harbor_is_said_once(tmp_path: Path, environ: dict[str, str]) -> None:
    packages = [package(tmp_path, "one"), package(tmp_path, "two")]

    assert attempt(tmp_path, environ, *packages, agent="nop") == ["harbor_missing"]


def test_what_harbor_does_not_run_is_counted_as_not_run(tmp_path: Path, environ: dict[str, str]) -> None:
    write_scenario(tmp_path / "scenarios" / "judged", document(id="judged"))
    request = RunRequest(
        scenario_dir=tmp_path / "scenarios",
        everything=True,
        out=tmp_path / "out",
        options=Options(),
        harbor=HarborOptions(agent="nop", runs=3),
    )

    outcome = run_workflow(request, environ, lambda _: None)

    assert [refused.code for refused in outcome.refused] == ["reviewer_missing"]
    (row,) = outcome.rows
    assert (row.asked, row.not_run, row.exit_code, outcome.exit_code) == (3, 3, 2, 2)


def test_a_package_that_cannot_be_run_keeps_no_other_from_it(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("generator.harbor.launch.OLDEST_PYTHON", (3, 11))  # the stand-in runs on any
    monkeypatch.syspath_prepend(str(tmp_path / "stand-in"))
    write_scenario(tmp_path / "scenarios" / "judged", document(id="judged"))
    checks = {"mode": "checks", "checks": [{"id": "runs", "command": "true"}]}
    write_scenario(tmp_path / "scenarios" / "one", document(id="one", evaluation=checks))
    request = RunRequest(
        scenario_dir=tmp_path / "scenarios",
        everything=True,
        out=tmp_path / "out",
        options=Options(),
        harbor=HarborOptions(agent="nop"),
    )

    outcome = run_workflow(request, environ, lambda _: None)

    assert [refused.code for refused in outcome.refused] == ["reviewer_missing"]
    assert [(row.scenario_id, row.passed, row.exit_code) for row in outcome.rows] == [("judged", 0, 2), ("one", 1, 0)]


def test_a_reviewer_and_variables_that_nobody_asks_for_are_recorded(tmp_path: Path, environ: dict[str, str]) -> None:
    done = run(tmp_path, environ, package(tmp_path, "one"), reviewer="true", reviewer_env=("KEY=value-1",))

    (report,) = done.runs
    told = [warning for warning in report.warnings if "no effect" in warning]
    assert [warning.split(" has ")[0] for warning in told] == ["--reviewer", "--reviewer-env KEY"]
    manifest = (tmp_path / "out" / "runs" / "one" / "one__abc" / "ruhroh-run-manifest.json").read_text()
    assert json.loads(manifest)["env"]["reviewerForwardedKeys"] == []
    assert "value-1" not in manifest


@pytest.mark.parametrize(
    ("given", "names"),
    [({}, ["KEY"]), ({"reviewer": "true"}, ["KEY", "OTHER"])],
)
def test_the_variables_that_the_reviewer_gets_are_recorded_by_name(
    tmp_path: Path, environ: dict[str, str], given: dict[str, str], names: list[str]
) -> None:
    changes = {
        "evaluation__reviewer": {"path": "assets/ledger.csv", "command": ["true"]},
        "evaluation__env": ["KEY", "UNNAMED"],
        "assets": ...,
    }
    one = package(tmp_path, "one", **changes)

    run(tmp_path, {**environ, "UNNAMED": "x"}, one, reviewer_env=("KEY=a", "OTHER=b"), **given)

    manifest = (tmp_path / "out" / "runs" / "one" / "one__abc" / "ruhroh-run-manifest.json").read_text()
    assert json.loads(manifest)["env"]["reviewerForwardedKeys"] == names


def test_a_package_that_nobody_would_judge_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    judged = package(tmp_path, "judged", title="Judged")

    assert attempt(tmp_path, environ, judged, agent="nop") == ["reviewer_missing"]


def test_an_agent_that_lies_beside_the_answers_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    one = package(tmp_path, "one")
    (one.directory.parent / "run").write_text("#!/bin/sh\n")
    (one.directory.parent / "run").chmod(0o755)

    assert attempt(tmp_path, environ, one, agent=str(one.directory.parent)) == ["agent_path_leaks"]


@pytest.mark.parametrize("holds", ["scenarios", "out/runs", "out/harbor/tasks/two", "mine"])
def test_an_agents_folder_that_holds_any_answers_is_refused(
    tmp_path: Path, environ: dict[str, str], holds: str
) -> None:
    one = package(tmp_path, "one")
    folder = tmp_path / holds
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    guarded = (tmp_path / "scenarios", tmp_path / "mine" / "more")

    done = run_packages(
        [one], HarborOptions(agent=str(folder)), tmp_path / "out", environ, lambda _: None, guarded=guarded
    )

    assert [refused.code for refused in done.refused] == ["agent_path_leaks"]


def test_a_trial_whose_record_breaks_costs_no_other_its_report(tmp_path: Path, environ: dict[str, str]) -> None:
    one, two = package(tmp_path, "one"), package(tmp_path, "two")
    twisted: Any = None  # stands for whatever nobody foresaw
    broken = replace(one, evaluation=replace(one.evaluation, checks=twisted))

    done = run(tmp_path, environ, broken, two)

    assert [(run.scenario_id, run.status) for run in done.runs] == [("one", "no_verdict"), ("two", "passed")]
    assert "the record of one__abc cannot be read" in done.runs[0].reasons[0]


def test_without_packages_nothing_is_started(tmp_path: Path, environ: dict[str, str]) -> None:
    assert attempt(tmp_path, environ, agent="nop") in ([], ["harbor_missing"])
