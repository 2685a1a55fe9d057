"""Which directories are scenarios: the root itself, or its direct children that hold a scenario document."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from generator.scenario.names import fold

DOCUMENT: Final = "scenario.json"
YAML_DOCUMENT: Final = "scenario.yaml"
DOCUMENTS: Final = (DOCUMENT, YAML_DOCUMENT)
# Names that are no document's, in lower case -> what was meant.
_MEANT: Final = {DOCUMENT: DOCUMENT, YAML_DOCUMENT: YAML_DOCUMENT, "scenario.yml": YAML_DOCUMENT}


class Discovered(NamedTuple):
    """What a root holds: scenario directories in order, linked ones that were passed over, why it is unreadable."""

    directories: tuple[Path, ...] = ()
    skipped_links: tuple[Path, ...] = ()
    missing: bool = False
    unreadable: str = ""


def discover(root: Path) -> Discovered:
    """Find the scenarios of `root`.

    A root that has a document is that one scenario. A child whose document is misnamed is one as well, so that it is
    reported and not passed over. The order is that of the names, case and Unicode
    normalisation aside (byte order of the NFC form of the folded name, then of the name): the same in every locale.
    """
    if has_document(root):
        return Discovered((root,))
    try:
        with os.scandir(root) as entries:
            found = [(entry.name, entry.is_symlink()) for entry in entries if _is_scenario(entry)]
    except FileNotFoundError:
        return Discovered(missing=True)
    except OSError as error:
        return Discovered(unreadable=error.strerror or str(error))
    found.sort(key=lambda item: (fold(item[0]).encode("utf-8", "surrogateescape"), os.fsencode(item[0])))
    return Discovered(
        tuple(root / name for name, link in found if not link),
        tuple(root / name for name, link in found if link),
    )


def has_document(directory: Path) -> bool:
    """Whether `directory` has something named `scenario.json` or `scenario.yaml`, readable or not."""
    return bool(documents(directory))


def documents(directory: Path) -> tuple[str, ...]:
    """Which names of a scenario's document stand in `directory`; it should be one."""
    try:
        return tuple([name for name in DOCUMENTS if _stands(f"{directory}/{name}")])
    except PermissionError:
        return ()


def misnamed(names: Iterable[str]) -> tuple[str, str] | None:
    """A name that a document seems to have instead of its own, in another case or as `.yml`, and the one it should."""
    return min(((name, _MEANT[name.lower()]) for name in names if _is_misnamed(name)), default=None)


def is_directory(path: Path) -> bool:
    """Whether a directory can be seen at `path`, by way of links as well."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return False


def _is_scenario(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir() and (
            any(_stands(f"{entry.path}/{name}") for name in DOCUMENTS) or _holds_misnamed(entry.path)
        )
    except PermissionError:
        return True  # a closed directory can be a scenario: it is reported, not passed over
    except OSError:  # a link that leads in a circle
        return False


def _holds_misnamed(directory: str) -> bool:
    try:
        with os.scandir(directory) as entries:
            return any(_is_misnamed(entry.name) for entry in entries)
    except OSError:
        return False


def _is_misnamed(name: str) -> bool:
    return name not in DOCUMENTS and name.lower() in _MEANT


def _stands(path: str) -> bool:
    try:
        os.lstat(path)
    except PermissionError:
        raise
    except OSError:
        return False
    return True
