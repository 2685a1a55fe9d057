"""`harborsmith explain`: what a code means, why it matters, and how to mend it."""

from __future__ import annotations

import click

from generator.cli.exits import Exit
from generator.cli.options import json_option, print_json

EPILOG = """
\b
Examples:
  harborsmith explain                        list every code
  harborsmith explain private_exposed        one code, with an example
"""


@click.command("explain", epilog=EPILOG)
@click.argument("code", required=False)
@json_option
def command(code: str | None, as_json: bool) -> Exit:
    """Explain a diagnostic CODE; without one, list them all by category."""
    from generator.diagnostics.catalogue import catalogue, suggestions
    from generator.workflows import explain

    known = catalogue()
    if code is not None and code not in known:
        close = suggestions(code, list(known))
        meant = f" Did you mean {' or '.join(close)}?" if close else " `harborsmith explain` lists them."
        raise click.UsageError(f"there is no code {code!r}.{meant}")
    if as_json:
        print_json(explain.as_json(known[code]) if code else [explain.as_json(entry) for entry in known.values()])
    else:
        click.echo("\n".join(explain.explanation(known[code]) if code else explain.listing()))
    return Exit.GOOD
