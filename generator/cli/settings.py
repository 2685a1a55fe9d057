"""`harborsmith.toml` as the defaults of options: what stands on the command line wins."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import click

from generator.cli.exits import Exit

if TYPE_CHECKING:
    from pathlib import Path

    from generator.formats.config import Config
    from generator.workflows.suggest import Usual

# The commands that work on a pack. The others must work where its settings are broken, too.
CONFIGURED: Final = frozenset({"new", "validate", "generate", "run", "review", "prove"})


def apply_config(context: click.Context) -> None:
    """Find the settings of the pack and give them to the subcommand: as its defaults, and whole as its object.

    Raises:
        click.exceptions.Exit: They are wrong, which is wrong usage.
    """
    from pathlib import Path

    from generator.formats.config_file import find_config

    file = find_config(Path.cwd())
    if file is None:
        return
    from generator.formats.config import Config, read_config

    config = read_config(file)
    if not isinstance(config, Config):
        from generator.diagnostics.report import text_lines

        for diagnostic in config:
            click.echo("\n".join(text_lines(diagnostic)), err=True)
        raise click.exceptions.Exit(Exit.USAGE)
    context.obj = config
    given = {
        "scenario_dir": _shown(config.scenario_dir),
        "out": _shown(config.out),
        "org": config.org,
        "authors": config.authors,
        "fail_on": config.fail_on,
        "dataset": config.dataset.get("name"),
        "dataset_version": config.dataset.get("version"),
        "dataset_description": config.dataset.get("description"),
    }
    defaults = {name: value for name, value in given.items() if value}
    context.default_map = dict.fromkeys(CONFIGURED, defaults)
    context.default_map["new"] = {"scenario": {"parent": _shown(config.scenario_dir)}} if config.scenario_dir else {}


def _shown(path: Path | None) -> str | None:
    """A path as somebody would have typed it here."""
    return os.path.relpath(path) if path is not None else None


def usual() -> Usual:
    """What the options that make packages are where nobody types them."""
    from pathlib import Path

    from generator.package.model import Settings
    from generator.workflows.suggest import BUILT_IN, Usual

    config: Config | None = click.get_current_context().find_root().obj
    if config is None:
        return BUILT_IN
    return Usual(
        scenario_dir=Path(_shown(config.scenario_dir) or BUILT_IN.scenario_dir),
        out=Path(_shown(config.out) or BUILT_IN.out),
        settings=Settings(org=config.org or BUILT_IN.settings.org, authors=config.authors),
        dataset=config.dataset,
    )
