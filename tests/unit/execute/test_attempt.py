"""Trying a sandbox in a process that was started before anybody asked for the answer."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from generator.execute import attempt
from tests.support.files import Script, write_tree


@pytest.fixture(autouse=True)
def _nothing_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """State of each test's own: the process's one attempt, which another test may have begun, is still waited for."""
    monkeypatch.setattr(attempt, "_begun", {})
    monkeypatch.setattr(attempt, "begin", functools.cache(attempt.begin.__wrapped__))


def fake(folder: Path, script: str) -> str:
    return str(write_tree(folder, {"bwrap": Script(f"#!/bin/sh\n{script}\n")}) / "bwrap")


def test_what_was_begun_early_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake(tmp_path, f"echo tried >> {tmp_path}/log")
    monkeypatch.setattr(attempt, "BWRAP_PLACES", ("/nowhere/bwrap", program))
    attempt.begin()
    attempt.begin()
    assert attempt.attempt_of(attempt.strongest(program)).complaint() is None
    assert (tmp_path / "log").read_text() == "tried\n"
    assert attempt.attempt_of(attempt.strongest(program)).complaint() is None
    assert (tmp_path / "log").read_text() == "tried\n" * 2


def test_an_attempt_begun_early_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake(tmp_path, "echo first >&2; echo 'no namespaces here' >&2; exit 1")
    monkeypatch.setattr(attempt, "BWRAP_PLACES", (program,))
    attempt.begin()
    assert attempt.attempt_of(attempt.strongest(program)).complaint() == "no namespaces here"


def test_an_attempt_of_another_way_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = fake(tmp_path / "good", "exit 0"), fake(tmp_path / "bad", "exit 3")
    monkeypatch.setattr(attempt, "BWRAP_PLACES", (good,))
    attempt.begin()
    assert attempt.attempt_of(attempt.strongest(bad)).complaint() == "exit status 3"
    assert attempt.attempt_of(attempt.strongest(good)).complaint() is None


def test_without_bubblewrap_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "BWRAP_PLACES", ("/nowhere/bwrap",))
    attempt.begin()
    complaint = attempt.attempt_of(attempt.strongest("/nowhere/bwrap")).complaint()
    assert complaint is not None
    assert "/nowhere/bwrap" in complaint


def test_an_attempt_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "SECONDS", 0.1)
    complaint = attempt.attempt_of(attempt.strongest(fake(tmp_path, "exec sleep 1000"))).complaint()
    assert complaint is not None
    assert "timed out" in complaint


def test_an_attempt_without_room_for_its_files_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.memfd_create", full)
    assert "No space left" in str(attempt.attempt_of(attempt.strongest(fake(tmp_path, "exit 0"))).complaint())
