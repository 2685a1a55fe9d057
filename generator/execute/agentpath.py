"""Which folders an operator may show to an agent with `--agent-path`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from generator.execute.refusal import Refused
from generator.execute.view import SYSTEM_ROOTS, is_below, overlaps

# Folders that hold everybody's everything; what an agent needs is always further down.
TOO_WIDE: Final = ("/", "/boot", "/dev", "/etc", "/home", "/media", "/mnt", "/proc", "/root", "/run", "/srv", "/sys",
                   "/tmp", "/var", "/var/tmp", "/Users", "/Volumes", "/private")  # fmt: skip # noqa: S108
RESERVED: Final = ("/agent", "/installed-agent", "/solution", "/tests", "/review", "/proc", "/sys", "/dev", "/etc")


def agent_folders(given: Iterable[str], guarded: Iterable[str], workdir: str) -> tuple[str, ...] | Refused:
    """The absolute paths of the folders, or why one of them cannot be shown.

    Args:
        given: As typed.
        guarded: Absolute real paths of scenario, package and runs, which no agent may see.
        workdir: Where the workspace stands inside.
    """
    found: list[str] = []
    guarded = tuple(guarded)
    for word in given:
        folder = os.path.abspath(word)
        refused = _refusal(word, folder, guarded, workdir)
        if refused is not None:
            return refused
        if not any(is_below(folder, root) for root in SYSTEM_ROOTS):
            found.append(folder)
    return tuple(found)


def _refusal(word: str, folder: str, guarded: tuple[str, ...], workdir: str) -> Refused | None:
    real = os.path.realpath(folder)
    if not os.path.isdir(folder):
        return Refused("agent_path_missing", f"--agent-path {word}: there is no such directory", "the path of one")
    if {folder, real} & {*TOO_WIDE, os.path.expanduser("~")}:
        hint = "name the folder that holds the agent's program, for example its virtual environment"
        return Refused("agent_path_too_wide", f"--agent-path {word} would show everything in it to the agent", hint)
    if any(overlaps(folder, place) for place in (*RESERVED, workdir)):
        message = f"--agent-path {word}: that path means something else inside the sandbox"
        return Refused("agent_path_reserved", message, "a folder elsewhere, such as /opt/tools")
    for place in guarded:
        if overlaps(real, place):
            message = f"--agent-path {word} would show the agent {place}, which only the reviewer may see"
            return Refused("agent_path_leaks", message, "move the agent's program out of it")
    return None
