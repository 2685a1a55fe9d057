"""Run packages through Harbor: one job for all of them, and a run record for each trial."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generator.execute.interrupt import Interrupted
from generator.execute.notify import Notify
from generator.execute.preparation import agent_leak, reviewer_notes
from generator.execute.records import Isolation
from generator.execute.refusal import Blame, Refused, granted
from generator.execute.report import RunReport
from generator.execute.settings import guarded_paths
from generator.execute.taskpackage import TaskPackage
from generator.harbor import assignment, commands, reviewer
from generator.harbor.job import Job
from generator.harbor.launch import installed_version, missing_harbor, run_job, stamp
from generator.harbor.providers import unsupported
from generator.harbor.record import LEVEL, Reviewing, missing_trial, record_trial
from generator.harbor.results import Trial, trials
from generator.harbor.settings import HarborOptions, HarborSettings, choose_reviewer, understand


@dataclass(frozen=True, slots=True)
class HarborOutcome:
    """What came of a job.

    Attributes:
        runs: One report a run.
        refused: Why something was not run.
        apart: Packages that kept no other from being run, each with its reason, which stands in `refused` as well.
    """

    runs: tuple[RunReport, ...] = ()
    refused: tuple[Refused, ...] = ()
    apart: tuple[tuple[TaskPackage, Refused], ...] = ()


def run_packages(
    packages: Sequence[TaskPackage],
    options: HarborOptions,
    out: Path,
    environ: Mapping[str, str],
    notify: Notify,
    *,
    guarded: tuple[Path, ...] = (),
) -> HarborOutcome:
    """Run every package `options.runs` times and record each trial as a run.

    A package that cannot be run keeps no other from it; a wrong command does. An interruption is part of the last
    report.

    Args:
        packages: What to run.
        options: What was typed.
        out: Output directory.
        environ: The operator's variables.
        notify: Gets a line whenever a trial has ended.
        guarded: What no agent may see beside the packages and what is in `out`: an agent's folder is uploaded whole.
    """
    with tempfile.TemporaryDirectory() as folder:
        copies = Path(folder) / "agent"
        settings = understand(options, copies, environ)
        if isinstance(settings, Refused):
            return HarborOutcome(refused=(settings,))
        apart = (*_unjudged(packages, settings), *_unsupported(packages, settings))
        refused = tuple(dict.fromkeys(why for _, why in apart))
        left_out = {package.directory for package, _ in apart}
        fit = tuple(package for package in packages if package.directory not in left_out)
        private = guarded_paths(out, (*guarded, *(package.directory for package in packages)))
        leak = agent_leak(settings.agent, copies, private) if settings.agent else None
        wrong = leak or (missing_harbor() if fit else None)
        if wrong is not None or not fit:
            return HarborOutcome(refused=(*refused, *((wrong,) if wrong else ())), apart=apart)
        for package in fit:
            for note in _reviewing(package, settings).notes:
                notify(f"{package.scenario_id}: warning: {note}")
        done = run_understood(fit, settings, out, notify)
        return replace(done, refused=(*refused, *done.refused), apart=apart)


def _reviewing(package: TaskPackage, settings: HarborSettings) -> Reviewing:
    """Who judges a package that can be run with these settings."""
    chosen = granted(choose_reviewer(package, settings))
    given = set(settings.review_env) if chosen is not None else set()
    if chosen is not None and not chosen.trusted:
        given &= chosen.env.keys()
    notes = reviewer_notes(package, chosen, settings.review_env, settings.options.reviewer)
    return Reviewing(chosen, tuple(sorted(given)), tuple(notes))


def _unjudged(packages: Sequence[TaskPackage], settings: HarborSettings) -> Iterator[tuple[TaskPackage, Refused]]:
    """Packages whose work nobody would judge."""
    for package in packages:
        chosen = choose_reviewer(package, settings)
        if isinstance(chosen, Refused):
            yield package, chosen


def _unsupported(packages: Sequence[TaskPackage], settings: HarborSettings) -> Iterator[tuple[TaskPackage, Refused]]:
    """Packages that the provider cannot run, with one reason that names them."""

    def why(some: Sequence[TaskPackage]) -> Refused | None:
        return unsupported(settings.options.harbor_env, some, settings.choice.hosts, settings.review.hosts)

    unfit = [package for package in packages if why((package,)) is not None]
    if (reason := why(unfit)) is not None:
        yield from ((package, reason) for package in unfit)


def run_understood(
    packages: Sequence[TaskPackage], settings: HarborSettings, out: Path, notify: Notify
) -> HarborOutcome:
    """The same once everything has been checked: start Harbor, and read what it left."""
    options = settings.options
    job = Job(
        name=options.job or stamp(),
        jobs=(out / "harbor" / "jobs").absolute(),
        packages=tuple(package.directory for package in packages),
        runs=options.runs,
        concurrency=options.concurrency,
        environment=options.harbor_env,
        agent=settings.choice,
        reviewer=settings.review,
    )
    notify(f"harbor: job {job.name}; carry it on with --job {job.name} when it is cut off")
    interrupted: Interrupted | None = None
    failed: Refused | None = None
    try:
        failed = run_job(job, _values(settings), settings.environ, notify)
    except Interrupted as interruption:
        interrupted = interruption
    except OSError as error:
        failed = Refused("run_not_possible", f"{error.filename}: {error.strerror}", "", Blame.MACHINE)
    if failed is not None and failed.blame is Blame.USAGE:
        return HarborOutcome(refused=(failed,))
    reports = _reports(job, packages, settings, out, interrupted)
    return HarborOutcome(reports, () if failed is None else (failed,))


def _values(settings: HarborSettings) -> dict[str, str]:
    """What agent and review are given, as variables of Harbor's process: never in a file, never in an argument list."""
    texts = {commands.AGENT: settings.choice.command or "", commands.REVIEWER: settings.review.command}
    return {
        **{name: text for name, text in texts.items() if text},
        **{assignment.PREFIX + name: value for name, value in settings.agent_env.items()},
        **{reviewer.PREFIX + name: value for name, value in settings.review_env.items()},
    }


def _reports(
    job: Job,
    packages: Sequence[TaskPackage],
    settings: HarborSettings,
    out: Path,
    interrupted: Interrupted | None,
) -> tuple[RunReport, ...]:
    """A report for every run that was asked for: recorded trials, and those that Harbor never made."""
    by_directory = {package.directory: package for package in packages}
    isolation = Isolation(level=LEVEL, detail=f"Harbor {installed_version()}, {job.environment}")
    found: list[RunReport] = []
    counted: Counter[Path] = Counter()
    for trial in trials(job.directory):
        package = by_directory.get(trial.package)
        if package is not None:
            counted[trial.package] += 1
            found.append(_record(trial, package, settings, out, isolation))
    for directory, package in by_directory.items():
        why = f"interrupted by {interrupted}" if interrupted else "Harbor made no such trial, or left no result of it"
        found += [missing_trial(package, isolation, why)] * (job.runs - counted[directory])
    if interrupted is not None and found:
        found[-1] = replace(found[-1], interrupted=interrupted.exit_code)
    return tuple(found)


def _record(trial: Trial, package: TaskPackage, settings: HarborSettings, out: Path, isolation: Isolation) -> RunReport:
    if trial.digest not in (None, package.digest):
        return missing_trial(package, isolation, f"the package of {trial.name} is not the one that was verified")
    try:
        return record_trial(
            trial,
            package,
            out=out,
            agent=settings.agent,
            reviewing=_reviewing(package, settings),
            env_names=settings.choice.env_names,
            isolation=isolation,
        )
    except OSError as error:
        return missing_trial(package, isolation, f"the evidence of {trial.name} could not be written: {error}")
    except Exception as error:  # noqa: BLE001 -- a record that nobody foresaw must not cost other trials their report
        return missing_trial(package, isolation, f"the record of {trial.name} cannot be read: {error!r}")
