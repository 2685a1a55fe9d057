"""Counting runs: what has no verdict is neither a failure nor forgotten, and intervals are Wilson's."""

from __future__ import annotations

import pytest

from generator.execute.report import RunReport
from generator.execute.tally import Asked, Row, tally, tally_json, tally_lines, total


def report(status: str, name: str = "one", duration_ms: int = 1000, version: str | None = None) -> RunReport:
    score = {"passed": 1, "failed": 0}.get(status)
    return RunReport(
        scenario_id=name,
        scenario_version=version,
        run_id=f"{name}-0",
        failure_kind="none" if score == 1 else "infra_failed",
        score=score,
        reasons=(),
        duration_ms=duration_ms,
        isolation="bubblewrap",
        evidence=None,
    )


def row(passed: int, failed: int = 0, no_verdict: int = 0, asked: int | None = None) -> Row:
    made = passed + failed + no_verdict
    return Row(
        scenario_id="one",
        version=None,
        asked=made if asked is None else asked,
        passed=passed,
        failed=failed,
        no_verdict=no_verdict,
    )


# Newcombe, Two-sided confidence intervals for the single proportion (1998), table I, method 3; and the closed form.
@pytest.mark.parametrize(
    ("passed", "scored", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_wilsons(passed: int, scored: int, low: float, high: float) -> None:
    assert row(passed, scored - passed).interval == pytest.approx((low, high), abs=0.00006)


def test_a_run_without_a_verdict_changes_no_rate() -> None:
    with_it, without = row(1, 1, no_verdict=1), row(1, 1)
    assert (with_it.pass_rate, with_it.interval) == (without.pass_rate, without.interval)
    assert (with_it.scored, with_it.not_run, with_it.asked) == (2, 0, 3)


def test_without_a_scored_run_there_is_no_rate_no_interval_and_no_time() -> None:
    (made,) = tally([Asked("one", None, 3)], [report("no_verdict"), report("no_verdict")])
    assert (made.pass_rate, made.interval, made.median_ms, made.no_verdict, made.not_run) == (None, None, None, 2, 1)
    assert [line.split() for line in tally_lines((made,))][1] == ["one", "3", "0", "0", "2", "1", "-", "-", "5"]
    assert list(tally_lines((made,)))[-1] == "0 of 3 runs scored, pass rate -; 0 of 1 scenario passed every time"


@pytest.mark.parametrize(("times", "median"), [([3], 3), ([5, 1, 3], 3), ([4, 1, 9, 2], 3), ([1, 2], 2)])
def test_the_median_is_of_scored_runs_alone(times: list[int], median: int) -> None:
    runs = [report("passed", duration_ms=time) for time in times]
    (made,) = tally([Asked("one", None, 9)], [*runs, report("no_verdict", duration_ms=10**6)])
    assert made.median_ms == median


def test_rows_stand_in_the_order_of_asking_and_the_same_scenario_is_one() -> None:
    asked = [Asked("b", "1.0.0", 1), Asked("a", None, 2, exit_code=4), Asked("b", "1.0.0", 1)]
    runs = [report("failed", "b", version="1.0.0"), report("passed", "b", version="1.0.0")]
    first, second = tally(asked, runs)
    assert (first.scenario_id, first.asked, first.passed, first.failed, first.exit_code) == ("b", 2, 1, 1, 1)
    assert (second.scenario_id, second.asked, second.not_run, second.exit_code) == ("a", 2, 2, 4)
    whole = total((first, second))
    assert (whole.asked, whole.scored, whole.not_run, whole.exit_code) == (4, 2, 2, 4)


def test_passing_every_time_needs_every_run_that_was_asked_for() -> None:
    assert row(2).always_passed
    assert not row(2, asked=3).always_passed
    assert not row(2, no_verdict=1).always_passed
    said = tally_json((row(2), row(1, 1)))
    assert said["total"]["scenariosAlwaysPassed"] == 1
    assert "passRateInterval" not in said["total"]


def test_one_run_each_says_nothing_about_every_time() -> None:
    rows = tally([Asked("a", None, 1), Asked("b", "2.0.0", 1)], [report("passed", "a", 600)])
    assert list(tally_lines(rows)) == [
        "scenario  runs  passed  failed  no verdict  not run       pass rate  median  exit",
        "a            1       1       0           0        0  1/1 (21-100 %)    0.6s     0",
        "b 2.0.0      1       0       0           0        1               -       -     0",
        "all          2       1       0           0        1             1/1    0.6s     0",
        "1 of 2 runs scored, pass rate 1/1",
    ]
