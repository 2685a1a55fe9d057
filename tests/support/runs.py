"""Run things as root and as an ordinary user, and look for what must not be left behind."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
ORDINARY_UID = 1001
ACCOUNTS = ["this account", "ordinary user"]


@dataclass(frozen=True)
class Account:
    """Somebody who runs Harborsmith: the account of the test run, or a user without any privilege."""

    uid: int | None

    @property
    def python(self) -> str:
        """An interpreter this account may execute."""
        if self.uid is None:
            return sys.executable
        found = _ordinary_python()
        if found is None:
            pytest.skip("no Python 3.11 or later that an ordinary user may execute")
        return found

    @property
    def ids(self) -> dict[str, Any]:
        """Arguments for `subprocess` that make a child this account's."""
        return {} if self.uid is None else {"user": self.uid, "group": self.uid, "extra_groups": []}

    def environment(self) -> dict[str, str]:
        """The variables with which `python` finds Harborsmith and its dependencies."""
        packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": "/nonexistent" if self.uid else os.environ["HOME"],
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.pathsep.join([str(ROOT), *packages]),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """A directory that belongs to this account; pytest's own is closed to other users."""
        made = Path(tempfile.mkdtemp(prefix="hs-test-"))
        try:
            if self.uid is not None:
                os.chown(made, self.uid, self.uid)
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def give(self, folder: Path) -> None:
        """Make everything below `folder` this account's."""
        if self.uid is None:
            return
        for path in (folder, *folder.rglob("*")):
            os.lchown(path, self.uid, self.uid)


def account(name: str) -> Account:
    """The account a parameter of `ACCOUNTS` means; the ordinary one needs root to become it."""
    if name == "this account":
        return Account(None)
    if os.geteuid() != 0:
        pytest.skip("the test run is an ordinary user already")
    return Account(ORDINARY_UID)


@cache
def _ordinary_python() -> str | None:
    candidates = [sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"]
    code = "import sys, click; sys.exit(sys.version_info < (3, 11))"
    for candidate in candidates:
        with contextlib.suppress(OSError):
            tried = subprocess.run(
                [candidate, "-c", code],
                env=Account(None).environment(),
                capture_output=True,
                check=False,
                user=ORDINARY_UID,
                group=ORDINARY_UID,
                extra_groups=[],
            )
            if tried.returncode == 0:
                return candidate
    return None


def confined(
    who: Account,
    argv: Sequence[str],
    *,
    binds: Sequence[tuple[str, str, bool]] = (),
    env: Mapping[str, str] | None = None,
    limits: Mapping[str, Any] | None = None,
    **view: Any,
) -> dict[str, Any]:
    """Run `argv` in the sandbox as `who`, and how it ended (the fields of `Outcome`, `text`, `sandbox`)."""
    spec = {
        "view": {"binds": list(binds), "workdir": "/", **view},
        "argv": list(argv),
        "env": {"PATH": "/usr/bin:/bin", **(env or {})},
        "limits": {"seconds": 60, **(limits or {})},
    }
    done = subprocess.run(
        [who.python, str(ROOT / "tests" / "support" / "confine.py")],
        input=json.dumps(spec),
        env=who.environment(),
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        **who.ids,
    )
    assert done.returncode == 0, done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def alive(tag: str) -> list[str]:
    """Command lines of the machine's living processes that hold `tag`."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            state = (place / "stat").read_text().rpartition(")")[2].split()[0]
            if tag in line and state != "Z" and int(place.name) != os.getpid():
                found.append(line)
    return found
