"""`harborsmith validate`: say everything that is wrong with scenarios."""

from __future__ import annotations

from pathlib import Path

import click

from generator.cli.exits import Exit
from generator.cli.options import json_option, painter, print_json, selection_options

EPILOG = """
\b
Examples:
  harborsmith validate                           every scenario in ./scenarios
  harborsmith validate --scenario csv-clean-up   one of them
  harborsmith validate pack/csv-clean-up         one anywhere else
  harborsmith validate --fail-on warning         stop at warnings, too
  harborsmith validate --fail-on rubric --fail-on network_public

\b
Exit codes: 0 no errors, 1 errors or what --fail-on names, 2 wrong usage, 3 nothing selected.
"""


@click.command("validate", epilog=EPILOG)
@selection_options
@click.option(
    "--fail-on",
    metavar="CODE|CATEGORY|warning",
    multiple=True,
    help="Fail on this code, on codes of this category, or on every warning; repeatable.",
)
@json_option
def command(
    scenario_dir: Path,
    ids: tuple[str, ...],
    tier: str | None,
    paths: tuple[Path, ...],
    fail_on: tuple[str, ...],
    as_json: bool,
) -> Exit:
    """Say everything that is wrong with scenarios, where, and what to write instead. Nothing in them is run.

    PATHs are scenario directories, their documents, or directories of scenarios; they replace --scenario-dir.
    """
    from generator.workflows.select import select
    from generator.workflows.validate import json_report, text_report, unknown_fail_on, validate

    if fail_on and (sentence := unknown_fail_on(fail_on)):
        raise click.BadParameter(sentence, param_hint="--fail-on")
    report = validate(select(scenario_dir, ids, tier, paths), fail_on)
    if as_json:
        print_json(json_report(report))
    else:
        for line in text_report(report, painter()):
            click.echo(line)
    if report.nothing_selected:
        return Exit.NOTHING_SELECTED
    return Exit.FINDINGS if report.failed else Exit.GOOD
