from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.runtime.trees import (
    Entry,
    clone_tree,
    empty_directory,
    give_to,
    move_children,
    open_file,
    remove_tree,
    walk,
    whole_file,
)
from tests.support.files import Link, Script, write_tree
from tests.unit.runtime.support import as_ordinary_user, listing, lonely_user, needs_root, open_folder


def test_a_walk_lists_parents_first_and_siblings_by_the_bytes_of_their_names(tmp_path: Path) -> None:
    top = write_tree(tmp_path / "top", {"b/z": "", "b/A": "", "a.x": "", "a/x": "", "é": "", "B": Link("b")})
    os.mkfifo(top / "fifo")
    found = [(entry.path, entry.kind) for entry in walk(str(top))]
    assert found == [
        ("B", "link"),
        ("a", "directory"),
        ("a/x", "file"),
        ("a.x", "file"),
        ("b", "directory"),
        ("b/A", "file"),
        ("b/z", "file"),
        ("fifo", "special"),
        ("é", "file"),
    ]


def test_a_missing_top_is_reported_as_unreadable(tmp_path: Path) -> None:
    assert list(walk(str(tmp_path / "none"))) == [Entry(".", "unreadable", error="No such file or directory")]


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    write_tree(tmp_path, {"link": Link("file"), "file": ""})
    os.mkfifo(tmp_path / "fifo")
    for name in ("fifo", "link", ".", "none"):
        with pytest.raises(OSError):  # noqa: PT011 -- each has its own errno
            open_file(str(tmp_path / name))
    assert len(os.listdir("/proc/self/fd")) < 200


@pytest.mark.parametrize("planted", ["link", "loose link", "fifo", "file", "second name"])
def test_what_waits_at_the_temporary_name_of_a_file_is_neither_followed_nor_waited_for(
    tmp_path: Path, planted: str
) -> None:
    outside = write_tree(tmp_path / "outside", {"precious": "p"})
    temporary = tmp_path / "made.tmp"
    make: dict[str, Callable[[], object]] = {
        "link": lambda: temporary.symlink_to(outside / "precious"),
        "loose link": lambda: temporary.symlink_to(outside / "new"),
        "fifo": lambda: os.mkfifo(temporary),
        "file": lambda: temporary.write_text("left by a killed process, and longer"),
        "second name": lambda: temporary.hardlink_to(outside / "precious"),
    }
    make[planted]()
    with whole_file(str(tmp_path / "made")) as stream:
        stream.write(b"whole")

    assert listing(tmp_path) == {"made": "whole", "outside": "dir", "outside/precious": "p"}


def test_a_file_that_is_not_finished_leaves_nothing_and_what_stood_there_stays(tmp_path: Path) -> None:
    write_tree(tmp_path, {"made": "before"})
    with pytest.raises(TypeError), whole_file(str(tmp_path / "made")) as stream:
        stream.writelines([b"half", None])  # type: ignore[list-item]
    assert listing(tmp_path) == {"made": "before"}


def test_a_folder_in_the_place_of_a_temporary_file_is_an_error_and_stays(tmp_path: Path) -> None:
    write_tree(tmp_path, {"made.tmp/kept": "k"})
    with pytest.raises(OSError, match=r"made\.tmp"), whole_file(str(tmp_path / "made")):
        pass
    assert listing(tmp_path) == {"made.tmp": "dir", "made.tmp/kept": "k"}


def test_a_clone_has_everything_but_special_files(tmp_path: Path) -> None:
    top = write_tree(tmp_path / "top", {"x": Script("run"), "f": "f", "d/e": "e", "l": Link("/etc/passwd")})
    os.mkfifo(top / "d" / "fifo")
    os.utime(top / "f", (1, 1))
    left_out = clone_tree(str(top), str(tmp_path / "copy"))
    assert [(item.path, item.reason) for item in left_out] == [("d/fifo", "special file")]
    assert listing(tmp_path / "copy") == {"x": "x run", "f": "f", "d": "dir", "d/e": "e", "l": "-> /etc/passwd"}
    assert (tmp_path / "copy" / "f").stat().st_mtime == 1


def test_what_cannot_be_read_is_listed() -> None:
    code = (
        "import sys\n"
        "from generator.runtime.trees import clone_tree\n"
        "print([(item.path, item.reason) for item in clone_tree(sys.argv[1], sys.argv[2])])\n"
    )
    with open_folder() as folder:
        top = write_tree(folder / "top", {"file": "x", "shut/file": "x"})
        (top / "file").chmod(0)
        (top / "shut").chmod(0)
        told = as_ordinary_user(code, folder, str(top), str(folder / "copy"))
    assert told == "[('file', 'Permission denied'), ('shut', 'Permission denied')]\n"


def test_a_clone_never_replaces_anything(tmp_path: Path) -> None:
    write_tree(tmp_path, {"top/f": "", "copy/f": ""})
    with pytest.raises(FileExistsError):
        clone_tree(str(tmp_path / "top"), str(tmp_path / "copy"))


def test_a_tree_deeper_than_any_path_is_removed(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    fd = os.open(top, os.O_RDONLY)
    for number in range(1500):
        os.mkdir("d" * 20, dir_fd=fd)
        os.close(os.open(f"f{number}", os.O_CREAT, dir_fd=fd))
        deeper = os.open("d" * 20, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = deeper
    os.close(fd)
    remove_tree(str(top))
    assert not top.exists()


def test_removing_follows_no_link_and_minds_no_mode(tmp_path: Path) -> None:
    outside = write_tree(tmp_path / "outside", {"precious": "p"})
    top = write_tree(
        tmp_path / "top",
        {
            "l": Link(str(outside)),
            "shut/deep/file": "",
            "shut/l": Link(str(outside)),
            ".removed-1/x": "",
            ".removed-2": "",
        },
    )
    (top / "shut" / "deep").chmod(0)
    (top / "shut").chmod(0)
    empty_directory(str(top))
    assert list(top.iterdir()) == []
    assert listing(outside) == {"precious": "p"}


def test_removing_as_the_owner_minds_no_mode_either() -> None:
    code = "import sys\nfrom generator.runtime.trees import remove_tree\nremove_tree(sys.argv[1])\n"
    with open_folder() as folder:
        top = write_tree(folder / "top", {"a/b/c/d": "x", "a/e": "y"})
        for name in ("a/b/c", "a/b", "a", "."):
            (top / name).chmod(0)
        as_ordinary_user(code, folder, str(top))
        assert not top.exists()


def test_removing_takes_whatever_stands_there(tmp_path: Path) -> None:
    write_tree(tmp_path, {"file": "", "link": Link("file"), "kept": ""})
    for name in ("file", "link", "none"):
        remove_tree(str(tmp_path / name))
    assert os.listdir(tmp_path) == ["kept"]


@pytest.mark.parametrize("same", [True, False], ids=["one file system", "two file systems"])
def test_children_are_moved(tmp_path: Path, same: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    write_tree(tmp_path, {"from/d/f": "f", "from/l": Link("d"), "to/already": ""})
    if not same:
        monkeypatch.setattr("os.rename", refuse)
    move_children(str(tmp_path / "from"), str(tmp_path / "to"))
    assert listing(tmp_path) == {
        "from": "dir",
        "to": "dir",
        "to/already": "",
        "to/d": "dir",
        "to/d/f": "f",
        "to/l": "-> d",
    }


def test_a_move_that_fails_otherwise_is_an_error(tmp_path: Path) -> None:
    write_tree(tmp_path, {"from/d/f": "f", "to/d/g": "g"})
    with pytest.raises(OSError, match="not empty"):
        move_children(str(tmp_path / "from"), str(tmp_path / "to"))


@needs_root
def test_a_tree_is_given_away_without_following_links(tmp_path: Path) -> None:
    user = lonely_user()
    write_tree(tmp_path, {"outside": "", "top/d/f": "", "top/l": Link("../outside")})
    give_to(str(tmp_path / "top"), user.uid, user.gid)
    assert {(tmp_path / "top" / name).lstat().st_uid for name in (".", "d", "d/f", "l")} == {user.uid}
    assert (tmp_path / "outside").stat().st_uid == 0


def test_a_directory_or_file_of_our_own_that_forbids_reading_is_opened_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root is never refused, so the refusal is made up; an ordinary user meets the real one in another test."""
    real_list, real_open = os.listdir, os.open

    def refused(path: object) -> bool:
        return str(path).startswith(str(tmp_path)) and os.stat(str(path)).st_mode & 0o400 == 0

    def listdir(path: str) -> list[str]:
        if refused(path):
            raise PermissionError(13, "Permission denied")
        return real_list(path)

    def opened(path: str, flags: int, *more: int) -> int:
        if refused(path):
            raise PermissionError(13, "Permission denied")
        return real_open(path, flags, *more)

    write_tree(tmp_path, {"shut/file": "x"})
    (tmp_path / "shut" / "file").chmod(0)
    (tmp_path / "shut").chmod(0)
    monkeypatch.setattr("os.listdir", listdir)
    monkeypatch.setattr("os.open", opened)
    assert [entry.kind for entry in walk(str(tmp_path))] == ["directory", "unreadable"]
    assert [entry.path for entry in walk(str(tmp_path), mend=True)] == ["shut", "shut/file"]
    with pytest.raises(PermissionError):
        open_file(str(tmp_path / "shut" / "file"))
    os.close(open_file(str(tmp_path / "shut" / "file"), mend=True))
