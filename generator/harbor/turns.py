"""The turns of a command in a container: the same messages, meanings and records as in a local run."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from generator.execute.agentenv import base_variables
from generator.execute.redaction import redacted, redacted_completion, redacted_result, secrets_among
from generator.harbor.assignment import Assignment
from generator.harbor.inside import Home, Supervisor, TurnOrder
from generator.harbor.ledger import TRANSCRIPTS, Ledger
from generator.harbor.trajectory import TurnStory
from generator.harbor.usage import model_of, usage_of
from generator.runtime.agentresult import AgentResult
from generator.runtime.launch import Limits, Outcome
from generator.runtime.loop import (
    AGENT_TIMEOUT,
    Completion,
    TurnPaths,
    agent_environment,
    continuation_message,
    detect_completion,
    first_message,
    next_step,
)
from generator.runtime.records import iteration_record, termination_record
from generator.runtime.supervise import MESSAGES, RESULTS, RUN_ROOT, TRACE

CANCELLED: Final = "cancelled"


@dataclass(frozen=True, slots=True)
class _Turn:
    """One turn under way; `last` when what is left of the whole run bounds it."""

    number: int
    message: str
    limits: Limits
    started: str
    last: bool


class Turns:
    """Runs the turns of one assignment through the supervisor of one container."""

    def __init__(self, assignment: Assignment, ledger: Ledger, supervisor: Supervisor, home: Home) -> None:
        """Record in `ledger`."""
        self._assignment = assignment
        self._ledger = ledger
        self._supervisor = supervisor
        self._home = home
        self._secrets = secrets_among(assignment.env)
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
        seconds = min(left, self._assignment.turn_seconds)
        turn = _Turn(number, self._message(number), Limits(seconds), _now(), left < self._assignment.turn_seconds)
        outcome, result = await self._supervisor.turn(
            TurnOrder(
                number=number,
                argv=self._assignment.agent.argv,
                cwd=self._assignment.package.evaluation.workdir,
                env=self._env(turn),
                message=turn.message,
                seconds=seconds,
            )
        )
        return self._record(turn, outcome, result)

    def _record(self, turn: _Turn, outcome: Outcome, result: AgentResult) -> Completion:
        package, agent = self._assignment.package, self._assignment.agent
        completion = detect_completion(
            exit_code=outcome.exit_code,
            timed_out=outcome.timed_out,
            result=result,
            output_text=outcome.text,
            protocol=self._assignment.protocol,
            promise=package.evaluation.completion_promise,
        )
        completion = redacted_completion(completion, self._secrets)
        outcome, result = redacted(outcome, self._secrets), redacted_result(result, self._secrets)
        wall = round(package.timeout_seconds * 1000) if turn.last else None
        record = iteration_record(
            iteration=turn.number,
            adapter_id=agent.id,
            continuity=agent.about.continuity,
            session=self._ledger.session,
            outcome=outcome,
            completion=completion,
            result=result,
            artifact_paths={"transcript": f"{TRANSCRIPTS}/iteration-{turn.number}.log"},
            elapsed_ms=round((time.monotonic() - self._began) * 1000),
            termination=termination_record(outcome, turn.limits, wall) if outcome.timed_out else None,
        )
        story = TurnStory(
            message=turn.message,
            started=turn.started,
            ended=_now(),
            output=outcome.text,
            outcome=completion.reason,
            exit_code=outcome.exit_code,
            usage=usage_of(result.fields),
            model=model_of(result.fields),
        )
        self._ledger.add(record, story, outcome.output)
        return completion

    def _message(self, number: int) -> str:
        promise = self._assignment.package.evaluation.completion_promise
        if number == 1:
            return first_message(self._ledger.prompt, promise)
        return continuation_message(number, self._ledger.prompt, promise)

    def _env(self, turn: _Turn) -> dict[str, str]:
        """All variables of a turn: the few every agent has, the operator's, the published ones."""
        package = self._assignment.package
        paths = TurnPaths(
            workspace=package.evaluation.workdir,
            message=f"{MESSAGES}/goal-{turn.number}.md",
            result=f"{RESULTS}/result-{turn.number}.json",
            run_root=RUN_ROOT,
            economic_trace=f"{RUN_ROOT}/{TRACE}",
        )
        published = agent_environment(
            message=turn.message,
            iteration=turn.number,
            paths=paths,
            session=self._ledger.session,
            scenario_id=package.scenario_id,
            adapter_id=self._assignment.agent.id,
        )
        base = base_variables(self._home.directory, package.user)
        return {**base, "PATH": self._home.path, **self._assignment.env, **published}


def _now() -> str:
    return datetime.now(UTC).isoformat()
