"""`harborsmith demo`: two bundled scenarios from start to verdict."""

from __future__ import annotations

import os
from pathlib import Path

import click

from generator.cli.exits import Exit

EPILOG = """
\b
Examples:
  harborsmith demo               into a new folder among the temporary files, which it names
  harborsmith demo --out shown   into ./shown

\b
Exit codes: 0 both runs ended as intended, one passed and one failed; 1 one did not; 4 could not run;
5 no verdict; 129, 130 and 143 interrupted.
"""


@click.command("demo", epilog=EPILOG)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Output directory. Default: a new one among the temporary files."
)
def command(out: Path | None) -> int:
    """Show two bundled scenarios from start to verdict: one passes, one fails for a good reason.

    Agent and reviewer are small programs that ship with Harborsmith: no model, no key, no network.
    """
    from generator.cli.options import painter
    from generator.cli.running import show_outcome
    from generator.execute.interrupt import Interrupted
    from generator.workflows.demo import demo, new_folder

    try:
        place = out or new_folder()
    except OSError as error:
        click.echo(f"error: no temporary folder can be made: {error}; name one with --out", err=True)
        return Exit.CANNOT
    try:
        unintended = demo(place, os.environ, click.echo)
    except Interrupted as interruption:
        click.echo("interrupted", err=True)
        return interruption.exit_code
    if unintended is None:
        return Exit.GOOD
    return show_outcome(unintended, None, painter()) or Exit.FINDINGS
