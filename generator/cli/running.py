"""What `run`, `review` and `prove` share: options about reviewing and isolation, and how an outcome is shown."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

import click

from generator.diagnostics.report import Paint
from generator.scenario.tiers import TIERS

if TYPE_CHECKING:
    from generator.cli.options import Command
    from generator.diagnostics.model import Diagnostic
    from generator.execute.refusal import Refused
    from generator.workflows.run import RunOutcome

Outcome = TypeVar("Outcome")


def target_options(verb: str) -> Callable[[Command], Command]:
    """Add what says which packages a command works on; `verb` is what it does with them.

    They arrive as `packages: tuple[Path, ...]`, `ids: tuple[str, ...]`, `tier: str | None`, `everything: bool` and
    `scenario_dir: Path`.
    """

    def add(command: Command) -> Command:
        folder = click.Path(path_type=Path)
        text = "Directory of scenario directories, or itself one scenario."
        for one in (
            click.option("--scenario-dir", type=folder, default=Path("scenarios"), show_default=True, help=text),
            click.option("--all", "everything", is_flag=True, help=f"Generate and {verb} every scenario."),
            click.option("--tier", type=click.Choice(TIERS), help=f"Generate and {verb} a whole tier."),
            click.option(
                "--scenario",
                "ids",
                metavar="ID",
                multiple=True,
                help=f"Generate and {verb} this scenario; repeatable.",
            ),
            click.argument("packages", metavar="[PACKAGE_DIR]...", nargs=-1, type=folder),
        ):
            command = one(command)
        return command

    return add


def reviewer_option(command: Command) -> Command:
    """Add `--reviewer` and `--reviewer-env`."""
    text = "Pass a variable to the reviewer; one that ships with a package gets only those it declares; repeatable."
    env = click.option("--reviewer-env", metavar="NAME[=VALUE]", multiple=True, help=text)
    return click.option(
        "--reviewer",
        metavar="COMMAND",
        help="Who judges: a program of yours, or a directory with an executable `run`; it has your rights. "
        "Default: the package's own reviewer, else RUHROH_EVAL_COMMAND.",
    )(env(command))


def execution_options(command: Command) -> Command:
    """Add what decides how far programs are trusted and what a workspace may hold."""
    for add in (
        click.option(
            "--max-workspace-bytes",
            type=click.IntRange(min=1),
            default=5 * 1024**3,
            show_default="5 GiB",
            help="Most bytes a finished workspace may hold.",
        ),
        click.option("--use-host-tools", is_flag=True, help="Run a scenario that needs a container on this machine."),
        click.option(
            "--allow-unsandboxed-pack-code",
            is_flag=True,
            help="With --isolation none: run the package's checks, reviewer and solution with your rights, too.",
        ),
        click.option(
            "--isolation",
            type=click.Choice(["bubblewrap", "none"]),
            default="bubblewrap",
            show_default=True,
            help="none: the agent may do whatever you may.",
        ),
    ):
        command = add(command)
    return command


def out_option(command: Command) -> Command:
    """Add `--out`."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path),
        default=Path("generated"),
        show_default=True,
        help="Output directory; runs are kept in its runs/.",
    )(command)


def say(line: str) -> None:
    """One line of progress; nobody reading it is no reason to stop a run."""
    from generator.diagnostics.printable import printable

    try:
        click.echo(printable(line), err=True)
    except OSError:
        _forget(sys.stderr)


def report(work: Callable[[], RunOutcome], print_json: Callable[[object], None] | None, paint: Paint) -> int:
    """Do `work`, print its report, complaints to stderr, and return the exit code.

    An interruption before the first run is a report without runs.
    """

    def cut(exit_code: int) -> RunOutcome:
        from generator.workflows.run import RunOutcome

        return RunOutcome(exit_code=exit_code)

    return shown_in_the_end(work, cut, lambda outcome: show_outcome(outcome, print_json, paint))


def shown_in_the_end(work: Callable[[], Outcome], cut: Callable[[int], Outcome], show: Callable[[Outcome], int]) -> int:
    """Do `work` and show what came of it, undisturbed by further signals.

    Args:
        work: May raise Interrupted.
        cut: Exit code of an interruption -> what came of work that was cut off.
        show: Prints it and returns the exit code.
    """
    from generator.execute.interrupt import Interrupted, raising, uninterrupted

    with raising():
        try:
            outcome = work()
        except Interrupted as interruption:
            say("interrupted")
            outcome = cut(interruption.exit_code)
        with uninterrupted():
            return show(outcome)


def show_outcome(outcome: RunOutcome, print_json: Callable[[object], None] | None, paint: Paint) -> int:
    """Print the report, complaints to stderr, and return the exit code, whether or not somebody reads to the end."""
    with readers_may_leave():
        _show(outcome, print_json, paint)
    return outcome.exit_code


@contextlib.contextmanager
def readers_may_leave() -> Iterator[None]:
    """A report that nobody reads to the end is no failure of the work."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _forget(sys.stdout)


def _forget(stream: TextIO) -> None:
    """Keep the interpreter from writing into a closed pipe once more while it shuts down."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _show(outcome: RunOutcome, print_json: Callable[[object], None] | None, paint: Paint) -> None:
    from generator.diagnostics.report import detail
    from generator.execute.report import json_report, line_report, text_report
    from generator.execute.tally import tally_json, tally_lines
    from generator.workflows.run import refusal_detail

    if print_json is not None:
        details = [*map(detail, outcome.diagnostics), *map(refusal_detail, outcome.refused)]
        print_json(json_report(outcome.runs, details, tally_json(outcome.rows) if outcome.rows else None))
        return
    complain(outcome.diagnostics, outcome.refused, paint)
    many = sum(row.asked for row in outcome.rows) > 1
    for run in outcome.runs:
        for line in [line_report(run)] if many else text_report(run):
            click.echo(line)
    for line in tally_lines(outcome.rows) if many else ():
        click.echo(line)


def complain(diagnostics: Iterable[Diagnostic], refused: Iterable[Refused], paint: Paint) -> None:
    """To stderr, what is wrong with what was asked for, and why some of it was not done."""
    from generator.diagnostics.printable import printable
    from generator.diagnostics.report import text_lines

    for diagnostic in diagnostics:
        for line in text_lines(diagnostic, paint):
            click.echo(line, err=True)
    for one in refused:
        click.echo(f"error {one.code}: {printable(one.message)}", err=True)
        if one.hint:
            click.echo(f"    write: {printable(one.hint)}", err=True)
