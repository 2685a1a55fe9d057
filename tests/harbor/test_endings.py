"""Every way an agent's turns may end: the same completion record, verdict and evidence in a container and here."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from tests.harbor.alike import alike
from tests.harbor.machine import Machine, Ran
from tests.harbor.scenarios import ENDING_AGENT, ENDINGS, ending
from tests.support.packages import written

pytestmark = pytest.mark.harbor

TOKEN = "tok-5b1f9e7c2a"
LIMIT = {"RUHROH_ITERATION_TIMEOUT_SEC": "8"}  # a turn that does nothing but end takes a second on a busy machine
# Why the turns ended, and what the work is worth where the scenario asks for a word of completion.
OUTCOMES = {
    "goal_satisfied": ("goal_satisfied", 1),
    "cannot_satisfy": ("cannot_satisfy", 0),
    "policy_blocked": ("policy_blocked", 0),
    "out_of_scope": ("out_of_scope", 0),
    "runtime_failure": ("runtime_failure", 0),
    "infra_failure": ("infra_failure", 0),
    "cancelled": ("cancelled", 0),
    "continue": ("iterations_exhausted", 0),
    "silent": ("iterations_exhausted", 0),
    "unknown": ("iterations_exhausted", 0),
    "last-line": ("cannot_satisfy", 0),
    "promise": ("goal_satisfied", 1),
    "exit": ("runtime_failure", 0),
    "killed": ("runtime_failure", 0),
    "hang": ("agent_timeout", 0),
    "out-of-time": ("agent_timeout", 0),
    "three-turns": ("goal_satisfied", 1),
}


@pytest.fixture(scope="session")
def packages(machine: Machine) -> list[str]:
    """One package an ending."""
    return [str(written(ending(machine.folder / "endings", name), machine.folder / "ending")) for name in ENDINGS]


@pytest.fixture(scope="session")
def agent(machine: Machine) -> Path:
    """The agent that ends as it is told, as a directory with `run` and what it states about itself."""
    folder = machine.folder / "ender"
    folder.mkdir()
    (folder / "run").write_text(ENDING_AGENT)
    (folder / "run").chmod(0o755)
    (folder / "agent.json").write_text('{"id": "ender", "version": "2.1", "continuity": "workspace_plus_transcript"}')
    return folder


@pytest.fixture(scope="session")
def there(machine: Machine, packages: list[str], agent: Path) -> Ran:
    """All of them in one job."""
    given = ["--agent", str(agent), "--agent-env", f"AGENT_TOKEN={TOKEN}", "--out", "ended", "--job", "endings"]
    return machine.through_harbor(*packages, *given, env=LIMIT)


@pytest.fixture(scope="session")
def here(machine: Machine, packages: list[str], agent: Path) -> Ran:
    """All of them with the local executor."""
    given = ["--agent", str(agent), "--agent-env", f"AGENT_TOKEN={TOKEN}", "--out", "ended-here", "--json"]
    return machine.harborsmith("run", *packages, *given, env=LIMIT)


@pytest.mark.sandbox
@pytest.mark.parametrize("name", ENDINGS)
def test_a_run_ends_alike_in_a_container_and_here(machine: Machine, here: Ran, there: Ran, name: str) -> None:
    local, contained = here.by_scenario[f"ending-{name}"], there.by_scenario[f"ending-{name}"]
    same = ("status", "score", "failureKind", "stoppedReason", "turns", "checks", "criteria", "unmetCriteria")

    assert {key: local[key] for key in same} == {key: contained[key] for key in same}
    assert alike(machine.folder / local["evidence"]) == alike(machine.folder / contained["evidence"])


@pytest.mark.parametrize("name", ENDINGS)
def test_a_run_ends_as_its_agent_had_it(there: Ran, name: str) -> None:
    run = there.by_scenario[f"ending-{name}"]

    assert (run["stoppedReason"], run["score"]) == OUTCOMES[name]


def test_an_agent_takes_the_turns_it_needs(there: Ran) -> None:
    assert {
        name: there.by_scenario[f"ending-{name}"]["turns"] for name in ("goal_satisfied", "three-turns", "exit")
    } == {
        "goal_satisfied": 1,
        "three-turns": 3,
        "exit": 1,
    }


def test_the_evidence_of_a_run_is_whole_and_its_names_are_the_published_ones(machine: Machine, there: Ran) -> None:
    run = there.by_scenario["ending-three-turns"]
    folder = machine.folder / run["evidence"]
    result = json.loads((folder / "ruhroh-loop-result.json").read_text())

    assert [name for name in result["artifactPaths"].values() if not (folder / name).exists()] == []
    assert len(result["artifactPaths"]) >= 10
    assert result["runManifest"]["benchmark"]["harborAgent"] == "harborsmith-command"
    assert result["runManifest"]["runAgent"]["adapterVersion"] == "2.1"
    assert result["runManifest"]["env"] == {
        "forwardedKeys": ["AGENT_TOKEN"],
        "reviewerForwardedKeys": [],
        "secretKeysPresent": ["AGENT_TOKEN"],
    }


def test_the_reviewer_is_told_of_turns_and_transcripts(machine: Machine, there: Ran) -> None:
    run = there.by_scenario["ending-three-turns"]
    (reason,) = run["reasons"]
    told = json.loads(reason)

    assert (told["completed"], told["turns"], told["transcripts"]) == ("goal_satisfied", 3, 3)


def test_a_trajectory_is_one_that_harbor_reads(machine: Machine, there: Ran) -> None:
    folder = machine.folder / there.by_scenario["ending-three-turns"]["evidence"]
    code = (
        "import sys, json; from harbor.models.trajectories import Trajectory;"
        "t = Trajectory.model_validate(json.load(open(sys.argv[1])));"
        "print(t.schema_version, len(t.steps), t.final_metrics.total_prompt_tokens, t.final_metrics.total_cost_usd)"
    )
    done = machine.run([machine.python, "-c", code, str(folder / "trajectory.json")])

    assert done.out.split() == ["ATIF-v1.8", "6", "300", "1.5"], done.err


def test_harbor_knows_what_the_agent_used(machine: Machine, there: Ran) -> None:
    (result,) = (machine.folder / "ended" / "harbor" / "jobs" / "endings").glob("ending-three-turns*/result.json")
    used = json.loads(result.read_text())["agent_result"]

    assert (used["n_input_tokens"], used["n_output_tokens"], used["cost_usd"]) == (300, 30, 1.5)
    assert used["model_usage"]["acme/one"]["n_input_tokens"] == 300
    assert used["metadata"]["implementationStoppedReason"] == "goal_satisfied"


def test_a_key_stands_in_no_file_of_a_job_and_of_its_runs(machine: Machine, there: Ran) -> None:
    assert there.by_scenario
    holding = [
        path
        for path in (machine.folder / "ended").rglob("*")
        if path.is_file() and not path.is_symlink() and TOKEN.encode() in _unpacked(path)
    ]

    assert holding == []


def _unpacked(path: Path) -> bytes:
    if path.name.endswith((".tar", ".tar.gz")):
        with tarfile.open(path) as archive:
            streams = [archive.extractfile(member) for member in archive if member.isfile()]
            return b"".join(stream.read() for stream in streams if stream is not None)
    return path.read_bytes()


def test_the_agent_was_given_the_key(machine: Machine, there: Ran) -> None:
    folder = machine.folder / there.by_scenario["ending-silent"]["evidence"]

    assert "says [value of AGENT_TOKEN]" in (folder / "transcripts" / "iteration-1.log").read_text()
    assert (folder / "ruhroh-economic-trace.jsonl").read_text() == "[value of AGENT_TOKEN]\n"


def test_a_job_that_is_done_is_only_read_again(machine: Machine, there: Ran, packages: list[str], agent: Path) -> None:
    given = ["--agent", str(agent), "--agent-env", f"AGENT_TOKEN={TOKEN}", "--out", "ended", "--job", "endings"]
    again = machine.through_harbor(*packages, *given, env=LIMIT)

    assert [run["runId"] for run in again.runs] == [run["runId"] for run in there.runs]


def test_a_job_is_not_carried_on_with_other_options(machine: Machine, there: Ran, packages: list[str]) -> None:
    assert there.by_scenario
    other = machine.through_harbor(*packages, "--agent", "nop", "--out", "ended", "--job", "endings")

    assert other.code == 2
    assert [refused["code"] for refused in json.loads(other.out)["refused"]] == ["harbor_job_differs"]
