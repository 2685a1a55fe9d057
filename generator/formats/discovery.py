"""Which directories are scenarios: the root itself, or its direct children that hold a scenario document."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final, NamedTuple

from generator.scenario.names import fold

DOCUMENT: Final = "scenario.json"
YAML_DOCUMENT: Final = "scenario.yaml"
DOCUMENTS: Final = (DOCUMENT, YAML_DOCUMENT)


class Discovered(NamedTuple):
    """What a root holds: scenario directories in order, linked ones that were passed over, why it is unreadable."""

    directories: tuple[Path, ...] = ()
    skipped_links: tuple[Path, ...] = ()
    missing: bool = False
    unreadable: str = ""


def discover(root: Path) -> Discovered:
    """Find the scenarios of `root`.

    A root that has a document is that one scenario. The order is that of the names, case and Unicode
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


def is_directory(path: Path) -> bool:
    """Whether a directory can be seen at `path`, by way of links as well."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return False


def _is_scenario(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir() and any(_stands(f"{entry.path}/{name}") for name in DOCUMENTS)
    except PermissionError:
        return True  # a closed directory can be a scenario: it is reported, not passed over
    except OSError:  # a link that leads in a circle
        return False


def _stands(path: str) -> bool:
    try:
        os.lstat(path)
    except PermissionError:
        raise
    except OSError:
        return False
    return True
