"""Options that several commands share, so that they are spelt and explained alike."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from generator.cli.exits import Exit
from generator.diagnostics.model import Severity
from generator.diagnostics.report import Paint, plain
from generator.scenario.tiers import TIERS

if TYPE_CHECKING:
    from generator.package.model import Settings

Command = TypeVar("Command", bound=Callable[..., Any])

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}


def selection_options(command: Command) -> Command:
    """Add `--scenario-dir`, `--scenario`, `--tier` and PATH arguments.

    They arrive as `scenario_dir: Path`, `ids: tuple[str, ...]`, `tier: str | None`, `paths: tuple[Path, ...]`: the
    arguments of `generator.workflows.select.select`. A path that cannot be read is no wrong usage but a finding.
    """
    paths = click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path, readable=False))
    tier = click.option("--tier", type=click.Choice(TIERS), help="Only scenarios of this tier.")
    ids = click.option(
        "--scenario",
        "ids",
        metavar="ID",
        multiple=True,
        help="Only this scenario, by id or directory name; repeatable.",
    )
    folder = click.option(
        "--scenario-dir",
        type=click.Path(path_type=Path, readable=False),
        default=Path("scenarios"),
        show_default=True,
        help="Directory of scenario directories, or itself one scenario.",
    )
    return folder(ids(tier(paths(command))))


def changed_option(command: Command) -> Command:
    """Add `--changed-since`, which arrives as `changed_since: str | None`."""
    text = "Only scenarios with a file that differs from this commit, branch or tag, or is new."
    return click.option("--changed-since", metavar="REF", help=text)(command)


def changed_paths(reference: str | None) -> tuple[Path, ...] | None:
    """The files that `--changed-since` means; None without it.

    Raises:
        click.ClickException: git cannot tell; the exit code is that of work that could not be done.
    """
    if reference is None:
        return None
    from generator.diagnostics.printable import printable
    from generator.workflows.changed import changed_files

    found = changed_files(reference, Path.cwd())
    if isinstance(found, str):
        raise CannotError(f"--changed-since: {printable(found)}.")
    return found


def say_unchanged(reference: str | None, selected: int) -> None:
    """Tell an empty result of `--changed-since` from one that was never looked at."""
    if reference is not None and not selected:
        click.echo(f"no scenario differs from {reference}", err=True)


class CannotError(click.ClickException):
    """The machine keeps a command from doing its work."""

    exit_code = int(Exit.CANNOT)


def package_options(command: Command) -> Command:
    """Add what a pack's owner decides about all packages alike; `package_settings` makes a value of it.

    Every command that makes packages takes them, or it would unmake what another one made.
    """
    text = "Author of tasks that name no maintainers; repeatable."
    authors = click.option("--author", "authors", metavar="NAME", multiple=True, help=text)
    text = "What stands before the slash of every task name."
    return click.option("--org", default="local", show_default=True, help=text)(authors(command))


def package_settings(org: str, authors: tuple[str, ...]) -> Settings:
    """What `package_options` were given.

    Raises:
        click.BadParameter: `org` is no name that Harbor accepts.
    """
    from generator.package.model import Settings
    from generator.scenario.names import is_harbor_name

    if not is_harbor_name(org):
        raise click.BadParameter(
            "Write letters, digits, '.', '_' and '-', a letter or digit first.", param_hint="--org"
        )
    return Settings(org=org, authors=authors)


def json_option(command: Command) -> Command:
    """Add `--json`, which arrives as `as_json: bool`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")(command)


def format_option(*forms: str) -> Callable[[Command], Command]:
    """Add `--format` with these choices, and `--json` short for one of them; both arrive as `form: str`."""

    def add(command: Command) -> Command:
        @functools.wraps(command)
        def called(*arguments: Any, form: str | None, as_json: bool, **given: Any) -> Any:
            if as_json and form not in (None, "json"):
                raise click.UsageError(f"--json is --format json; leave out --json, or --format {form}.")
            return command(*arguments, form="json" if as_json else form or "text", **given)

        choice = click.option("--format", "form", type=click.Choice(forms), help="What to print; text without it.")
        return choice(json_option(cast("Command", called)))

    return add


def print_json(value: object) -> None:
    """Write one JSON document to stdout; what must not be seen, or is no character, is written as an escape."""
    import json

    from generator.diagnostics.printable import json_escaped

    if sys.stdout is None:  # closed by whoever started us
        return
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    sys.stdout.flush()
    sys.stdout.buffer.write(json_escaped(text).encode())
    sys.stdout.buffer.flush()


def painter() -> Paint:
    """Colours where stdout is a terminal whose user has not asked for none (no-color.org), else none."""
    import os

    return _paint if sys.stdout and sys.stdout.isatty() and not os.environ.get("NO_COLOR") else plain


def _paint(text: str, severity: Severity) -> str:
    return click.style(text, fg=_COLOURS[severity], bold=True)
