"""`harborsmith run`: let an agent work on packages and have the results judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from generator.cli.harbor import harbor_options, split_options
from generator.cli.options import json_option, package_options, package_settings, painter, print_json
from generator.cli.running import execution_options, out_option, report, reviewer_option, say, target_options
from generator.cli.settings import usual

if TYPE_CHECKING:
    from generator.workflows.run import RunOutcome

# What to run, where and how often; the other options say how.
WANTED: Final = ("ids", "tier", "everything", "scenario_dir", "out", "runs", "jobs")

EPILOG = """
\b
Examples:
  harborsmith run --scenario csv-clean-up --agent ./agent.sh --reviewer ./judge.py
  harborsmith run generated/harbor/tasks/csv-clean-up --agent oracle
  harborsmith run --scenario csv-clean-up --agent "node ./agent.mjs" \\
      --allow-agent-host api.example.com --agent-env API_KEY
  harborsmith run --scenario csv-clean-up --agent ./agent.py --agent-path .venv
  harborsmith run --all --agent ./agent.sh --runs 5 --jobs 2
  harborsmith run --tier smoke --agent ./agent.sh --backend harbor --runs 5 --jobs 2

\b
Exit codes: 0 passed, 1 failed or findings, 2 wrong usage, 3 nothing selected, 4 could not run,
5 no verdict, 129, 130 and 143 interrupted. Several runs: the highest.
"""


@click.command("run", epilog=EPILOG)
@target_options("run")
@click.option(
    "--agent",
    "--adapter",
    "agent",
    metavar="COMMAND",
    help="The agent: a program, a file, a directory with an executable `run`, or oracle or nop.",
)
@click.option(
    "--agent-path", metavar="DIR", multiple=True, help="Show this folder to the agent, read-only; repeatable."
)
@click.option("--agent-env", metavar="NAME[=VALUE]", multiple=True, help="Pass a variable to the agent; repeatable.")
@click.option(
    "--allow-agent-host",
    metavar="HOST[:PORT]",
    multiple=True,
    help="Let the agent reach this host (ports 443 and 80 unless one is given); *.HOST for all below it; repeatable.",
)
@click.option("--iterations", type=click.IntRange(1, 1000), help="Most turns, instead of the scenario's own number.")
@click.option("--runs", type=click.IntRange(1, 1000), default=1, show_default=True, help="Run everything this often.")
@click.option(
    "--jobs",
    "--concurrency",
    "jobs",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Runs at the same time.",
)
@click.option(
    "--keep-going/--fail-fast",
    default=True,
    show_default=True,
    help="After a run that did not pass: run the others, or start no more.",
)
@reviewer_option
@execution_options
@harbor_options
@out_option
@package_options
@json_option
def command(
    packages: tuple[Path, ...], keep_going: bool, org: str, authors: tuple[str, ...], as_json: bool, **given: Any
) -> int:
    """Let an agent work on packages and have each result judged, with everything recorded.

    PACKAGE_DIRs are directories that `generate` wrote; --scenario, --tier and --all generate first. The agent runs in a
    sandbox that shows it the workspace, its own files and the system, and nothing else. Several runs end in a table.
    """
    import os

    wanted = {name: given.pop(name) for name in WANTED}
    if not (packages or wanted["ids"] or wanted["tier"] or wanted["everything"]):
        raise click.UsageError("name a PACKAGE_DIR, a scenario with --scenario, or all with --all.")
    if wanted["everything"] and (wanted["ids"] or wanted["tier"]):
        raise click.UsageError("--all selects every scenario; leave out --all, or what selects some.")
    if given["backend"] == "local" and given["isolation"] == "bubblewrap":
        from generator.execute.attempt import begin

        begin()
    settings = package_settings(org, authors)

    def work() -> RunOutcome:
        from generator.workflows.run import RunRequest, run

        local, harbor = split_options(given, wanted["runs"], wanted["jobs"])
        if harbor is not None and not keep_going:
            raise click.UsageError("--fail-fast means nothing with --backend harbor: Harbor runs the whole job.")
        request = RunRequest(
            packages=packages,
            settings=settings,
            usual=usual(),
            options=local,
            harbor=harbor,
            fail_fast=not keep_going,
            **wanted,
        )
        return run(request, os.environ, say)

    return report(work, print_json if as_json else None, painter())
