from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.runtime import trees
from generator.runtime.handover import HandoverLimits, archive, over_limits, pack
from generator.runtime.trees import LeftOut
from generator.runtime.unpack import unpack
from tests.support.files import Link, Script, write_tree
from tests.unit.runtime.support import as_ordinary_user, listing, open_folder

TREE: dict[str, str | Link | Script] = {
    "src/main.py": "print()\n",
    "bin/tool": Script("#!/bin/sh\n"),
    "dist/app.js": "built\n",
    "node_modules/left/index.js": "x\n",
    ".git/HEAD": "ref: refs/heads/main\n",
    ".hidden": "h\n",
    "empty.txt": "",
    "here": Link("src/main.py"),
    "nowhere": Link("missing"),
}


def packed(tree: Path, archive_path: Path) -> Path:
    assert pack(str(tree), str(archive_path)).problem == ""
    return archive_path


def test_everything_that_was_left_comes_out_again(tmp_path: Path) -> None:
    work = write_tree(tmp_path / "work", TREE)
    (work / "empty dir").mkdir()
    result = pack(str(work), str(tmp_path / "a.tar"))
    assert (result.problem, result.left_out) == ("", ())
    assert result.sha256 == hashlib.sha256((tmp_path / "a.tar").read_bytes()).hexdigest()
    unpacked = unpack(str(tmp_path / "a.tar"), str(tmp_path / "out"))
    assert (unpacked.problem, unpacked.left_out) == ("", ())
    assert listing(tmp_path / "out") == listing(work)
    assert result.entries == len(listing(work))


def test_times_survive_because_build_tools_live_by_them(tmp_path: Path) -> None:
    work = write_tree(tmp_path / "work", {"old": "", "new": ""})
    os.utime(work / "old", (1_000_000_000, 1_000_000_000))
    unpack(str(packed(work, tmp_path / "a.tar")), str(tmp_path / "out"))
    assert (tmp_path / "out" / "old").stat().st_mtime == 1_000_000_000


def test_modes_are_reduced_to_what_an_executable_bit_says(tmp_path: Path) -> None:
    work = write_tree(tmp_path / "work", {"secret": "s", "suid": "", "folder/x": ""})
    (work / "secret").chmod(0o600)
    (work / "suid").chmod(0o4711)
    (work / "folder").chmod(0o2777)
    os.umask(0o077)
    unpack(str(packed(work, tmp_path / "a.tar")), str(tmp_path / "out"))
    modes = {path.name: oct(path.stat().st_mode & 0o7777) for path in (tmp_path / "out").iterdir()}
    assert modes == {"secret": "0o644", "suid": "0o755", "folder": "0o755"}
    assert oct((tmp_path / "out").stat().st_mode & 0o7777) == "0o755"


def test_special_files_are_listed_and_never_opened(tmp_path: Path) -> None:
    work = write_tree(tmp_path / "work", {"a": "a"})
    os.mkfifo(work / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(work / "sock"))
        result = pack(str(work), str(tmp_path / "a.tar"))
    assert result.left_out == (LeftOut("fifo", "special file"), LeftOut("sock", "special file"))
    assert result.entries == 1


def test_names_that_are_no_text_are_kept(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    names = [b"\xff\xfe", "ünï".encode(), b"new\nline", b"a" * 255, b"-rf", b" "]
    for name in names:
        Path(os.fsdecode(os.path.join(os.fsencode(work), name))).write_text("x")
    assert unpack(str(packed(work, tmp_path / "a.tar")), str(tmp_path / "out")).left_out == ()
    assert sorted(os.listdir(os.fsencode(tmp_path / "out"))) == sorted(names)


HOLE = 10 * 1024**3


@pytest.mark.parametrize("name", ["big", "big-\udcff", "b" * 200])
def test_a_file_with_a_hole_of_ten_gigabytes_stays_small(tmp_path: Path, name: str) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with (work / name).open("wb") as stream:
        stream.write(b"start")
        stream.seek(HOLE // 2)
        stream.write(b"middle")
        stream.truncate(HOLE)
    result = pack(str(work), str(tmp_path / "a.tar"))
    assert result.data_bytes < 1024**2
    assert (tmp_path / "a.tar").stat().st_size < 1024**2
    unpack(str(tmp_path / "a.tar"), str(tmp_path / "out"))
    made = tmp_path / "out" / name
    assert made.stat().st_size == HOLE
    assert made.stat().st_blocks * 512 < 1024**2
    with made.open("rb") as stream:
        assert stream.read(6) == b"start\0"
        stream.seek(HOLE // 2)
        assert stream.read(7) == b"middle\0"
    archive(str(tmp_path / "out"), str(tmp_path / "a.tar.gz"))
    assert (tmp_path / "a.tar.gz").stat().st_size < 1024**2


def test_other_tools_read_our_sparse_files_and_we_read_theirs(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with (work / "holes").open("wb") as stream:
        for number in range(40):  # more parts than the first header of an old sparse member holds
            stream.seek(number * 1024 * 1024)
            stream.write(b"%d" % number)
    (work / "only hole").touch()
    os.truncate(work / "only hole", 1024**2)
    ours = packed(work, tmp_path / "ours.tar")
    (tmp_path / "by tar").mkdir()
    subprocess.run(["tar", "-xf", ours, "-C", tmp_path / "by tar"], check=True)
    theirs = tmp_path / "theirs.tar"
    subprocess.run(["tar", "-C", work, "-S", "-cf", theirs, "."], check=True)
    assert unpack(str(theirs), str(tmp_path / "by us")).problem == ""
    for name in ("holes", "only hole"):
        for place in ("by tar", "by us"):
            assert (tmp_path / place / name).read_bytes() == (work / name).read_bytes()


def test_what_forbids_its_own_reading_is_opened_up() -> None:
    code = (
        "import sys\n"
        "from generator.runtime.handover import pack\n"
        "result = pack(sys.argv[1], sys.argv[2])\n"
        "print(result.problem, result.left_out, result.entries)\n"
    )
    with open_folder() as folder:
        work = write_tree(folder / "work", {"folder/file": "x"})
        (work / "folder" / "file").chmod(0)
        (work / "folder").chmod(0)
        told = as_ordinary_user(code, folder, str(work), str(folder / "a.tar"))
    assert told == " () 2\n"


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (HandoverLimits(max_files=2), "the workspace holds more than 2 files, directories and links"),
        (HandoverLimits(max_bytes=5), "the workspace holds more than 5 bytes of data"),
    ],
)
def test_a_workspace_over_a_limit_says_so_and_leaves_no_archive(
    tmp_path: Path, limits: HandoverLimits, words: str
) -> None:
    work = write_tree(tmp_path / "work", {"a": "123", "b": "456", "c": ""})
    result = pack(str(work), str(tmp_path / "a.tar"), limits)
    assert (result.problem, result.too_large) == (words, True)
    assert over_limits(str(work), limits) == words
    assert not (tmp_path / "a.tar").exists()


def test_an_archive_that_cannot_be_written_is_a_problem_and_no_exception(tmp_path: Path) -> None:
    work = write_tree(tmp_path / "work", {"a": "x" * 100_000})
    result = pack(str(work), str(tmp_path / "missing" / "a.tar"))
    assert "No such file or directory" in result.problem
    assert result.too_large is False


def test_a_work_is_measured_by_its_data_and_not_changed(tmp_path: Path) -> None:
    work = write_tree(tmp_path / "work", {"a": "12345", "link": Link("a")})
    os.mkfifo(work / "queue")
    with (work / "hole").open("wb") as stream:
        stream.truncate(1 << 40)
    (work / "a").chmod(0)
    assert over_limits(str(work), HandoverLimits(max_bytes=5, max_files=4)) == ""
    assert (work / "a").stat().st_mode & 0o777 == 0


@pytest.fixture
def shrinking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file loses its second half just after it was measured."""
    real = os.lseek

    def cut(fd: int, position: int, how: int) -> int:
        found = real(fd, position, how)
        if how == os.SEEK_HOLE:
            os.truncate(os.readlink(f"/proc/self/fd/{fd}"), found // 2)
        return found

    monkeypatch.setattr("os.lseek", cut)


@pytest.mark.usefixtures("shrinking")
def test_evidence_that_cannot_be_finished_is_not_kept_by_halves(tmp_path: Path) -> None:
    work = write_tree(tmp_path / "work", {"a": "x" * 1000, "b": "y"})
    with pytest.raises(OSError, match="unexpected end"):
        archive(str(work), str(tmp_path / "a.tar.gz"))
    assert sorted(os.listdir(tmp_path)) == ["work"]


def test_a_tree_of_ours_is_opened_up_for_its_archive() -> None:
    with open_folder() as folder:
        code = """
import os, sys, tarfile
from generator.runtime.handover import archive
os.chdir(sys.argv[1])
os.makedirs("state/closed"); open("state/closed/a", "w").write("a")
os.chmod("state/closed/a", 0); os.chmod("state/closed", 0); os.chmod("state", 0)
print(archive("state", "state.tar.gz", mend=True))
print(tarfile.open("state.tar.gz").getnames())
"""
        assert as_ordinary_user(code, folder, str(folder)) == "()\n['closed', 'closed/a']\n"


def test_a_device_named_as_the_archive_is_reported_and_left_alone(tmp_path: Path) -> None:
    work = write_tree(tmp_path / "work", {"a": "x" * 100_000})
    assert "No space left on device" in pack(str(work), "/dev/full").problem
    assert Path("/dev/full").is_char_device()


def test_paths_longer_than_the_system_allows_are_listed_and_the_rest_is_kept(tmp_path: Path) -> None:
    work = write_tree(tmp_path / "work", {"file": "x"})
    fd = os.open(work, os.O_RDONLY)
    for _ in range(400):
        os.mkdir("d" * 20, dir_fd=fd)
        deeper = os.open("d" * 20, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = deeper
    os.close(fd)
    result = pack(str(work), str(tmp_path / "a.tar"))
    assert result.problem == ""
    assert [item.reason for item in result.left_out] == ["File name too long"]


def test_the_evidence_archive_depends_on_content_alone(tmp_path: Path) -> None:
    first, second = write_tree(tmp_path / "1", TREE), write_tree(tmp_path / "2", dict(reversed(list(TREE.items()))))
    os.utime(second / ".hidden", (1, 1))
    (second / ".hidden").chmod(0o640)
    for number, tree in enumerate((first, second)):
        assert archive(str(tree), str(tmp_path / f"{number}.tar.gz")) == ()
    assert (tmp_path / "0.tar.gz").read_bytes() == (tmp_path / "1.tar.gz").read_bytes()
    with tarfile.open(tmp_path / "0.tar.gz") as tar:
        names = tar.getnames()
        assert names == sorted(names)
        assert {(member.mtime, member.uid, member.gid, member.uname) for member in tar} == {(0, 0, 0, "")}


names = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1, max_size=8).filter(
    lambda name: name not in {".", ".."} and len(name.encode()) < 200
)
any_tree = st.recursive(
    st.dictionaries(names, st.binary(max_size=2000), max_size=4),
    lambda inner: st.dictionaries(names, st.one_of(st.binary(max_size=600), inner), max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=any_tree)
def test_any_tree_survives_the_way_through_an_archive(tmp_path_factory: pytest.TempPathFactory, tree: object) -> None:
    top = tmp_path_factory.mktemp("trees")

    def write(folder: Path, content: object) -> None:
        folder.mkdir()
        assert isinstance(content, dict)
        for name, value in content.items():
            if isinstance(value, bytes):
                (folder / name).write_bytes(value)
            else:
                write(folder / name, value)

    def read(folder: Path) -> object:
        return {path.name: path.read_bytes() if path.is_file() else read(path) for path in folder.iterdir()}

    write(top / "work", tree)
    assert unpack(str(packed(top / "work", top / "a.tar")), str(top / "out")).problem == ""
    assert read(top / "out") == tree


def test_a_file_that_cannot_be_read_is_listed_and_the_rest_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def failing(path: str, *arguments: Any, **more: Any) -> int:
        if path.endswith("bad"):
            raise OSError(5, "Input/output error")
        return real(path, *arguments, **more)

    work = write_tree(tmp_path / "work", {"bad": "x", "good": "y"})
    monkeypatch.setattr("os.open", failing)
    result = pack(str(work), str(tmp_path / "a.tar"))
    assert (result.left_out, result.entries) == ((LeftOut("bad", "Input/output error"),), 1)
    assert unpack(str(tmp_path / "a.tar"), str(tmp_path / "out")).problem == ""
    assert listing(tmp_path / "out") == {"good": "y"}


def test_where_holes_cannot_be_seen_a_file_is_stored_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.lseek

    def blind(fd: int, position: int, how: int) -> int:
        if how in {os.SEEK_DATA, os.SEEK_HOLE}:
            raise OSError(22, "Invalid argument")
        return real(fd, position, how)

    work = tmp_path / "work"
    work.mkdir()
    (work / "holes").touch()
    os.truncate(work / "holes", 1024 * 1024)
    monkeypatch.setattr("os.lseek", blind)
    assert pack(str(work), str(tmp_path / "a.tar")).data_bytes == 1024 * 1024


@pytest.mark.usefixtures("shrinking")
def test_a_file_that_shrinks_meanwhile_is_a_problem_and_no_silent_cut(tmp_path: Path) -> None:
    work = write_tree(tmp_path / "work", {"f": "x" * 1000})
    assert "could not be archived" in pack(str(work), str(tmp_path / "a.tar")).problem
    with pytest.raises(OSError, match="ends before its recorded size"):
        trees.clone_file(str(work / "f"), str(tmp_path / "copy"), executable=False)
