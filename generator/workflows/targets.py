"""The packages that `run` works on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from generator.diagnostics.model import Diagnostic
    from generator.workflows.run import RunRequest


class Targets(NamedTuple):
    """What there is to run.

    Attributes:
        packages: Package directories.
        without: Scenarios that have no package, with the exit code of the reason.
        diagnostics: What is wrong with scenarios or with the selection.
        exit_code: The highest of all reasons.
    """

    packages: tuple[Path, ...]
    without: tuple[tuple[str, int], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    exit_code: int = 0


def find_targets(request: RunRequest) -> Targets:
    """The packages that are named, then those of the scenarios that are asked for, generated as far as needed."""
    if not (request.ids or request.tier or request.everything):
        return Targets(packages=request.packages)
    # All that reads and compiles scenarios; a run of packages does without.
    from generator.workflows.making import make_targets

    return make_targets(request)
