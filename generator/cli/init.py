"""`harborsmith init`: begin a pack."""

from __future__ import annotations

from pathlib import Path

import click

from generator.cli.exits import Exit
from generator.cli.new import show_made

EPILOG = """
\b
Examples:
  harborsmith init              in the working directory
  harborsmith init my-pack      in a new one

\b
Exit codes: 0 good, 2 it is a pack already, or the system does not let it be written.
"""


@click.command("init", epilog=EPILOG)
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
def command(folder: Path) -> Exit:
    """Begin a pack of scenarios in DIR: settings, schemas for editors, and a workflow that checks every change.

    Files that are there already are kept as they are.
    """
    from generator.workflows.scaffold import init

    return show_made(init(folder))
