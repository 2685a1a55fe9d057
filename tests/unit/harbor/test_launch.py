"""Harbor as a program of its own: how it is started, what its end means, and that it never outlives us."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from generator.execute.interrupt import Interrupted, raising
from generator.execute.refusal import Refused
from generator.execute.taskpackage import TaskPackage, open_package
from generator.harbor.backend import run_understood
from generator.harbor.job import AgentChoice, Job, ReviewerChoice
from generator.harbor.launch import missing_harbor, run_job
from generator.harbor.settings import HarborOptions, HarborSettings, understand
from tests.support.packages import written
from tests.support.scenarios import document, write_scenario
from tests.support.variables import names_of

# In Harbor's place: records how it was called, and does what HARBOR_DOES says.
HARBOR = """
import json, os, pathlib, signal, sys, time
config = json.load(open(sys.argv[3])) if sys.argv[1] == "run" else None
job = pathlib.Path(config["jobs_dir"]) / config["job_name"] if config else pathlib.Path(sys.argv[4])
job.mkdir(exist_ok=True)
(job / "config.json").write_text("{}")
with open(job / "called.jsonl", "a") as stream:
    given = {name: value for name, value in os.environ.items() if name.startswith(("HARBORSMITH_", "HARBOR_TEL"))}
    stream.write(json.dumps({"argv": sys.argv[1:], "env": given, "names": sorted(os.environ)}) + "\\n")
does = os.environ.get("HARBOR_DOES", "")
if does == "fail":
    print("the engine is not there")
    sys.exit(1)
if does == "wait":
    (job / "trial").mkdir()
    (job / "trial" / "result.json").write_text("{}")
    signal.signal(signal.SIGINT, lambda *_: (job / "told").write_text("to end") and sys.exit(0))
    time.sleep(300)
"""


@pytest.fixture
def harbor(tmp_path: Path) -> dict[str, str]:
    """The variables under which `python -m harbor.cli.main` is the program above."""
    folder = tmp_path / "stand-in" / "harbor" / "cli"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent):
        (place / "__init__.py").touch()
    (folder / "main.py").write_text(HARBOR)
    return {**os.environ, "PYTHONPATH": str(tmp_path / "stand-in")}


def job(tmp_path: Path, **changes: Any) -> Job:
    base: dict[str, Any] = {
        "name": "nightly",
        "jobs": tmp_path / "jobs",
        "packages": (tmp_path / "a",),
        "runs": 1,
        "concurrency": 1,
        "environment": "docker",
        "agent": AgentChoice(name="nop"),
        "reviewer": ReviewerChoice(),
    }
    return Job(**{**base, **changes})


def called(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "jobs" / "nightly" / "called.jsonl").read_text().splitlines()]


def test_values_reach_harbor_in_its_variables_and_never_in_its_arguments(
    tmp_path: Path, harbor: dict[str, str]
) -> None:
    assert run_job(job(tmp_path), {"HARBORSMITH_AGENT_ENV_KEY": "very-secret"}, harbor, lambda _: None) is None

    (call,) = called(tmp_path)
    assert call["env"] == {"HARBORSMITH_AGENT_ENV_KEY": "very-secret", "HARBOR_TELEMETRY": "0"}
    assert "very-secret" not in json.dumps(call["argv"])
    assert "very-secret" not in (tmp_path / "jobs" / "nightly.json").read_text()


def test_a_job_that_was_begun_is_carried_on(tmp_path: Path, harbor: dict[str, str]) -> None:
    for _ in range(2):
        assert run_job(job(tmp_path), {}, harbor, lambda _: None) is None

    first, second = called(tmp_path)
    assert first["argv"][0] == "run"
    assert second["argv"][:2] == ["job", "resume"]


def test_a_job_is_not_carried_on_with_other_options(tmp_path: Path, harbor: dict[str, str]) -> None:
    run_job(job(tmp_path), {}, harbor, lambda _: None)

    refused = run_job(job(tmp_path, runs=2), {}, harbor, lambda _: None)

    assert isinstance(refused, Refused)
    assert refused.code == "harbor_job_differs"
    assert len(called(tmp_path)) == 1


def test_what_harbor_said_last_is_told_when_it_fails(tmp_path: Path, harbor: dict[str, str]) -> None:
    refused = run_job(job(tmp_path), {}, {**harbor, "HARBOR_DOES": "fail"}, lambda _: None)

    assert isinstance(refused, Refused)
    assert (refused.code, refused.message) == ("harbor_failed", "Harbor exited with 1: the engine is not there")


def test_an_interruption_is_passed_on_and_harbor_waited_for(tmp_path: Path, harbor: dict[str, str]) -> None:
    heard: list[str] = []

    def notify(line: str) -> None:
        heard.append(line)
        threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)).start()

    with raising(), pytest.raises(Interrupted):
        run_job(job(tmp_path), {}, {**harbor, "HARBOR_DOES": "wait"}, notify)

    assert heard[0] == "harbor: 1 of 1 trials ended"
    assert (tmp_path / "jobs" / "nightly" / "told").read_text() == "to end"


def test_runs_that_harbor_never_made_are_counted(tmp_path: Path, harbor: dict[str, str]) -> None:
    made = document(evaluation__mode="checks", evaluation__checks=[{"id": "runs", "command": ["true"]}])
    package = open_package(written(write_scenario(tmp_path / "sum-ledger", made), tmp_path / "out"))
    assert isinstance(package, TaskPackage)
    settings = understand(HarborOptions(agent="nop", runs=2, job="nightly"), tmp_path / "room", harbor)
    assert isinstance(settings, HarborSettings)

    done = run_understood([package], settings, tmp_path / "out", lambda _: None)

    assert [(run.status, run.reasons) for run in done.runs] == [
        ("no_verdict", ("Harbor made no such trial, or left no result of it",))
    ] * 2


def test_harbor_gets_the_variables_of_the_catalogue_besides_the_operators(
    tmp_path: Path, harbor: dict[str, str]
) -> None:
    package = open_package(written(write_scenario(tmp_path / "sum-ledger"), tmp_path / "out"))
    assert isinstance(package, TaskPackage)
    options = HarborOptions(
        agent="python3 x", reviewer="sh y", agent_env=("A=1",), reviewer_env=("B=2",), job="nightly"
    )
    settings = understand(options, tmp_path / "room", {**harbor, "LC_ALL": "C.UTF-8"})
    assert isinstance(settings, HarborSettings)

    run_understood([package], settings, tmp_path / "out", lambda _: None)

    text = (tmp_path / "out" / "harbor" / "jobs" / "nightly" / "called.jsonl").read_text()
    given = set(json.loads(text)["names"]) - set(harbor) - {"LC_ALL"}
    beginnings = {name[:-1]: name for name in names_of("internal") if name.endswith("*")}
    met = {next((full for start, full in beginnings.items() if name.startswith(start)), name) for name in given}
    assert met == names_of("internal") - {"HARBORSMITH_OPERATOR"}


def test_an_agents_folder_that_holds_the_scenarios_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine" / "scenarios").mkdir(parents=True)
    (tmp_path / "mine" / "run").write_text("#!/bin/sh\n")
    (tmp_path / "mine" / "run").chmod(0o755)
    given = ["--backend", "harbor", "--agent", "mine", "--scenario-dir", "mine/scenarios", "--tier", "smoke"]

    done = subprocess.run(
        [sys.executable, "-m", "generator", "run", *given],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "mine/scenarios, which only the reviewer may see" in done.stderr, done.stderr


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python is new enough for Harbor")
def test_a_python_that_is_too_old_for_harbor_is_said_with_what_to_do() -> None:
    refused = missing_harbor()

    assert refused is not None
    assert "needs Python 3.12 or later" in refused.message


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--agent", "nop", "--backend", "harbor", "--isolation", "none"], 2, "--isolation means nothing with"),
        (["--agent", "nop", "--job", "again"], 2, "--job means nothing with --backend local"),
        (["--agent", "nop", "--harbor-env", "podman"], 2, "--harbor-env means nothing with --backend local"),
        ([], 2, "--agent"),
        (["--backend", "harbor"], 2, "takes one of --agent and --harbor-agent"),
    ],
)
def test_options_of_the_other_backend_are_refused(arguments: list[str], code: int, said: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "generator", "run", str(tmp_path), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
