"""What a command is asked to work on, and the packages of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from generator.package.model import Settings
from generator.workflows.suggest import BUILT_IN, Usual

if TYPE_CHECKING:
    from generator.diagnostics.model import Diagnostic

NOTHING_SELECTED: Final = 3  # exit code: something that was asked for is not there


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What was chosen.

    Attributes:
        packages: Package directories.
        scenario_dir: Directory of scenario directories; only looked at when scenarios are asked for.
        ids: Scenarios (ids or directory names).
        tier: Scenarios of a tier.
        everything: All scenarios.
        out: Output directory.
        settings: What all packages share.
        usual: What all this is where nobody types it, for the commands that messages suggest.
    """

    packages: tuple[Path, ...] = ()
    scenario_dir: Path = Path("scenarios")
    ids: tuple[str, ...] = ()
    tier: str | None = None
    everything: bool = False
    out: Path = Path("generated")
    settings: Settings = field(default_factory=Settings)
    usual: Usual = BUILT_IN

    @property
    def scenarios(self) -> bool:
        """Whether scenarios are asked for, beside packages."""
        return bool(self.ids or self.tier or self.everything)


class Without(NamedTuple):
    """A scenario that has no package: its id, its directory, the reasons, and their exit code."""

    scenario_id: str
    directory: Path
    diagnostics: tuple[Diagnostic, ...]
    exit_code: int


class Targets(NamedTuple):
    """What there is to work on.

    Attributes:
        packages: Package directories.
        without: Scenarios that have no package.
        diagnostics: What is wrong with the selection, and advice about scenarios that have one.
        exit_code: The highest of all reasons.
    """

    packages: tuple[Path, ...]
    without: tuple[Without, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    exit_code: int = 0

    @property
    def complaints(self) -> tuple[Diagnostic, ...]:
        """Everything that is wrong."""
        return (*self.diagnostics, *(complaint for one in self.without for complaint in one.diagnostics))


def called(directory: Path) -> str:
    """What to call a directory that is no package, so that no scenario is known."""
    return directory.absolute().name or str(directory)


def find_targets(choice: Choice) -> Targets:
    """The packages that are named, then those of the scenarios that are asked for, generated as far as needed."""
    if not choice.scenarios:
        return Targets(packages=choice.packages)
    # All that reads and compiles scenarios; a run of packages does without.
    from generator.workflows.making import make_targets

    return make_targets(choice)
