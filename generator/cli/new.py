"""`harborsmith new`: begin a scenario, an agent or a reviewer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.exits import Exit
from generator.cli.settings import usual
from generator.diagnostics.catalogue import suggestions
from generator.workflows.scaffold import (
    TEMPLATES,
    Made,
    bundled_scenarios,
    new_agent,
    new_reviewer,
    new_scenario,
)
from generator.workflows.suggest import typed

if TYPE_CHECKING:
    from generator.cli.options import Command

SCENARIOS, AGENTS, REVIEWERS = (TEMPLATES[kind] for kind in ("scenario", "agent", "reviewer"))

EPILOG = """
\b
Examples:
  harborsmith new scenario csv-clean-up --template checks
  harborsmith new scenario my-letter --from simple-newsletter
  harborsmith new agent my-agent --template codex
  harborsmith new reviewer my-judge --template model

\b
Exit codes: 0 good, 2 wrong usage, or there is something of that name.
"""


def _parent_option(name: str, folder: str, text: str) -> Callable[[Command], Command]:
    """The option `name`, which arrives as `parent: Path`."""
    kind = click.Path(path_type=Path)
    return click.option(name, "parent", type=kind, default=Path(folder), show_default=True, help=text)


@click.group("new", epilog=EPILOG)
def command() -> None:
    """Begin a scenario, an agent or a reviewer. Everything is valid at once, and nothing passes by itself."""


@command.command("scenario")
@click.argument("name")
@click.option(
    "--template",
    type=click.Choice(SCENARIOS),
    help="Who decides: a reviewer (the default), checks, or first one, then the other.",
)
@click.option(
    "--from", "bundled", metavar="BUNDLED", help="Begin with a copy of a scenario that ships with Harborsmith."
)
@_parent_option("--scenario-dir", "scenarios", "Directory of scenario directories.")
def scenario(name: str, template: str | None, bundled: str | None, parent: Path) -> Exit:
    """Begin the scenario NAME, with a task, an input, a reference solution, and what judges it."""
    if template and bundled:
        raise click.UsageError("--template and --from both say what to begin with; leave one out.")
    known = bundled_scenarios()
    if bundled is not None and bundled not in known:
        close = suggestions(bundled, list(known))
        meant = f" Did you mean {close[0]!r}?" if close else ""
        raise click.BadParameter(f"there is no {bundled!r}.{meant} There are: {', '.join(known)}.", param_hint="--from")
    return show_made(new_scenario(name, template or SCENARIOS[0], parent, bundled, usual=usual()))


@command.command("agent")
@click.argument("name")
@click.option("--template", type=click.Choice(AGENTS), default=AGENTS[0], show_default=True, help="What it starts.")
@_parent_option("--dir", "agents", "Where to put it.")
def agent(name: str, template: str, parent: Path) -> Exit:
    """Begin the agent NAME: a program for one turn, and agent.json with what it needs."""
    return show_made(new_agent(name, template, parent, usual()))


@command.command("reviewer")
@click.argument("name")
@click.option("--template", type=click.Choice(REVIEWERS), default=REVIEWERS[0], show_default=True, help="Who decides.")
@_parent_option("--dir", "reviewers", "Where to put it.")
def reviewer(name: str, template: str, parent: Path) -> Exit:
    """Begin the reviewer NAME: a program that reads the finished work and writes a verdict."""
    return show_made(new_reviewer(name, template, parent, usual()))


def show_made(made: Made | str) -> Exit:
    """Say what was made and what to type next, or why nothing was."""
    if isinstance(made, str):
        raise click.UsageError(f"{made}.")
    for name in made.files:
        click.echo(f"made {made.folder / name}")
    for name in made.kept:
        click.echo(f"kept {made.folder / name}")
    click.echo("\nNext:")
    for line in made.next_commands:
        click.echo(f"  {typed(line)}")
    return Exit.GOOD
