"""What commands share that print annotations for a CI service: where the repository is, and the page of a step."""

from __future__ import annotations

import os
from pathlib import Path

from generator.cli.options import CannotError


def repository_top() -> Path:
    """Top of the repository, as far as a CI service says where that is."""
    return Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).absolute()


def add_to_step_summary(page: str) -> None:
    """Add Markdown to the summary page of the step; nothing where there is no such page.

    Raises:
        CannotError: There is one that cannot be written.
    """
    from generator.diagnostics.report_file import write_file

    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if file and (fault := write_file(Path(file), page, append=True)):
        raise CannotError(f"the step's summary cannot be written: {fault}")
