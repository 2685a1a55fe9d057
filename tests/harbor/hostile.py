"""Agents for Harbor that run a script in the container, as the task's account or as root. Loaded in Harbor's Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harbor.agents.base import BaseAgent
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext


class ScriptAgent(BaseAgent):
    """Uploads a file, runs it once, and keeps what it printed; what it left running goes on running."""

    def __init__(self, *args: Any, script: str, user: str | None = None, **given: Any) -> None:
        super().__init__(*args, **given)
        self._script = Path(script)
        self._user = user

    @staticmethod
    def name() -> str:
        return "script"

    def version(self) -> str:
        return "1"

    async def setup(self, environment: BaseEnvironment) -> None:
        await environment.upload_file(self._script, f"/opt/{self._script.name}")
        await environment.exec(f"chmod 755 /opt/{self._script.name}", user="root")

    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        done = await environment.exec(f"/opt/{self._script.name}", timeout_sec=240, user=self._user)
        (self.logs_dir / "output.txt").write_text(done.stdout or "", encoding="utf-8", errors="replace")
