"""Signals to this process wait until a piece of work is done, however many pieces lie inside one another."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator

import pytest

from generator.runtime.interrupts import HeldBack
from generator.runtime.process import run
from tests.unit.runtime.support import job

pytestmark = pytest.mark.usefixtures("handled")


class Struck(Exception):  # noqa: N818 -- no error, a signal
    """The signal was delivered."""


@pytest.fixture
def handled() -> Iterator[None]:
    def strike(*_: object) -> None:
        raise Struck

    before = signal.signal(signal.SIGTERM, strike)
    yield
    signal.signal(signal.SIGTERM, before)


def struck(work: Callable[[], None]) -> None:
    """Do `work`, during which a signal comes that is delivered afterwards."""
    with pytest.raises(Struck):
        work()


def test_a_signal_is_delivered_when_the_work_is_done() -> None:
    seen = []

    def work() -> None:
        with HeldBack() as held:
            os.kill(os.getpid(), signal.SIGTERM)
            seen.append(held.number)

    struck(work)
    assert seen == [signal.SIGTERM]


def test_inside_another_piece_of_work_it_waits_for_both() -> None:
    seen = []

    def work() -> None:
        with HeldBack() as outer:
            with HeldBack() as inner:
                os.kill(os.getpid(), signal.SIGTERM)
                seen.append(inner.number)
            seen.append(outer.number)

    struck(work)
    assert seen == [signal.SIGTERM, signal.SIGTERM]


def test_a_command_that_starts_after_the_signal_came_is_ended_at_once() -> None:
    outcomes = []

    def work() -> None:
        with HeldBack():
            os.kill(os.getpid(), signal.SIGTERM)
            outcomes.append(run(job("sleep", "600", seconds=600)))

    struck(work)
    (outcome,) = outcomes
    assert (outcome.exit_code, outcome.timed_out) == (137, False)


def test_what_a_command_said_before_the_signal_is_kept() -> None:
    outcomes = []

    def work() -> None:
        with HeldBack():
            outcomes.append(run(job("sh", "-c", f"echo half; kill -TERM {os.getpid()}; sleep 600", seconds=600)))

    struck(work)
    assert [outcome.output for outcome in outcomes] == [b"half\n"]
