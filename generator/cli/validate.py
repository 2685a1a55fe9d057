"""`harborsmith validate`: say everything that is wrong with scenarios."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.annotations import add_to_step_summary, repository_top
from generator.cli.exits import Exit
from generator.cli.options import (
    CannotError,
    changed_option,
    changed_paths,
    format_option,
    painter,
    print_json,
    say_unchanged,
    selection_options,
)

if TYPE_CHECKING:
    from generator.formats.config import Config
    from generator.workflows.memory import Memory
    from generator.workflows.validate import Report

FORMATS = ("text", "json", "github", "sarif", "junit")

EPILOG = """
\b
Examples:
  harborsmith validate                           every scenario in ./scenarios
  harborsmith validate --scenario csv-clean-up   one of them
  harborsmith validate pack/csv-clean-up         one anywhere else
  harborsmith validate --fail-on warning         stop at warnings, too
  harborsmith validate --fail-on rubric --fail-on network_public
  harborsmith validate --changed-since origin/main --format github --report sarif=scenarios.sarif

\b
Exit codes: 0 no errors, 1 errors or what --fail-on names, 2 wrong usage, 3 nothing selected,
4 a report could not be written, or git could not tell what changed.
"""


class ReportFile(click.ParamType[tuple[str, Path]]):
    """`FORMAT=FILE`."""

    name = "FORMAT=FILE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Path]:
        """Take `sarif=out.sarif` apart."""
        form, separator, file = str(value).partition("=")
        if form not in FORMATS or not separator or not file:
            self.fail(
                f"{value!r} is not FORMAT=FILE with one of {', '.join(FORMATS)}; write sarif=out.sarif", param, ctx
            )
        return form, Path(file)


@click.command("validate", epilog=EPILOG)
@selection_options
@changed_option
@click.option(
    "--fail-on",
    metavar="CODE|CATEGORY|warning|note",
    multiple=True,
    help="Fail on this code, on codes of this category, on every warning, or on notes as well; repeatable.",
)
@click.option(
    "--report", "files", type=ReportFile(), multiple=True, help="Write a report to a file as well; repeatable."
)
@click.option("--watch", is_flag=True, help="Stay, and look again whenever a file is saved; Ctrl-C ends it.")
@format_option(*FORMATS)
@click.pass_obj
def command(
    config: Config | None,
    /,
    fail_on: tuple[str, ...],
    form: str,
    files: tuple[tuple[str, Path], ...],
    watch: bool,
    changed_since: str | None,
    **selected: Any,
) -> Exit:
    """Say everything that is wrong with scenarios, where, and what to write instead. Nothing in them is run.

    PATHs are scenario directories, their documents, or directories of scenarios; they replace --scenario-dir.
    With --watch, harborsmith.toml is read once, at the start.
    """
    from generator.workflows.memory import Memory
    from generator.workflows.select import select
    from generator.workflows.validate import unknown_fail_on, validate

    if fail_on and (sentence := unknown_fail_on(fail_on)):
        raise click.BadParameter(sentence, param_hint="--fail-on")
    if watch and (form != "text" or files):
        raise click.UsageError("--watch shows text; leave out --json, --format and --report, or --watch.")

    memory = Memory()

    def look() -> Report:
        selection = select(**selected, changed=changed_paths(changed_since), memory=memory, models=False)
        say_unchanged(changed_since, len(selection.loaded))
        return validate(selection, fail_on, config)

    if watch:
        return _watch(selected["paths"] or (selected["scenario_dir"],), look, memory)
    report = look()
    _print(report, form)
    _write(report, files)
    if report.not_found:
        return Exit.NOTHING_SELECTED
    return Exit.FINDINGS if report.failed else Exit.GOOD


def _watch(paths: tuple[Path, ...], look: Callable[[], Report], memory: Memory) -> Exit:
    """Show the report anew after every save. Being interrupted is how it ends, and so no failure."""
    import shutil

    from generator.workflows.validate import text_report
    from generator.workflows.watch import fitted, redraw, watch

    screen = sys.stdout.isatty()

    def show(changed: Collection[str]) -> None:
        memory.forget(changed)
        lines = [*text_report(look(), painter()), "watching; Ctrl-C ends it"]
        if screen:
            click.echo(redraw(fitted(lines, shutil.get_terminal_size().lines - 1)), nl=False, color=True)
        else:
            click.echo("\n".join(lines))
        sys.stdout.flush()

    if screen:
        click.echo("\x1b[2J", nl=False)
    try:
        # A document that is named stands for its directory, where its prompt and assets are.
        watch([path.parent if path.is_file() else path for path in paths], show)
    except KeyboardInterrupt:
        return Exit.GOOD


def _print(report: Report, form: str) -> None:
    from generator.workflows.validate import json_report, text_report

    if form == "json":
        print_json(json_report(report))
    elif form == "text":
        lines = list(text_report(report, painter()))
        click.echo("\n".join(lines), nl=bool(lines))
    else:
        from generator.workflows.validate_formats import github_summary, render

        click.echo(render(report, form, repository_top()), nl=False)
        if form == "github":
            add_to_step_summary(github_summary(report, repository_top()))


def _write(report: Report, files: tuple[tuple[str, Path], ...]) -> None:
    if not files:
        return
    from generator.diagnostics.report_file import write_file
    from generator.workflows.validate_formats import render

    for form, file in files:
        if fault := write_file(file, render(report, form, repository_top())):
            raise CannotError(f"the report cannot be written: {fault}")
