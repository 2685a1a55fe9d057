"""One run: an agent works on a package, its work is reviewed, and everything that happened is kept."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from generator.execute.agent import ORACLE
from generator.execute.agentenv import base_variables
from generator.execute.conclusion import conclude
from generator.execute.doorway import doorway_binds, doorway_env, through_doorway
from generator.execute.evidence import RunDirectory, new_run_directory
from generator.execute.interrupt import Interrupted, uninterrupted
from generator.execute.isolation import isolation
from generator.execute.judging import INFRA_FAILED, TOO_LARGE, Judgement, judge, no_verdict
from generator.execute.networking import network_access
from generator.execute.preparation import Preparation, choose_reviewer, names_given, prepare
from generator.execute.records import Clock, RunFacts
from generator.execute.refusal import Blame, Refused, granted
from generator.execute.report import RunReport
from generator.execute.room import Room, open_room
from generator.execute.settings import RunSettings
from generator.execute.taskpackage import TaskPackage, changed_copy
from generator.execute.turns import Assignment, Notify, Progress, Turns
from generator.execute.view import Bind, home_of
from generator.execute.workspace import make_workspace
from generator.runtime.evalinput import RunContext
from generator.runtime.handover import pack
from generator.runtime.interrupts import HeldBack
from generator.runtime.loop import CANCELLED
from generator.runtime.records import journey
from generator.runtime.redact import secrets_among
from generator.runtime.trees import clone_tree, create_directory

if TYPE_CHECKING:
    from generator.execute.proxy import AgentProxy


@dataclass(slots=True)
class _Story:
    """What has happened so far; read when the run is over, however it ended."""

    package: TaskPackage
    settings: RunSettings
    preparation: Preparation
    directory: RunDirectory
    clock: Clock
    progress: Progress
    judgement: Judgement | None = None
    proxy: AgentProxy | None = None
    interrupted: Interrupted | None = None
    failure: str | None = None
    notes: list[str] = field(default_factory=list)


def run_package(package: TaskPackage, settings: RunSettings, notify: Notify) -> RunReport | Refused:
    """Run and review one package that `check_package` let pass.

    Whatever goes wrong once the run directory exists is part of the report: an interruption, a full disk, an agent or
    reviewer that misbehaves. `notify` gets one line for everything that takes time.

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
            report = _run(package, settings, preparation, room, notify)
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
    package: TaskPackage, settings: RunSettings, preparation: Preparation, room: Room, notify: Notify
) -> RunReport:
    proxy = _proxy(package, settings, room)
    assignment = _assignment(package, settings, preparation, room, proxied=proxy is not None)
    directory = new_run_directory(settings.out, package.scenario_id)
    turns = Turns(assignment, room, directory.transcripts, settings.sandbox)
    story = _Story(package, settings, preparation, directory, Clock(), turns.progress, proxy=proxy)
    with _catching(story):
        for warning in preparation.warnings:
            notify(f"warning: {warning}")
        with proxy or contextlib.nullcontext():
            turns.work(notify, directory.append_iteration)
    with _catching(story), HeldBack():
        story.notes += directory.keep_agent_files(room.state, secrets_among(settings.agent_env))
    if story.failure is None:
        with _catching(story):
            story.judgement = _review(story, room, notify)
    with uninterrupted() as concluded:
        report = _conclude(story)
    return report if concluded.by is None else replace(report, interrupted=concluded.by.exit_code)


@contextlib.contextmanager
def _catching(story: _Story) -> Iterator[None]:
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
        binds = (*binds, *doorway_binds(room.proxy, settings.environ))
        env, wrap = {**env, **doorway_env(settings.environ)}, through_doorway
    elif package.network:
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
        max_turns=_max_turns(package, settings, preparation),
        seconds=package.timeout_seconds,
        turn_seconds=settings.turn_seconds,
        protocol=settings.protocol,
    )


def _max_turns(package: TaskPackage, settings: RunSettings, preparation: Preparation) -> int:
    if preparation.agent.built_in is not None:
        return 1  # a second turn of the same constant program would change nothing
    return settings.options.iterations or package.max_iterations


def _review(story: _Story, room: Room, notify: Notify) -> Judgement:
    """Hand the dead workspace over and have it judged."""
    archive = room.root / "handover.tar"
    packed = pack(str(room.workspace), str(archive), story.settings.limits)
    if packed.problem:
        return no_verdict(packed.problem, TOO_LARGE if packed.too_large else INFRA_FAILED)
    notify("review started")
    context = RunContext(
        run_id=story.directory.run_id,
        journey=_journey(story),
        transcripts=str(story.directory.transcripts),
        stopped_reason=story.progress.stopped_reason,
        iterations_used=len(story.progress.records),
        completed=story.progress.completed,
        left_out=packed.left_out,
    )
    return judge(
        story.package,
        story.settings,
        room=room,
        handover=str(archive),
        context=context,
        hidden=story.preparation.guarded,
        out=story.directory.path,
    )


def _journey(story: _Story) -> dict[str, Any]:
    agent = story.preparation.agent
    return journey(
        scenario_id=story.package.scenario_id,
        user_prompt=story.package.evaluation.user_prompt,
        stopped_reason=story.progress.stopped_reason,
        adapter_id=agent.id,
        continuity=agent.about.continuity,
        session=story.progress.session,
        workspace=story.package.evaluation.workdir,
        runs=story.progress.records,
    )


def _conclude(story: _Story) -> RunReport:
    """Write what is still missing, the result last, and say what the run came to."""
    directory, judgement = story.directory, story.judgement
    if judgement is None:
        assert story.failure is not None  # without a judgement something ended the run early
        judgement = no_verdict(story.failure, CANCELLED if story.interrupted else INFRA_FAILED)
    return conclude(
        _facts(story, judgement),
        judgement,
        directory,
        _journey(story),
        failure=story.failure,
        interrupted=story.interrupted,
    )


def _facts(story: _Story, judgement: Judgement) -> RunFacts:
    settings = story.settings
    traffic = None
    if story.proxy is not None:
        traffic = {
            "allowedHosts": [str(host) for host in settings.allowed_hosts],
            "connections": dict(story.proxy.traffic.allowed),
            "refused": dict(story.proxy.traffic.refused),
        }
    return RunFacts(
        run_id=story.directory.run_id,
        package=story.package,
        agent=story.preparation.agent,
        session=story.progress.session,
        turns=story.progress.records,
        stopped_reason=story.progress.stopped_reason,
        max_turns=_max_turns(story.package, settings, story.preparation),
        started=story.clock.started,
        ended=story.clock.now(),
        isolation=isolation(story.package, settings),
        reviewer=granted(choose_reviewer(story.package, settings)),
        env_names=tuple(sorted(settings.agent_env)),
        reviewer_env_names=names_given(story.package, settings),
        traffic=traffic,
        warnings=(*story.preparation.warnings, *story.notes, *judgement.warnings),
    )
