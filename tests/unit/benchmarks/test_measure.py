"""Processes are timed in turn, and one that fails is no figure."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.measure import BenchError, Command, environment, in_turn, once, peak_memory


def test_commands_run_in_turn_and_a_first_round_is_not_counted(tmp_path: Path) -> None:
    log = tmp_path / "log"

    def before() -> None:
        with log.open("a") as notes:
            notes.write("before ")

    def command(name: str) -> Command:
        return Command(["/bin/sh", "-c", f"echo {name} >>{log}"], tmp_path, before)

    figures = in_turn({"a": command("a"), "b": command("b")}, rounds=2)

    assert log.read_text() == "before a\nbefore b\n" * 3
    assert [len(figures[name].samples) for name in "ab"] == [2, 2]


def test_the_peak_is_that_of_the_run_and_not_of_the_bench(tmp_path: Path) -> None:
    ballast = bytearray(100_000_000)
    ballast[::4096] = b"1" * len(ballast[::4096])
    small, large = (
        peak_memory(
            Command([sys.executable, "-c", f"x = bytearray({size}); x[::4096] = b'1' * len(x[::4096])"], tmp_path)
        )
        for size in (4096, 200_000_000)
    )

    assert large > 200_000_000
    assert small < 50_000_000


@pytest.mark.parametrize(("argv", "why"), [(["false"], "ended with 1"), (["/nowhere/x"], "cannot be started")])
def test_a_command_that_fails_is_no_figure(tmp_path: Path, argv: list[str], why: str) -> None:
    with pytest.raises(BenchError, match=why):
        once(Command(argv, tmp_path))
    with pytest.raises(BenchError):
        peak_memory(Command(argv, tmp_path))


def test_settings_of_the_caller_s_python_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("RUHROH_EVAL_COMMAND", "x")
    monkeypatch.setenv("KEPT", "1")

    assert {"PYTHONDONTWRITEBYTECODE", "RUHROH_EVAL_COMMAND", "KEPT"} & set(environment()) == {"KEPT"}
