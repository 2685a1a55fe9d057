"""The container engine and the Harbor of these tests, and how to run things with them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tests" / "harbor" / "machine.sh"
ENVIRONMENT = "tests.harbor.offline:OfflineDocker"
CONCURRENCY = "2"


@dataclass(frozen=True)
class NoMachine:
    """Why there is none."""

    reason: str


@dataclass(frozen=True)
class Ran:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def runs(self) -> list[dict[str, Any]]:
        """The runs of a `--json` report, by scenario."""
        assert self.out.startswith("{"), self.err
        return sorted(json.loads(self.out)["runs"], key=lambda run: str(run["scenarioId"]))

    @property
    def by_scenario(self) -> dict[str, dict[str, Any]]:
        """The same by scenario, for one run each."""
        return {run["scenarioId"]: run for run in self.runs}


@dataclass(frozen=True)
class Machine:
    """The variables that lead to the engine, and a directory for what is made."""

    variables: Mapping[str, str]
    folder: Path = field(default=Path())

    def at(self, folder: Path) -> Machine:
        """The same, working in `folder`."""
        return replace(self, folder=folder)

    @property
    def python(self) -> str:
        """Harbor's Python, which has what Harborsmith needs, too."""
        return self.variables["HARBOR_PYTHON"]

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """All variables of a child."""
        return {
            **self.variables,
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HARBOR_TELEMETRY": "0",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            **(more or {}),
        }

    def run(self, argv: Sequence[str], env: Mapping[str, str] | None = None) -> Ran:
        """Run a command with nothing on its standard input."""
        done = subprocess.run(
            argv,
            cwd=self.folder,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def harborsmith(self, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        """`harborsmith ARGUMENTS` in Harbor's Python."""
        return self.run([self.python, "-m", "generator", *arguments], env)

    def through_harbor(self, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        """`harborsmith run --backend harbor ARGUMENTS`, as JSON."""
        fixed = ["--backend", "harbor", "--harbor-env", ENVIRONMENT, "--concurrency", CONCURRENCY, "--json"]
        return self.harborsmith("run", *arguments, *fixed, env=env)

    def harbor(self, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        """`harbor ARGUMENTS`."""
        return self.run([self.python, "-m", "harbor.cli.main", *arguments], env)

    def docker(self, *arguments: str) -> Ran:
        """`docker ARGUMENTS`."""
        return self.run(["docker", *arguments])

    def job(self, name: str, agents: Sequence[Mapping[str, Any]], packages: Sequence[Path]) -> dict[str, Trial]:
        """Run a job of Harbor's with every agent on every package; its trials by the script that ran, else by agent."""
        config = {
            "job_name": name,
            "jobs_dir": str(self.folder / "jobs"),
            "n_concurrent_trials": int(CONCURRENCY),
            "quiet": True,
            "environment": {"import_path": ENVIRONMENT},
            "agents": list(agents),
            "tasks": [{"path": str(package)} for package in packages],
        }
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps(config))
        done = self.harbor("run", "-c", str(file))
        assert done.code == 0, done.out + done.err
        found = [Trial(path.parent) for path in (self.folder / "jobs" / name).glob("*/result.json")]
        assert len(found) == len(agents) * len(packages), done.out + done.err
        return {trial.label: trial for trial in found}


@dataclass(frozen=True)
class Trial:
    """What Harbor recorded of a trial."""

    folder: Path

    @property
    def result(self) -> dict[str, Any]:
        """Harbor's own record."""
        return dict(json.loads((self.folder / "result.json").read_text()))

    @property
    def label(self) -> str:
        """The script of a `ScriptAgent` without its suffix, else the agent's name."""
        script = self.result["config"]["agent"]["kwargs"].get("script")
        return Path(script).stem if script else str(self.result["agent_info"]["name"])

    @property
    def reward(self) -> float | None:
        """The reward; None without one."""
        verified = self.result["verifier_result"]
        if verified is None:
            return None
        assert set(verified["rewards"]) == {"reward"}
        return float(verified["rewards"]["reward"])

    @property
    def error(self) -> str | None:
        """Type of the exception, if any."""
        failed = self.result["exception_info"]
        return failed and str(failed["exception_type"])

    def text(self, name: str) -> str:
        """A file of it."""
        return (self.folder / name).read_text(errors="replace")

    def json(self, name: str) -> dict[str, Any]:
        """A JSON file of it."""
        return dict(json.loads((self.folder / name).read_text()))

    @property
    def details(self) -> dict[str, Any]:
        """What the verdict rests on."""
        return self.json("verifier/reward-details.json")


def running(directory: Path) -> Machine | NoMachine:
    """The machine that `machine.sh up DIRECTORY` made, if its engine answers."""
    variables = {
        "DOCKER_HOST": f"unix://{directory}/engine.sock",
        "DOCKER_CONFIG": str(directory / "config"),
        "HARBOR_PYTHON": str(directory / "venv" / "bin" / "python"),
    }
    if not Path(variables["HARBOR_PYTHON"]).exists():
        return NoMachine(f"run {SCRIPT.relative_to(ROOT)} up {directory} as root first")
    asked = subprocess.run(["docker", "info"], env={**os.environ, **variables}, capture_output=True, check=False)
    if asked.returncode != 0:
        return NoMachine(f"the engine of {directory} does not answer: {SCRIPT.relative_to(ROOT)} up {directory}")
    return Machine(variables)


def bring_up(directory: Path) -> Machine | NoMachine:
    """Have `machine.sh` make the machine."""
    log = directory.with_name(directory.name + ".log")
    with log.open("w") as stream:  # a file: the engine that stays behind would hold a pipe open for ever
        done = subprocess.run([str(SCRIPT), "up", str(directory)], stdout=stream, stderr=stream, check=False)
    if done.returncode != 0:
        return NoMachine(f"machine.sh: {log.read_text(errors='replace')[-600:]}")
    return running(directory)
