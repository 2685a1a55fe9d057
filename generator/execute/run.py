"""One run: an agent works on a package, its work is reviewed, and everything that happened is kept."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from generator.execute.agent import ORACLE
from generator.execute.agentenv import base_variables
from generator.execute.clock import Clock
from generator.execute.evidence import new_run_directory
from generator.execute.interrupt import Interrupted, uninterrupted
from generator.execute.notify import Notify
from generator.execute.preparation import Preparation, prepare
from generator.execute.refusal import Blame, Refused
from generator.execute.room import Room, open_room
from generator.execute.settings import RunSettings
from generator.execute.story import Story, most_turns
from generator.execute.taskpackage import TaskPackage, changed_copy
from generator.execute.turns import Assignment, Turns
from generator.execute.view import Bind, home_of
from generator.execute.workspace import make_workspace
from generator.runtime.interrupts import HeldBack
from generator.runtime.loop import CANCELLED
from generator.runtime.redact import secrets_among
from generator.runtime.trees import clone_tree, create_directory

if TYPE_CHECKING:
    from generator.execute.proxy import AgentProxy
    from generator.execute.report import RunReport


def run_package(
    package: TaskPackage, settings: RunSettings, notify: Notify, begun: Callable[[Path], None] = lambda _: None
) -> RunReport | Refused:
    """Run and review one package that `check_package` let pass.

    Whatever goes wrong once the run directory exists is part of the report: an interruption, a full disk, an agent or
    reviewer that misbehaves. `notify` gets one line for everything that takes time, and `begun` the run directory once
    there is one.

    Raises:
        Interrupted: Before there was a run directory.
    """
    report: RunReport | None = None
    try:
        with open_room() as room:
            preparation = prepare(package, settings, room.agent)
            if isinstance(preparation, Refused):
                return preparation
            refused = _copied(package, room) or make_workspace(
                room, package.evaluation.workdir, settings.sandbox, git=package.evaluation.git
            )
            if refused is not None:
                return refused
            report = _run(package, settings, preparation, room, notify, begun)
    except Interrupted as interruption:
        if report is None:
            raise
        return replace(report, interrupted=interruption.exit_code)
    except OSError as error:
        if report is not None:
            return replace(report, warnings=(*report.warnings, f"the run left something behind: {error}"))
        hint = "--out and TMPDIR: directories with room, in which you may write"
        return Refused("run_not_possible", f"the run could not be set up: {error}", hint, Blame.MACHINE)
    return report


def _copied(package: TaskPackage, room: Room) -> Refused | None:
    """Copy what the run uses of a package, and say when that is no longer what was verified.

    Raises:
        OSError: The disk is full or the package cannot be read.
    """
    copies = {"tests": room.tests, "solution": room.solution, "environment/workspace": room.workspace}
    for folder, copy in copies.items():
        if (package.directory / folder).is_dir():
            clone_tree(str(package.directory / folder), str(copy))
        else:
            create_directory(str(copy))
        if (changed := changed_copy(package, folder, copy)) is not None:
            return changed
    return None


def _run(
    package: TaskPackage,
    settings: RunSettings,
    preparation: Preparation,
    room: Room,
    notify: Notify,
    begun: Callable[[Path], None],
) -> RunReport:
    proxy = _proxy(package, settings, room)
    assignment = _assignment(package, settings, preparation, room, proxied=proxy is not None)
    directory = new_run_directory(settings.out, package.scenario_id)
    begun(directory.path)
    turns = Turns(assignment, room, directory.transcripts, settings.sandbox, on_start=_load_ending)
    story = Story(package, settings, preparation, directory, Clock(), turns.progress, proxy=proxy)
    with _catching(story):
        for warning in preparation.warnings:
            notify(f"warning: {warning}")
        with proxy or contextlib.nullcontext():
            turns.work(notify, directory.append_iteration)
    with _catching(story), HeldBack():
        story.notes += directory.keep_agent_files(room.state, secrets_among(settings.agent_env))
    if story.failure is None:
        with _catching(story):
            from generator.execute.ending import review

            story.judgement = review(story, room, notify)
    with uninterrupted() as concluded:
        from generator.execute.ending import finish

        report = finish(story)
    return report if concluded.by is None else replace(report, interrupted=concluded.by.exit_code)


def _load_ending(_process: int) -> None:
    """Import what comes after the agent while the agent works: nobody waits for it then."""
    import generator.execute.ending  # noqa: F401


@contextlib.contextmanager
def _catching(story: Story) -> Iterator[None]:
    """Turn what ends a run early into part of its story; what happened first is told."""
    try:
        yield
    except Interrupted as interruption:
        story.interrupted = story.interrupted or interruption
        story.failure = story.failure or f"interrupted by {interruption}"
        story.progress.stopped_reason = story.progress.stopped_reason or CANCELLED
    except OSError as error:
        story.failure = story.failure or f"this machine could not carry out the run: {error}"
        story.progress.stopped_reason = story.progress.stopped_reason or "infra_failure"


def _proxy(package: TaskPackage, settings: RunSettings, room: Room) -> AgentProxy | None:
    if package.network or settings.sandbox is None or not settings.allowed_hosts:
        return None
    from generator.execute.proxy import AgentProxy

    return AgentProxy(room.proxy, settings.allowed_hosts)


def _assignment(
    package: TaskPackage, settings: RunSettings, preparation: Preparation, room: Room, *, proxied: bool
) -> Assignment:
    agent, evaluation = preparation.agent, package.evaluation
    binds = (*agent.binds, *preparation.folders)
    if agent.built_in == ORACLE:
        binds = (*binds, Bind(str(room.solution), "/solution"))
    env: dict[str, str] = dict(base_variables(home_of(package.user), package.user))
    wrap: Callable[[tuple[str, ...]], tuple[str, ...]] = tuple
    if proxied:
        from generator.execute.doorway import doorway_binds, doorway_env, through_doorway

        binds = (*binds, *doorway_binds(room.proxy, settings.environ))
        env, wrap = {**env, **doorway_env(settings.environ)}, through_doorway
    elif package.network:
        from generator.execute.networking import network_access

        access = network_access(settings.environ)
        binds, env = (*binds, *access.binds), {**env, **access.env}
    if settings.sandbox is None:
        env["PATH"] = settings.environ.get("PATH", env["PATH"])
    return Assignment(
        scenario_id=package.scenario_id,
        prompt=evaluation.user_prompt,
        promise=evaluation.completion_promise,
        agent=agent,
        workdir=evaluation.workdir,
        user=package.user,
        env={**env, **settings.agent_env},
        binds=binds,
        network=package.network,
        hidden=preparation.guarded,
        wrap=wrap,
        secrets=secrets_among(settings.agent_env),
        max_turns=most_turns(package, settings, preparation),
        seconds=package.timeout_seconds,
        turn_seconds=settings.turn_seconds,
        protocol=settings.protocol,
    )
