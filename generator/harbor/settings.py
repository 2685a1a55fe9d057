"""What an operator asked of a run through Harbor, understood and checked before Harbor is started."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from generator.execute.agent import BUILT_IN, Agent, built_in, find_agent_for_image
from generator.execute.agentenv import agent_variables
from generator.execute.hosts import parse_allowed_host
from generator.execute.refusal import Refused, granted
from generator.execute.reviewers import configured_fixture, find_reviewer, not_found
from generator.execute.settings import PROTOCOL, REVIEWER_ENV, turn_limit
from generator.execute.taskpackage import TaskPackage
from generator.harbor.job import AgentChoice, ReviewerChoice
from generator.harbor.reviewer import ship
from generator.runtime.launch import ReviewerCommand
from generator.runtime.loop import JSON_FINAL_LINE
from generator.runtime.operators import ENVIRONMENT, OPTION
from generator.runtime.reviewers import COMMAND, SHELL, is_true

_JOB_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class HarborOptions:
    """Options as typed; every one has the name of its command-line option, but for `known_as` (see `Agent`)."""

    agent: str | None = None
    known_as: str = ""
    harbor_agent: str | None = None
    model: str | None = None
    agent_env: tuple[str, ...] = ()
    allow_agent_host: tuple[str, ...] = ()
    iterations: int | None = None
    reviewer: str | None = None
    reviewer_env: tuple[str, ...] = ()
    allow_reviewer_host: tuple[str, ...] = ()
    harbor_env: str = "docker"
    concurrency: int = 1
    runs: int = 1
    job: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HarborSettings:
    """The same, understood.

    Attributes:
        options: What was typed.
        agent: The command that works; None for one of Harbor's agents.
        choice: Who works, as the job says it.
        review: What the review is given, as the job says it.
        reviewer: The operator's reviewer; None without one.
        agent_env: Variables for the agent, with their values.
        review_env: Variables for the review, with their values.
        environ: The operator's variables.
    """

    options: HarborOptions
    agent: Agent | None
    choice: AgentChoice
    review: ReviewerChoice
    reviewer: ReviewerCommand | None = field(repr=False)
    agent_env: Mapping[str, str] = field(repr=False)
    review_env: Mapping[str, str] = field(repr=False)
    environ: Mapping[str, str] = field(repr=False)


def understand(options: HarborOptions, copies: Path, environ: Mapping[str, str]) -> HarborSettings | Refused:
    """Check everything about the command that does not depend on a package; `copies` is a place for copies."""
    agent = _agent(options, copies)
    env = agent_variables(options.agent_env, environ)
    review_env = agent_variables(options.reviewer_env, environ, REVIEWER_ENV)
    agent_hosts, review_hosts = _hosts(options.allow_agent_host), _hosts(options.allow_reviewer_host)
    seconds = turn_limit(environ)
    reviewer = operators_reviewer(options, environ)
    for value in (configured_fixture(environ), _usage(options), agent, env, review_env, agent_hosts, review_hosts):
        if isinstance(value, Refused):
            return value
    if isinstance(seconds, Refused):
        return seconds
    if isinstance(reviewer, Refused):
        return reviewer
    found = granted(agent)
    command, source, shell = _review_command(options, environ)
    return HarborSettings(
        options=options,
        agent=found,
        choice=AgentChoice(
            command=options.agent if found is not None and found.built_in is None else None,
            known_as=options.known_as,
            name=options.harbor_agent or options.agent or "",
            model=options.model,
            iterations=options.iterations,
            turn_seconds=seconds,
            protocol=environ.get(PROTOCOL, JSON_FINAL_LINE),
            env_names=tuple(sorted(granted(env))),
            hosts=granted(agent_hosts),
        ),
        review=ReviewerChoice(
            command=command,
            source=source,
            shell=shell,
            env_names=tuple(sorted(granted(review_env))),
            hosts=granted(review_hosts),
        ),
        reviewer=reviewer,
        agent_env=granted(env),
        review_env=granted(review_env),
        environ=environ,
    )


def choose_reviewer(package: TaskPackage, settings: HarborSettings) -> ReviewerCommand | Refused | None:
    """Who judges the work; None where checks alone decide."""
    return find_reviewer(package.evaluation, settings.reviewer, settings.review_env)


def _usage(options: HarborOptions) -> Refused | None:
    if (options.agent is None) == (options.harbor_agent is None):
        message = "--backend harbor takes one of --agent and --harbor-agent"
        return Refused("harbor_option_mismatch", message, "--agent COMMAND, or --harbor-agent NAME --model MODEL")
    if options.model is not None and options.harbor_agent is None:
        message = "--model is for --harbor-agent: a command knows its model itself"
        return Refused("harbor_option_mismatch", message, "leave --model out, or name one of Harbor's agents")
    if options.job is not None and not _JOB_NAME.fullmatch(options.job):
        message = f"--job {options.job!r} is no name of a directory"
        return Refused("harbor_option_mismatch", message, "letters, digits, dots, dashes and underscores")
    return None


def _agent(options: HarborOptions, copies: Path) -> Agent | Refused | None:
    if options.agent is None:
        return None
    found = built_in(options.agent) if options.agent in BUILT_IN else find_agent_for_image(options.agent, copies)
    return found if isinstance(found, Refused) else replace(found, known_as=options.known_as)


def _hosts(given: tuple[str, ...]) -> tuple[str, ...] | Refused:
    """Names of hosts: Harbor opens a host on every port."""
    found = []
    for text in given:
        host = parse_allowed_host(text)
        if isinstance(host, Refused):
            return host
        found.append(host.name)
    return tuple(found)


def _review_command(options: HarborOptions, environ: Mapping[str, str]) -> tuple[str, str, bool]:
    """The operator's reviewer as typed, where it came from, and whether a shell reads it."""
    if options.reviewer is not None:
        return options.reviewer, OPTION, False
    return environ.get(COMMAND, "").strip(), ENVIRONMENT, is_true(environ.get(SHELL))


def operators_reviewer(options: HarborOptions, environ: Mapping[str, str]) -> ReviewerCommand | Refused | None:
    """The reviewer of `--reviewer`, else of `RUHROH_EVAL_COMMAND`; only its image has to have its program."""
    command, source, shell = _review_command(options, environ)
    if not command and source == ENVIRONMENT:
        return None
    try:
        shipment = ship(command, source=source, shell=shell)
    except ValueError as error:
        return Refused("reviewer_command_invalid", str(error), "the path of a program, or a program and its arguments")
    program = shipment.stated["argv"][0]
    travels = any(there == program for _, there in shipment.files)
    if program.startswith("/") and not (shell or travels or Path(program).is_file()):
        return not_found(program)
    return ReviewerCommand(tuple(shipment.stated["argv"]), source, shipment.stated["sha256"], trusted=True)
