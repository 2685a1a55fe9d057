"""The words of commands that messages suggest: only what is not the usual value of an option."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from generator.diagnostics.locate import shown_path
from generator.package.model import Settings


class Usual(NamedTuple):
    """What options are where nobody types them: what the pack's settings say, else what is built in.

    Attributes:
        scenario_dir: Directory of scenario directories.
        out: Output directory.
        settings: What all packages share.
        dataset: `name`, `version` and `description` of the dataset, as far as the pack's settings have them.
    """

    scenario_dir: Path = Path("scenarios")
    out: Path = Path("generated")
    settings: Settings = Settings()
    dataset: Mapping[str, str] = {}


PROGRAM: Final = "harborsmith"
BUILT_IN: Final = Usual()


def package_words(
    scenario_dir: Path | None, scenario_id: str | None, out: Path, settings: Settings | None, usual: Usual
) -> list[str]:
    """The options by which every command makes the same packages, or the one of `scenario_id`.

    Args:
        scenario_dir: Directory of scenario directories; None where it does not matter.
        scenario_id: Id of the only scenario; None for all.
        out: Output directory.
        settings: What all packages share; None where none is made.
        usual: What needs not be said.
    """
    made = settings or usual.settings
    options = {
        "--scenario-dir": None if scenario_dir == usual.scenario_dir else scenario_dir,
        "--scenario": scenario_id,
        "--out": None if out == usual.out else out,
        "--org": None if made.org == usual.settings.org else made.org,
    }
    authors = () if made.authors == usual.settings.authors else made.authors
    return [*option_words(options), *(word for author in authors for word in ("--author", author))]


def typed(command: str) -> str:
    """`command`, where it begins with `harborsmith`, as it can be typed here: by a path where none is on PATH."""
    import shutil

    name, _, rest = command.partition(" ")
    if name != PROGRAM or shutil.which(PROGRAM) is not None:
        return command
    beside = Path(sys.executable).parent / PROGRAM
    if beside.is_file():
        return f"{shlex.quote(_as_program(beside))} {rest}"
    return f"{shlex.quote(sys.executable)} -m generator {rest}"


def _as_program(path: Path) -> str:
    shown = shown_path(path)
    return shown if "/" in shown else f"./{shown}"


def option_words(options: Mapping[str, object]) -> list[str]:
    """Options with their values, without those whose value is None."""
    return [str(word) for option, value in options.items() if value is not None for word in (option, value)]
