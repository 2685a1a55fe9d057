"""A trial of a package of ours, against one of a task made by hand that asks for the same; both through Harbor."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measure import BenchError, Command, Figures, environment, once
from benchmarks.place import ROOT, Place, ours
from benchmarks.rows import Row, missing, ratio

MINIMAL = Path(__file__).with_name("minimal-task")
SCENARIO = Path(__file__).with_name("minimal-scenario")
COMMAND_AGENT = {
    "import_path": "generator.harbor.agent:CommandAgent",
    "kwargs": {"command": str(SCENARIO / "solution/solve.sh")},
}
ROUNDS = 3  # at least
_CONTAINERS = "tests.harbor.offline:OfflineDocker"  # works where no image can be fetched
_SECONDS = 300
_ANSWER = 30.0


class Worker(NamedTuple):
    """Who works.

    Attributes:
        who: As the row says it.
        ours: Harbor's words for it, on our package.
        minimal: Those for the minimal task.
        reward: What the work gets.
        bar: The bar.
    """

    who: str
    ours: Mapping[str, Any]
    minimal: Mapping[str, Any]
    reward: float
    bar: float = 1.15

    @property
    def row(self) -> str:
        """Name of the row."""
        return f"a trial with {self.who} in a container"


WORKERS = (
    Worker("`oracle`", {"name": "oracle"}, {"name": "oracle"}, 1.0),
    Worker("`nop`", {"name": "nop"}, {"name": "nop"}, 0.0),
    # A supervisor is sent and asked, which neither of the others needs.
    Worker("a command of one turn", COMMAND_AGENT, {"name": "oracle"}, 1.0, bar=1.25),
)


def rows(place: Place) -> Iterator[Row]:
    """Both tasks in turn, with two agents of Harbor's own; then a package of ours with a command as its agent."""
    engine = _engine(place.machine)
    if isinstance(engine, str):
        yield from (missing(worker.row, engine, worker.bar, optional=True) for worker in WORKERS)
        return
    folder = place.folder("trials")
    once(Command(ours("generate", str(SCENARIO), "--out", str(folder / "out")), ROOT))
    package = folder / "out/harbor/tasks/minimal"
    for count, worker in enumerate(WORKERS):
        ours_taken: list[float] = []
        minimal_taken: list[float] = []
        for number in range(max(ROUNDS, place.rounds // 2) + 1):  # the first builds the images
            for task, agent, taken in (
                (package, worker.ours, ours_taken),
                (MINIMAL, worker.minimal, minimal_taken),
            ):
                job = {"job_name": f"{count}-{task.name}-{number}", "agents": [agent], "tasks": [{"path": str(task)}]}
                seconds = _trial(engine, folder, job, worker.reward)
                if number:
                    taken.append(seconds)
        figures = Figures(tuple(ours_taken)), Figures(tuple(minimal_taken))
        yield ratio(worker.row, *figures, "a minimal task", worker.bar)


def _engine(folder: Path) -> Mapping[str, str] | str:
    """The variables that lead to the engine and to Harbor, or why there are none."""
    variables = {"DOCKER_HOST": f"unix://{folder}/engine.sock", "DOCKER_CONFIG": str(folder / "config")}
    if not (folder / "venv/bin/python").exists() or shutil.which("docker") is None:
        return f"no container engine: `tests/harbor/machine.sh up {folder}` makes one, as root"
    try:
        command = ["docker", "info"]
        subprocess.run(command, env={**os.environ, **variables}, capture_output=True, check=True, timeout=_ANSWER)
    except subprocess.SubprocessError:
        return f"the container engine in {folder} does not answer"
    return variables


def _trial(engine: Mapping[str, str], folder: Path, job: Mapping[str, Any], wanted: float) -> float:
    """Seconds that Harbor needs for the trial of a job, its own start aside.

    Raises:
        BenchError: It did not end with the reward that is `wanted`.
    """
    name = job["job_name"]
    common = {"jobs_dir": str(folder / "jobs"), "quiet": True, "environment": {"import_path": _CONTAINERS}}
    file = folder / f"{name}.json"
    file.write_text(json.dumps({**common, **job}), encoding="utf-8")
    quiet = {"HARBOR_TELEMETRY": "0", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONPATH": str(ROOT)}
    python = Path(engine["DOCKER_CONFIG"]).with_name("venv") / "bin/python"
    argv = [str(python), "-m", "harbor.cli.main", "run", "-c", str(file)]
    with (folder / f"{name}.log").open("w", encoding="utf-8") as log, suppress(subprocess.TimeoutExpired):
        subprocess.run(
            argv, env={**environment(), **engine, **quiet}, stdout=log, stderr=log, timeout=_SECONDS, check=False
        )
    for found in (folder / "jobs" / name).glob("*/result.json"):
        result: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
        reward = ((result["verifier_result"] or {}).get("rewards") or {}).get("reward")
        if reward == wanted:
            return (_moment(result["finished_at"]) - _moment(result["started_at"])).total_seconds()
        raise BenchError(f"the trial {name} ended with reward {reward}: {found.parent}")
    raise BenchError(f"Harbor left no record of the trial {name}")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
