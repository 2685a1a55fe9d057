"""`validate --watch` on a terminal and in a pipe."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.acceptance.test_validate import harborsmith
from tests.support.repository import ROOT
from tests.support.scenarios import document, write_scenario

PATIENCE_SECONDS = 60  # until a test gives up; a machine under load is no failure


class Watched:
    """A running `validate --watch`, and everything it has shown."""

    def __init__(self, process: subprocess.Popen[bytes], output: int) -> None:
        self.process = process
        self.output = output
        self.shown = b""

    def until(self, wanted: bytes) -> bytes:
        """Wait for `wanted`, and return what was shown up to it since the last time."""
        while wanted not in self.shown:
            ready, _, _ = select.select([self.output], [], [], PATIENCE_SECONDS)
            assert ready, self.shown
            part = os.read(self.output, 65536)
            assert part, self.shown
            self.shown += part
        seen, _, self.shown = self.shown.partition(wanted)
        return seen + wanted

    def end(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_SECONDS)


@contextmanager
def watched(folder: Path, *arguments: str, terminal: bool = False) -> Iterator[Watched]:
    reading, writing = pty.openpty() if terminal else os.pipe()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "LINES": "6", "COLUMNS": "80"}
    command = [sys.executable, "-m", "generator", "validate", "--watch", *arguments]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=writing)
    os.close(writing)
    try:
        yield Watched(process, reading)
    finally:
        process.kill()
        process.wait()
        os.close(reading)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    write_scenario(tmp_path / "scenarios/sum-ledger")
    return tmp_path


END = b"watching; Ctrl-C ends it\n"


def test_every_save_is_checked_and_ctrl_c_ends_it_well(pack: Path) -> None:
    with watched(pack) as running:
        assert b"1 scenario: 1 ok, 0 failed" in running.until(END)
        write_scenario(pack / "scenarios/sum-ledger", document(tier="smok"))
        assert b"1 scenario: 0 ok, 1 failed" in running.until(b"1 failed; 1 error") + running.until(END)
        write_scenario(pack / "scenarios/second", document(id="second"))
        assert b"2 scenarios" in running.until(b"2 scenarios") + running.until(END)
        assert running.end() == 0


def test_a_document_that_is_named_is_watched_with_its_files(pack: Path) -> None:
    with watched(pack, "scenarios/sum-ledger/scenario.json") as running:
        running.until(END)
        (pack / "scenarios/sum-ledger/instruction.md").write_text(" ")
        running.until(b"prompt_blank")
        assert running.end() == 0


def test_a_terminal_shows_one_screen_that_is_never_cleared_again(pack: Path) -> None:
    write_scenario(pack / "scenarios/wrong", document(id="wrong", tier="smok", kind="x"))
    with watched(pack, terminal=True) as running:
        first = running.until(b"\x1b[J")
        assert first.startswith(b"\x1b[2J")
        assert first.count(b"\n") == 5
        assert b"more lines" in first
        assert b"watching" in first
        write_scenario(pack / "scenarios/wrong", document(id="wrong"))
        second = running.until(b"\x1b[J")
        assert b"\x1b[H" in second
        assert b"\x1b[2J" not in second
        assert running.end() == 0


def test_a_termination_is_no_good_end(pack: Path) -> None:
    with watched(pack) as running:
        running.until(END)
        assert running.end(signal.SIGTERM) != 0


@pytest.mark.parametrize("arguments", [["--json"], ["--format", "sarif"], ["--report", "sarif=x.sarif"]])
def test_only_text_can_be_watched(pack: Path, arguments: list[str]) -> None:
    done = harborsmith("validate", "--watch", *arguments, cwd=pack)
    assert (done.returncode, "--watch shows text" in done.stderr) == (2, True)
