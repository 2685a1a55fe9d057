"""Everything about a run that can be known before its agent starts: whether it may, and with what."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from generator.execute.agent import ORACLE, Agent, Search, find_agent
from generator.execute.agentfile import CONTINUITY
from generator.execute.agentpath import agent_folders
from generator.execute.refusal import Blame, Refused, granted
from generator.execute.reviewers import find_reviewer
from generator.execute.room import room_folder
from generator.execute.settings import REVIEWER_ENV, UNCONFINED, RunSettings
from generator.execute.taskpackage import TaskPackage
from generator.execute.view import SYSTEM_PATH, Bind, is_below, overlaps
from generator.runtime.launch import ReviewerCommand


class Preparation(NamedTuple):
    """A run that may start.

    Attributes:
        agent: Who works.
        folders: What `--agent-path` shows.
        guarded: Paths of this machine that nobody inside may see.
        warnings: What weakens the run.
    """

    agent: Agent
    folders: tuple[Bind, ...]
    guarded: tuple[str, ...]
    warnings: tuple[str, ...]


def choose_reviewer(package: TaskPackage, settings: RunSettings) -> ReviewerCommand | Refused | None:
    """Who judges the work; None where checks alone decide."""
    theirs = settings.reviewer or settings.environment_reviewer
    return find_reviewer(package.evaluation, theirs, settings.reviewer_env)


def reviewer_notes(
    package: TaskPackage, reviewer: ReviewerCommand | None, given: Mapping[str, str], option: str | None
) -> Iterator[str]:
    """What an operator should know of a reviewer and its variables.

    A package's author names what its reviewer would like to have; only the operator can give it.

    Args:
        package: What is reviewed.
        reviewer: Who is asked; None where checks alone decide.
        given: Variables of `--reviewer-env`.
        option: What `--reviewer` was given.
    """
    if reviewer is None:
        named = ["--reviewer"] if option is not None else []  # the command's words may hold a token
        for text in (*named, *(f"{REVIEWER_ENV} {name}" for name in given)):
            yield f"{text} has no effect: checks alone decide, and no reviewer is asked"
    elif not reviewer.trusted:
        wanted = package.evaluation.reviewer_env
        for name in wanted:
            if name not in given:
                yield f"the package's reviewer asks for the variable {name}; pass it with {REVIEWER_ENV} {name}"
        for name in given:
            if name not in wanted:
                yield f"{REVIEWER_ENV} {name} has no effect: the package's reviewer does not declare that variable"


def check_package(package: TaskPackage, settings: RunSettings) -> Refused | None:
    """Why this package cannot be run or reviewed here with these settings; None when it can."""
    options = settings.options
    if package.machine and not options.use_host_tools:
        needs = "; ".join(package.machine)
        message = f"{package.scenario_id} needs a container: {needs}"
        hint = "run it with Harbor, or add --use-host-tools when this machine has what it needs (recorded)"
        return Refused("container_needed", message, hint, Blame.MACHINE)
    reviewer = choose_reviewer(package, settings)
    if isinstance(reviewer, Refused):
        return reviewer
    if settings.sandbox is None and not options.allow_unsandboxed_pack_code:
        code = _pack_code(package, settings, reviewer)
        if code:
            message = f"{package.scenario_id}: {code} would run with your rights: --isolation none"
            return Refused("pack_code_unconfined", message, f"add {UNCONFINED} when you trust the package")
    return None


def _pack_code(package: TaskPackage, settings: RunSettings, reviewer: ReviewerCommand | None) -> str:
    """Which code of the package's author a run starts; empty when none."""
    if settings.options.agent == ORACLE:
        return "the reference solution"
    if package.evaluation.checks:
        return "the package's checks"
    return "the package's reviewer" if reviewer is not None and not reviewer.trusted else ""


def prepare(package: TaskPackage, settings: RunSettings, copies: Path) -> Preparation | Refused:
    """Find the agent and what it is shown. Its own files are copied into `copies`."""
    workdir = package.evaluation.workdir
    guarded = (*settings.guarded, os.path.realpath(package.directory))
    folders = agent_folders(settings.options.agent_path, guarded, workdir)
    if isinstance(folders, Refused):
        return folders
    search = Search(folders, settings.agent_env.get("PATH", SYSTEM_PATH))
    confined = settings.sandbox is not None
    agent = find_agent(settings.options.agent, search, copies, confined=confined)
    if isinstance(agent, Refused):
        return agent
    if confined and (leak := agent_leak(agent, copies, guarded) or _shows_rooms((*agent.binds, *_shown(folders)))):
        return leak
    agent = _with_solution(replace(agent, known_as=settings.options.known_as), package)
    if isinstance(agent, Refused):
        return agent
    return Preparation(
        agent=agent,
        folders=_shown(folders),
        guarded=(*settings.hidden, os.path.realpath(package.directory)),
        warnings=tuple(_warnings(agent, package, settings)),
    )


def agent_leak(agent: Agent, copies: Path, guarded: tuple[str, ...]) -> Refused | None:
    """The refusal when the agent's own folder holds, or lies in, what it must not see.

    Args:
        agent: Who works.
        copies: Where files of the agent were copied to; it may hold and lie in anything.
        guarded: Absolute real paths that no agent may see.
    """
    for bind in agent.binds:
        source = os.path.realpath(bind.source)
        for place in guarded:
            if source != os.path.realpath(copies) and overlaps(source, place):
                message = f"--agent {bind.source} would show the agent {place}, which only the reviewer may see"
                return Refused("agent_path_leaks", message, "keep the agent in a folder of its own")
    return None


def _shown(folders: tuple[str, ...]) -> tuple[Bind, ...]:
    return tuple(Bind(folder, folder) for folder in folders)


def _shows_rooms(binds: tuple[Bind, ...]) -> Refused | None:
    """The refusal of a folder that holds the directory for temporary files, where each run keeps its answers."""
    place = os.path.realpath(room_folder())
    for bind in binds:
        if is_below(place, os.path.realpath(bind.source)):
            message = f"{bind.source} would show the agent {place}, where runs keep what only the reviewer may see"
            return Refused("agent_path_leaks", message, "set TMPDIR to a directory outside of it")
    return None


def _with_solution(agent: Agent, package: TaskPackage) -> Agent | Refused:
    """The oracle with the package's solution; any other agent as it is."""
    if agent.built_in != ORACLE:
        return agent
    folder = package.directory / "solution"
    if not (folder / "reference").is_dir():
        message = f"{package.scenario_id} ships no reference solution for the oracle to apply"
        return Refused("solution_missing", message, "another --agent", Blame.PACKAGE)
    return replace(agent, plain_argv=("/bin/bash", str(folder / "solve.sh")))


def names_given(package: TaskPackage, settings: RunSettings) -> tuple[str, ...]:
    """Names of the variables that `--reviewer-env` gave to whoever judges."""
    reviewer = granted(choose_reviewer(package, settings))
    return () if reviewer is None else tuple(sorted(settings.reviewer_env.keys() & reviewer.env.keys()))


def review_warnings(package: TaskPackage, settings: RunSettings) -> Iterator[str]:
    """What weakens the review of a package that `check_package` let pass."""
    reviewer = granted(choose_reviewer(package, settings))
    yield from reviewer_notes(package, reviewer, settings.reviewer_env, settings.options.reviewer)


def agent_warnings(agent: Agent, package: TaskPackage) -> Iterator[str]:
    """What an agent states about itself that does not fit the package, wherever it works."""
    about = agent.about
    yield from about.warnings
    yield from agent.notes
    if agent.built_in is None:
        wanted = package.continuity
        if wanted in CONTINUITY and CONTINUITY.index(about.continuity) < CONTINUITY.index(wanted):
            yield f"the scenario asks for continuity {wanted}; the agent states {about.continuity}"
        missing = [tool for tool in package.tools if about.tools and tool not in about.tools]
        if missing:
            yield f"the scenario asks for the tools {', '.join(missing)}, which the agent does not state"


def _warnings(agent: Agent, package: TaskPackage, settings: RunSettings) -> Iterator[str]:
    yield from review_warnings(package, settings)
    about = agent.about
    yield from agent_warnings(agent, package)
    if package.network and settings.allowed_hosts:
        yield "the scenario gives the agent the network, so --allow-agent-host restricts nothing"
    for name in about.env:
        if name not in settings.agent_env:
            yield f"the agent asks for the variable {name}; pass it with --agent-env {name}"
    if settings.sandbox is not None and not package.network:
        allowed = {host.name for host in settings.allowed_hosts}
        for host in about.hosts:
            if host.partition(":")[0].lower() not in allowed:
                yield f"the agent talks to {host}; allow it with --allow-agent-host {host}"
