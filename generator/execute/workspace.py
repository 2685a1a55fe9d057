"""The workspace an agent starts with, made from the package and from nothing else."""

from __future__ import annotations

from typing import Final

from generator.execute.refusal import Blame, Refused
from generator.execute.room import Room
from generator.execute.sandbox import Sandbox
from generator.execute.view import SYSTEM_PATH, Bind, View
from generator.runtime.launch import Job, Limits
from generator.runtime.process import run

# The same commit as in the container image (templates/task/environment/Dockerfile.j2): same files, same hash.
GIT_SCRIPT: Final = (
    "git init -q -b main && git config core.logAllRefUpdates false"
    " && git add -A && git commit -q --allow-empty -m Start"
)
GIT_IDENTITY: Final = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "Harborsmith"), ("EMAIL", "harborsmith@localhost"), ("DATE", "2000-01-01T00:00:00Z"))
}
GIT_SECONDS: Final = 300.0


def make_workspace(room: Room, workdir: str, sandbox: Sandbox | None, *, git: bool) -> Refused | None:
    """Hand `room.workspace`, which holds the package's `environment/workspace/`, to the agent's account.

    Git runs where the agent will run, because it acts on files that the package's author chose.

    Raises:
        OSError: The disk is full.
    """
    if sandbox is not None:
        for folder in (room.workspace, room.home, room.state):
            sandbox.own(str(folder))
    return _commit(room, workdir, sandbox) if git else None


def _commit(room: Room, workdir: str, sandbox: Sandbox | None) -> Refused | None:
    env = {"PATH": SYSTEM_PATH, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", **GIT_IDENTITY}
    job = Job(("/bin/bash", "-c", GIT_SCRIPT), env, str(room.workspace), Limits(GIT_SECONDS))
    if sandbox is None:
        outcome = run(job)
    else:
        outcome = sandbox.run(View(binds=(Bind(str(room.workspace), workdir, writable=True),), workdir=workdir), job)
    if outcome.exit_code == 0:
        return None
    said = (outcome.error or outcome.text.strip() or f"exit status {outcome.exit_code}").splitlines()[-1]
    message = f"the workspace cannot be made a git repository: {said}"
    return Refused("workspace_git_failed", message, "install git: apt-get install git", Blame.MACHINE)
