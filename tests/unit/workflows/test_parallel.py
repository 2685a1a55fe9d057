"""Tasks shared out among processes: every result, in order, and nothing left when it ends early."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.workflows.parallel import Lost, processors, shared_out


def children() -> set[str]:
    """Processes of ours that have not been waited for."""
    return {pid for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()}


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Every test leaves as many processes as it found."""
    before = children()
    yield
    assert children() <= before


@pytest.mark.parametrize(("count", "jobs"), [(0, 1), (1, 1), (7, 2), (7, 7), (100, 3)])
def test_the_results_come_in_the_order_of_the_tasks(count: int, jobs: int) -> None:
    assert list(shared_out(lambda number: number * number, count, jobs)) == [n * n for n in range(count)]


def test_the_tasks_are_done_in_as_many_processes_as_were_asked_for() -> None:
    pids = list(shared_out(lambda _: os.getpid(), 9, 3))

    assert len(set(pids)) == 3
    assert os.getpid() not in pids


def test_results_larger_than_a_pipe_arrive() -> None:
    assert list(shared_out(lambda n: "x" * (n * 300_000), 5, 2)) == ["x" * (n * 300_000) for n in range(5)]


def test_what_a_killed_process_owes_is_told_as_lost_and_the_others_go_on() -> None:
    def work(number: int) -> int:
        if number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    made = list(shared_out(work, 6, 2))

    lost = Lost("its process was ended by signal 9")
    assert made == [0, 1, lost, 3, lost, 5]


def test_an_error_of_the_work_is_shown_and_its_results_are_lost(capfd: pytest.CaptureFixture[str]) -> None:
    def work(number: int) -> int:
        return 1 // number

    made = list(shared_out(work, 3, 2))

    lost = Lost("its process ended with exit code 1")
    assert made == [lost, 1, lost]
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_giving_up_lets_every_process_put_away_what_it_has_begun(tmp_path: Path) -> None:
    def work(number: int) -> int:
        if number < 2:
            return number
        place = tmp_path / str(number)
        place.mkdir()
        try:
            signal.pause()  # until told to stop
        finally:
            place.rmdir()
        return number

    made = shared_out(work, 4, 2)
    assert (next(made), next(made)) == (0, 1)
    while len(list(tmp_path.iterdir())) < 2:
        pass
    assert isinstance(made, Iterator)
    made.close()  # type: ignore[attr-defined]

    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_of_the_whole_group_ends_every_process_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def work(_: int) -> int:
        # The terminal interrupts all of them, the parent once more while they clean up.
        os.kill(os.getpid(), signal.SIGINT)
        return 0

    made = list(shared_out(work, 2, 2))

    assert made == [Lost("its process ended with exit code 130")] * 2
    assert capfd.readouterr().err == ""


def test_tasks_of_a_process_that_cannot_be_started_are_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    fork = os.fork
    started: list[int] = []

    def scarce() -> int:
        if started:
            raise BlockingIOError(errno.EAGAIN, "no more processes")
        started.append(1)
        return fork()

    monkeypatch.setattr(os, "fork", scarce)
    pids = list(shared_out(lambda _: os.getpid(), 4, 2))

    assert pids[1] == pids[3] == os.getpid()
    assert pids[0] == pids[2] != os.getpid()


def test_there_is_at_least_one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processors() >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert processors() >= 1
