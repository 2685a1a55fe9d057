"""Load, plan and write the package of one scenario, and look at what came out."""

from __future__ import annotations

import os
from pathlib import Path

from generator.formats.loaded import LoadedScenario
from generator.package.model import PackagePlan, Settings
from generator.package.output import Output
from generator.package.plan import plan
from generator.package.write import PackageOutcome, Status, write_package
from generator.workflows.select import select


def load(scenario: Path) -> LoadedScenario:
    """The scenario at `scenario`, which must be valid."""
    (loaded,) = select(scenario.parent, paths=[scenario]).loaded
    assert loaded.scenario is not None, loaded.findings
    return loaded


def planned(scenario: Path, settings: Settings | None = None) -> PackagePlan:
    """The plan of the package of the scenario at `scenario`, which must be possible."""
    made = plan(load(scenario), settings or Settings())
    assert isinstance(made, PackagePlan), made
    return made


def written(scenario: Path, out: Path) -> Path:
    """The package of the scenario at `scenario`, made in `out`."""
    outcome = made(scenario, out)
    assert outcome.status in (Status.WRITTEN, Status.UNCHANGED), outcome
    return Path(outcome.path)


def made(scenario: Path, out: Path, *, force: bool = False) -> PackageOutcome:
    """What became of making the package."""
    return write_package(planned(scenario), Output(out), force=force)


def modes(root: Path) -> dict[str, int]:
    """Permission bits of everything below `root`, and of `root` itself under `.`."""
    found = {".": root.stat().st_mode & 0o7777}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            found[path.relative_to(root).as_posix()] = path.lstat().st_mode & 0o7777
    return found


def untouched(root: Path) -> dict[str, tuple[int, int, int]]:
    """Inode, modification and change time of everything below `root`, which any write changes."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in (".", *folders, *files):
            status = Path(folder, name).lstat()
            found[os.path.join(folder, name)] = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
    return found
