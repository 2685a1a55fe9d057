"""What is recorded of a run inside a container, in the folder Harbor hands to the reviewer and keeps.

Written anew after each turn, so that a run that is cut off has everything up to there, and once more at the end, when
nothing of the agent can overwrite it any more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from generator.execute.agent import Agent
from generator.execute.evidence import ITERATIONS, JOURNEY
from generator.execute.taskpackage import TaskPackage
from generator.execute.turnrecord import TRANSCRIPTS, transcript_name
from generator.harbor.trajectory import TurnStory, trajectory
from generator.runtime.records import journey
from generator.runtime.strictjson import write

COMMAND_AGENT_NAME: Final = "harborsmith-command"  # what Harbor's records call our agent
CONTEXT: Final = "context.json"
TRAJECTORY: Final = "trajectory.json"
CONTEXT_VERSION: Final = "harborsmith_run_context_v1"


@dataclass(slots=True, kw_only=True)
class Ledger:
    """The turns so far.

    Attributes:
        run_id: Id of the run.
        package: What is run.
        agent: Who works.
        session: Session handle.
        prompt: The goal as the agent was told it.
        name: Name of the agent class in trajectories.
        version: Its version.
        max_turns: Most turns.
        env_names: Names of the variables the agent was given.
        stopped_reason: Why the turns ended; empty while they have not.
        completed: Whether the agent said that the goal is met.
        notes: What a reader of the run should know.
        records: A published record of each turn, in order, as are the following.
        stories: What a trajectory says of each.
        outputs: The whole transcript of each.
    """

    run_id: str
    package: TaskPackage
    agent: Agent
    session: str
    prompt: str
    name: str
    version: str
    max_turns: int
    env_names: tuple[str, ...] = ()
    stopped_reason: str = ""
    completed: bool = False
    notes: list[str] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    stories: list[TurnStory] = field(default_factory=list)
    outputs: list[bytes] = field(default_factory=list)

    def add(self, record: dict[str, Any], story: TurnStory, output: bytes) -> None:
        """Take one turn; `output` is its whole transcript."""
        self.records.append(record)
        self.stories.append(story)
        self.outputs.append(output)

    def context(self) -> dict[str, Any]:
        """What the review is told of the run."""
        return {
            "version": CONTEXT_VERSION,
            "runId": self.run_id,
            "implementationStoppedReason": self.stopped_reason,
            "iterationsUsed": len(self.records),
            "completed": self.completed,
            "journey": self.journey(),
            "leftOut": [],
            "maxIterations": self.max_turns,
            "envNames": list(self.env_names),
            "agent": self._agent(),
            "notes": list(self.notes),
        }

    def journey(self) -> dict[str, Any]:
        """The published journey."""
        return journey(
            scenario_id=self.package.scenario_id,
            user_prompt=self.prompt,
            stopped_reason=self.stopped_reason,
            adapter_id=self.agent.told_id,
            continuity=self.agent.about.continuity,
            session=self.session,
            workspace=self.package.evaluation.workdir,
            runs=self.records,
        )

    def _agent(self) -> Mapping[str, Any]:
        return {"id": self.agent.told_id, "version": self.agent.about.version, "sha256": self.agent.sha256}

    def write(self, folder: Path) -> None:
        """Write everything into `folder`. Raises OSError."""
        transcripts = folder / TRANSCRIPTS
        transcripts.mkdir(parents=True, exist_ok=True)
        for number, output in enumerate(self.outputs, start=1):
            (transcripts / transcript_name(number)).write_bytes(output)
        lines = "".join(json.dumps(record, sort_keys=True) + "\n" for record in self.records)
        (folder / ITERATIONS).write_text(lines, encoding="ascii")
        write(str(folder / JOURNEY), self.journey())
        write(str(folder / CONTEXT), self.context())
        if self.stories:
            write(str(folder / TRAJECTORY), trajectory(self.run_id, self.name, self.version, self.stories))
