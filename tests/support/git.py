"""Repositories as their owner makes them, whatever git is told of this machine's user."""

from __future__ import annotations

import subprocess
from pathlib import Path

_OWNER = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main")


def git(folder: Path, *arguments: str) -> None:
    """Run git in `folder`. Raises CalledProcessError where it fails."""
    subprocess.run(["git", *_OWNER, "-C", str(folder), *arguments], check=True, capture_output=True)
