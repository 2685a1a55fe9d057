from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.source import tree as tree_module
from generator.source.tree import Entry, Kind, Refusal, Tree
from tests.support.files import Link, Script, write_tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory with a secret right beside it."""
    write_tree(tmp_path, {"secret.txt": "secret", "private": {"key.txt": "key"}})
    return write_tree(tmp_path / "scenario", {"file.txt": "text", "folder": {"inner.txt": "inner"}})


def kinds(entries: tuple[Entry, ...]) -> dict[str, Kind]:
    return {entry.path: entry.kind for entry in entries}


@pytest.mark.parametrize(
    ("path", "kind", "real"),
    [
        ("file.txt", Kind.FILE, "file.txt"),
        ("folder", Kind.DIRECTORY, "folder"),
        ("folder/inner.txt", Kind.FILE, "folder/inner.txt"),
        ("./folder//./inner.txt", Kind.FILE, "folder/inner.txt"),
        ("folder/../file.txt", Kind.FILE, "file.txt"),
        ("folder/..", Kind.DIRECTORY, "."),
        ("folder/", Kind.DIRECTORY, "folder"),
        ("", Kind.DIRECTORY, "."),
        (".", Kind.DIRECTORY, "."),
        ("nothing", Kind.MISSING, ""),
        ("nothing/../file.txt", Kind.MISSING, ""),
        ("file.txt/", Kind.MISSING, ""),
        ("file.txt/below", Kind.MISSING, ""),
        ("file.txt/../file.txt", Kind.MISSING, ""),
        ("..", Kind.OUTSIDE, ""),
        ("../secret.txt", Kind.OUTSIDE, ""),
        ("folder/../../secret.txt", Kind.OUTSIDE, ""),
        ("../scenario/file.txt", Kind.OUTSIDE, ""),
        ("/etc/passwd", Kind.OUTSIDE, ""),
        ("file.txt\0", Kind.OUTSIDE, ""),
        ("x" * 300, Kind.UNREADABLE, ""),
        ("\ud800", Kind.UNREADABLE, ""),
    ],
)
def test_a_path_is_what_the_system_says_unless_it_leaves_the_root(root: Path, path: str, kind: Kind, real: str) -> None:
    entry = Tree(root).look(path)

    assert (entry.path, entry.kind, entry.real) == (path, kind, real)


@pytest.mark.parametrize(
    ("links", "path", "kind", "real"),
    [
        ({"a": Link("file.txt")}, "a", Kind.FILE, "file.txt"),
        ({"a": Link("folder")}, "a/inner.txt", Kind.FILE, "folder/inner.txt"),
        ({"a": Link("b"), "b": Link("c"), "c": Link("folder")}, "a", Kind.DIRECTORY, "folder"),
        ({"folder/up": Link("../file.txt")}, "folder/up", Kind.FILE, "file.txt"),
        ({"deep/er": {"down": Link("../../folder")}}, "deep/er/down/inner.txt", Kind.FILE, "folder/inner.txt"),
        ({"deep/er": {"x.txt": "x"}, "a": Link("deep/er")}, "a/../er/x.txt", Kind.FILE, "deep/er/x.txt"),
        ({"a": Link("file.txt/")}, "a", Kind.MISSING, ""),
        ({"a": Link("../secret.txt")}, "a", Kind.OUTSIDE, ""),
        ({"a": Link("../private")}, "a/key.txt", Kind.OUTSIDE, ""),
        ({"a": Link("..")}, "a/scenario/file.txt", Kind.OUTSIDE, ""),
        ({"a": Link("b"), "b": Link("../secret.txt")}, "a", Kind.OUTSIDE, ""),
        ({"a": Link("/etc/passwd")}, "a", Kind.OUTSIDE, ""),
        ({"a": Link("a")}, "a", Kind.LOOP, ""),
        ({"a": Link("b"), "b": Link("a")}, "a", Kind.LOOP, ""),
        ({"a": Link("nowhere")}, "a", Kind.MISSING, ""),
    ],
)
def test_a_link_is_followed_only_while_it_stays_inside(
    root: Path, links: dict[str, Link | dict[str, Link | str]], path: str, kind: Kind, real: str
) -> None:
    write_tree(root, links)

    entry = Tree(root).look(path)

    assert (entry.kind, entry.real) == (kind, real)


def test_the_detail_names_where_a_refused_link_leads(root: Path) -> None:
    write_tree(root, {"out": Link("/etc/passwd"), "gone": Link("nowhere")})

    assert Tree(root).look("out").detail == "a link to /etc/passwd"
    assert Tree(root).look("gone").detail == "by way of a link to nowhere"
    assert Tree(root).look("file.txt/below").detail == "file.txt is not a directory"


def test_as_many_links_as_the_system_allows_are_followed_and_no_more(root: Path) -> None:
    write_tree(root, {"l0": Link("file.txt"), **{f"l{n}": Link(f"l{n - 1}") for n in range(1, 41)}})

    assert (root / "l39").read_text() == "text"
    assert Tree(root).look("l39").kind is Kind.FILE
    assert Tree(root).look("l40").kind is Kind.LOOP


def test_a_file_tells_its_size_mode_and_identity(root: Path) -> None:
    write_tree(root, {"run.sh": Script("#!/bin/sh\n")})
    os.link(root / "file.txt", root / "same.txt")
    look = Tree(root).look

    assert look("run.sh").executable
    assert not look("file.txt").executable
    assert look("file.txt").size == len("text")
    assert look("same.txt").identity == look("file.txt").identity
    assert look("run.sh").identity != look("file.txt").identity


def test_a_root_that_is_a_link_is_followed(root: Path, tmp_path: Path) -> None:
    write_tree(tmp_path, {"alias": Link("scenario")})

    assert Tree(tmp_path / "alias").read("file.txt", 10) == b"text"
    assert Tree(tmp_path / "alias").look("../secret.txt").kind is Kind.OUTSIDE


@pytest.mark.parametrize("path", ["", ".", "file.txt"])
def test_a_missing_root_is_an_answer_and_no_exception(tmp_path: Path, path: str) -> None:
    tree = Tree(tmp_path / "nothing")

    assert tree.look(path).kind is Kind.MISSING
    assert kinds(tree.walk(path)) == {path: Kind.MISSING}
    assert tree.read(path, 10) == Refusal(Kind.MISSING)


def test_special_files_are_never_opened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(root / "fifo")
    monkeypatch.chdir(root)  # the address of a socket may have only about a hundred bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")

    for name in ("fifo", "socket"):
        assert Tree(root).look(name).kind is Kind.SPECIAL
        # Opening the FIFO would block for ever, as nobody writes.
        assert Tree(root).read(name, 10) == Refusal(Kind.SPECIAL, Tree(root).look(name).detail)
    assert Tree(root).look("fifo").detail.startswith("p")


def test_a_read_returns_the_bytes_up_to_the_limit_and_refuses_more(root: Path) -> None:
    assert Tree(root).read("file.txt", 4) == b"text"
    assert Tree(root).read("file.txt", 3) == Refusal(Kind.TOO_LARGE, "over 3 bytes")


@pytest.mark.parametrize("size", [0, 5, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 200_000])
@pytest.mark.parametrize("then", [0, 5, 64 * 1024, 200_001])
def test_a_file_is_read_as_it_is_now_whatever_size_it_had_when_it_was_looked_at(
    root: Path, size: int, then: int
) -> None:
    (root / "log.txt").write_bytes(b"a" * size)
    entry = Tree(root).look("log.txt")
    (root / "log.txt").write_bytes(b"b" * then)
    assert Tree(root).content(entry, 200_001) == b"b" * then


def test_a_huge_file_is_refused_without_being_read(root: Path) -> None:
    with open(root / "huge", "wb") as huge:
        huge.truncate(1 << 40)

    assert Tree(root).read("huge", 1024) == Refusal(Kind.TOO_LARGE, "over 1024 bytes")


@pytest.mark.parametrize("path", ["folder", "nothing", "../secret.txt"])
def test_reading_what_is_no_file_inside_says_what_it_is(root: Path, path: str) -> None:
    entry = Tree(root).look(path)

    assert Tree(root).read(path, 10) == Refusal(entry.kind, entry.detail)


def replace_with_link(place: Path, target: str) -> None:
    os.rename(place, place.with_name("moved"))
    os.symlink(target, place)


def test_a_link_put_in_place_of_a_file_after_the_look_is_not_followed(root: Path) -> None:
    real = Tree(root).look("file.txt").real
    replace_with_link(root / "file.txt", "../secret.txt")

    with pytest.raises(OSError, match="symbolic links") as caught:
        Tree(root).open(real)
    assert caught.value.errno == errno.ELOOP


def test_a_link_put_in_place_of_a_directory_after_the_look_is_not_followed(root: Path) -> None:
    real = Tree(root).look("folder/inner.txt").real
    write_tree(root.parent, {"private/inner.txt": "secret"})
    replace_with_link(root / "folder", "../private")

    with pytest.raises(NotADirectoryError):
        Tree(root).open(real)


@pytest.mark.parametrize("real", ["../secret.txt", "folder/../../secret.txt", "/etc/passwd", "", ".", "folder", ".."])
def test_open_takes_nothing_but_a_plain_path_to_a_file(root: Path, real: str) -> None:
    with pytest.raises(OSError):  # noqa: PT011 -- the system words some of them
        Tree(root).open(real)


def test_open_does_not_block_on_a_fifo_put_in_place_of_a_file(root: Path) -> None:
    os.remove(root / "file.txt")
    os.mkfifo(root / "file.txt")

    with pytest.raises(OSError, match="not a regular file any more"):
        Tree(root).open("file.txt")


@pytest.fixture
def swap_before_open(root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Exchange a path for a link at the last moment: when the first descriptor is asked for."""
    real_open = os.open

    def swap(name: str, target: str) -> None:
        def racing_open(*args: Any, **kwargs: Any) -> int:
            if not (root / name).is_symlink():
                replace_with_link(root / name, target)
            return real_open(*args, **kwargs)

        monkeypatch.setattr(os, "open", racing_open)

    return swap


def test_a_read_that_loses_the_race_against_a_link_gives_no_secret(
    root: Path, swap_before_open: Callable[[str, str], None]
) -> None:
    swap_before_open("file.txt", "../secret.txt")

    assert Tree(root).read("file.txt", 100) == Refusal(Kind.UNREADABLE, "Too many levels of symbolic links")


def test_a_walk_that_loses_the_race_against_a_link_lists_nothing_outside(
    root: Path, swap_before_open: Callable[[str, str], None]
) -> None:
    swap_before_open("folder", "../private")

    assert kinds(Tree(root).walk("folder")) == {"folder": Kind.UNREADABLE}


def test_no_descriptor_is_left_open(root: Path) -> None:
    os.mkfifo(root / "fifo")
    write_tree(root, {"out": Link("..")})
    tree = Tree(root)
    before = os.listdir("/dev/fd")

    tree.walk(".")
    for path in ("file.txt", "folder/inner.txt", "folder", "fifo", "nothing/x", "out/secret.txt"):
        tree.read(path, 2)
        try:
            os.close(tree.open(path))
        except OSError:
            continue

    assert os.listdir("/dev/fd") == before


def test_a_walk_lists_everything_in_order_with_directories_before_what_they_hold(root: Path) -> None:
    write_tree(root, {"b": {"z.txt": "", "a": {"1": ""}}, "a.txt": "", "link": Link("folder"), "empty": {}})

    walked = Tree(root).walk(".")

    assert [entry.path for entry in walked] == [
        ".",
        "a.txt",
        "b",
        "b/a",
        "b/a/1",
        "b/z.txt",
        "empty",
        "file.txt",
        "folder",
        "folder/inner.txt",
        "link",
        "link/inner.txt",
    ]
    assert walked[-1].real == "folder/inner.txt"


@pytest.mark.parametrize(
    ("path", "below"),
    [("folder", "folder/inner.txt"), ("folder/", "folder/inner.txt"), ("./folder", "./folder/inner.txt")],
)
def test_a_walk_names_what_it_finds_below_the_path_it_was_given(root: Path, path: str, below: str) -> None:
    assert kinds(Tree(root).walk(path)) == {path: Kind.DIRECTORY, below: Kind.FILE}


def test_a_walk_of_a_file_is_that_file(root: Path) -> None:
    assert kinds(Tree(root).walk("file.txt")) == {"file.txt": Kind.FILE}


def test_a_walk_reports_what_is_no_file_and_goes_on(root: Path) -> None:
    write_tree(root, {"a-out": Link("../private"), "b-gone": Link("nowhere"), "c-loop": Link("c-loop")})
    os.mkfifo(root / "d-fifo")

    assert kinds(Tree(root).walk(".")) == {
        ".": Kind.DIRECTORY,
        "a-out": Kind.OUTSIDE,
        "b-gone": Kind.MISSING,
        "c-loop": Kind.LOOP,
        "d-fifo": Kind.SPECIAL,
        "file.txt": Kind.FILE,
        "folder": Kind.DIRECTORY,
        "folder/inner.txt": Kind.FILE,
    }


def test_a_link_back_to_a_directory_above_is_one_entry(root: Path) -> None:
    write_tree(root, {"folder/up": Link("..")})

    walked = {entry.path: entry for entry in Tree(root).walk("folder")}

    assert walked["folder/up"].kind is Kind.DIRECTORY
    assert walked["folder/up/folder"] == Entry("folder/up/folder", Kind.LOOP, detail="leads back to folder")


def test_two_directories_that_link_to_each_other_end(root: Path) -> None:
    write_tree(root, {"x": {"y": Link("../y")}, "y": {"x": Link("../x")}})

    assert kinds(Tree(root).walk("x")) == {"x": Kind.DIRECTORY, "x/y": Kind.DIRECTORY, "x/y/x": Kind.LOOP}


def test_links_that_multiply_a_small_tree_end_with_one_entry_that_says_so(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_module, "MAX_ENTRIES", 200)
    write_tree(root, {f"d{n}": {"a": Link(f"../d{n + 1}"), "b": Link(f"../d{n + 1}")} for n in range(20)})

    walked = Tree(root).walk("d0")

    assert len(walked) == 201
    assert walked[-1] == Entry("d0", Kind.TOO_MANY, detail="more than 200 files and directories")


def nest(root: Path, name: str, depth: int) -> None:
    """Make `depth` directories, each in the one before; by descriptor, as no path may be that long."""
    place = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=place)
        below = os.open(name, os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    os.close(place)


def test_directories_nested_too_deep_end_with_one_entry_that_says_so(root: Path) -> None:
    nest(root, "d", 250)

    walked = Tree(root).walk("d")

    assert len(walked) == 201
    assert walked[-1] == Entry("/".join("d" * 201), Kind.TOO_MANY, detail="nested deeper than 200 directories")


def test_directories_nested_as_deep_as_allowed_are_walked(root: Path) -> None:
    nest(root, "d", 200)

    assert [entry.kind for entry in Tree(root).walk("d")] == [Kind.DIRECTORY] * 200


def test_directories_nested_deeper_than_a_path_can_say_are_unreadable(root: Path) -> None:
    nest(root, "d" * 250, 20)

    last = Tree(root).walk("d" * 250)[-1]

    assert (last.kind, last.detail) == (Kind.UNREADABLE, "File name too long")


def test_names_that_are_not_utf_8_are_found_and_read(root: Path) -> None:
    with open(os.fsencode(root) + b"/\xff", "wb") as odd:
        odd.write(b"odd")

    assert Tree(root).read(Tree(root).walk(".")[-1].path, 10) == b"odd"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_may_not_be_read_is_unreadable(root: Path) -> None:
    write_tree(root, {"closed": {"x": ""}, "shut.txt": ""})
    os.chmod(root / "closed", 0o700)
    os.chmod(root / "shut.txt", 0o600)
    place = os.open(root, os.O_RDONLY)  # the folders above may be closed to others
    os.fchmod(place, 0o755)

    outcome = as_nobody(place)

    assert outcome == {"closed": "unreadable", "closed/x": "unreadable", "shut.txt": "unreadable"}


def as_nobody(place: int) -> dict[str, str]:
    """What `Tree` answers to an ordinary user in the directory `place`; the descriptor is closed."""
    import json
    import subprocess

    code = (
        "import json, os; from pathlib import Path; from generator.source.tree import Tree\n"
        f"os.fchdir({place}); os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "tree = Tree(Path('.'))\n"
        "print(json.dumps({'closed': tree.walk('closed')[0].kind, 'closed/x': tree.look('closed/x').kind,"
        " 'shut.txt': tree.read('shut.txt', 9).kind}))\n"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            pass_fds=[place],
            capture_output=True,
            check=True,
            cwd=Path(__file__).parents[3],
        )
    finally:
        os.close(place)
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


_parts = st.sampled_from(["a", "b", "l", "m", "n", "..", ".", "", "file", "nothing"])


@given(
    path=st.lists(_parts, max_size=6).map("/".join),
    targets=st.fixed_dictionaries({name: st.lists(_parts, min_size=1, max_size=4).map("/".join) for name in "lmn"}),
)
def test_an_answer_agrees_with_the_system_and_never_lies_outside(
    tmp_path_factory: pytest.TempPathFactory, path: str, targets: dict[str, str]
) -> None:
    root = tmp_path_factory.mktemp("case") / "root"
    write_tree(root, {"file": "text", "a": {"file": "text", "b": {"file": "text"}}})
    for place, name in (("", "l"), ("a/", "m"), ("a/b/", "n")):
        os.symlink(targets[name] or ".", root / (place + name))

    entry = Tree(root).look(path)

    if entry.kind in (Kind.FILE, Kind.DIRECTORY):
        real = os.path.realpath(root / path, strict=True)
        assert real == os.path.normpath(root / entry.real)
        assert real == str(root) or real.startswith(f"{root}/")
    elif entry.kind is Kind.MISSING:
        assert not os.path.exists(f"{root}/{path}")
