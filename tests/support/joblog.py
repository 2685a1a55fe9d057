"""What a CI service reads out of what a step prints."""

from __future__ import annotations

import re

# As GitHub's runner reads a line (ActionCommand.cs of github.com/actions/runner), for a command of any name; with a
# word before the bracket as Azure Pipelines and TeamCity do.
_COMMAND = re.compile(r"\s*::(?P<first>[^ :]*)[^:]*::|.*##\w*\[(?P<anywhere>[^ \]]*)")


def job_commands(printed: str) -> list[str]:
    """The names of the commands in `printed`, in order."""
    found = map(_COMMAND.match, re.split(r"[\r\n]", printed))
    return [match["first"] or match["anywhere"] for match in found if match]
