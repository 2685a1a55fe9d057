"""What was meant by a PACKAGE_DIR that is none: the directory, or the id, of a scenario."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from generator.execute.refusal import Refused
from generator.workflows.suggest import package_words
from generator.workflows.targets import Choice, called


def what_was_meant(refused: Refused, directory: Path, choice: Choice) -> Refused:
    """The refusal; with what to write instead where a scenario stands there, or has that name.

    Args:
        refused: Why the directory is no package.
        directory: What was given.
        choice: What else was, and what is usual.
    """
    if refused.code not in ("package_missing", "package_invalid"):
        return refused
    from generator.formats.discovery import has_document
    from generator.package.output import Output

    if has_document(directory):
        hint = _of_scenario(directory.absolute().parent, called(directory), choice)
        return replace(refused, message=f"{directory} is a scenario, and no package", hint=hint)
    if refused.code == "package_invalid" or len(directory.parts) != 1:
        return refused
    package = Output(choice.out).tasks / directory
    ways = [str(package)] if package.is_dir() else []
    if has_document(choice.scenario_dir / directory):
        ways = [_of_scenario(choice.scenario_dir.absolute(), str(directory), choice), *ways]
    return replace(refused, hint=" or ".join(ways)) if ways else refused


def _of_scenario(folder: Path, name: str, choice: Choice) -> str:
    """The options that select a scenario of `folder`."""
    shown = choice.scenario_dir if folder == choice.scenario_dir.absolute() else folder
    return shlex.join(package_words(shown, name, choice.usual.out, None, choice.usual))
