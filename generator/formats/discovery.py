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
_STEM: Final = "scenario."
_CLOSE: Final = 0.85  # of difflib: `senario.json` and `scenarios.json` are meant, `scenery.json` is not
_FARTHEST: Final = 3  # characters more or less; only such names are compared


class Misnamed(NamedTuple):
    """A file that is clearly meant as a scenario's document, and the `right` name for it."""

    file: Path
    right: str


class Discovered(NamedTuple):
    """What a root holds: scenario directories in order, linked ones that were passed over, why it is unreadable.

    `misnamed` are the documents that nobody finds, of directories without another one.
    """

    directories: tuple[Path, ...] = ()
    skipped_links: tuple[Path, ...] = ()
    misnamed: tuple[Misnamed, ...] = ()
    missing: bool = False
    unreadable: str = ""


def discover(root: Path) -> Discovered:
    """Find the scenarios of `root`.

    A root that has a document is that one scenario. The order is that of the names, case and Unicode
    normalisation aside (byte order of the NFC form of the folded name, then of the name): the same in every locale.
    """
    if has_document(root):
        return Discovered((root,))
    found: list[tuple[str, bool]] = []
    others: list[str] = []
    try:
        with os.scandir(root) as entries:
            for entry in entries:
                if _is_scenario(entry):
                    found.append((entry.name, entry.is_symlink()))
                elif entry.is_dir(follow_symlinks=False):
                    others.append(entry.name)
    except FileNotFoundError:
        return Discovered(missing=True)
    except OSError as error:
        return Discovered(unreadable=error.strerror or str(error))
    found.sort(key=lambda item: _order(item[0]))
    return Discovered(
        tuple(root / name for name, link in found if not link),
        tuple(root / name for name, link in found if link),
        tuple(wrong for name in sorted(others, key=_order) if (wrong := misnamed(root / name))),
    )


def misnamed(directory: Path) -> Misnamed | None:
    """The file in `directory`, which has no document, that is clearly meant as one."""
    try:
        with os.scandir(directory) as entries:
            close = [(entry.name, right) for entry in entries if (right := _meant(entry.name)) and entry.is_file()]
    except OSError:
        return None
    if not close:
        return None
    name, right = min(close)
    return Misnamed(directory / name, right)


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


def _order(name: str) -> tuple[bytes, bytes]:
    return fold(name).encode("utf-8", "surrogateescape"), os.fsencode(name)


def _meant(name: str) -> str | None:
    """The document's name that `name` was meant to be: it differs in case or ending, or is misspelt."""
    lowered = name.lower()
    begins = lowered.startswith(_STEM)
    # A misspelt name that ends like no JSON or YAML is taken for something else, without the cost of comparing.
    if not begins and (lowered.rpartition(".")[2][:1] not in ("j", "y") or abs(len(name) - len(DOCUMENT)) > _FARTHEST):
        return None
    import difflib

    close = difflib.get_close_matches(lowered, DOCUMENTS, n=1, cutoff=_CLOSE)
    return close[0] if close else DOCUMENT if begins else None


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
