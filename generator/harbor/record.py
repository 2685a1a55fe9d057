"""Turn a trial of Harbor's into the same run record and evidence as a local run has."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from generator.execute.agent import Agent
from generator.execute.agentfile import AgentFile
from generator.execute.conclusion import conclude
from generator.execute.evidence import ARTIFACTS, ITERATIONS, TRANSCRIPTS, RunDirectory
from generator.execute.judging import Judgement, no_verdict
from generator.execute.preparation import agent_warnings
from generator.execute.records import Isolation, RunFacts
from generator.execute.report import RunReport
from generator.execute.taskpackage import TaskPackage
from generator.execute.turnrecord import TRANSCRIPTS as TRANSCRIPT_FOLDER
from generator.harbor.context import MAX_BYTES, UNKNOWN, RecordedRun, is_ours, read_recorded_run
from generator.harbor.ledger import TRAJECTORY
from generator.harbor.results import AGENT_FAILED, AGENT_TIMED_OUT, CANCELLED, Trial
from generator.harbor.verdict import judgement_of
from generator.runtime.handover import archive
from generator.runtime.launch import ReviewerCommand
from generator.runtime.loop import AGENT_TIMEOUT, RUNTIME_FAILURE
from generator.runtime.places import EVENTS, TRACE
from generator.runtime.records import journey
from generator.runtime.review import ARCHIVE_NAME, DETAILS_NAME, LOG_NAME, SUMMARY_NAME
from generator.runtime.strictjson import read_object
from generator.runtime.trees import FILE, clone_file, create_directory, remove_tree, walk

ADAPTER: Final = "harborsmith-harbor"
LEVEL: Final = "container"
_FROM_VERIFIER: Final = (
    ARTIFACTS["evalInput"],
    ARTIFACTS["evalResult"],
    ARCHIVE_NAME,
    SUMMARY_NAME,
    LOG_NAME,
)
# Under our agent alone: another one can write them into its log directory itself.
_FROM_OURS: Final = (("verifier", ARTIFACTS["journey"]), ("agent", ITERATIONS), ("agent", EVENTS), ("agent", TRACE))
_STOPPED: Final = {AGENT_TIMED_OUT: AGENT_TIMEOUT, AGENT_FAILED: RUNTIME_FAILURE, CANCELLED: "cancelled"}


@dataclass(frozen=True, slots=True)
class Reviewing:
    """Who was to judge.

    Attributes:
        reviewer: The command; None where checks alone decide.
        env_names: Names of the variables the operator passed to it.
        notes: What an operator should know of both.
    """

    reviewer: ReviewerCommand | None = None
    env_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def record_trial(
    trial: Trial,
    package: TaskPackage,
    *,
    out: Path,
    agent: Agent | None,
    reviewing: Reviewing,
    env_names: tuple[str, ...],
    isolation: Isolation,
) -> RunReport:
    """Write the run directory of a finished trial, replacing one that an earlier reading left, and report on it.

    Args:
        trial: What Harbor recorded.
        package: What was run.
        out: Output directory.
        agent: The command that worked; None for one of Harbor's own agents.
        reviewing: Who was to judge.
        env_names: Names of the variables the operator passed to the agent.
        isolation: What kept the agent apart.

    Raises:
        OSError: The run directory cannot be made.
    """
    directory = _run_directory(out, package.scenario_id, trial.name)
    told = read_recorded_run(trial)
    _copy_evidence(trial, directory)
    judgement = _judgement(trial, package, told)
    who = agent or _harbors_agent(trial)
    warnings = (*reviewing.notes, *_warnings(trial, agent, package), *told.notes, *judgement.notes)
    facts = RunFacts(
        run_id=directory.run_id,
        package=package,
        agent=who,
        session=told.session,
        turns=told.turns,
        stopped_reason=told.stopped_reason or _STOPPED.get(trial.error[0], ""),
        max_turns=told.max_turns or package.max_iterations,
        started=trial.started,
        ended=trial.ended,
        isolation=isolation,
        reviewer=reviewing.reviewer,
        env_names=env_names,
        reviewer_env_names=reviewing.env_names,
        traffic=None,
        warnings=warnings,
        adapter=ADAPTER,
        harbor={"harborAgent": trial.agent[0], "trial": os.path.relpath(trial.directory, directory.path)},
    )
    return conclude(facts, judgement, directory, _journey(facts))


def missing_trial(package: TaskPackage, isolation: Isolation, why: str) -> RunReport:
    """The report of a run that Harbor was asked for and did not make, or left without a result."""
    return RunReport(
        scenario_id=package.scenario_id,
        scenario_version=package.version,
        digest=package.digest,
        modes=package.modes,
        run_id="none",
        failure_kind="infra_failed",
        score=None,
        reasons=(why,),
        isolation=isolation.level,
        evidence=None,
    )


def _run_directory(out: Path, scenario_id: str, name: str) -> RunDirectory:
    """The trial's name is the run's: reading a job twice makes no second run of it."""
    parent = out / "runs" / scenario_id
    parent.mkdir(parents=True, exist_ok=True)
    made = RunDirectory(parent / name)
    remove_tree(str(made.path))
    create_directory(str(made.path))
    create_directory(str(made.transcripts))
    return made


def _copy_evidence(trial: Trial, directory: RunDirectory) -> None:
    """Copy what is a regular file under its published name; a container's files are followed nowhere."""
    files = [*(("verifier", name) for name in _FROM_VERIFIER), ("agent", TRAJECTORY)]
    for folder, name in (*files, *(_FROM_OURS if is_ours(trial) else ())):
        _copy(trial.directory / folder / name, directory.path / name)
    transcripts = trial.directory / "agent" / TRANSCRIPT_FOLDER
    kept = is_ours(trial) and transcripts.is_dir() and not transcripts.is_symlink()
    for entry in walk(str(transcripts)) if kept else ():
        if entry.kind == FILE and "/" not in entry.path:
            _copy(transcripts / entry.path, directory.transcripts / entry.path)
    archive(str(directory.transcripts), str(directory.path / TRANSCRIPTS))
    (directory.path / ITERATIONS).touch()


def _copy(source: Path, target: Path) -> None:
    if not target.exists():
        clone_file(str(source), str(target), executable=False)


def _judgement(trial: Trial, package: TaskPackage, told: RecordedRun) -> Judgement:
    kind, message = trial.error
    first = message.strip().splitlines()[:1]
    broke = f"{kind}: {first[0] if first else 'no message'}"
    if kind and not trial.agent_ended_early and trial.rewards is not None:
        return no_verdict(f"Harbor reports {broke}", "infra_failed")
    try:
        details = read_object(str(trial.directory / "verifier" / DETAILS_NAME), MAX_BYTES)
    except (OSError, ValueError) as problem:
        reason = f"Harbor reports {broke}" if kind else f"the review left no {DETAILS_NAME}: {problem}"
        return no_verdict(reason, "cancelled" if kind == CANCELLED else "infra_failed")
    return judgement_of(
        details, trial.rewards, package.evaluation, completed=told.completed, stopped=told.stopped_reason
    )


def _harbors_agent(trial: Trial) -> Agent:
    name, version = trial.agent
    digest = hashlib.sha256(f"{name} {version}".encode()).hexdigest()
    about = AgentFile(id=name, version=version)
    return Agent(id=name, argv=(), plain_argv=(), sha256=digest, about=about)


def _warnings(trial: Trial, agent: Agent | None, package: TaskPackage) -> Iterator[str]:
    if agent is not None:
        yield from agent_warnings(agent, package)
    kind, message = trial.error
    if kind and trial.agent_ended_early:
        yield f"Harbor reports {kind}: {message.strip()[:200]}"


def _journey(facts: RunFacts) -> dict[str, Any]:
    return journey(
        scenario_id=facts.package.scenario_id,
        user_prompt=facts.package.evaluation.user_prompt,
        stopped_reason=facts.stopped_reason or UNKNOWN,
        adapter_id=facts.agent.told_id,
        continuity=facts.agent.about.continuity,
        session=facts.session,
        workspace=facts.package.evaluation.workdir,
        runs=facts.turns,
    )
