"""Watching: what counts as a change, how often it is looked for, and what a screen shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from generator.workflows.watch import INTERVAL_SECONDS, fitted, redraw, snapshot, watch
from tests.support.files import write_tree


def rename_over(root: Path) -> None:
    write_tree(root, {"new": "b"})
    os.utime(root / "new", ns=(1, 1))
    (root / "new").rename(root / "a/file")


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda root: (root / "a/file").write_text("longer"),
    "touched": lambda root: os.utime(root / "a/file", ns=(1, 2)),
    "replaced": rename_over,
    "removed": lambda root: (root / "a/file").unlink(),
    "added": lambda root: write_tree(root, {"a/b/c/new": ""}),
    "linked": lambda root: (root / "a/link").symlink_to("gone"),
    "renamed": lambda root: (root / "a").rename(root / "b"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_kind_of_change_is_seen_once(tmp_path: Path, change: str) -> None:
    write_tree(tmp_path, {"a/file": "x"})
    os.utime(tmp_path / "a/file", ns=(1, 1))
    told: list[Collection[str]] = []
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            CHANGES[change](tmp_path)
        if len(waits) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watch([tmp_path], told.append, wait)
    assert len(told) == 2
    assert {str(tmp_path), str(tmp_path / "a/file")} <= set(told[0])
    assert any(Path(path).is_relative_to(tmp_path / "a") for path in told[1])
    assert min(waits) >= INTERVAL_SECONDS


def test_what_does_not_exist_yet_is_checked_once_all_the_same(tmp_path: Path) -> None:
    told: list[Collection[str]] = []

    def wait(_: float) -> None:
        if len(told) == 1 and not (tmp_path / "pack").exists():
            (tmp_path / "pack").mkdir()
        else:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watch([tmp_path / "pack"], told.append, wait)
    assert told[0] == set()


def test_what_is_no_source_and_what_links_lead_to_is_not_looked_at(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pack/a": "", "outside/x": "", "pack/.git/index": "", "pack/s/__pycache__/x.pyc": ""})
    (tmp_path / "pack/out").symlink_to("../outside")
    (tmp_path / "pack/again").symlink_to(".")
    names = {Path(path).relative_to(tmp_path).as_posix() for path in snapshot([tmp_path / "pack"])}
    assert names == {"pack", "pack/a", "pack/s", "pack/out", "pack/again"}


def test_what_is_not_there_yet_is_waited_for_and_a_root_may_be_a_link_or_a_file(tmp_path: Path) -> None:
    assert snapshot([tmp_path / "gone"]) == {}
    write_tree(tmp_path, {"real/a": "", "file": "x"})
    (tmp_path / "link").symlink_to("real")
    assert len(snapshot([tmp_path / "link"])) == 2
    assert len(snapshot([tmp_path / "file"])) == 1


def test_a_pipe_is_looked_at_without_being_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert len(snapshot([tmp_path])) == 2


@pytest.mark.parametrize(
    ("count", "height", "shown"),
    [
        (3, 3, ["0", "1", "2"]),
        (5, 4, ["0", "1", "… 2 more lines", "4"]),
        (5, 2, ["… 4 more lines", "4"]),
        (5, 1, ["… 4 more lines", "4"]),
        (2, 1, ["… 1 more line", "1"]),
        (0, 4, []),
    ],
)
def test_a_long_report_is_cut_before_its_last_line(count: int, height: int, shown: list[str]) -> None:
    assert fitted([str(number) for number in range(count)], height) == shown


def test_a_screen_is_written_over_and_never_blank() -> None:
    drawn = redraw(["one", "two"])
    assert drawn.index("\x1b[H") < drawn.index("one\x1b[K\ntwo\x1b[K\n") < drawn.index("\x1b[J")
    assert "\x1b[2J" not in drawn
