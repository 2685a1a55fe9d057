"""The bundled scenarios in containers: lint, digests, and the same verdicts as on this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.harbor.machine import ROOT, Machine, Ran

pytestmark = pytest.mark.harbor

SCENARIOS = sorted(path.parent.name for path in (ROOT / "scenarios").glob("*/scenario.json"))
AGENTS = {"oracle": "oracle", "nop": "nop", "forger": str(ROOT / "tests" / "adversaries" / "forge.sh")}
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
def in_containers(machine: Machine, packages: Path) -> dict[str, Ran]:
    """One job an agent, over all scenarios."""
    folders = [str(packages / name) for name in SCENARIOS]
    return {
        name: machine.through_harbor(*folders, "--agent", agent, "--out", "runs", "--job", name, env=REVIEWER)
        for name, agent in AGENTS.items()
    }


@pytest.fixture(scope="session")
def on_this_machine(machine: Machine, packages: Path) -> dict[str, Ran]:
    """The same with the local executor."""
    folders = [str(packages / name) for name in SCENARIOS]
    return {
        name: machine.harborsmith("run", *folders, "--agent", agent, "--out", f"here-{name}", "--json", env=REVIEWER)
        for name, agent in AGENTS.items()
    }


@pytest.mark.parametrize(("agent", "score"), [("oracle", 1), ("nop", 0), ("forger", 0)])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_bundled_scenario_gets_the_score_it_deserves(
    in_containers: dict[str, Ran], agent: str, score: int, scenario: str
) -> None:
    run = in_containers[agent].by_scenario[scenario]

    assert run["score"] == score, run


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


def _verdict(machine: Machine, run: dict[str, Any]) -> dict[str, Any]:
    folder = machine.folder / run["evidence"]
    verdict = json.loads((folder / "ruhroh-loop-eval.json").read_text())
    return {key: verdict.get(key) for key in ("status", "goalMet", "criteriaResults", "evidenceRefs", "judge")}


def test_a_plain_run_of_harbors_asks_no_question(machine: Machine, packages: Path) -> None:
    (trial,) = machine.job("plain", [{"name": "oracle"}], [packages / "access-log-digest"]).values()

    assert trial.reward == 1
    assert os.listdir(trial.folder / "verifier")
