"""`harborsmith schema`: print the schema of a file, or say which schemas there are."""

from __future__ import annotations

import click

from generator.cli.exits import Exit

EPILOG = """
\b
Examples:
  harborsmith schema                                  list the schemas
  harborsmith schema scenario-v2                      print one
  harborsmith schema scenario-v2 > scenario.schema.json
                                                      save it for your editor

Each schema stands on its own: nothing has to be downloaded to use it.
"""


@click.command("schema", epilog=EPILOG)
@click.argument("name", required=False)
def command(name: str | None) -> Exit:
    """Print the JSON Schema (2020-12) called NAME; without a NAME, list them."""
    from generator.workflows.schemas import schema_text, schema_titles

    if name is None:
        titles = schema_titles()
        width = max(map(len, titles))
        for known, title in titles.items():
            click.echo(f"{known:<{width}}  {title}")
        return Exit.GOOD
    text = schema_text(name)
    if text is None:
        raise click.UsageError(_unknown(name, list(schema_titles())))
    click.echo(text, nl=False)
    return Exit.GOOD


def _unknown(name: str, names: list[str]) -> str:
    from generator.formats.keys import closest

    close = closest(name, names)
    meant = f" Did you mean {close}?" if close else ""
    return f"there is no schema {name!r}.{meant} There are: {', '.join(names)}."
