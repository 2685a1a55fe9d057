"""The `harborsmith` command: finds the subcommand, imports only that one, and turns what goes wrong into exit codes."""

from __future__ import annotations

import errno
import gc
import importlib
import io
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import click

from generator import __version__
from generator.cli.exits import Exit
from generator.cli.settings import CONFIGURED, apply_config

# Name -> (module, what `--help` says). The sentences stand here so that listing them imports no command.
COMMANDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "init": ("init", "Begin a pack of scenarios: settings, schemas for editors, a workflow for CI."),
        "new": ("new", "Begin a scenario, an agent or a reviewer."),
        "validate": ("validate", "Say everything that is wrong with scenarios, where, and what to write."),
        "explain": ("explain", "Explain a diagnostic code with an example of the fault and its mend."),
        "schema": ("schema", "Print the JSON Schema of a file Harborsmith reads or writes."),
        "generate": ("generate", "Compile scenarios into sealed Harbor task packages."),
        "run": ("run", "Let an agent work on a package and have the result judged."),
        "review": ("review", "Judge finished work without running an agent."),
        "prove": ("prove", "Prove that packages cannot be passed by nothing or by forgery, and can be passed."),
        "demo": ("demo", "Show two bundled scenarios from start to verdict; needs no key and no network."),
    }
)

# Hardly anything here is part of a cycle; looking for cycles after every 700 objects took 5 % of a large check.
_COLLECT_AFTER: Final = 200_000

# What the system answers when there is no room for what we print; raised without the name of a file.
_UNWRITABLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

EPILOG = """
\b
Examples:
  harborsmith validate                        check every scenario in ./scenarios
  harborsmith generate --scenario my-task     compile one into ./generated
  harborsmith run --scenario my-task --agent ./agent.sh --reviewer ./reviewer.py

\b
Exit codes:
  0  good                        4  could not do its work
  1  findings or a failed run    5  a run ended without a verdict
  2  wrong usage                 129, 130, 143  interrupted
  3  nothing selected
"""


class LazyGroup(click.Group):
    """A group that imports a command's module when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"generator.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(error.message + _did_you_mean(args[0]), ctx=ctx) from None


def _did_you_mean(name: str) -> str:
    import difflib

    close = difflib.get_close_matches(name, COMMANDS, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", prog_name="harborsmith")
@click.pass_context
def group(context: click.Context) -> None:
    """Turn agent-benchmark scenarios into sealed Harbor tasks, run them, and get verdicts you can trust."""
    if context.invoked_subcommand in CONFIGURED:
        apply_config(context)


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit.

    Commands return an `Exit` (or None for good). Interrupts end with 130 and 143, as shells expect; a reader that
    closed our output early is not an error, a full disk under our output is one. Characters that the output's encoding
    lacks are shown as escapes.
    """
    gc.set_threshold(_COLLECT_AFTER)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        outcome = group.main(args=args, prog_name="harborsmith", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(Exit.INTERRUPTED)
    except BrokenPipeError:
        _forget_stdout()
        sys.exit(Exit.GOOD)
    except OSError as error:
        if error.filename is not None or error.errno not in _UNWRITABLE:
            raise
        _forget_stdout()
        click.echo(f"Error: the output could not be written: {error.strerror}", err=True)
        sys.exit(Exit.CANNOT)
    finally:
        # An ending interpreter looks for cycles once more, among all that was imported: a tenth of what a run costs.
        gc.freeze()
    sys.exit(outcome if isinstance(outcome, int) else Exit.GOOD)


def _forget_stdout() -> None:
    """Keep the interpreter from flushing into the closed pipe once more while it shuts down."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
