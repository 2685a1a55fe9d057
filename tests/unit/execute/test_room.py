"""Rooms go when their run is over, and those of killed runs at a later start; nothing else ever does."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from generator.execute.room import open_room, sweep_rooms
from tests.support.repository import ROOT
from tests.support.runs import ORDINARY_UID
from tests.unit.runtime.support import as_ordinary_user, open_folder

HOLD = """
import os
from generator.execute.room import open_room
with open_room() as room:
    (room.home / "kept").mkdir()
    (room.home / "out").symlink_to(os.environ["ELSEWHERE"])
    print(room.root, flush=True)
    input()
"""


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The directory that rooms are made in, here and in child processes; pytest's own have too long a path for it."""
    made = Path(tempfile.mkdtemp(prefix="hs-t-", dir="/tmp"))
    monkeypatch.setenv("TMPDIR", str(made))
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def held(elsewhere: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process that uses a room, and that room."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env={**os.environ, "PYTHONPATH": str(ROOT), "ELSEWHERE": str(elsewhere)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    return child, Path(child.stdout.readline().strip())


def test_a_room_of_a_killed_process_is_removed_and_one_in_use_is_not(place: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    living, used = held(tmp_path)
    dead, left = held(tmp_path)
    try:
        dead.kill()
        dead.communicate()
        assert left.is_dir()
        sweep_rooms()
        assert sorted(place.iterdir()) == [used]
        assert (used / "home" / "kept").is_dir()
        assert (tmp_path / "precious").exists()
    finally:
        living.communicate("\n", timeout=60)
    assert os.listdir(place) == []


def test_a_sweep_that_is_cut_off_is_finished_by_the_next(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead, left = held(tmp_path)
    dead.send_signal(signal.SIGKILL)
    dead.communicate()
    (left / "zone").mkdir()

    def failing(path: str, **_: object) -> NoReturn:
        raise OSError(errno.EIO, "input/output error", path)

    with monkeypatch.context() as patch:
        patch.setattr("os.rmdir", failing)
        sweep_rooms()
    assert (left / ".room").exists()
    sweep_rooms()
    assert os.listdir(place) == []


MOUNTING = """
import os, signal, subprocess, sys
from pathlib import Path
from generator.execute.room import open_room, sweep_rooms

def leave_mount(room):
    mounted = room.home / "a name"
    mounted.mkdir()
    subprocess.run(["mount", "--bind", sys.argv[2], mounted], check=True)

try:
    if sys.argv[1] == "killed" and os.fork() == 0:
        with open_room() as room:
            leave_mount(room)
            os.kill(os.getpid(), signal.SIGKILL)
    elif sys.argv[1] == "killed":
        os.wait()
        sweep_rooms()
    else:
        with open_room() as room:
            leave_mount(room)
except OSError as error:
    print(error)
"""


@pytest.mark.parametrize("end", ["killed", "over"])
def test_what_was_mounted_into_a_room_and_never_unmounted_is_not_removed(place: Path, tmp_path: Path, end: str) -> None:
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("nobody here may mount anything")
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    done = subprocess.run(
        ["unshare", "-rm", sys.executable, "-c", MOUNTING, end, str(tmp_path / "precious")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert (tmp_path / "precious" / "file").exists()
    (room,) = place.iterdir()
    assert ("something is mounted at" in done.stdout, (room / ".room").exists()) == (end == "over", True)
    sweep_rooms()  # outside, where nothing is mounted in it
    assert os.listdir(place) == []


def test_a_link_that_took_the_place_of_a_room_is_not_followed(place: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir(mode=0o755)
    (tmp_path / "precious" / "file").touch()
    with open_room() as room:
        room.root.rename(tmp_path / "moved")
        room.root.symlink_to(tmp_path / "precious")

    assert (tmp_path / "precious" / "file").exists()
    assert (tmp_path / "precious").stat().st_mode & 0o777 == 0o755
    assert os.listdir(place) == []


def test_where_no_closed_directory_can_be_looked_at_open_rooms_are_swept_all_the_same(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead, left = held(tmp_path)
    dead.send_signal(signal.SIGKILL)
    dead.communicate()
    (place / "harborsmith-demo-x").mkdir()
    monkeypatch.delattr("os.O_PATH")  # as on macOS
    sweep_rooms()
    assert os.listdir(place) == ["harborsmith-demo-x"]
    assert not left.exists()


def test_what_is_no_room_of_ours_stays(place: Path, tmp_path: Path) -> None:
    for name in ("harborsmith-demo-x", "other-y"):
        (place / name).mkdir()
    (place / "other-y" / ".room").touch()
    (place / "harborsmith-file").touch()
    (tmp_path / "aim").mkdir()
    (tmp_path / "aim" / ".room").touch()
    (place / "harborsmith-link").symlink_to(tmp_path / "aim")
    (place / "harborsmith-odd" / ".room").mkdir(parents=True)
    (place / "harborsmith-linked").mkdir()
    (place / "harborsmith-linked" / ".room").symlink_to(tmp_path / "aim" / ".room")
    before = sorted(os.listdir(place))
    sweep_rooms()
    assert sorted(os.listdir(place)) == before
    assert (tmp_path / "aim" / ".room").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make somebody else's directory")
@pytest.mark.parametrize("theirs", [".", ".room"])
def test_a_directory_of_somebody_else_stays(place: Path, theirs: str) -> None:
    made = place / "harborsmith-x"
    made.mkdir()
    (made / ".room").touch()
    os.chown(made / theirs, ORDINARY_UID, ORDINARY_UID)
    sweep_rooms()
    assert made.is_dir()


def test_a_room_that_was_closed_or_removed_meanwhile_leaves_nothing() -> None:
    code = (
        "import os, shutil, sys\nos.environ['TMPDIR'] = sys.argv[1]\n"
        "from generator.execute.room import open_room\n"
        "with open_room() as room:\n    (room.home / 'x').touch()\n    room.root.chmod(0)\n"
        "with open_room() as room:\n    shutil.rmtree(room.root)\n"
        "print(os.listdir(sys.argv[1]))"
    )
    with open_folder() as folder:
        assert as_ordinary_user(code, folder, str(folder)) == "[]\n"


def test_without_locks_a_room_is_made_and_never_swept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> NoReturn:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with open_room() as room:
        assert not (room.root / ".room").exists()
        sweep_rooms()
        assert room.root.is_dir()
    assert os.listdir(place) == []


def test_a_directory_for_rooms_that_is_gone_is_no_matter(place: Path) -> None:
    place.rmdir()
    sweep_rooms()
