"""An agent for Harbor that runs a command, turn by turn, in any container: `-a generator.harbor.agent:CommandAgent`.

The only module beside `verifier` that needs Harbor to be installed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final

from harbor.agents.base import BaseAgent
from harbor.agents.capabilities import AgentCapabilities
from harbor.agents.options import AgentOptions
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext, ModelUsage
from pydantic import Field

from generator import __version__
from generator.execute.refusal import Refused
from generator.execute.settings import TURN_SECONDS
from generator.harbor.assignment import Assignment, understand
from generator.harbor.commands import AGENT, command_of
from generator.harbor.inside import Supervisor
from generator.harbor.ledger import COMMAND_AGENT_NAME, Ledger
from generator.harbor.turns import Turns
from generator.harbor.usage import total
from generator.runtime.loop import JSON_FINAL_LINE

CLOSE_SECONDS: Final = 90.0


class CommandOptions(AgentOptions):
    """What `--ak NAME=VALUE` takes."""

    command: str = Field(
        default="", description="A file or a directory with an executable `run`, uploaded; or a program in the image."
    )
    command_sha256: str = Field(default="", description=f"Instead of it: the digest of the one in {AGENT}.")
    known_as: str = Field(default="", description="What it and a reviewer are told it is called. Default: its own.")
    iterations: int | None = Field(default=None, ge=1, description="Most turns. Default: as the scenario says.")
    turn_timeout: float = Field(default=TURN_SECONDS, gt=0, description="Seconds of a turn.")
    env_names: str = Field(default="", description="Variables of Harbor's environment for the agent: A,B.")
    protocol: str = Field(default=JSON_FINAL_LINE, description="How a turn's last line is read.")


class CommandAgent(BaseAgent):
    """Runs a command as the task's agent account, with the same turns and records as a local run."""

    capabilities = AgentCapabilities(atif=True)
    options_model = CommandOptions
    options: CommandOptions

    @staticmethod
    def name() -> str:
        """What Harbor's records call it."""
        return COMMAND_AGENT_NAME

    def version(self) -> str:
        """Ours."""
        return __version__

    async def setup(self, environment: BaseEnvironment) -> None:
        """Check the package and the command, and upload what is needed.

        Raises:
            ValueError: The task, the command or a variable cannot be used; the message says what to write instead.
            SupervisorError: The container did not do its part.
        """
        if environment.is_path_mounted(self.environment_logs_dir, self.logs_dir):
            # What we write here would be written where links of the agent's lead to.
            raise ValueError("the agent's log directory is mounted from this machine; leave auto_mounting out")
        command = command_of(self.options.command, self.options.command_sha256, AGENT, os.environ)
        with tempfile.TemporaryDirectory() as folder:
            found = understand(
                task=Path(environment.environment_dir).parent,
                options={**self.options.model_dump(), "command": command},
                environ=os.environ,
                overlay=self.extra_env,
                copies=Path(folder) / "agent",
            )
            if isinstance(found, Refused):
                raise ValueError(f"{found.message}{f'; write: {found.hint}' if found.hint else ''}")
            self._assignment: Assignment = found
            self._supervisor = Supervisor(environment, found.package.user, found.secrets)
            self._home = await self._supervisor.install(found.agent.binds)

    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        """Run turns until one says stop; what they gave stands in `context` and the log directory at any time."""
        ledger = self._assignment.ledger(self.logs_dir.parent.name, instruction, COMMAND_AGENT_NAME, __version__)
        turns = Turns(self._assignment, ledger, self._supervisor, self._home)
        try:
            async for _ in turns.work():
                await self._publish(ledger, context)
        except asyncio.CancelledError:
            turns.cancelled()
            raise
        except Exception:
            ledger.stopped_reason = "infra_failure"
            raise
        finally:
            await _to_the_end(self._close(ledger, context))

    async def _close(self, ledger: Ledger, context: AgentContext) -> None:
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                ledger.notes += await self._supervisor.close()
        finally:
            await self._publish(ledger, context)

    async def _publish(self, ledger: Ledger, context: AgentContext) -> None:
        await asyncio.to_thread(ledger.write, self.logs_dir)
        used = total([story.usage for story in ledger.stories])
        context.n_input_tokens, context.n_output_tokens = used.input_tokens, used.output_tokens
        context.cost_usd = used.cost_usd
        models = {story.model for story in ledger.stories if story.model is not None}
        if models:
            context.model_usage = {model: _model_usage(ledger, model) for model in sorted(models)}
        context.metadata = {
            "runId": ledger.run_id,
            "implementationStoppedReason": ledger.stopped_reason,
            "iterationsUsed": len(ledger.records),
            "completed": ledger.completed,
        }


def _model_usage(ledger: Ledger, model: str) -> ModelUsage:
    used = total([story.usage for story in ledger.stories if story.model == model])
    return ModelUsage(
        n_input_tokens=used.input_tokens or 0, n_output_tokens=used.output_tokens or 0, cost_usd=used.cost_usd
    )


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Finish `work`, which ends by itself, although the caller is cancelled once more meanwhile."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as again:
            cancelled = again
        except Exception:  # noqa: BLE001 -- raised below, from the task itself
            break
    if cancelled is not None:
        with contextlib.suppress(Exception):
            task.result()
        raise cancelled
    task.result()
