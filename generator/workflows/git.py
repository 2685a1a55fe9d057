"""git, asked about a repository that may be a stranger's: its own settings start no program on whoever only looks."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

_GIT: Final = ("git", "-c", "core.fsmonitor=false", "--no-pager")


def git(folder: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run `git ARGUMENTS` in `folder` with `given` as its input.

    Raises:
        OSError: It cannot be started.
    """
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    words = [*_GIT, "-C", str(folder), *arguments]
    return subprocess.run(words, input=given, capture_output=True, env=environment, check=False)
