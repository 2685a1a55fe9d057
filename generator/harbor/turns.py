"""The turns of a command in a container: the same messages, meanings and records as in a local run."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime

from generator.execute.agentenv import base_variables
from generator.execute.turnrecord import TurnBounds, TurnEnd, bounds, keep_turn
from generator.harbor.assignment import Assignment
from generator.harbor.inside import Home, Supervisor, TurnOrder
from generator.harbor.ledger import Ledger
from generator.harbor.trajectory import TurnStory
from generator.harbor.usage import model_of, usage_of
from generator.runtime.agentresult import AgentResult
from generator.runtime.launch import Outcome
from generator.runtime.loop import (
    AGENT_TIMEOUT,
    CANCELLED,
    Completion,
    agent_environment,
    detect_completion,
    next_step,
    turn_message,
)
from generator.runtime.places import turn_paths


@dataclass(frozen=True, slots=True)
class _Turn:
    """One turn under way."""

    bounds: TurnBounds
    message: str
    started: str


class Turns:
    """Runs the turns of one assignment through the supervisor of one container."""

    def __init__(self, assignment: Assignment, ledger: Ledger, supervisor: Supervisor, home: Home) -> None:
        """Record in `ledger`."""
        self._assignment = assignment
        self._ledger = ledger
        self._supervisor = supervisor
        self._home = home
        self._began = time.monotonic()

    async def work(self) -> AsyncIterator[int]:
        """Run turn after turn and yield the number of each that has ended, until one says stop.

        Raises:
            SupervisorError: The container did not do its part.
        """
        self._began = time.monotonic()
        deadline = self._began + self._assignment.package.timeout_seconds
        for number in range(1, self._assignment.max_turns + 1):
            completion = await self._turn(number, max(0.0, deadline - time.monotonic()))
            step = next_step(completion, number, self._assignment.max_turns, deadline - time.monotonic())
            if step.stop:
                self._ledger.stopped_reason = step.stopped_reason
                self._ledger.completed = completion.done
            yield number
            if step.stop:
                return

    def cancelled(self) -> None:
        """Harbor ended the agent phase: note whether the scenario's own limit had passed."""
        over = time.monotonic() - self._began >= self._assignment.package.timeout_seconds
        self._ledger.stopped_reason = self._ledger.stopped_reason or (AGENT_TIMEOUT if over else CANCELLED)

    async def _turn(self, number: int, left: float) -> Completion:
        task = self._assignment
        given = bounds(number, left, task.turn_seconds, task.package.timeout_seconds)
        promise = task.package.evaluation.completion_promise
        turn = _Turn(given, turn_message(number, self._ledger.prompt, promise), _now())
        outcome, result = await self._supervisor.turn(
            TurnOrder(
                number=number,
                argv=task.agent.argv,
                cwd=task.package.evaluation.workdir,
                env=self._env(turn),
                message=turn.message,
                seconds=given.limits.seconds,
            )
        )
        return self._record(turn, outcome, result)

    def _record(self, turn: _Turn, outcome: Outcome, result: AgentResult) -> Completion:
        completion = detect_completion(
            exit_code=outcome.exit_code,
            timed_out=outcome.timed_out,
            result=result,
            output_text=outcome.text,
            protocol=self._assignment.protocol,
            promise=self._assignment.package.evaluation.completion_promise,
        )
        kept, record = keep_turn(
            turn.bounds,
            TurnEnd(outcome=outcome, completion=completion, result=result),
            agent=self._assignment.agent,
            session=self._ledger.session,
            elapsed=time.monotonic() - self._began,
            secrets=self._assignment.secrets,
        )
        story = TurnStory(
            message=turn.message,
            started=turn.started,
            ended=_now(),
            output=kept.outcome.text,
            outcome=kept.completion.reason,
            exit_code=kept.outcome.exit_code,
            usage=usage_of(kept.result.fields),
            model=model_of(kept.result.fields),
        )
        self._ledger.add(record, story, kept.outcome.output)
        return completion

    def _env(self, turn: _Turn) -> dict[str, str]:
        """All variables of a turn: the few every agent has, the operator's, the published ones."""
        package = self._assignment.package
        published = agent_environment(
            message=turn.message,
            iteration=turn.bounds.number,
            paths=turn_paths(turn.bounds.number, package.evaluation.workdir),
            session=self._ledger.session,
            scenario_id=package.scenario_id,
            adapter_id=self._assignment.agent.told_id,
        )
        base = base_variables(self._home.directory, package.user)
        return {**base, "PATH": self._home.path, **self._assignment.env, **published}


def _now() -> str:
    return datetime.now(UTC).isoformat()
