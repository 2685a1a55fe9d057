"""Why a run is not started (or not continued), as a value that the command line turns into words and an exit code."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")


class Blame(StrEnum):
    """Who can mend it: whoever typed the command, whoever wrote the scenario or package, or the machine."""

    USAGE = "usage"
    PACKAGE = "package"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class Refused:
    """One reason not to go on.

    Attributes:
        code: Key into the catalogue of codes.
        message: What is wrong, without a final full stop.
        hint: What to write or do instead; may be empty.
        blame: Decides the exit code (2, 1 or 4).
    """

    code: str
    message: str
    hint: str = ""
    blame: Blame = Blame.USAGE


def granted(value: T | Refused) -> T:
    """`value`, which the caller has seen not to be a refusal."""
    assert not isinstance(value, Refused), value
    return value
