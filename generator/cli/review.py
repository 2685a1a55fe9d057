"""`harborsmith review`: judge finished work without an agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import json_option, painter, print_json
from generator.cli.running import execution_options, out_option, report, reviewer_option, say

if TYPE_CHECKING:
    from generator.workflows.run import RunOutcome

EPILOG = """
\b
Examples:
  harborsmith review generated/harbor/tasks/csv-clean-up --workspace ./done --reviewer ./judge.py

\b
Exit codes: 0 passed, 1 failed, 2 wrong usage, 4 could not review, 5 no verdict,
129, 130 and 143 interrupted.
"""


@click.command("review", epilog=EPILOG)
@click.argument("package", metavar="PACKAGE_DIR", type=click.Path(path_type=Path))
@click.option(
    "--workspace",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="The finished work; a copy of it is reviewed.",
)
@reviewer_option
@execution_options
@out_option
@json_option
def command(package: Path, workspace: Path, out: Path, as_json: bool, **options: Any) -> int:
    """Judge finished work with the checks and reviewer of a package, and record everything, without an agent."""
    import os

    def work() -> RunOutcome:
        from generator.execute.settings import Options
        from generator.workflows.review import ReviewRequest, review

        request = ReviewRequest(package=package, workspace=workspace, out=out, options=Options(**options))
        return review(request, os.environ, say)

    return report(work, print_json if as_json else None, painter())
