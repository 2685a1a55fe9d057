"""The bundled scenarios in containers: lint, digests, and the same verdicts as on this machine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.harbor.alike import alike
from tests.harbor.machine import ROOT, Machine, Ran

pytestmark = pytest.mark.harbor

SCENARIOS = sorted(path.parent.name for path in (ROOT / "scenarios").glob("*/scenario.json"))
AGENTS = {"oracle": 1, "nop": 0, "forger": 0, "solver": 1}  # and what their work is worth
COMMANDS = ("forger", "solver")  # the same command in both worlds; the others are each world's own
# Applies the reference solution in its second turn of three.
SOLVER = """#!/bin/bash
[ "$RUHROH_ITERATION" != 2 ] || cp -R "/agent/$RUHROH_SCENARIO_ID/." .
[ "$RUHROH_ITERATION" != 3 ] || echo '{"status": "goal_satisfied"}'
"""
# Asked where a package brings no reviewer of its own.
REVIEWER = {"RUHROH_EVAL_COMMAND": f"/usr/bin/python3 {ROOT / 'templates' / 'demo' / 'reviewer.py'}"}

# Asked in Harbor's own Python.
INSPECT = """
import json, sys
from pathlib import Path
from harbor.lint import lint_task
from harbor.lint.models import DEFAULT_RULES
from harbor.models.task.task import Task
from harbor.publisher.packager import Packager

print(json.dumps({
    folder.name: {
        "lint": [str(finding) for finding in lint_task(folder, selected_rules=set(DEFAULT_RULES))],
        "name": Task(folder).name,
        "digest": Packager.compute_content_hash(folder)[0],
    }
    for folder in map(Path, sys.argv[1:])
}))
"""


@pytest.fixture(scope="session")
def packages(machine: Machine) -> Path:
    """The packages of all bundled scenarios."""
    done = machine.harborsmith("generate", "--scenario-dir", str(ROOT / "scenarios"), "--out", "bundled")
    assert done.code == 0, done.err
    return machine.folder / "bundled" / "harbor" / "tasks"


@pytest.fixture(scope="session")
def inspected(machine: Machine, packages: Path) -> dict[str, Any]:
    """What Harbor says of each package."""
    done = machine.run([machine.python, "-c", INSPECT, *(str(packages / name) for name in SCENARIOS)])
    assert done.code == 0, done.err
    return dict(json.loads(done.out))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_harbor_loads_a_package_finds_it_clean_and_gives_it_our_digest(
    packages: Path, inspected: dict[str, Any], scenario: str
) -> None:
    manifest = json.loads((packages / scenario / "manifest.json").read_text())

    assert inspected[scenario]["lint"] == []
    assert inspected[scenario]["name"] == f"local/{scenario}"
    assert manifest["digests"]["whole"].removeprefix("sha256:") == inspected[scenario]["digest"].removeprefix("sha256:")


def test_all_rules_of_harbors_lint_ask_for_pinned_images_alone(machine: Machine, packages: Path) -> None:
    done = machine.harbor("lint", *(str(packages / name) for name in SCENARIOS), "--select", "ALL", "--json")

    assert {finding["rule"] for finding in json.loads(done.out)} == {"unpinned-image"}


@pytest.fixture(scope="session")
def agents(machine: Machine, packages: Path) -> dict[str, list[str]]:
    """What is written after `run` for each of them."""
    solver = machine.folder / "solver"
    for name in SCENARIOS:
        shutil.copytree(packages / name / "solution" / "reference", solver / name)
    (solver / "run").write_text(SOLVER)
    (solver / "run").chmod(0o755)
    forger = str(ROOT / "tests" / "adversaries" / "forge.sh")
    given = {"oracle": ["oracle"], "nop": ["nop"], "forger": [forger], "solver": [str(solver), "--iterations", "3"]}
    folders = [str(packages / name) for name in SCENARIOS]
    return {name: [*folders, "--agent", *words] for name, words in given.items()}


@pytest.fixture(scope="session")
def in_containers(machine: Machine, agents: dict[str, list[str]]) -> dict[str, Ran]:
    """One job an agent, over all scenarios."""
    return {
        name: machine.through_harbor(*words, "--out", "runs", "--job", name, env=REVIEWER)
        for name, words in agents.items()
    }


@pytest.fixture(scope="session")
def on_this_machine(machine: Machine, agents: dict[str, list[str]]) -> dict[str, Ran]:
    """The same with the local executor."""
    return {
        name: machine.harborsmith("run", *words, "--out", f"here-{name}", "--json", env=REVIEWER)
        for name, words in agents.items()
    }


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_bundled_scenario_gets_the_score_it_deserves(
    in_containers: dict[str, Ran], agent: str, scenario: str
) -> None:
    run = in_containers[agent].by_scenario[scenario]

    assert run["score"] == AGENTS[agent], run


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_command_takes_three_turns_over_a_bundled_scenario(in_containers: dict[str, Ran], scenario: str) -> None:
    run = in_containers["solver"].by_scenario[scenario]

    assert (run["turns"], run["stoppedReason"]) == (3, "goal_satisfied")


@pytest.mark.sandbox
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_verdict_is_the_same_in_a_container_and_on_this_machine(
    machine: Machine, in_containers: dict[str, Ran], on_this_machine: dict[str, Ran], agent: str, scenario: str
) -> None:
    here, there = on_this_machine[agent].by_scenario[scenario], in_containers[agent].by_scenario[scenario]
    same = ("status", "score", "failureKind", "reasons", "checks", "criteria", "unmetCriteria")

    assert {key: here[key] for key in same} == {key: there[key] for key in same}
    assert _verdict(machine, here) == _verdict(machine, there)
    if agent in COMMANDS:
        assert alike(machine.folder / here["evidence"]) == alike(machine.folder / there["evidence"])


def _verdict(machine: Machine, run: dict[str, Any]) -> dict[str, Any]:
    folder = machine.folder / run["evidence"]
    verdict = json.loads((folder / "ruhroh-loop-eval.json").read_text())
    return {key: verdict.get(key) for key in ("status", "goalMet", "criteriaResults", "evidenceRefs", "judge")}
