"""What a command is set to do in a container, understood from the package, the options and the environment."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from generator.execute.agent import Agent, find_agent_for_image
from generator.execute.agentenv import agent_variables
from generator.execute.preparation import agent_leak
from generator.execute.refusal import Refused
from generator.execute.taskpackage import TaskPackage, open_package
from generator.harbor.ledger import Ledger
from generator.runtime.loop import session_handle
from generator.runtime.redact import secrets_among

# Where the backend puts the operator's values for the agent: Harbor's own variables (PATH, keys) stay as they are.
PREFIX: Final = "HARBORSMITH_AGENT_ENV_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What is fixed before the first turn.

    Attributes:
        package: What is run.
        agent: Who works; `argv` is its command in the container.
        env: Variables the operator gives it, with their values.
        max_turns: Most turns.
        turn_seconds: Bound of each.
        protocol: How a last line of output is read.
    """

    package: TaskPackage
    agent: Agent
    env: Mapping[str, str] = field(repr=False)
    max_turns: int
    turn_seconds: float
    protocol: str

    @property
    def secrets(self) -> dict[str, str]:
        """Those of the variables whose values are not to be recorded."""
        return secrets_among(self.env)

    def ledger(self, run_id: str, instruction: str, name: str, version: str) -> Ledger:
        """An empty ledger for a run whose prompt Harbor hands out as `instruction`."""
        prompt = self.package.evaluation.user_prompt
        return Ledger(
            run_id=run_id,
            package=self.package,
            agent=self.agent,
            session=session_handle(self.agent.told_id, self.package.scenario_id, secrets.token_hex(4)),
            # Harbor adds a final newline, and text of the operator's where that was asked for.
            prompt=prompt if instruction.strip() == prompt.strip() else instruction,
            name=name,
            version=version,
            max_turns=self.max_turns,
            env_names=tuple(sorted(self.env)),
        )


def understand(
    *, task: Path, options: Mapping[str, Any], environ: Mapping[str, str], overlay: Mapping[str, str], copies: Path
) -> Assignment | Refused:
    """Check everything that can be known before a container is touched.

    Args:
        task: The package's directory.
        options: `command`, `known_as`, `iterations`, `turn_timeout`, `env_names` (`A,B`), `protocol`.
        environ: Where the values of `env_names` come from.
        overlay: Variables given to Harbor for this agent (`--ae`).
        copies: Where files of this machine are put together for the upload.
    """
    package = open_package(task)
    if isinstance(package, Refused):
        return package
    agent = find_agent_for_image(options["command"], copies)
    if isinstance(agent, Refused):
        return agent
    if leak := agent_leak(agent, copies, (os.path.realpath(task),)):
        return leak
    names = [name.strip() for name in options["env_names"].split(",") if name.strip()]
    given = {name: environ[place] for name in names for place in (name, PREFIX + name) if place in environ}
    env = agent_variables((*names, *overlay), {**given, **overlay})
    if isinstance(env, Refused):
        return env
    return Assignment(
        package=package,
        agent=replace(agent, known_as=options["known_as"]),
        env=env,
        max_turns=options["iterations"] or package.max_iterations,
        turn_seconds=options["turn_timeout"],
        protocol=options["protocol"],
    )
