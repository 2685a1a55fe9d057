"""What a proof takes from the evidence of runs, here and through Harbor, and what it makes of limits and outcomes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator.execute.report import RunReport
from generator.execute.taskpackage import TaskPackage, open_package
from generator.workflows.proof import Limit, Outcome, Trial, counted, faults, is_evidence, tight
from generator.workflows.proof_evidence import circumstances, limits, trial_of
from tests.support.files import write_tree
from tests.support.packages import written
from tests.support.scenarios import document, write_scenario

DETAILS = {
    "reviewer": {"source": "option", "sha256": "0" * 64, "durationMs": 1500},
    "checks": [{"id": "total", "durationMs": 250}, {"id": "other", "durationMs": 30}],
}
TURNS = [{"implementationBoundary": {"elapsedMs": elapsed}} for elapsed in (900, 2200)]
USED = {"evaluation.timeoutSeconds": 1.5, "timeoutSeconds of check total": 0.25, "timeoutSeconds of check other": 0.03}
PHASE = {"started_at": "2026-03-14T09:30:00Z", "finished_at": "2026-03-14T09:30:04.5Z"}


def report(evidence: Path | None, **changes: Any) -> RunReport:
    made = RunReport(
        scenario_id="sum-ledger",
        scenario_version=None,
        run_id="sum-ledger-0a1b2c3d4e5f",
        failure_kind="none",
        score=1,
        reasons=("fine", "really"),
        duration_ms=61234,
        isolation="container",
        evidence=None if evidence is None else str(evidence),
    )
    return replace(made, **changes)


def through_harbor(root: Path, result: object) -> RunReport:
    """A run whose details and times lie where Harbor recorded the trial."""
    manifest = {"benchmark": {"dataset": "d", "adapter": "a", "trial": "../../../jobs/one"}}
    files = {
        "runs/sum-ledger/one/ruhroh-run-manifest.json": json.dumps(manifest),
        "jobs/one/result.json": json.dumps(result),
        "jobs/one/verifier/reward-details.json": json.dumps(DETAILS),
    }
    return report(write_tree(root, files) / "runs/sum-ledger/one")


def test_a_run_on_this_machine_says_how_long_its_phases_took(tmp_path: Path) -> None:
    files = {
        "ruhroh-loop-result.json": json.dumps({"implementationRuns": TURNS}),
        "reward-details.json": json.dumps(DETAILS),
    }
    made = trial_of(report(write_tree(tmp_path, files)))

    assert (made.run_id, made.status, made.score, made.seconds) == ("sum-ledger-0a1b2c3d4e5f", "passed", 1, 61.2)
    assert made.used == {"run.timeoutSeconds": 2.2, **USED}
    assert made.reason == "fine"


def test_a_run_through_harbor_says_so_by_its_trial(tmp_path: Path) -> None:
    assert trial_of(through_harbor(tmp_path, {"agent_execution": PHASE})).used == {"run.timeoutSeconds": 4.5, **USED}


@pytest.mark.parametrize("phase", [None, {}, {**PHASE, "finished_at": None}, {**PHASE, "finished_at": "later"}, "odd"])
def test_a_phase_that_was_not_timed_is_left_out(tmp_path: Path, phase: object) -> None:
    assert trial_of(through_harbor(tmp_path, {"agent_execution": phase})).used == USED


@pytest.mark.parametrize("text", ["", "[]", '{"reviewer": null, "checks": []}'])
def test_evidence_that_is_not_there_or_says_nothing_gives_no_times(tmp_path: Path, text: str) -> None:
    assert trial_of(report(write_tree(tmp_path, {"reward-details.json": text}))).used == {}
    assert trial_of(report(None, reasons=())).reason == ""


def test_the_circumstances_are_those_of_the_run_manifest(tmp_path: Path) -> None:
    isolation = {"level": "bubblewrap", "detail": "how", "notes": ["--use-host-tools"]}
    command = {"configured": True, "sha256": "1" * 64}
    manifest = {"isolation": isolation, "evaluator": {"source": "package", "command": command}}
    write_tree(tmp_path, {"ruhroh-run-manifest.json": json.dumps(manifest)})

    made = circumstances(report(tmp_path))
    assert (made.isolation, made.reviewer) == (isolation, {"source": "package", "sha256": "1" * 64})
    unknown = circumstances(report(None))
    assert (unknown.isolation["level"], unknown.reviewer) == ("container", None)


@pytest.fixture
def package(tmp_path: Path) -> TaskPackage:
    check = {"id": "total", "command": "true", "timeoutSeconds": 5}
    made = document(evaluation__checks=[check], evaluation__timeoutSeconds=90)
    opened = open_package(written(write_scenario(tmp_path / "s" / "sum-ledger", made), tmp_path / "out"))
    assert isinstance(opened, TaskPackage), opened
    return opened


def test_of_every_limit_the_most_that_any_run_needed_counts(package: TaskPackage) -> None:
    first = {"run.timeoutSeconds": 1.0, "evaluation.timeoutSeconds": 3.0, "timeoutSeconds of check total": 0.5}
    trials = [replace(trial(1), used=used) for used in (first, {"run.timeoutSeconds": 2.0, "unknown": 9.0})]

    assert limits(package, tuple(trials)) == (
        Limit(name="run.timeoutSeconds", limit=120, used=2.0),
        Limit(name="evaluation.timeoutSeconds", limit=90, used=3.0),
        Limit(name="timeoutSeconds of check total", limit=5, used=0.5),
    )
    assert limits(package, ()) == ()


@pytest.mark.parametrize(("used", "expected"), [(40.0, []), (40.1, ["run.timeoutSeconds: 121 or more"])])
def test_a_limit_has_to_hold_three_times_what_was_needed(used: float, expected: list[str]) -> None:
    assert [found.hint for found in tight([Limit(name="run.timeoutSeconds", limit=120, used=used)])] == expected


def trial(score: int | None, kind: str = "infra_failed") -> Trial:
    status = {1: "passed", 0: "failed"}.get(score, "review_owed" if kind == "review_required" else "no_verdict")  # type: ignore[arg-type]
    return Trial(run_id="x-0a1b2c3d4e5f", status=status, score=score, failure_kind=kind, seconds=1.0)


@pytest.mark.parametrize(
    ("agent", "trials", "expected"),
    [
        ("nop", [trial(0), trial(0)], []),
        ("nop", [trial(1), trial(1)], ["proof_nop_passes"]),
        ("oracle", [trial(0)], ["proof_reference_fails"]),
        ("oracle", [trial(1), trial(0), trial(1)], ["proof_flaky"]),
        ("adversary", [trial(1)], ["proof_adversary_passes"]),
        ("adversary", [trial(None)], ["proof_no_verdict"]),
        ("adversary", [trial(0), trial(None)], ["proof_no_verdict"]),
        ("adversary", [trial(1), trial(None)], ["proof_adversary_passes", "proof_no_verdict"]),
        ("oracle", [trial(1), trial(None, "review_required")], ["proof_flaky", "proof_no_verdict"]),
        ("oracle", [trial(None, "review_required")] * 2, ["proof_no_verdict"]),
    ],
)
def test_outcomes_are_faulted_for_what_they_are(agent: str, trials: list[Trial], expected: list[str]) -> None:
    found = faults([Outcome(agent, tuple(trials))])

    assert [fault.code for fault in found] == expected
    assert is_evidence(found) is bool(set(expected) - {"proof_no_verdict"})


@pytest.mark.parametrize(
    ("scores", "named"), [([None, 0, 0], ["1"]), ([0, 1, 1], ["0", "1"]), ([1, None, 0], ["0", "2"])]
)
def test_a_fault_names_the_first_run_that_shows_it(scores: list[int | None], named: list[str]) -> None:
    trials = tuple(replace(trial(score), run_id=f"run-{number}") for number, score in enumerate(scores))
    found, *_ = faults([Outcome("oracle", trials)])

    assert sorted(re.findall(r"run-(\d)", found.message)) == named


@pytest.mark.parametrize(
    ("agent", "score", "ended", "counts"),
    [
        ("adversary", 0, "goal_satisfied", True),
        ("adversary", 0, "iterations_exhausted", True),
        ("adversary", 0, "agent_timeout", False),
        ("adversary", 0, "runtime_failure", False),
        ("adversary", 1, "agent_timeout", True),
        ("nop", 0, "cancelled", False),
        ("oracle", 0, "agent_timeout", False),
        ("oracle", 1, "agent_timeout", False),
        ("oracle", 0, "runtime_failure", True),
    ],
)
def test_an_agent_that_did_not_end_by_itself_shows_nothing_it_would_have_shown(
    agent: str, score: int, ended: str, counts: bool
) -> None:
    made = counted(agent, trial(score), ended)

    assert (made.score, made.status == "no_verdict") == ((score, False) if counts else (None, True))
    assert counts or made.failure_kind == ended


def test_what_cut_an_agent_off_is_told_with_what_helps() -> None:
    cut = counted("adversary", trial(0), "runtime_failure")
    (found,) = faults([Outcome("adversary", (cut,))])

    assert "(runtime_failure); see the run x-0a1b2c3d4e5f: the agent did not end by itself" in found.message
    assert found.hint == "an environment in which it runs: the adversary needs bash and the usual programs"


def test_a_missing_verdict_is_told_with_its_reason() -> None:
    (found,) = faults([Outcome("nop", (replace(trial(None), reason="the reviewer exited with 3"),))])

    assert found.message == (
        "nop got no verdict in 1 of 1 runs (infra_failed); see the run x-0a1b2c3d4e5f: the reviewer exited with 3"
    )
