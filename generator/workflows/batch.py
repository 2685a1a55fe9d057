"""Many runs, one after another or at the same time, with one line of progress for each that ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from generator.execute.evidence import shown_path
from generator.execute.interrupt import Interrupted
from generator.execute.notify import Notify
from generator.execute.refusal import Refused
from generator.execute.run import run_package
from generator.execute.settings import RunSettings
from generator.execute.taskpackage import TaskPackage

if TYPE_CHECKING:
    from generator.execute.report import RunReport
    from generator.execute.workers import Result


@dataclass(slots=True)
class Batch:
    """The runs of one command, as far as they have come.

    Attributes:
        plan: What to run, in this order.
        notify: Gets one line at a time.
        fail_fast: Start nothing more once a run did not pass.
        results: Index in the plan -> what came of it; one that never began is not there.
        interrupted: What cut the batch off; a run that noticed it has it in its report as well.
    """

    plan: Sequence[TaskPackage]
    notify: Notify
    fail_fast: bool = False
    results: dict[int, Result] = field(default_factory=dict)
    interrupted: Interrupted | None = None
    _labels: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Call each run by its scenario, by its package where several have that id, and by which of the runs it is."""
        packages = {package.directory: package.scenario_id for package in self.plan}
        alike = Counter(packages.values())
        names = [
            package.scenario_id
            if alike[package.scenario_id] == 1
            else f"{package.scenario_id} ({shown_path(package.directory)})"
            for package in self.plan
        ]
        counts = Counter(names)
        seen: Counter[str] = Counter()
        labels = []
        for name in names:
            seen[name] += 1
            labels.append(f"{name} run-{seen[name]}" if counts[name] > 1 else name)
        self._labels = tuple(labels)

    def run(self, settings: RunSettings, jobs: int) -> None:
        """Run the plan, `jobs` at the same time; several jobs are processes of their own."""
        if min(jobs, len(self.plan)) > 1:
            from generator.execute.workers import Workers

            self.interrupted = Workers(self.plan, settings, jobs, self._note, self._ended).work()
        else:
            self._run_in_turn(settings)

    @property
    def reports(self) -> tuple[RunReport, ...]:
        """Reports in the order of the plan."""
        return tuple(one for _, one in sorted(self.results.items()) if not isinstance(one, Refused))

    @property
    def refusals(self) -> tuple[tuple[TaskPackage, Refused], ...]:
        """What was not run in the end, and why, in the order of the plan."""
        return tuple((self.plan[i], one) for i, one in sorted(self.results.items()) if isinstance(one, Refused))

    @property
    def unreached(self) -> tuple[TaskPackage, ...]:
        """The package of every run that never began."""
        return tuple(package for index, package in enumerate(self.plan) if index not in self.results)

    def _run_in_turn(self, settings: RunSettings) -> None:
        for index, package in enumerate(self.plan):

            def note(line: str, index: int = index) -> None:
                self._note(index, line)

            try:
                result = run_package(package, settings, note)
            except Interrupted as interruption:
                self.interrupted = interruption
                return
            if not self._ended(index, result):
                return

    def _note(self, index: int, line: str) -> None:
        self.notify(f"{self._labels[index]}: {line}")

    def _ended(self, index: int, result: Result) -> bool:
        """Keep the result and tell it; whether others may still be started: not when the command itself is wrong."""
        self.results[index] = result
        if len(self.plan) > 1:
            place = f"[{len(self.results)}/{len(self.plan)}] {self._labels[index]}"
            self.notify(f"{place}: {_outcome(result)}")
        if isinstance(result, Refused):
            return not (result.of_the_command or self.fail_fast)
        return result.interrupted is None and (result.status == "passed" or not self.fail_fast)


def _outcome(result: Result) -> str:
    if isinstance(result, Refused):
        return f"not run, {result.code}"
    from generator.execute.report import duration

    return f"{result.status.replace('_', ' ')}, {duration(result.duration_ms)}"
