"""Count what many runs came to. A run without a verdict is shown, and is neither a failure nor left out silently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from generator.diagnostics.printable import printable

if TYPE_CHECKING:
    from generator.execute.report import RunReport

NORMAL_QUANTILE: Final = 1.959964  # two-sided 95 %
HEADINGS: Final = ("scenario", "runs", "passed", "failed", "no verdict", "not run", "pass rate", "median", "exit")


class Asked(NamedTuple):
    """Runs of one scenario that were asked for.

    Attributes:
        scenario_id: Id of the scenario.
        version: Its version; None where it has none or that is not known.
        runs: How many.
        exit_code: Of the reason why they were not started; 0 where nothing kept them.
        digest: Content digest of the package; empty where there is none.
        place: Directory of the package, or of what is none, as people read it.
        modes: Digest of which files of the package are executable; empty where there is none.
    """

    scenario_id: str
    version: str | None
    runs: int
    exit_code: int = 0
    digest: str = ""
    place: str = ""
    modes: str = ""

    @property
    def key(self) -> tuple[str, str | None, str, str]:
        """What belongs into one row: the runs of one package, whose id and version another one may have as well."""
        return self.scenario_id, self.version, self.digest or self.place, self.modes


class Row(NamedTuple):
    """What the runs of one package came to, or those of all.

    Attributes:
        scenario_id: Id of the scenario.
        version: Its version.
        asked: Runs that were asked for.
        passed: Those that passed.
        failed: Those that failed.
        no_verdict: Those that were made and have no score.
        durations: Milliseconds of each that has a score; one without may have been cut off anywhere.
        exit_code: The highest of all.
        digest: Content digest of the package; empty where there is none.
        place: Directory of the package, or of what is none.
        broke: Runs whose agent ended with an error, or could not be started; each counts as what it scored as well.
        silent: Whether the agent of a run used up its turns without a status that is understood.
    """

    scenario_id: str
    version: str | None
    asked: int
    passed: int
    failed: int
    no_verdict: int
    durations: tuple[int, ...] = ()
    exit_code: int = 0
    digest: str = ""
    place: str = ""
    broke: int = 0
    silent: bool = False

    @property
    def scored(self) -> int:
        """Runs with a verdict."""
        return self.passed + self.failed

    @property
    def not_run(self) -> int:
        """Runs that were asked for and not made."""
        return self.asked - self.scored - self.no_verdict

    @property
    def pass_rate(self) -> float | None:
        """Share of the scored runs that passed, which is also called pass@1; None without one."""
        return self.passed / self.scored if self.scored else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % score interval of the pass rate; None without a scored run.

        Source: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927).
        """
        n, z = self.scored, NORMAL_QUANTILE
        if not n:
            return None
        rate = self.passed / n
        centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
        reach = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, centre - reach), min(1.0, centre + reach)

    @property
    def median_ms(self) -> int | None:
        """Median milliseconds of the scored runs; None without one."""
        known = sorted(self.durations)
        if not known:
            return None
        middle = len(known) // 2
        return known[middle] if len(known) % 2 else round((known[middle - 1] + known[middle]) / 2)

    @property
    def always_passed(self) -> bool:
        """Whether every run that was asked for passed."""
        return self.passed == self.asked


def tally(asked: Iterable[Asked], runs: Sequence[RunReport]) -> tuple[Row, ...]:
    """One row a package, in the order of `asked`; the same package asked for twice is one row."""
    wanted: dict[tuple[str, str | None, str, str], Asked] = {}
    for one in asked:
        before = wanted.get(one.key, one._replace(runs=0))
        both = max(before.exit_code, one.exit_code)
        wanted[one.key] = before._replace(runs=before.runs + one.runs, exit_code=both)
    return tuple(
        _row(one, [run for run in runs if (run.scenario_id, run.scenario_version, run.digest, run.modes) == key])
        for key, one in wanted.items()
    )


def _row(asked: Asked, runs: Sequence[RunReport]) -> Row:
    scored = [run for run in runs if run.score is not None]
    passed = sum(run.status == "passed" for run in scored)
    return Row(
        scenario_id=asked.scenario_id,
        version=asked.version,
        asked=asked.runs,
        passed=passed,
        failed=len(scored) - passed,
        no_verdict=len(runs) - len(scored),
        durations=tuple(run.duration_ms for run in scored),
        exit_code=max([asked.exit_code, *(run.exit_code for run in runs)]),
        digest=asked.digest,
        place=asked.place,
        broke=sum(run.agent_broke for run in runs),
        silent=any(run.agent_silent for run in runs),
    )


def total(rows: Sequence[Row]) -> Row:
    """All rows as one."""
    return Row(
        scenario_id="all",
        version=None,
        asked=sum(row.asked for row in rows),
        passed=sum(row.passed for row in rows),
        failed=sum(row.failed for row in rows),
        no_verdict=sum(row.no_verdict for row in rows),
        durations=tuple(time for row in rows for time in row.durations),
        exit_code=max((row.exit_code for row in rows), default=0),
        broke=sum(row.broke for row in rows),
        silent=any(row.silent for row in rows),
    )


def tally_json(rows: Sequence[Row]) -> dict[str, Any]:
    """The `summary` of the run report.

    The total has no interval: runs of one scenario are alike, so they are no independent sample of scenarios.
    """
    return {
        "scenarios": [
            {
                "scenarioId": row.scenario_id,
                "scenarioVersion": row.version,
                "packageDigest": row.digest or None,
                "path": row.place or None,
                **_counts(row),
                "passRateInterval": None if row.interval is None else [round(end, 4) for end in row.interval],
            }
            for row in rows
        ],
        "total": {
            **_counts(total(rows)),
            "scenarios": len(rows),
            "scenariosAlwaysPassed": sum(row.always_passed for row in rows),
        },
    }


def _counts(row: Row) -> Mapping[str, Any]:
    return {
        "runs": row.asked,
        "passed": row.passed,
        "failed": row.failed,
        "noVerdict": row.no_verdict,
        "notRun": row.not_run,
        "agentBroke": row.broke,
        "scored": row.scored,
        "passRate": None if row.pass_rate is None else round(row.pass_rate, 4),
        "medianDurationMs": row.median_ms,
        "exitCode": row.exit_code,
    }


def tally_lines(rows: Sequence[Row]) -> Iterator[str]:
    """The table, and what it says in a sentence."""
    from generator.diagnostics.report import aligned, plural

    whole = total(rows)
    alike = Counter(map(_name, rows))
    names = (f"{_name(row)} ({row.place})" if alike[_name(row)] > 1 and row.place else _name(row) for row in rows)
    lines = [HEADINGS, *(_cells(name, row, _rate(row)) for name, row in zip(names, rows, strict=True))]
    if len(rows) > 1:
        lines.append(_cells(_name(whole), whole, _fraction(whole)))
    yield from aligned(lines, numbers=True)
    said = f"{whole.scored} of {whole.asked} runs scored, pass rate {_fraction(whole)}"
    if any(row.asked > 1 for row in rows):
        always = sum(row.always_passed for row in rows)
        said += f"; {always} of {plural(len(rows), 'scenario')} passed every time"
    yield said
    if whole.broke:
        yield f"the agent broke in {whole.broke} of {plural(whole.asked - whole.not_run, 'run')} (runtime_failure)"
    if whole.silent:
        from generator.execute.report import SPEAK

        yield SPEAK


def _name(row: Row) -> str:
    return " ".join(filter(None, (row.scenario_id, row.version)))


def _cells(name: str, row: Row, rate: str) -> tuple[str, ...]:
    from generator.execute.report import duration

    median = "-" if row.median_ms is None else duration(row.median_ms)
    counts = (row.asked, row.passed, row.failed, row.no_verdict, row.not_run)
    return (printable(name), *map(str, counts), rate, median, str(row.exit_code))


def _fraction(row: Row) -> str:
    return f"{row.passed}/{row.scored}" if row.scored else "-"


def _rate(row: Row) -> str:
    if row.interval is None:
        return "-"
    low, high = (round(100 * end) for end in row.interval)
    return f"{_fraction(row)} ({low}-{high} %)"
