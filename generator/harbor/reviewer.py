"""Ship the operator's reviewer into the container where a review takes place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from generator.execute.view import SYSTEM_ROOTS, is_below
from generator.runtime.reviewers import command_reviewer

FOLDER: Final = "/reviewer"
OPERATOR: Final = f"{FOLDER}/operator.json"
# Where the backend puts the operator's values for the review: Harbor's own variables stay as they are.
PREFIX: Final = "HARBORSMITH_REVIEW_ENV_"


@dataclass(frozen=True, slots=True)
class Shipment:
    """The reviewer as the container knows it (`stated`, see `runtime.operators`), and its files: here -> there."""

    stated: Mapping[str, Any]
    files: tuple[tuple[str, str], ...] = ()


def ship(command: str, *, source: str, shell: bool) -> Shipment:
    """Name the files of a reviewer's command as they will stand in the container.

    A word that is the path of a file here travels; programs below the system folders are the image's own.

    Args:
        command: The command as given.
        source: `option` or `environment`.
        shell: Whether a shell reads it; then nothing travels.

    Raises:
        ValueError: The command is blank or its quotes do not match.
    """
    reviewer = command_reviewer(command, source=source, env={}, shell=shell)
    argv, files = [], []
    for number, word in enumerate(reviewer.argv):
        if shell or not _travels(word, program=number == 0):
            argv.append(word)
            continue
        there = f"{FOLDER}/{number}-{Path(word).name}"
        files.append((str(Path(word).absolute()), there))
        argv.append(there)
    return Shipment({"argv": argv, "source": source, "sha256": reviewer.sha256}, tuple(files))


def _travels(word: str, *, program: bool) -> bool:
    place = Path(word).absolute()
    return (
        ("/" in word or not program)
        and place.is_file()
        and not any(is_below(str(place), root) for root in SYSTEM_ROOTS)
    )


def review_variables(names: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The values of `A,B`: the backend's, else Harbor's own variable of that name; one that has none is left out."""
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    return {name: environ[place] for name in wanted for place in (name, PREFIX + name) if place in environ}
