"""How an agent with allowed hosts is started: behind a forwarder, with the variables that make programs use it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from generator.execute import forwarder
from generator.execute.networking import certificate_access
from generator.execute.refusal import Blame, Refused
from generator.execute.view import Bind
from generator.runtime.trees import create_directory

PYTHON: Final = "/usr/bin/python3"
INSIDE: Final = "/run/harborsmith"
SOCKET_NAME: Final = "proxy.sock"
PORT: Final = 3128  # free inside: the agent's loopback device is its own
_PROGRAM: Final = "forward.py"


def missing_interpreter() -> Refused | None:
    """The refusal when the forwarder cannot be run: it needs the system's own Python, which every sandbox shows."""
    if os.access(PYTHON, os.X_OK):
        return None
    message = f"--allow-agent-host needs {PYTHON} for its forwarder inside the sandbox"
    return Refused("forwarder_python_missing", message, "install it: apt-get install python3", Blame.MACHINE)


def doorway_binds(folder: Path, environ: Mapping[str, str]) -> tuple[Bind, ...]:
    """Put the forwarder beside the proxy's socket in `folder` and show both, and the machine's certificates."""
    if not folder.exists():
        create_directory(str(folder))
    shutil.copyfile(forwarder.__file__, folder / _PROGRAM)
    (folder / _PROGRAM).chmod(0o644)
    return (Bind(str(folder), INSIDE), *certificate_access(environ).binds)


def through_doorway(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command that starts `argv` behind the forwarder."""
    return (PYTHON, "-I", "-S", "-B", f"{INSIDE}/{_PROGRAM}", str(PORT), f"{INSIDE}/{SOCKET_NAME}", *argv)


def doorway_env(environ: Mapping[str, str]) -> dict[str, str]:
    """Variables that send programs through the forwarder."""
    address = f"http://127.0.0.1:{PORT}"
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    proxies = {spelling: address for name in names for spelling in (name, name.lower())}
    # Node reads the variables above only when told to.
    return {**proxies, "NO_PROXY": "", "no_proxy": "", "NODE_USE_ENV_PROXY": "1", **certificate_access(environ).env}
