"""What the container is like, what its limits do, and what happens when a job is cut off."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.harbor.machine import CONCURRENCY, ENVIRONMENT, ROOT, Machine, Ran, Trial
from tests.harbor.scenarios import ending, sealed
from tests.support.packages import written

pytestmark = pytest.mark.harbor

AGENTS = ROOT / "tests" / "harbor" / "agents"
IMAGE = "harborsmith-test-base:1"
CHECKED_BY_NODE = "process.exit(require('./report.json').total === 14 ? 0 : 1)"
# What a turn has and nothing else; the shell that prints them adds the last three.
PUBLISHED = (
    "PATH HOME USER LOGNAME LANG TZ TERM RUHROH_ADAPTER_ID RUHROH_ECONOMIC_TRACE_PATH RUHROH_GOAL_PATH "
    "RUHROH_ITERATION RUHROH_MESSAGE RUHROH_MESSAGE_PATH RUHROH_RESULT_PATH RUHROH_RUN_AGENT_RESULT_PROTOCOL "
    "RUHROH_RUN_ROOT RUHROH_SCENARIO_ID RUHROH_SESSION_HANDLE RUHROH_WORKSPACE RUHROH_WORKSPACE_PATH PWD SHLVL _"
)


@pytest.fixture(scope="session")
def outfitted(machine: Machine) -> Ran:
    """A run in a container that the scenario outfits in every way it can."""
    dockerfile = "FROM debian:bookworm-slim\nRUN echo custom > /etc/made-by-image\n"
    made = subprocess.run(
        ["docker", "build", "--quiet", "--tag", IMAGE, "-"],
        input=dockerfile,
        env=machine.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    environment = {
        "image": IMAGE,
        "packages": ["nodejs"],
        "setup": "setup.sh",
        "workdir": "/srv/work",
        "user": "worker",
        "git": True,
        "cpus": 1,
        "memoryMb": 640,
    }
    folder = sealed(machine.folder / "outfitted", "outfitted", environment=environment, evaluation__network=True)
    document = json.loads((folder / "scenario.json").read_text())
    document["evaluation"]["env"] = ["JUDGE_WORD", "OTHER_WORD"]
    document["evaluation"]["checks"].append({"id": "node", "command": ["node", "-e", CHECKED_BY_NODE]})
    (folder / "scenario.json").write_text(json.dumps(document))
    (folder / "setup.sh").write_text("#!/bin/bash\necho prepared > /opt/made-by-setup\n")
    package = written(folder, machine.folder / "outfit")
    given = ["--agent", str(AGENTS / "facts.sh"), "--out", "outfit-runs"]
    given += ["--reviewer-env", "JUDGE_WORD", "--reviewer-env", "UNASKED=third"]
    return machine.through_harbor(str(package), *given, env={"JUDGE_WORD": "first", "OTHER_WORD": "second"})


@pytest.fixture(scope="session")
def facts(machine: Machine, outfitted: Ran) -> dict[str, str]:
    """What the agent saw."""
    (run,) = outfitted.runs
    text = (machine.folder / run["evidence"] / "transcripts" / "iteration-1.log").read_text()
    return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("workdir", "/srv/work"),
        ("user", "worker 10001 /home/worker"),
        ("commits", "Start 2"),
        ("setup", "prepared"),
        ("node", "1024"),
        ("image", "custom"),
        ("memory", str(640 * 1024 * 1024)),
        ("processors", "1"),
    ],
)
def test_a_scenario_outfits_its_container(facts: dict[str, str], name: str, value: str) -> None:
    assert facts[name] == value


def test_an_agent_has_the_published_variables_and_nothing_else(facts: dict[str, str]) -> None:
    assert set(facts["variables"].split()) == set(PUBLISHED.split())
    assert facts["word"] == "none none none"
    assert "Permission denied" in facts["above"]


def test_variables_and_network_for_the_review_reach_the_reviewer_alone(outfitted: Ran) -> None:
    (run,) = outfitted.runs
    told = json.loads(run["reasons"][0])

    assert run["status"] == "passed"
    assert run["checks"] == {"passed": 2, "total": 2}, "the review has the scenario's tool chain, too"
    assert (told["word"], told["other"]) == ("first", None), "a packaged reviewer has what the operator names, no more"
    assert set(told["interfaces"]) > {"lo"}


def test_an_operators_reviewer_comes_first_and_has_what_the_operator_gives_it(machine: Machine, tmp_path: Path) -> None:
    package = written(sealed(tmp_path, "operated"), tmp_path / "out")
    (tmp_path / "judge.py").write_text(
        "import json, os\n"
        "files = ' '.join(sorted(os.listdir('/reviewer')))\n"
        "verdict = {'status': 'failed', 'reasons': [os.environ['JUDGE_KEY'], files]}\n"
        "json.dump(verdict, open(os.environ['RUHROH_EVAL_OUTPUT_PATH'], 'w'))\n"
    )
    given = ["--reviewer", f"python3 {tmp_path}/judge.py", "--reviewer-env", "JUDGE_KEY", "--out", "operated-runs"]

    ran = machine.through_harbor(str(package), "--agent", "oracle", *given, env={"JUDGE_KEY": "judges-own-key"})

    (run,) = ran.runs
    assert (run["status"], run["reasons"]) == ("failed", ["[value of JUDGE_KEY]", "1-judge.py"])
    records = [path for path in (machine.folder / "operated-runs").rglob("*") if path.is_file()]
    assert [path for path in records if b"judges-own-key" in path.read_bytes()] == []


def test_floods_and_fork_bombs_end_with_their_turn(machine: Machine) -> None:
    package = written(sealed(machine.folder / "flooded", "flooded"), machine.folder / "flood")
    ran = machine.through_harbor(
        str(package),
        *("--agent", str(AGENTS / "flood.sh"), "--iterations", "2", "--out", "flood-runs"),
        env={"RUHROH_ITERATION_TIMEOUT_SEC": "12"},
    )
    (run,) = ran.runs
    transcript = machine.folder / run["evidence"] / "transcripts" / "iteration-1.log"

    assert (run["score"], run["stoppedReason"], run["turns"]) == (1, "agent_timeout", 2), run
    assert transcript.stat().st_size < 1_100_000
    assert transcript.read_text().endswith("the last line\n")


def test_nothing_of_an_agent_outlives_a_run_that_harbor_cancels(machine: Machine) -> None:
    package = written(ending(machine.folder / "cancelled", "hang"), machine.folder / "cancel")
    config = {
        "job_name": "cancelled",
        "jobs_dir": str(machine.folder / "jobs"),
        "agent_timeout_multiplier": 0.05,
        "quiet": True,
        "environment": {"import_path": ENVIRONMENT},
        "agents": [
            {
                "import_path": "generator.harbor.agent:CommandAgent",
                "kwargs": {"command": str(AGENTS / "stubborn.sh")},
            }
        ],
        "tasks": [{"path": str(package)}],
    }
    (machine.folder / "cancelled.json").write_text(json.dumps(config))
    assert machine.harbor("run", "-c", str(machine.folder / "cancelled.json")).code == 0
    (trial,) = map(Trial, (machine.folder / "jobs" / "cancelled").glob("ending-hang*"))
    context = trial.json("agent/context.json")

    assert trial.error == "AgentTimeoutError"
    assert (context["implementationStoppedReason"], context["completed"], context["notes"]) == ("cancelled", False, [])
    assert trial.reward == 0, "the scenario asks for a word of completion, and there was none"
    assert trial.json("verifier/ruhroh-loop-eval-input.json")["runId"] == trial.folder.name


def test_a_job_that_was_cut_off_is_carried_on(machine: Machine, tmp_path: Path) -> None:
    packages = [str(written(ending(tmp_path / "s", name), tmp_path / "p")) for name in ("goal_satisfied", "silent")]
    agent = tmp_path / "agent.sh"
    agent.write_text(
        "#!/bin/bash\nprintf '{\"total\": 14.0}' > report.json\n"
        '[ $RUHROH_SCENARIO_ID = ending-goal_satisfied ] || sleep 500\necho \'{"status": "goal_satisfied"}\'\n'
    )
    agent.chmod(0o755)
    given = ["--agent", str(agent), "--out", str(tmp_path / "out"), "--job", "cut-off"]

    cut = _interrupted(machine, packages, given)
    assert cut.code == 130, cut.err
    assert machine.docker("ps", "--quiet", "--filter", "name=ending-").out == ""
    done, missing = cut.runs
    assert (done["status"], missing["status"]) == ("passed", "no_verdict")

    agent.write_text(agent.read_text().replace("sleep 500", "true"))
    whole = machine.through_harbor(*packages, *given)
    assert [run["status"] for run in whole.runs] == ["passed", "passed"], whole.err
    assert whole.runs[0]["runId"] == done["runId"]


def _interrupted(machine: Machine, packages: list[str], given: list[str]) -> Ran:
    """The same run, interrupted when the first of its trials has ended."""
    fixed = ["--backend", "harbor", "--harbor-env", ENVIRONMENT, "--concurrency", CONCURRENCY, "--json"]
    child = subprocess.Popen(
        [machine.python, "-m", "generator", "run", *packages, *given, *fixed],
        cwd=machine.folder,
        env=machine.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    lines = []
    for line in child.stderr:
        lines.append(line)
        if "1 of 2 trials ended" in line:
            child.send_signal(signal.SIGINT)
            break
    out, rest = child.communicate(timeout=300)
    return Ran(child.returncode, out, "".join(lines) + rest)
