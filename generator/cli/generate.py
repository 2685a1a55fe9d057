"""`harborsmith generate`: compile scenarios into task packages."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.annotations import add_to_step_summary, repository_top
from generator.cli.dataset import chosen_dataset, dataset_options
from generator.cli.exits import Exit
from generator.cli.options import (
    changed_option,
    changed_paths,
    format_option,
    package_options,
    package_settings,
    painter,
    print_json,
    say_unchanged,
    selection_options,
)
from generator.cli.settings import usual

if TYPE_CHECKING:
    from generator.workflows.generate import Mode, Report

EPILOG = """
\b
Examples:
  harborsmith generate                           every scenario in ./scenarios into ./generated
  harborsmith generate --scenario csv-clean-up   one of them
  harborsmith generate --dry-run                 say what would be written
  harborsmith generate --check                   say whether the packages are up to date, for CI
  harborsmith generate --check --format github   the same as annotations on a pull request

\b
Exit codes: 0 good; 1 an invalid scenario, an edited package, or drift; 2 wrong usage; 3 nothing selected;
4 the system did not let a package be written.
"""

PROGRESS_AFTER_SECONDS = 1.0


@click.command("generate", epilog=EPILOG)
@selection_options
@changed_option
@click.option("--all", "everything", is_flag=True, help="Every scenario; the default when none is named.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("generated"),
    show_default=True,
    help="Output directory; packages go to harbor/tasks/<id> in it.",
)
@package_options
@dataset_options
@click.option("--dry-run", is_flag=True, help="Write nothing; list the files of every package.")
@click.option("--check", is_flag=True, help="Write nothing; fail when a package is not up to date.")
@click.option("--force", is_flag=True, help="Replace packages that were edited, and directories that are no packages.")
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1, 256),
    help="Processes that make packages; without it, one a processor where there are many packages.",
)
@format_option("text", "json", "github")
def command(
    everything: bool,
    dry_run: bool,
    check: bool,
    form: str,
    changed_since: str | None,
    org: str,
    authors: tuple[str, ...],
    **given: Any,
) -> Exit:
    """Compile scenarios into sealed Harbor task packages. Nothing in them is run.

    PATHs are scenario directories, their documents, or directories of scenarios; they replace --scenario-dir. When
    every scenario is selected, packages whose scenario is gone are removed, unless they were edited.
    """
    from generator.workflows.generate import Mode, Request, generate

    some = bool(given["ids"] or given["tier"] or given["paths"] or changed_since)
    if everything and some:
        raise click.UsageError("--all selects every scenario; leave out --all, or what selects some.")
    if dry_run + check + given["force"] > 1:
        raise click.UsageError("Only one of --dry-run, --check and --force has a meaning at a time.")
    mode = Mode.CHECK if check else Mode.DRY_RUN if dry_run else Mode.WRITE
    settings = package_settings(org, authors)
    chosen = chosen_dataset(given, org, authors, whole=not some)
    changed = changed_paths(changed_since)
    request = Request(settings=settings, mode=mode, changed=changed, dataset=chosen, usual=usual(), **given)
    report = generate(request, _progress())
    say_unchanged(changed_since, len(report.packages) + len(report.refused))
    _print(report, mode, form)
    if report.could_not:
        return Exit.CANNOT
    if report.not_found:
        return Exit.NOTHING_SELECTED
    if report.refused:
        return Exit.USAGE
    return Exit.FINDINGS if report.failed else Exit.GOOD


def _print(report: Report, mode: Mode, form: str) -> None:
    from generator.workflows.generate_report import github_report, github_summary, json_report, text_report

    if form == "json":
        print_json(json_report(report, mode))
    elif form == "text":
        lines = list(text_report(report, mode, painter()))
        click.echo("\n".join(lines), nl=bool(lines))
    else:
        click.echo(github_report(report, repository_top()), nl=False)
        add_to_step_summary(github_summary(report, mode, repository_top()))


def _progress() -> Callable[[int, int], None]:
    """Shows how far it is, on a terminal, when it takes long enough to wonder."""
    begun = time.monotonic()
    shown = sys.stderr.isatty()

    def show(done: int, total: int) -> None:
        if shown and time.monotonic() - begun > PROGRESS_AFTER_SECONDS:
            click.echo(f"\r{done} of {total} scenarios", nl=done == total, err=True)

    return show
