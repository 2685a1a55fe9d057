"""What has happened in a run so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from generator.execute.clock import Clock
from generator.execute.evidence import RunDirectory
from generator.execute.interrupt import Interrupted
from generator.execute.preparation import Preparation
from generator.execute.settings import RunSettings
from generator.execute.taskpackage import TaskPackage
from generator.execute.turns import Progress

if TYPE_CHECKING:
    from generator.execute.judging import Judgement
    from generator.execute.proxy import AgentProxy


@dataclass(slots=True)
class Story:
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

    @property
    def max_turns(self) -> int:
        """Most turns the agent gets."""
        return most_turns(self.package, self.settings, self.preparation)


def most_turns(package: TaskPackage, settings: RunSettings, preparation: Preparation) -> int:
    """Most turns of a run."""
    if preparation.agent.built_in is not None:
        return 1  # a second turn of the same constant program would change nothing
    return settings.options.iterations or package.max_iterations
