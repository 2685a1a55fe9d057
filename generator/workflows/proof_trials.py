"""Have the agents of a proof work on a package: each as often as asked, through the same `run` as any other agent."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from generator.execute.refusal import Refused
from generator.execute.report import RunReport, duration
from generator.execute.settings import Options
from generator.harbor.settings import HarborOptions
from generator.resources import data_folder
from generator.workflows.proof import ADVERSARY, NOP, ORACLE, Outcome, Trial
from generator.workflows.proof_evidence import trial_of
from generator.workflows.proof_subjects import Asked, Subject
from generator.workflows.run import Notify, RunOutcome, RunRequest, run

LOCAL, HARBOR = "local", "harbor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How the agents are run.

    Attributes:
        backend: `local` or `harbor`.
        repeat: How often each.
        reviewer: The operator's reviewer as typed.
        use_host_tools: On this machine also what needs a container.
        harbor_env: Where Harbor's containers run.
        reviewer_env: Variables for the reviewer.
        allow_reviewer_host: Hosts the reviewer may reach, through Harbor.
    """

    backend: str = LOCAL
    repeat: int = 1
    reviewer: str | None = None
    use_host_tools: bool = False
    harbor_env: str = "docker"
    reviewer_env: tuple[str, ...] = ()
    allow_reviewer_host: tuple[str, ...] = ()


LOCALLY: Final = Manner()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of it.

    Attributes:
        outcomes: All runs of each agent; fewer agents when one could not be run.
        reports: The reports of all runs.
        refused: Why an agent could not be run.
        interrupted: Exit code of the signal that cut it off; None when it was not.
    """

    outcomes: tuple[Outcome, ...] = ()
    reports: tuple[RunReport, ...] = ()
    refused: tuple[Refused, ...] = ()
    interrupted: int | None = None


def try_agents(subject: Subject, asked: Asked, manner: Manner, environ: Mapping[str, str], notify: Notify) -> Tried:
    """Run nop, the reference solution where there is one, and the adversary.

    Args:
        subject: On what.
        asked: Where evidence goes, and which scenarios no agent may see.
        manner: How.
        environ: The operator's variables.
        notify: Gets one line when an agent is through.

    Raises:
        Interrupted: Before the first run of one of them began.
    """
    tried = Tried()
    for agent in (NOP, ORACLE, ADVERSARY):
        if agent == ORACLE and not subject.reference:
            continue
        notify(f"{subject.scenario_id}: {agent} started")
        trials: list[Trial] = []
        for outcome in _runs(_request(subject, agent, asked, manner), manner, environ):
            tried = replace(
                tried, reports=(*tried.reports, *outcome.runs), refused=(*tried.refused, *map(_worded, outcome.refused))
            )
            trials += map(trial_of, outcome.runs)
            cut = next((report.interrupted for report in outcome.runs if report.interrupted is not None), None)
            if cut is not None or tried.refused:
                return replace(tried, interrupted=cut)
        notify(f"{subject.scenario_id}: {agent} {_came_to(trials)}")
        tried = replace(tried, outcomes=(*tried.outcomes, Outcome(agent, tuple(trials))))
    return tried


def _request(subject: Subject, agent: str, asked: Asked, manner: Manner) -> RunRequest:
    command, reviewer = _command(agent), manner.reviewer
    through_harbor = HarborOptions(
        agent=command,
        reviewer=reviewer,
        reviewer_env=manner.reviewer_env,
        allow_reviewer_host=manner.allow_reviewer_host,
        harbor_env=manner.harbor_env,
        runs=manner.repeat,
    )
    return RunRequest(
        packages=(subject.place,),
        scenario_dir=asked.scenario_dir,
        out=asked.out,
        options=Options(
            agent=command, reviewer=reviewer, use_host_tools=manner.use_host_tools, reviewer_env=manner.reviewer_env
        ),
        harbor=through_harbor if manner.backend == HARBOR else None,
    )


def _runs(request: RunRequest, manner: Manner, environ: Mapping[str, str]) -> Iterator[RunOutcome]:
    """As many runs as asked: one after another here, in one job through Harbor."""
    for _ in range(manner.repeat if request.harbor is None else 1):
        yield run(request, environ, lambda _: None)


def _command(agent: str) -> str:
    return shlex.quote(str(data_folder("templates") / "prove" / "adversary.sh")) if agent == ADVERSARY else agent


def _came_to(trials: list[Trial]) -> str:
    scores = " ".join("none" if trial.score is None else str(trial.score) for trial in trials)
    return f"scored {scores} ({duration(round(sum(trial.seconds for trial in trials) * 1000))})"


# What `run` suggests and this command has no option for: the adversary belongs into a sandbox.
_HINTS: Final[Mapping[str, str]] = {"sandbox_unavailable": "--backend harbor, where containers keep the agents apart"}


def _worded(refused: Refused) -> Refused:
    hint = _HINTS.get(refused.code)
    return refused if hint is None else replace(refused, hint=f"{refused.hint.partition('; or use')[0]}; or {hint}")
