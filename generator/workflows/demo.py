"""The demo: two bundled scenarios from start to verdict, step by step. All it tells is what `run` recorded."""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from generator.execute.evidence import ITERATIONS, RESULT
from generator.execute.report import RunReport, text_report
from generator.execute.sandbox import NoSandbox, probe
from generator.execute.settings import Options
from generator.package.layout import WORKSPACE
from generator.resources import data_folder
from generator.workflows.generate import ensure_package
from generator.workflows.run import RunOutcome, RunRequest, run
from generator.workflows.select import select
from generator.workflows.suggest import typed
from generator.workflows.validate import text_report as validation_lines
from generator.workflows.validate import validate

WIDTH: Final = 110
INDENT: Final = 14  # columns before what came of a step

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Episode:
    """One run of the demo: which scenario, the status it is meant to end with, and what that shows."""

    scenario: str
    status: str
    lesson: str


EPISODES: Final = (
    Episode("simple-newsletter", "passed", "The agent said it was done, and the reviewer found every criterion met."),
    Episode(
        "market-ledger-clean-up",
        "failed",
        "The agent said it was done and every check passed, but the reviewer compared the figures.",
    ),
)


def new_folder() -> Path:
    """A new output directory that no project has to clean up: among the system's temporary files. Raises OSError."""
    return Path(tempfile.mkdtemp(prefix="harborsmith-demo-"))


def demo(out: Path, environ: Mapping[str, str], tell: Tell) -> RunOutcome | None:
    """Run every episode and tell what happens.

    Args:
        out: Output directory.
        environ: The operator's variables. Those of runs (`RUHROH_*`) are left out: the demo is the same for everybody.
        tell: Gets one line at a time.

    Returns:
        None when both ended as they are meant to, else the first outcome that did not.

    Raises:
        Interrupted: Before a run began.
    """
    tell("Two bundled scenarios from start to verdict. Agent and reviewer are fixtures: no model, no key, no network.")
    options = _options(tell)
    tell(f"Everything is written to {out}.")
    own = {name: value for name, value in environ.items() if not name.startswith("RUHROH_")}
    for number, episode in enumerate(EPISODES, start=1):
        outcome = _play(number, episode, RunRequest(out=out, options=options), own, tell)
        if [report.status for report in outcome.runs] != [episode.status]:
            return outcome
        _step("", episode.lesson, tell)
    _close(out, options, tell)
    return None


def _options(tell: Tell) -> Options:
    """How the fixtures are run; where programs cannot be confined, one line says so and what that costs."""
    folder = data_folder("templates") / "demo"
    # The operator's `python3` may be a shim without an interpreter behind it; the one that runs this code is there.
    reviewer = shlex.join((sys.executable, str(folder / "reviewer.py")))
    options = Options(agent=shlex.quote(str(folder / "agent.py")), reviewer=reviewer)
    found = probe()
    if not isinstance(found, NoSandbox):
        return options
    cost = "nothing keeps an agent from your files. This one is harmless; before you run others"
    tell(f"Not isolated ({found.reason}): {cost}, {found.mend}.")
    return replace(options, isolation="none", allow_unsandboxed_pack_code=True)


def _play(number: int, episode: Episode, request: RunRequest, environ: Mapping[str, str], tell: Tell) -> RunOutcome:
    """One episode, told as it happens."""
    scenarios = data_folder("scenarios")
    selection = select(scenarios, (episode.scenario,))
    (loaded,) = selection.loaded
    tell("")
    tell(f"{number}. {loaded.id}: {loaded.scenario.title if loaded.scenario else 'not valid'}")
    *_, found = validation_lines(validate(selection))
    _step("validated", found, tell)
    package = ensure_package(loaded, request.out)
    if isinstance(package, Path):
        _step("compiled", _shares(package), tell)
        request = replace(request, packages=(package,))
    else:  # `run` says in its own words why there is none
        request = replace(request, scenario_dir=scenarios, ids=(episode.scenario,))
    outcome = run(request, environ, lambda _: None)
    for report in outcome.runs:
        if report.score is not None and report.evidence is not None:
            _retell(report, Path(report.evidence), tell)
    return outcome


def _shares(package: Path) -> str:
    """Who gets how much of a package."""
    agent, reviewer = (sum(path.is_file() for path in (package / part).rglob("*")) for part in (WORKSPACE, "tests"))
    return f"the agent gets the prompt and {agent} files; {reviewer} files are the reviewer's alone"


def _retell(report: RunReport, evidence: Path, tell: Tell) -> None:
    """What the evidence of a run says, in order."""
    for number, turn in enumerate(_turns(evidence), start=1):
        _step("" if number > 1 else "agent", f"turn {number}: {turn}", tell)
    _step("checks", f"{report.checks[0]} of {report.checks[1]} passed", tell)
    for number, criterion in enumerate(_criteria(evidence)):
        met = criterion["status"] == "passed"
        _step("" if number else "reviewer", f"{'met' if met else 'NOT MET':<9}{criterion['description']}", tell)
        if not met:
            _step("", f"{'':<9}{criterion.get('notes', '')}", tell)
    tell("   verdict".ljust(INDENT) + next(text_report(report)))


def _turns(evidence: Path) -> Iterator[str]:
    """What each turn came to."""
    for line in (evidence / ITERATIONS).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["completionStatus"]["reason"]


def _criteria(evidence: Path) -> list[dict[str, Any]]:
    """The reviewer's results, one a criterion."""
    result = json.loads((evidence / RESULT).read_text(encoding="utf-8"))
    criteria: list[dict[str, Any]] = result["evalResult"].get("criteriaResults", [])
    return criteria


def _step(name: str, text: str, tell: Tell) -> None:
    """A step in one line: its name, and what came of it, cut between words where a terminal would wrap it."""
    line = f"   {name}".ljust(INDENT) + text
    tell(line if len(line) <= WIDTH else f"{line[: WIDTH - 1].rsplit(' ', 1)[0]} …")


def _close(out: Path, options: Options, tell: Tell) -> None:
    """Where the evidence lies, and what to try next."""
    scenarios = shlex.quote(str(data_folder("scenarios")))
    package = shlex.quote(str(out / "harbor" / "tasks" / EPISODES[-1].scenario))
    place, reviewer = shlex.quote(str(out)), shlex.quote(str(options.reviewer))
    confined = options.isolation == "bubblewrap"
    unconfined = "" if confined else f" --isolation {options.isolation} --allow-unsandboxed-pack-code"
    tell("")
    tell(f"Evidence, with each verdict, transcript and finished workspace: {out / 'runs'}")
    tell("Next: look at all bundled scenarios, see a reference solution pass, try an agent of yours.")
    tell("  " + typed(f"harborsmith validate {scenarios}"))
    run_oracle = "--scenario access-log-digest --agent oracle"
    run_own = f"--out {place} --agent ./your-agent --reviewer {reviewer}{unconfined}"
    tell("  " + typed(f"harborsmith run --scenario-dir {scenarios} {run_oracle} --out {place}{unconfined}"))
    tell("  " + typed(f"harborsmith run {package} {run_own}"))
