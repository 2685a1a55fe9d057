"""A stand-in for a container of Harbor's: a root directory that bubblewrap enters for every command."""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

# Processes are counted by account over the whole machine: a fork bomb that another test contains must not be ours.
UID = 20_000 + os.getpid() % 40_000
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    return_code: int
    stdout: str | None
    stderr: str | None = None


@dataclass
class Box:
    """Commands run as root, with the account `agent`; files come and go as Harbor moves them.

    Attributes:
        root: What is `/` inside.
        uploads: Where files were put, in order.
        broken: Commands that hold this text fail.
        instead: A text that commands hold -> what is printed, with success, in their place.
    """

    root: Path
    uploads: list[str] = field(default_factory=list)
    broken: str = ""
    instead: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if os.geteuid() != 0:
            pytest.skip("only root can become another user")
        for folder in ("etc", "app", "logs/agent", "home/agent", "tmp", "proc", "dev"):
            (self.root / folder).mkdir(parents=True)
        (self.root / "etc/passwd").write_text(
            f"root:x:0:0::/root:/bin/sh\nagent:x:{UID}:{UID}::/home/agent:/bin/bash\n"
        )
        for folder in ("app", "home/agent"):
            os.chown(self.root / folder, UID, UID)
        for folder in ("logs/agent", "tmp"):
            (self.root / folder).chmod(0o777)
        for above in (self.root, *self.root.parents[:-2]):
            above.chmod(above.stat().st_mode | 0o055)

    def inside(self, path: str) -> Path:
        """A path of the box on this machine."""
        return self.root / path.lstrip("/")

    async def exec(
        self, command: str, *, cwd: str | None = None, timeout_sec: int | None = None, user: str | int | None = None
    ) -> Done:
        """Run a shell command as root."""
        assert user == "root"
        if self.broken and self.broken in command:
            return Done(1, "the box is broken")
        for text, printed in self.instead.items():
            if text in command:
                return Done(0, printed)
        binds = [word for folder in SYSTEM for word in ("--ro-bind-try", folder, folder)]
        argv = ["bwrap", "--bind", str(self.root), "/", *binds, "--proc", "/proc", "--dev", "/dev", "--unshare-pid"]
        argv += ["--cap-add", "ALL", "--die-with-parent", "--chdir", cwd or "/app", "bash", "-c", command]
        child = await asyncio.create_subprocess_exec(
            *argv,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "OPERATORS": "secret"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await asyncio.wait_for(child.communicate(), timeout_sec)
        assert child.returncode is not None
        return Done(child.returncode, said.decode(errors="replace"))

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy a file in, with its mode."""
        self.uploads.append(target_path)
        shutil.copy(source_path, self.inside(target_path))

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy a directory's content in."""
        self.uploads.append(target_dir)
        shutil.copytree(source_dir, self.inside(target_dir), dirs_exist_ok=True)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy a file out."""
        shutil.copy(self.inside(source_path), target_path)
