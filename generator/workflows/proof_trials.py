"""Have the agents of a proof work on a package: each as often as asked, through the same `run` as any other agent."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from generator.execute.notify import Notify
from generator.execute.refusal import Refused
from generator.execute.report import RunReport, duration
from generator.execute.settings import Options
from generator.harbor.settings import HarborOptions
from generator.workflows.proof import ADVERSARY, NOP, ORACLE, Outcome, adversary_file, counted, scores_text
from generator.workflows.proof_evidence import trial_of
from generator.workflows.proof_subjects import Subject
from generator.workflows.run import RunRequest, run
from generator.workflows.targets import Choice

LOCAL, HARBOR = "local", "harbor"
# What a reviewer is told every agent is called, so that no name tells it which work to pass. Harbor's own oracle and
# nop leave no record of their turns, which a reviewer is told of as this, too.
UNTOLD: Final = "unknown"


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


def try_agents(subject: Subject, choice: Choice, manner: Manner, environ: Mapping[str, str], notify: Notify) -> Tried:
    """Run nop, the reference solution where there is one, and the adversary.

    Args:
        subject: On what.
        choice: Where evidence goes, and which scenarios no agent may see.
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
        outcome = run(_request(subject, agent, choice, manner), environ, lambda _: None)
        tried = replace(tried, reports=(*tried.reports, *outcome.runs), refused=tuple(map(_worded, outcome.refused)))
        if outcome.interrupted is not None or tried.refused:
            return replace(tried, interrupted=outcome.interrupted)
        trials = tuple(counted(agent, trial_of(one), one.stopped_reason) for one in outcome.runs)
        took = duration(round(sum(trial.seconds for trial in trials) * 1000))
        notify(f"{subject.scenario_id}: {agent} scored {scores_text(trials)} ({took})")
        tried = replace(tried, outcomes=(*tried.outcomes, Outcome(agent, trials)))
    return tried


def _request(subject: Subject, agent: str, choice: Choice, manner: Manner) -> RunRequest:
    command = _command(agent)
    return RunRequest(
        packages=(subject.place,),
        scenario_dir=choice.scenario_dir,
        out=choice.out,
        options=Options(
            agent=command,
            known_as=UNTOLD,
            reviewer=manner.reviewer,
            use_host_tools=manner.use_host_tools,
            reviewer_env=manner.reviewer_env,
        ),
        runs=manner.repeat,
        harbor=harbor_options(manner, command) if manner.backend == HARBOR else None,
    )


def harbor_options(manner: Manner, agent: str) -> HarborOptions:
    """How an agent is run through Harbor."""
    return HarborOptions(
        agent=agent,
        known_as=UNTOLD,
        reviewer=manner.reviewer,
        reviewer_env=manner.reviewer_env,
        allow_reviewer_host=manner.allow_reviewer_host,
        harbor_env=manner.harbor_env,
        runs=manner.repeat,
    )


def _command(agent: str) -> str:
    return shlex.quote(str(adversary_file())) if agent == ADVERSARY else agent


# What `run` suggests and this command has no option for: the adversary belongs into a sandbox.
_HINTS: Final[Mapping[str, str]] = {"sandbox_unavailable": "--backend harbor, where containers keep the agents apart"}


def _worded(refused: Refused) -> Refused:
    hint = _HINTS.get(refused.code)
    return refused if hint is None else replace(refused, hint=f"{refused.hint.partition('; or use')[0]}; or {hint}")
