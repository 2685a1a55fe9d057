"""Why a run is not started (or not continued), as a value that the command line turns into words and an exit code."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar

T = TypeVar("T")

# Words of the command that another package may well be run with: these depend on where it lies, and works.
_OF_ONE_PACKAGE: Final = ("agent_path_leaks", "agent_path_reserved")


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

    @property
    def of_the_command(self) -> bool:
        """Whether a run that was about to start was refused for what keeps every other one from starting as well."""
        return self.blame is Blame.USAGE and self.code not in _OF_ONE_PACKAGE


def granted(value: T | Refused) -> T:
    """`value`, which the caller has seen not to be a refusal."""
    assert not isinstance(value, Refused), value
    return value
