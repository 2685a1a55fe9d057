"""Review a directory of finished work: the second half of a run, on its own."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from generator.execute.agent import Agent
from generator.execute.clock import Clock
from generator.execute.conclusion import conclude
from generator.execute.evidence import RunDirectory, new_run_directory
from generator.execute.interrupt import Interrupted, uninterrupted
from generator.execute.isolation import isolation
from generator.execute.judging import INFRA_FAILED, TOO_LARGE, Judgement, judge, no_verdict
from generator.execute.notify import Notify
from generator.execute.preparation import choose_reviewer, names_given, review_warnings
from generator.execute.records import RunFacts
from generator.execute.refusal import Blame, Refused, granted
from generator.execute.report import RunReport
from generator.execute.room import Room, open_room
from generator.execute.settings import RunSettings
from generator.execute.taskpackage import TaskPackage, changed_copy
from generator.runtime.evalinput import RunContext
from generator.runtime.handover import over_limits
from generator.runtime.loop import CANCELLED
from generator.runtime.records import journey
from generator.runtime.trees import clone_tree

# Stands in records where an agent would: they have to name one.
NOBODY: Final = Agent(id="none", argv=(), plain_argv=(), sha256=hashlib.sha256(b"").hexdigest(), built_in="none")
UNKNOWN: Final = "unknown"


def review_workspace(
    package: TaskPackage, settings: RunSettings, workspace: Path, notify: Notify
) -> RunReport | Refused:
    """Have the package's review judge a copy of `workspace`, and record it like a run without turns."""
    clock = Clock()
    warnings = tuple(review_warnings(package, settings))
    for warning in warnings:
        notify(f"warning: {warning}")
    failure: str | None = None
    interrupted: Interrupted | None = None
    try:
        directory = new_run_directory(settings.out, package.scenario_id)
    except OSError as error:
        return Refused("run_not_possible", f"{error.filename}: {error.strerror}", "another --out", Blame.MACHINE)
    judgement: Judgement | None = None
    try:
        with open_room() as room:
            judgement = _judge(package, settings, workspace, directory, room, notify)
    except Interrupted as interruption:
        interrupted = interruption
        if judgement is None:
            failure = f"interrupted by {interruption}"
    except OSError as error:
        if judgement is None:
            failure = f"this machine could not carry out the review: {error}"
    if judgement is None:
        judgement = no_verdict(str(failure), CANCELLED if interrupted else INFRA_FAILED)
    facts = RunFacts(
        run_id=directory.run_id,
        package=package,
        agent=NOBODY,
        session=UNKNOWN,
        turns=(),
        stopped_reason="",
        max_turns=package.max_iterations,
        started=clock.started,
        ended=clock.now(),
        isolation=isolation(package, settings),
        reviewer=granted(choose_reviewer(package, settings)),
        env_names=(),
        traffic=None,
        warnings=(*warnings, *judgement.notes),
        reviewer_env_names=names_given(package, settings),
    )
    told = journey(
        scenario_id=package.scenario_id,
        user_prompt=package.evaluation.user_prompt,
        stopped_reason=UNKNOWN,
        adapter_id=NOBODY.id,
        continuity=NOBODY.about.continuity,
        session=UNKNOWN,
        workspace=package.evaluation.workdir,
        runs=[],
    )
    with uninterrupted() as concluded:
        report = conclude(facts, judgement, directory, told, failure=failure, interrupted=interrupted)
    return report if concluded.by is None else replace(report, interrupted=concluded.by.exit_code)


def _judge(
    package: TaskPackage, settings: RunSettings, workspace: Path, directory: RunDirectory, room: Room, notify: Notify
) -> Judgement:
    problem = over_limits(str(workspace), settings.limits)
    if problem:
        return no_verdict(problem, TOO_LARGE)
    clone_tree(str(package.directory / "tests"), str(room.tests))
    if (changed := changed_copy(package, "tests", room.tests)) is not None:
        return no_verdict(changed.message, INFRA_FAILED)
    notify("review started")
    return judge(
        package,
        settings,
        room=room,
        handover=str(workspace.absolute()),
        context=RunContext(run_id=directory.run_id),
        hidden=(*settings.hidden, os.path.realpath(package.directory)),
        out=directory.path,
    )
