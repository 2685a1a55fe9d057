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
  harborsmith explain goal_mismatch          a word that tells how a run ended
"""


@click.command("explain", epilog=EPILOG)
@click.argument("code", required=False)
@json_option
def command(code: str | None, as_json: bool) -> Exit:
    """Explain a diagnostic CODE, or a word that tells how a run ended; without one, list all codes by category."""
    from generator.diagnostics.catalogue import catalogue, suggestions
    from generator.execute.outcome_words import OUTCOME_WORDS
    from generator.workflows import explain

    known = catalogue()
    if code is not None and code in OUTCOME_WORDS:
        if as_json:
            print_json(explain.word_as_json(code))
        else:
            click.echo("\n".join(explain.word_explanation(code)))
        return Exit.GOOD
    if code is not None and code not in known:
        close = suggestions(code, [*known, *OUTCOME_WORDS])
        meant = f" Did you mean {' or '.join(close)}?" if close else " `harborsmith explain` lists them."
        raise click.UsageError(f"there is no code {code!r}.{meant}")
    if as_json:
        print_json(explain.as_json(known[code]) if code else [explain.as_json(entry) for entry in known.values()])
    else:
        click.echo("\n".join(explain.explanation(known[code]) if code else explain.listing()))
    return Exit.GOOD
