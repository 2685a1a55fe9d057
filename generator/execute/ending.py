"""What comes after the agent: its work is reviewed, and what the run came to is written."""

from __future__ import annotations

from typing import Any

from generator.execute.conclusion import conclude
from generator.execute.isolation import isolation
from generator.execute.judging import INFRA_FAILED, TOO_LARGE, Judgement, judge, no_verdict
from generator.execute.notify import Notify
from generator.execute.preparation import choose_reviewer, names_given
from generator.execute.records import RunFacts
from generator.execute.refusal import granted
from generator.execute.report import RunReport
from generator.execute.room import Room
from generator.execute.story import Story
from generator.runtime.evalinput import RunContext
from generator.runtime.handover import pack
from generator.runtime.loop import CANCELLED
from generator.runtime.records import journey


def review(story: Story, room: Room, notify: Notify) -> Judgement:
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


def _journey(story: Story) -> dict[str, Any]:
    agent = story.preparation.agent
    return journey(
        scenario_id=story.package.scenario_id,
        user_prompt=story.package.evaluation.user_prompt,
        stopped_reason=story.progress.stopped_reason,
        adapter_id=agent.told_id,
        continuity=agent.about.continuity,
        session=story.progress.session,
        workspace=story.package.evaluation.workdir,
        runs=story.progress.records,
    )


def finish(story: Story) -> RunReport:
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


def _facts(story: Story, judgement: Judgement) -> RunFacts:
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
        max_turns=story.max_turns,
        started=story.clock.started,
        ended=story.clock.now(),
        isolation=isolation(story.package, settings),
        reviewer=granted(choose_reviewer(story.package, settings)),
        env_names=tuple(sorted(settings.agent_env)),
        reviewer_env_names=names_given(story.package, settings),
        traffic=traffic,
        warnings=(*story.preparation.warnings, *story.notes, *judgement.notes),
    )
