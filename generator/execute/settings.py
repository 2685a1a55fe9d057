"""What an operator asked of a run, understood and checked before anything is started."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from generator.execute.agentenv import agent_variables
from generator.execute.refusal import Blame, Refused, granted
from generator.execute.reviewers import configured_fixture, environments_reviewer, operators_reviewer
from generator.execute.sandbox import NoSandbox, Sandbox, probe
from generator.package.output import Output
from generator.runtime.handover import MAX_BYTES, HandoverLimits
from generator.runtime.launch import ReviewerCommand
from generator.runtime.loop import JSON_FINAL_LINE

if TYPE_CHECKING:
    from generator.execute.hosts import AllowedHost

TURN_SECONDS: Final = 1200.0  # the published default
TURN_LIMIT: Final = "RUHROH_ITERATION_TIMEOUT_SEC"
PROTOCOL: Final = "RUHROH_RUN_AGENT_COMPLETION_PROTOCOL"
REVIEWER_ENV: Final = "--reviewer-env"
UNCONFINED: Final = "--allow-unsandboxed-pack-code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options as typed; every one has the name of its command-line option, but for `known_as` (see `Agent`)."""

    agent: str = "nop"
    known_as: str = ""
    agent_path: tuple[str, ...] = ()
    agent_env: tuple[str, ...] = ()
    allow_agent_host: tuple[str, ...] = ()
    reviewer: str | None = None
    reviewer_env: tuple[str, ...] = ()
    iterations: int | None = None
    isolation: str = "bubblewrap"
    allow_unsandboxed_pack_code: bool = False
    use_host_tools: bool = False
    max_workspace_bytes: int = MAX_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The same, understood.

    Attributes:
        options: What was typed.
        out: Output directory.
        guarded: Absolute real paths that no agent may see: scenarios, packages, runs.
        hidden: Absolute real paths that appear empty inside where a shown folder holds them.
        sandbox: How programs are confined; None with `--isolation none`.
        agent_env: Variables for the agent, with their values.
        allowed_hosts: Hosts the agent may reach.
        reviewer_env: Variables for the reviewer, with their values.
        reviewer: The operator's reviewer; None when `--reviewer` was not given.
        environment_reviewer: The reviewer that the environment names.
        turn_seconds: Bound of one turn.
        protocol: How an agent's last line is read.
        limits: What a finished workspace may hold.
        environ: The operator's variables.
    """

    options: Options
    out: Path
    guarded: tuple[str, ...]
    hidden: tuple[str, ...]
    sandbox: Sandbox | None
    agent_env: Mapping[str, str] = field(repr=False)
    allowed_hosts: tuple[AllowedHost, ...]
    reviewer_env: Mapping[str, str] = field(repr=False)
    reviewer: ReviewerCommand | None = field(repr=False)
    environment_reviewer: ReviewerCommand | None = field(repr=False)
    turn_seconds: float
    protocol: str
    limits: HandoverLimits
    environ: Mapping[str, str] = field(repr=False)


def understand(
    options: Options, out: Path, guarded: tuple[Path, ...], bundled: tuple[Path, ...], environ: Mapping[str, str]
) -> RunSettings | Refused:
    """Check everything about the command that does not depend on a package.

    Args:
        options: What was typed.
        out: Output directory.
        guarded: Scenario directories and whatever else no agent may see.
        bundled: Our own data with answers in it; it may lie in a folder that an agent needs, and is hidden there.
        environ: The operator's variables.
    """
    env = agent_variables(options.agent_env, environ)
    hosts = _hosts(options.allow_agent_host)
    reviewer_env = agent_variables(options.reviewer_env, environ, REVIEWER_ENV)
    given = {} if isinstance(reviewer_env, Refused) else reviewer_env
    reviewer = operators_reviewer(options.reviewer, environ, given)
    fallback = environments_reviewer(environ, given)
    turn_seconds = turn_limit(environ)
    sandbox = _sandbox(options)
    refused = configured_fixture(environ)
    for value in (_unusable(out), refused, env, hosts, reviewer_env, reviewer, fallback, turn_seconds, sandbox):
        if isinstance(value, Refused):
            return value
    own = tuple(os.path.realpath(path) for path in bundled)
    hidden = (*own, *guarded_paths(out, guarded))
    return RunSettings(
        options=options,
        out=out,
        guarded=tuple(path for path in hidden if path not in own),
        hidden=hidden,
        sandbox=granted(sandbox),
        agent_env=granted(env),
        allowed_hosts=granted(hosts),
        reviewer_env=granted(reviewer_env),
        reviewer=granted(reviewer),
        environment_reviewer=granted(fallback),
        turn_seconds=granted(turn_seconds),
        protocol=environ.get(PROTOCOL, JSON_FINAL_LINE),
        limits=HandoverLimits(max_bytes=options.max_workspace_bytes),
        environ=environ,
    )


def guarded_paths(out: Path, guarded: tuple[Path, ...]) -> tuple[str, ...]:
    """Absolute real paths that no agent may see: `guarded`, and the runs and packages in the output directory."""
    return tuple(os.path.realpath(path) for path in (*guarded, *_records(out / "runs"), out / "harbor"))


def _records(runs: Path) -> tuple[Path, ...]:
    """Where runs are recorded: the directory, and where links in it lead."""
    with contextlib.suppress(OSError):
        return (runs, *(path for path in runs.iterdir() if path.is_symlink()))
    return (runs,)


def _unusable(out: Path) -> Refused | None:
    problem = Output(out).problem(())
    return None if problem is None else Refused(problem.code, problem.message, problem.hint)


def _hosts(given: tuple[str, ...]) -> tuple[AllowedHost, ...] | Refused:
    if not given:
        return ()
    from generator.execute.doorway import missing_interpreter
    from generator.execute.hosts import parse_allowed_host

    found = []
    for text in given:
        host = parse_allowed_host(text)
        if isinstance(host, Refused):
            return host
        found.append(host)
    return missing_interpreter() or tuple(found)


def turn_limit(environ: Mapping[str, str]) -> float | Refused:
    """Seconds that one turn may take: as the environment says, else the published default."""
    text = environ.get(TURN_LIMIT, "").strip()
    try:
        seconds = float(text) if text else TURN_SECONDS
    except ValueError:
        seconds = 0.0
    if 0 < seconds < float("inf"):
        return seconds
    return Refused("turn_limit_invalid", f"{TURN_LIMIT}={text!r} is no number of seconds above 0", f"{TURN_LIMIT}=1200")


def _sandbox(options: Options) -> Sandbox | Refused | None:
    if options.isolation == "none":
        if options.allow_agent_host:
            message = "--allow-agent-host means nothing with --isolation none: the agent has the machine's network"
            return Refused("isolation_none_hosts", message, "leave one of the two out")
        return None
    found = probe()
    if isinstance(found, NoSandbox):
        hint = f"{found.mend}; or use --isolation none, which lets the agent do whatever you can do"
        return Refused("sandbox_unavailable", found.reason, hint, Blame.MACHINE)
    return found
