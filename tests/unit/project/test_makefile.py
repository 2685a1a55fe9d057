"""The environment that `make` makes: from a Python that fits, and never taken for whole before it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repository import ROOT

# Says of itself that it is Python 3.8, as that one would.
_OLD = f"""#!/bin/sh
for code; do :; done
exec {sys.executable} -c 'import sys; sys.version_info = (3, 8, 20, "final", 0); exec(sys.argv[1])' "$code"
"""
# Fits, and keeps what it is asked to do.
_LOGGED = f"""#!/bin/sh
[ "$1" = -I ] && exec {sys.executable} "$@"
echo "$0 $*" >> "$(dirname "$0")/asked"
case "$*" in *venv*) exit 7; esac
"""


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def make(folder: Path, goal: str, python: Path | str) -> subprocess.CompletedProcess[str]:
    """`make` with an environment of its own below `folder`; bubblewrap seems to be there, so nothing is installed."""
    program(folder / "bin" / "bwrap", "#!/bin/sh\n")
    arguments = ["make", "-C", str(ROOT), goal, f"VENV={folder}/venv", f"PYTHON={python}"]
    environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}"}
    return subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(("text", "reason"), [(_OLD, "it is Python 3.8"), ("#!/bin/sh\nexit 1\n", "it cannot be run")])
def test_an_interpreter_that_does_not_fit_is_refused_before_anything_is_made(
    tmp_path: Path, text: str, reason: str
) -> None:
    python = program(tmp_path / "python3.8", text)
    done = make(tmp_path, "demo", python)
    assert done.returncode != 0
    wanted = "Python 3.11 or later is needed; make demo PYTHON=python3.12"
    assert done.stderr.splitlines()[0] == f"{python} does not fit: {reason}. {wanted}"
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "venv").exists()


def test_an_environment_that_was_never_whole_is_made_anew(tmp_path: Path) -> None:
    program(tmp_path / "venv/bin/python", "#!/bin/sh\n")
    python = program(tmp_path / "python3", _LOGGED)
    done = make(tmp_path, f"{tmp_path}/venv/.ready", python)
    assert done.returncode != 0
    assert (tmp_path / "asked").read_text() == f"{python} -m venv --clear {tmp_path}/venv\n"
    assert "about a minute" in done.stderr
    assert not (tmp_path / "venv/.ready").exists()


def test_an_environment_that_was_whole_is_only_brought_up_to_date(tmp_path: Path) -> None:
    program(tmp_path / "venv/bin/python", _LOGGED)
    ready = tmp_path / "venv/.ready"
    ready.touch()
    os.utime(ready, (0, 0))
    done = make(tmp_path, str(ready), program(tmp_path / "python3", _LOGGED))
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "asked").exists()
    assert "install" in (tmp_path / "venv/bin/asked").read_text()
    assert ready.stat().st_mtime > 0
