from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from generator.runtime import become, proctree
from generator.runtime.proctree import Tree, adopt_orphans, owned_by, table


def test_the_table_knows_this_process_and_its_parent() -> None:
    row = table()[os.getpid()]
    assert (row.parent, row.session, row.group) == (os.getppid(), os.getsid(0), os.getpgrp())
    assert row.alive


def test_a_name_with_spaces_and_parentheses_does_not_confuse_the_table(tmp_path: Path) -> None:
    odd = tmp_path / "a) R 1 (b"
    odd.symlink_to("/bin/sleep")
    with subprocess.Popen([str(odd), "1000"]) as child:
        try:
            assert table()[child.pid].parent == os.getpid()
        finally:
            child.kill()


def test_a_zombie_is_not_alive() -> None:
    with subprocess.Popen(["true"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert not table()[child.pid].alive
        assert child.pid not in owned_by(os.getuid())
    assert child.pid not in table()


def test_processes_are_found_by_their_user() -> None:
    assert os.getpid() in owned_by(os.getuid())
    assert owned_by(4_000_000_000) == []


def test_elsewhere_than_on_linux_nothing_is_adopted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert adopt_orphans() is False


def test_without_a_way_to_call_the_system_nothing_is_adopted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ctypes", None)
    assert adopt_orphans() is False


def test_without_proc_the_table_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> list[str]:
        raise FileNotFoundError

    monkeypatch.setattr("os.listdir", missing)
    assert table() == {}


def test_an_orphan_beside_an_older_command_is_left_to_the_older_one() -> None:
    orphan = "import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nprint(os.getpid(), flush=True)\ntime.sleep(1000)"
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as older:
        outer = Tree()
        outer.root(older.pid)
        with subprocess.Popen(
            [sys.executable, "-c", orphan], stdout=subprocess.PIPE, start_new_session=True
        ) as younger:
            inner = Tree()
            inner.root(younger.pid)
            assert younger.stdout is not None
            pid = int(younger.stdout.readline())
            younger.wait()
            inner.end()
            assert table()[pid].alive
        older.kill()
        older.wait()
        assert outer.end() >= 1
        assert pid not in table() or not table()[pid].alive
    assert proctree._active == {}


def test_a_command_is_looked_up_as_a_shell_does(tmp_path: Path) -> None:
    (tmp_path / "closed").write_text("no program")
    path = os.fsencode(f"/no/such:{tmp_path}:/etc/passwd")
    with pytest.raises(PermissionError):
        become.execute([b"closed"], {b"PATH": path})
    with pytest.raises(FileNotFoundError):
        become.execute([b"no-such-program"], {b"PATH": path})
    with pytest.raises(FileNotFoundError):
        become.execute([b"no-such-program"], {})
    with pytest.raises(FileNotFoundError):
        become.execute([b"./no-such-program"], {b"PATH": path})
