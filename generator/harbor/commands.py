"""Commands on their way to Harbor: a command may hold a token, so the job's file, which Harbor copies, has its digest.

The text itself goes as the values of variables go: in the environment of Harbor's process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

AGENT: Final = "HARBORSMITH_AGENT_COMMAND"
REVIEWER: Final = "HARBORSMITH_REVIEWER_COMMAND"


def digest(command: str) -> str:
    """SHA-256 of a command, in hexadecimal; empty for none."""
    return hashlib.sha256(command.encode("utf-8", "surrogateescape")).hexdigest() if command else ""


def command_of(stated: str, sha256: str, name: str, environ: Mapping[str, str]) -> str:
    """The command a job means; empty without one.

    Args:
        stated: The command where somebody wrote it into a job themselves.
        sha256: Else the digest of the one in a variable.
        name: That variable.
        environ: Harbor's variables.

    Raises:
        ValueError: The variable holds another command, or none.
    """
    if stated or not sha256:
        return stated
    command = environ.get(name, "")
    if digest(command) != sha256:
        raise ValueError(f"{name} does not hold the command of this job; carry it on with `harborsmith run --job`")
    return command
