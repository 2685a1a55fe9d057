"""Let an agent work, turn by turn, until it is done, gives up or runs out of turns or time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.execute.agent import ORACLE, Agent
from generator.execute.notify import Notify
from generator.execute.room import Room
from generator.execute.sandbox import Sandbox
from generator.execute.turnrecord import (
    TurnBounds,
    TurnEnd,
    bounds,
    keep_turn,
    last_line,
    transcript_name,
    turn_fault,
)
from generator.execute.view import Bind, View, home_of
from generator.runtime.agentresult import AgentResult, read_agent_result
from generator.runtime.interrupts import HeldBack
from generator.runtime.launch import Job, Limits, Outcome
from generator.runtime.loop import (
    CANCELLED,
    DONE,
    GOAL_SATISFIED,
    JSON_FINAL_LINE,
    RUNTIME_FAILURE,
    TERMINAL,
    Completion,
    TurnPaths,
    agent_environment,
    detect_completion,
    next_step,
    session_handle,
    turn_message,
)
from generator.runtime.places import MESSAGES, RESULTS, RUN_ROOT, message_name, result_name, turn_paths
from generator.runtime.process import run
from generator.runtime.trees import create_directory, whole_file


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What an agent is set to do and under which bounds.

    Attributes:
        scenario_id: Id of the scenario.
        prompt: The goal.
        promise: A last line that means it is met, when one is agreed.
        agent: Who works.
        workdir: Where the workspace stands inside.
        user: Name of the account inside.
        env: Variables beside the published ones.
        binds: What is shown beside workspace, home and run root.
        network: Whether the machine's network is there.
        hidden: Paths of this machine nobody inside may see.
        wrap: What stands before the agent's command.
        secrets: Variables whose values are not to be recorded.
        max_turns: Most turns.
        seconds: Bound of all turns together.
        turn_seconds: Bound of each.
        protocol: How a last line of output is read.
    """

    scenario_id: str
    prompt: str
    promise: str | None
    agent: Agent
    workdir: str
    user: str
    env: Mapping[str, str] = field(repr=False)
    binds: tuple[Bind, ...] = ()
    network: bool = False
    hidden: tuple[str, ...] = ()
    wrap: Callable[[tuple[str, ...]], tuple[str, ...]] = lambda argv: argv
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    max_turns: int
    seconds: float
    turn_seconds: float
    protocol: str = JSON_FINAL_LINE


@dataclass(slots=True)
class Progress:
    """What the turns have given so far; complete whenever one has ended, so that an interruption loses none.

    Attributes:
        session: Session handle of the run.
        records: Iteration records.
        stopped_reason: Why the turns ended; empty while they have not.
        completed: Whether the agent said that the goal is met.
        started: When the first turn began (monotonic seconds).
    """

    session: str
    records: list[dict[str, Any]] = field(default_factory=list)
    stopped_reason: str = ""
    completed: bool = False
    started: float = 0.0


class Turns:
    """Runs the turns of one assignment in one room."""

    def __init__(
        self,
        assignment: Assignment,
        room: Room,
        transcripts: Path,
        sandbox: Sandbox | None,
        on_start: Callable[[int], None] | None = None,
    ) -> None:
        """Work in `room`; write each turn's output to `transcripts`; without a sandbox the agent runs plainly.

        `on_start` is called with a process id in each turn, once its agent runs.
        """
        self._assignment = assignment
        self._room = room
        self._transcripts = transcripts
        self._sandbox = sandbox
        self._on_start = on_start
        handle = session_handle(assignment.agent.told_id, assignment.scenario_id, os.urandom(4).hex())
        self.progress = Progress(handle)

    def work(self, notify: Notify, record: Callable[[Mapping[str, Any]], None]) -> None:
        """Run turns until one says stop; `record` gets each turn's record as soon as it has ended.

        Raises:
            OSError: A message or transcript cannot be written.
            KeyboardInterrupt: The run was interrupted; nothing of the agent is alive, `progress` has all of its turns.
        """
        self.progress.started = time.monotonic()
        deadline = self.progress.started + self._assignment.seconds
        for number in range(1, self._assignment.max_turns + 1):
            notify(f"turn {number} started")
            completion = self._turn(number, deadline, record)
            elapsed = time.monotonic() - self.progress.started
            notify(f"turn {number} ended: {_ending(completion, self.progress.records[-1])} ({elapsed:.1f} s)")
            step = next_step(completion, number, self._assignment.max_turns, deadline - time.monotonic())
            if step.stop:
                self.progress.stopped_reason = step.stopped_reason
                self.progress.completed = completion.done
                return

    def _turn(self, number: int, deadline: float, record: Callable[[Mapping[str, Any]], None]) -> Completion:
        """One turn with its record. An interruption is raised once what there is of the turn has been written."""
        task = self._assignment
        turn = bounds(number, max(0.0, deadline - time.monotonic()), task.turn_seconds, task.seconds)
        with HeldBack() as held:
            outcome = self._start(number, turn_message(number, task.prompt, task.promise), turn.limits)
            result = _read_result(self._room.result(number) / result_name(number))
            completion = self._completion(outcome, result, interrupted=held.number is not None)
            made = self._keep(turn, TurnEnd(outcome=outcome, completion=completion, result=result))
            self.progress.records.append(made)
            record(made)
        return completion

    def _completion(self, outcome: Outcome, result: AgentResult, *, interrupted: bool) -> Completion:
        if interrupted:
            return Completion(TERMINAL, CANCELLED, "signal to the run", result.errors)
        if self._assignment.agent.built_in == ORACLE and outcome.exit_code == 0:
            return Completion(DONE, GOAL_SATISFIED, "exit status")
        return detect_completion(
            exit_code=outcome.exit_code,
            timed_out=outcome.timed_out,
            result=result,
            output_text=outcome.text,
            protocol=self._assignment.protocol,
            promise=self._assignment.promise,
        )

    def _keep(self, turn: TurnBounds, end: TurnEnd) -> dict[str, Any]:
        """Write the transcript of a turn and make its record."""
        kept, record = keep_turn(
            turn,
            end,
            agent=self._assignment.agent,
            session=self.progress.session,
            elapsed=time.monotonic() - self.progress.started,
            secrets=self._assignment.secrets,
        )
        with whole_file(str(self._transcripts / transcript_name(turn.number))) as stream:
            stream.write(kept.outcome.output)
        return record

    def _start(self, number: int, message: str, limits: Limits) -> Outcome:
        folder, answer = self._room.message(number), self._room.result(number)
        for made in (folder, answer):
            create_directory(str(made))
        (folder / message_name(number)).write_text(message, encoding="utf-8", errors="surrogateescape")
        (folder / message_name(number)).chmod(0o644)
        if self._sandbox is None:
            return self._start_plainly(number, message, limits)
        self._sandbox.own(str(answer))
        task = self._assignment
        binds = (
            Bind(str(self._room.workspace), task.workdir, writable=True),
            Bind(str(self._room.home), home_of(task.user), writable=True),
            Bind(str(self._room.state), RUN_ROOT, writable=True),
            Bind(str(folder), MESSAGES),
            Bind(str(answer), RESULTS, writable=True),
            *task.binds,
        )
        view = View(binds=binds, workdir=task.workdir, network=task.network, user=task.user, hidden=task.hidden)
        env = self._env(number, message, turn_paths(number, task.workdir))
        job = Job(task.wrap(task.agent.argv), env, task.workdir, limits)
        return self._sandbox.run(view, job, self._on_start)

    def _start_plainly(self, number: int, message: str, limits: Limits) -> Outcome:
        room = self._room
        paths = turn_paths(
            number,
            str(room.workspace),
            messages=str(room.message(number)),
            results=str(room.result(number)),
            run_root=str(room.state),
        )
        env = {**self._env(number, message, paths), "HOME": str(room.home)}
        job = Job(self._assignment.agent.plain_argv, env, str(room.workspace), limits)
        return run(job, on_start=self._on_start)

    def _env(self, number: int, message: str, paths: TurnPaths) -> dict[str, str]:
        task = self._assignment
        published = agent_environment(
            message=message,
            iteration=number,
            paths=paths,
            session=self.progress.session,
            scenario_id=task.scenario_id,
            adapter_id=task.agent.told_id,
        )
        return {**task.env, **published}


def _ending(completion: Completion, turn: Mapping[str, Any]) -> str:
    """Why a turn ended; with the exit status and the last words of a command that broke."""
    if completion.reason != RUNTIME_FAILURE:
        return completion.reason
    said = last_line(turn) if turn["returnCode"] is not None else ""
    return ": ".join(filter(None, (completion.reason, turn_fault(turn), said)))


def _read_result(path: Path) -> AgentResult:
    """The agent's result file; whatever it put there instead of one is its own fault and not the machine's."""
    try:
        return read_agent_result(str(path))
    except OSError as error:
        return AgentResult(errors=(f"the result file cannot be read: {error.strerror or error}",))
