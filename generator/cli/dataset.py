"""The options of `generate` that make a dataset of the packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from generator.cli.options import Command
    from generator.package.dataset import Dataset


def dataset_options(command: Command) -> Command:
    """Add `--dataset` and what goes with it, and `--without-held-out`, which arrives as `held_out: bool`."""
    for add in (
        click.option(
            "--without-held-out",
            "held_out",
            flag_value=False,
            default=True,
            help="Leave out scenarios that are held out; when every other one is selected, their packages are removed.",
        ),
        click.option("--dataset-description", metavar="TEXT", default="", help="One line about the dataset."),
        click.option("--dataset-version", metavar="TEXT", help="Version of the dataset."),
        click.option(
            "--dataset", metavar="[ORG/]NAME", help="Keep a dataset.toml beside the packages, for Harbor to publish."
        ),
    ):
        command = add(command)
    return command


def chosen_dataset(options: dict[str, Any], org: str, authors: tuple[str, ...], *, whole: bool) -> Dataset | None:
    """The dataset that the options and the pack's settings name; None without one. Its options are taken out.

    Raises:
        click.UsageError: Harbor takes no such name, a text has several lines, or only some scenarios are selected.
    """
    from generator.package.dataset import Dataset, dataset_name, is_one_line

    name, version, description = (options.pop(f"dataset{part}") for part in ("", "_version", "_description"))
    if name is None:
        return None
    typed = click.get_current_context().get_parameter_source("dataset") is click.core.ParameterSource.COMMANDLINE
    if typed and not whole:
        raise click.UsageError("--dataset holds every scenario; leave it out, or what selects some.")
    full = dataset_name(name, org)
    if full is None:
        raise click.BadParameter(
            "Write NAME or ORG/NAME of letters, digits, '.', '_' and '-', a letter or digit first.",
            param_hint="--dataset",
        )
    for option, text in (("--dataset-version", version), ("--dataset-description", description)):
        if text and not is_one_line(text):
            raise click.BadParameter("Write one line without control characters.", param_hint=option)
    return Dataset(name=full, version=version or None, description=description, authors=authors)
