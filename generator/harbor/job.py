"""A Harbor job as the file that `harbor run -c` reads: names of variables and digests of commands, never texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from generator.harbor.assignment import PREFIX
from generator.harbor.commands import digest

COMMAND_AGENT: Final = "generator.harbor.agent:CommandAgent"
OPERATOR_VERIFIER: Final = "generator.harbor.verifier:OperatorVerifier"
SUPERVISOR_ERROR: Final = "SupervisorError"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChoice:
    """Who works: one of Harbor's agents by name (or `module:Class`), or a command.

    Attributes:
        command: The command; None for one of Harbor's.
        known_as: What the command and a reviewer are told it is called; empty for its own name.
        name: Harbor's name of the agent.
        model: Model for one of Harbor's agents.
        iterations: Most turns of a command; None for the scenario's own number.
        turn_seconds: Bound of a turn of a command.
        protocol: How a command's last line is read.
        env_names: Variables it is given.
        hosts: Hosts it may reach.
    """

    command: str | None = None
    known_as: str = ""
    name: str = ""
    model: str | None = None
    iterations: int | None = None
    turn_seconds: float = 0.0
    protocol: str = ""
    env_names: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerChoice:
    """What the review is given beside the package; see `verifier.OperatorVerifier`."""

    command: str = ""
    source: str = ""
    shell: bool = False
    env_names: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job.

    Attributes:
        name: Its name, which is its directory's.
        jobs: Directory of jobs.
        packages: Package directories, absolute.
        runs: How often each is run.
        concurrency: Trials at the same time.
        environment: Harbor's word for where containers run, or `module:Class`.
        agent: Who works.
        reviewer: What the review is given.
    """

    name: str
    jobs: Path
    packages: tuple[Path, ...]
    runs: int
    concurrency: int
    environment: str
    agent: AgentChoice
    reviewer: ReviewerChoice

    @property
    def directory(self) -> Path:
        """Where Harbor records it."""
        return self.jobs / self.name


def job_config(job: Job) -> dict[str, Any]:
    """The configuration."""
    verifier: dict[str, Any] = {
        "import_path": OPERATOR_VERIFIER,
        "kwargs": {
            "reviewer_sha256": digest(job.reviewer.command),
            "source": job.reviewer.source,
            "shell": job.reviewer.shell,
            "env_names": ",".join(job.reviewer.env_names),
        },
    }
    if job.reviewer.hosts:
        verifier["extra_allowed_hosts"] = list(job.reviewer.hosts)
    return {
        "job_name": job.name,
        "jobs_dir": str(job.jobs),
        "n_attempts": job.runs,
        "n_concurrent_trials": job.concurrency,
        "quiet": True,
        # Harbor would take the work of an agent that its container failed for the agent's own.
        "override_error_policy": {SUPERVISOR_ERROR: {"should_grade": False, "has_valid_reward": False}},
        "environment": _named(job.environment, "type"),
        "agents": [_agent(job.agent)],
        "verifier": verifier,
        "tasks": [{"path": str(package)} for package in job.packages],
    }


def _agent(choice: AgentChoice) -> dict[str, Any]:
    made: dict[str, Any]
    if choice.command is None:
        made = _named(choice.name, "name")
        if choice.model is not None:
            made["model_name"] = choice.model
        if choice.env_names:
            made["env"] = {name: f"${{{PREFIX}{name}}}" for name in choice.env_names}
    else:
        made = {"import_path": COMMAND_AGENT, "kwargs": _options(choice, choice.command)}
    if choice.hosts:
        made["extra_allowed_hosts"] = list(choice.hosts)
    return made


def _options(choice: AgentChoice, command: str) -> Mapping[str, Any]:
    options = {
        "command_sha256": digest(command),
        "known_as": choice.known_as or None,
        "iterations": choice.iterations,
        "turn_timeout": choice.turn_seconds,
        "protocol": choice.protocol,
        "env_names": ",".join(choice.env_names),
    }
    return {name: value for name, value in options.items() if value is not None}


def _named(text: str, key: str) -> dict[str, Any]:
    """A choice of Harbor's by its name, or anybody's by where its class is."""
    return {"import_path": text} if ":" in text else {key: text}
