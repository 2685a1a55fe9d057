"""Harbor's verifier, which hands an operator's reviewer and variables to the review first."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from harbor.models.verifier.result import VerifierResult
from harbor.verifier.verifier import Verifier

from generator.harbor.commands import REVIEWER, command_of
from generator.harbor.reviewer import FOLDER, OPERATOR, Shipment, review_variables, ship
from generator.runtime.operators import ENVIRONMENT, FILE
from generator.runtime.strictjson import write


class OperatorVerifier(Verifier):
    """Hands the operator's part to the review before it starts."""

    def __init__(
        self,
        *,
        reviewer: str = "",
        reviewer_sha256: str = "",
        source: str = ENVIRONMENT,
        shell: bool = False,
        env_names: str = "",
        **given: Any,
    ) -> None:
        """Set up.

        Args:
            reviewer: A command, as `--reviewer` takes it; empty for the package's own.
            reviewer_sha256: Instead of it: the digest of the one in `commands.REVIEWER`.
            source: `option`, which comes before the package's reviewer, or `environment`, which comes after it.
            shell: Whether a shell reads the command.
            env_names: Variables of Harbor's environment for the review: `A,B`.
            given: What Harbor gives every verifier.

        Raises:
            ValueError: The variable holds another reviewer, or the command cannot be read.
        """
        super().__init__(skip_tests_upload=True, **given)  # our images hold their tests
        command = command_of(reviewer, reviewer_sha256, REVIEWER, os.environ)
        self._shipment = ship(command, source=source, shell=shell) if command else None
        self._env = review_variables(env_names, os.environ)

    async def verify(self) -> VerifierResult:
        """Upload reviewer and variables, then review as ever."""
        await self.environment.exec(f"mkdir -p -m 700 {FOLDER} && chmod 700 {FOLDER}", cwd="/", user="root")
        for here, there in self._shipment.files if self._shipment else ():
            await self.environment.upload_file(here, there)
        with tempfile.TemporaryDirectory() as folder:
            operator = Path(folder) / "operator.json"
            write(str(operator), {"reviewer": _stated(self._shipment), "env": self._env})
            operator.chmod(0o600)
            await self.environment.upload_file(operator, OPERATOR)
        # Harbor would fill what the package declares from the operator's variables; only what they gave is handed over.
        for name in self.task.config.verifier.env:
            if name not in (self.verifier_env or {}):
                self.override_env.setdefault(name, "")
        self.override_env[FILE] = OPERATOR
        return await super().verify()


def _stated(shipment: Shipment | None) -> Any:
    return None if shipment is None else dict(shipment.stated)
