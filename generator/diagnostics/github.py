"""Complaints as annotations on a change and as a table on its summary page, by GitHub's workflow commands.

What a stranger wrote can begin no command of its own: control characters become escapes, and `%`, line ends and, in
properties, `:` and `,` are encoded as the runner decodes them.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from generator.diagnostics.model import Diagnostic, Severity
from generator.diagnostics.places import relative_to
from generator.diagnostics.printable import printable
from generator.diagnostics.report import plural

MOST_SHOWN: Final = 10  # annotations of one kind that GitHub shows for one step
MOST_BYTES: Final = 1_000_000  # of a step's summary, which may not be over 1 MiB

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def workflow_commands(diagnostics: Iterable[Diagnostic], root: Path) -> Iterator[str]:
    """Workflow commands, errors first; of more than `MOST_SHOWN` of a kind the last says how many more there are.

    Args:
        diagnostics: What was found.
        root: Top of the repository, absolute; files are named relative to it.
    """
    ordered = sorted(diagnostics, key=Diagnostic.sort_key)
    for severity in Severity:
        those = [diagnostic for diagnostic in ordered if diagnostic.severity is severity]
        shown = those if len(those) <= MOST_SHOWN else those[: MOST_SHOWN - 1]
        yield from (_annotation(diagnostic, root) for diagnostic in shown)
        if len(shown) < len(those):
            message = f"{len(those) - len(shown)} more of {plural(len(those), severity.value)}: see the step's summary"
            yield f"::{_COMMANDS[severity]} title=harborsmith::{message}"


def summary(diagnostics: Sequence[Diagnostic], root: Path, headline: str) -> str:
    """All of them as a Markdown table under a headline, cut at whole rows when GitHub would refuse the page."""
    lines = [f"### {headline}", ""]
    if diagnostics:
        lines += ["| | code | where | what | write |", "|---|---|---|---|---|"]
    size = 0
    for number, diagnostic in enumerate(sorted(diagnostics, key=_worst_first)):
        row = _row(diagnostic, root)
        size += len(row.encode()) + 1
        if size > MOST_BYTES - 1000:
            lines += ["", f"… and {len(diagnostics) - number} more."]
            break
        lines.append(row)
    return "\n".join(lines) + "\n"


def _annotation(diagnostic: Diagnostic, root: Path) -> str:
    place = diagnostic.location
    properties = {"file": relative_to(place.file, root), "line": place.line, "col": place.column}
    properties["title"] = diagnostic.code
    written = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items() if value is not None)
    message = _data(diagnostic.message)
    if diagnostic.hint:
        message += f"%0Awrite: {_data(diagnostic.hint)}"
    return f"::{_COMMANDS[diagnostic.severity]} {written}::{message}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _worst_first(diagnostic: Diagnostic) -> tuple[int, tuple[str, int, int, str, str]]:
    return list(Severity).index(diagnostic.severity), diagnostic.sort_key()


def _row(diagnostic: Diagnostic, root: Path) -> str:
    place = diagnostic.location
    where = relative_to(place.file, root) + (f":{place.line}" if place.line is not None else "")
    cells = (diagnostic.severity.value, diagnostic.code, where, diagnostic.message, diagnostic.hint)
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(text: str) -> str:
    """Text that is nothing but text: Markdown's own signs are escaped, and HTML is not HTML."""
    shown = html.escape(printable(text), quote=False)
    return "".join(f"\\{sign}" if sign in "\\|`*_[]#!~@" else sign for sign in shown)
