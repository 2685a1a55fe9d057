"""`harborsmith run`: let an agent work on packages and have the results judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.harbor import harbor_options, split_options
from generator.cli.options import json_option, painter, print_json
from generator.cli.running import execution_options, out_option, report, reviewer_option, say

if TYPE_CHECKING:
    from generator.workflows.run import RunOutcome

EPILOG = """
\b
Examples:
  harborsmith run --scenario csv-clean-up --agent ./agent.sh --reviewer ./judge.py
  harborsmith run generated/harbor/tasks/csv-clean-up --agent oracle
  harborsmith run --scenario csv-clean-up --agent "node ./agent.mjs" \\
      --allow-agent-host api.example.com --agent-env API_KEY
  harborsmith run --scenario csv-clean-up --agent ./agent.py --agent-path .venv
  harborsmith run --tier smoke --agent ./agent.sh --backend harbor --runs 5 --concurrency 2

\b
Exit codes: 0 passed, 1 failed or findings, 2 wrong usage, 3 nothing selected, 4 could not run,
5 no verdict, 130 and 143 interrupted. Several runs: the highest.
"""


@click.command("run", epilog=EPILOG)
@click.argument("packages", metavar="[PACKAGE_DIR]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--scenario", "ids", metavar="ID", multiple=True, help="Generate and run this scenario; repeatable.")
@click.option("--tier", type=click.Choice(["smoke", "nightly", "release"]), help="Generate and run a whole tier.")
@click.option(
    "--scenario-dir",
    type=click.Path(path_type=Path),
    default=Path("scenarios"),
    show_default=True,
    help="Directory of scenario directories, or itself one scenario.",
)
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
@reviewer_option
@execution_options
@harbor_options
@out_option
@click.option("--org", default="local", show_default=True, help="What stands before the slash of task names.")
@json_option
def command(
    packages: tuple[Path, ...],
    ids: tuple[str, ...],
    tier: str | None,
    scenario_dir: Path,
    out: Path,
    org: str,
    as_json: bool,
    **options: Any,
) -> int:
    """Let an agent work on packages and have each result judged, with everything recorded.

    PACKAGE_DIRs are directories that `generate` wrote; --scenario and --tier generate first. The agent runs in a
    sandbox that shows it the workspace, its own files and the system, and nothing else.
    """
    import os

    if not (packages or ids or tier):
        raise click.UsageError("name a PACKAGE_DIR, or a scenario with --scenario.")

    def work() -> RunOutcome:
        from generator.workflows.run import RunRequest, run

        local, harbor = split_options(options)
        request = RunRequest(
            packages=packages,
            scenario_dir=scenario_dir,
            ids=ids,
            tier=tier,
            out=out,
            org=org,
            options=local,
            harbor=harbor,
        )
        return run(request, os.environ, say)

    return report(work, print_json if as_json else None, painter())
