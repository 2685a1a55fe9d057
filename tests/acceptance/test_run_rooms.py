"""The private folder of a run that was killed goes at the next start, whatever state its agent left it in."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
from collections.abc import Iterator

import pytest

from tests.support.runs import Bench, account, alive, until

pytestmark = pytest.mark.sandbox

UNCONFINED = ("--isolation", "none", "--allow-unsandboxed-pack-code")


@pytest.fixture
def ordinary() -> Iterator[Bench]:
    """Somebody whom a closed directory keeps out."""
    who = account("ordinary user")
    with who.folder() as folder:
        yield Bench(folder, who)


def started(bench: Bench, tag: str, agent: str, *how: str) -> subprocess.Popen[str]:
    """A run whose agent has done its part and waits."""
    bench.scenario()
    bench.script("#!/bin/bash\ntrue\n", "judge.sh")
    # Without a sandbox nobody else ends it when its run is killed.
    wait = f"exec -a {tag} bash -c 'while test -d /proc/$PPID; do sleep 0.05; done'"
    given = ("--agent", bench.script(f"#!/bin/bash\n{agent}\n{wait}\n"), "--reviewer", "./judge.sh")
    process = bench.start("run", "--scenario", "sum-ledger", *given, *how)
    until(lambda: alive(tag))
    return process


@pytest.mark.parametrize(
    ("agent", "how"),
    [
        pytest.param("mkdir -p $HOME/x/y; chmod 0 . $HOME/x/y $HOME/x $HOME", (), id="closed folders in it"),
        pytest.param('chmod 0 "$(dirname "$PWD")"', UNCONFINED, id="closed itself"),
        pytest.param('chmod 0300 "$(dirname "$PWD")"', UNCONFINED, id="closed to readers"),
        pytest.param('chmod 0600 "$(dirname "$PWD")"', UNCONFINED, id="closed to whoever looks for a name"),
    ],
)
def test_the_closed_folder_of_a_killed_run_goes_at_the_next_start(
    ordinary: Bench, agent: str, how: tuple[str, ...]
) -> None:
    tag = f"cut-{secrets.token_hex(6)}"
    process = started(ordinary, tag, agent, *how)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    until(lambda: not alive(tag))
    assert len(os.listdir(ordinary.folder / "tmp")) == 1

    again = ordinary.start("run", "--scenario", "sum-ledger", "--agent", "nop", "--reviewer", "./judge.sh")
    again.communicate(timeout=60)

    assert os.listdir(ordinary.folder / "tmp") == []


def test_the_closed_folder_of_a_run_at_work_stays_closed_and_in_use(ordinary: Bench) -> None:
    tag = f"cut-{secrets.token_hex(6)}"
    process = started(ordinary, tag, 'chmod 0 "$(dirname "$PWD")"', *UNCONFINED)
    (room,) = (ordinary.folder / "tmp").iterdir()
    again = ordinary.start("run", "--scenario", "sum-ledger", "--agent", "nop", "--reviewer", "./judge.sh")
    again.communicate(timeout=60)
    there = room.stat().st_mode & 0o777
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)

    assert there == 0
    assert os.listdir(ordinary.folder / "tmp") == []
