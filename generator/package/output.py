"""Where packages go, and which places are refused."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from generator.diagnostics.model import Finding


@dataclass(frozen=True, slots=True)
class Output:
    """The output directory `root`: packages stand in `tasks`, what is half made in `private`."""

    root: Path

    @property
    def tasks(self) -> Path:
        """Where one directory a package stands."""
        return self.root / "harbor" / "tasks"

    @property
    def private(self) -> Path:
        """Where packages are made: on the file system of `tasks`, so that renaming puts a finished one in place."""
        return self.root / ".harborsmith"

    def package(self, scenario_id: str) -> str:
        """The directory of one package."""
        return str(self.tasks / scenario_id)

    def workshop(self, scenario_id: str) -> str:
        """The directory one package is made in, and the lock on it."""
        return str(self.private / scenario_id)

    def problem(self, scenario_directories: Iterable[Path]) -> Finding | None:
        """Why nothing may be written here; None when it may.

        A link is refused, since packages would land, and be removed, where it leads. So is a place inside a scenario,
        since packages would become assets, and one among or around scenarios, since packages come and go there.
        """
        for path in (self.root, self.tasks.parent, self.tasks, self.private):
            try:
                mode = os.lstat(path).st_mode
            except OSError as error:
                if error.errno in _NO_PATH:
                    message = f"the output directory {str(path)!r} cannot be: {error.strerror}"
                    return Finding("output_unusable", "", message, _ELSEWHERE)
                continue
            if not stat.S_ISDIR(mode):
                what = "a link" if stat.S_ISLNK(mode) else "not a directory"
                return Finding("output_unusable", "", f"the output directory {str(path)!r} is {what}", _ELSEWHERE)
        root, ours = _real(self.root), (_real(self.tasks), _real(self.private))
        for directory in scenario_directories:
            scenario = _real(directory)
            around = scenario.parent == root or any(scenario.is_relative_to(place) for place in ours)
            if around or root.is_relative_to(scenario):
                return Finding(
                    "output_overlaps",
                    "",
                    f"the output directory {str(self.root)!r} lies in, among or around scenarios: {str(directory)!r}",
                    _ELSEWHERE,
                )
        return None


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


_ELSEWHERE: Final = "name another directory with --out"
_NO_PATH: Final = (errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)  # no directory can be made there, whoever tries
