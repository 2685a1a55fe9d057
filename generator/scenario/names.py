"""Which names are safe to write on any file system, in any archive, and in a Harbor package.

A name here is one path component, a path is relative with `/` between names. The rules are the union of what POSIX,
Windows, git, tar and Harbor accept; each function says which part of it it holds.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

# Rules ask the same of the same few names again and again, and packs repeat them from scenario to scenario.
_remembered: Final = lru_cache(maxsize=4096)

MAX_ID_LENGTH: Final = 64
MAX_NAME_BYTES: Final = 255  # NAME_MAX of every common file system
MAX_PATH_BYTES: Final = 512  # macOS takes 1,024, and the directories of a package and of its output stand in front

_ID: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_HARBOR_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_CONTROL: Final = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"
# Bidirectional overrides and marks (CVE-2021-42574) and the byte order mark.
_INVISIBLE: Final = r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
_SURROGATE: Final = "[\ud800-\udfff]"
_AS_IS: Final = ("utf-8", "surrogatepass")  # a path from a disk may hold bytes that are no characters
_WINDOWS_CHARACTERS: Final = frozenset('<>:"|?*')
_WINDOWS_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)}
)


def id_problem(name: str) -> str | None:
    """Why `name` cannot be a scenario's id, or None.

    An id becomes a directory, a Harbor task name (letters, digits, `.`, `_`, `-`) and part of container names.
    """
    if name in (".", ".."):
        return "it names a directory that every directory has"
    if name.startswith(("-", ".")):
        return f'it starts with "{name[0]}"'
    if len(name) > MAX_ID_LENGTH:
        return f"it is longer than {MAX_ID_LENGTH} characters"
    if not _ID.fullmatch(name):
        return "only A-Z, a-z, 0-9, '.', '_' and '-' may stand in it, and none of '.' and '-' first"
    if ".." in name:
        return 'Harbor refuses ".." in names'
    if name.endswith("."):
        return "Windows drops a dot at the end of a name"
    if is_windows_device(name):
        return "Windows keeps this name for a device"
    return None


def known_id(given: object, folder: str) -> str:
    """What a scenario goes by, usable or not: the id its document gives, if that has something in it, else `folder`."""
    return given if isinstance(given, str) and given.strip() else folder


def is_harbor_name(text: str) -> bool:
    """Whether Harbor takes `text` as one half of the name of a task or a dataset."""
    return _HARBOR_NAME.fullmatch(text) is not None and ".." not in text


def portable_name(text: str) -> str | None:
    """The name closest to `text` that can be an id, in lower case; None where nothing of it is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9_]+(?:\.[a-z0-9_]+)*", plain)
    name = "-".join(words)[:MAX_ID_LENGTH].rstrip("-.")
    return name if name and id_problem(name) is None else None


def is_windows_device(name: str) -> bool:
    """Whether Windows takes `name`, with any extension, for a device."""
    return name.partition(".")[0].rstrip(" ").casefold() in _WINDOWS_DEVICES


@_remembered
def fold(path: str) -> str:
    """The form in which two paths are one on a file system that ignores case or Unicode normalisation."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


@_remembered
def unsafe_name(name: str) -> str | None:
    """Why a file's name cannot be copied safely at all, or None."""
    if not (name.isascii() and name.isprintable()) and (reason := _unsafe_character(name)):
        return reason
    if "\\" in name:
        return "a backslash separates directories on Windows"
    if len(name.encode()) > MAX_NAME_BYTES:
        return f"it is longer than {MAX_NAME_BYTES} bytes"
    return None


def _unsafe_character(name: str) -> str | None:
    if re.search(_CONTROL, name):
        return "a control character in it can break listings and scripts"
    if re.search(_INVISIBLE, name):
        return "an invisible character in it makes it look like another name"
    return "it is not UTF-8" if re.search(_SURROGATE, name) else None


@_remembered
def unportable_name(name: str) -> str | None:
    """Why a file's name cannot be kept on Windows, or None."""
    if name.endswith((" ", ".")):
        return "Windows drops a dot or space at the end of a name"
    if name.startswith(" "):
        return "a space stands first"
    if found := sorted(_WINDOWS_CHARACTERS.intersection(name)):
        return f"Windows does not allow {' '.join(found)}"
    if is_windows_device(name):
        return "Windows keeps this name for a device"
    return None


@_remembered
def path_problem(path: str) -> str | None:
    """Why `path` is not a relative path that stays below its start and fits into a package, or None."""
    if not path.strip():
        return "it is blank"
    if path.startswith("/"):
        return "it is absolute"
    if ".." in path.replace("\\", "/").split("/"):
        return '".." leads out of the directory'
    return next((reason for name in path.split("/") if (reason := unsafe_name(name))), long_path(path))


def long_path(path: str) -> str | None:
    """Why `path`, as far as its length goes, does not fit into a package, or None."""
    return f"it is longer than {MAX_PATH_BYTES} bytes" if len(path.encode(*_AS_IS)) > MAX_PATH_BYTES else None


@_remembered
def normal_path(path: str) -> str:
    """`path` without empty and `.` parts; `.` when nothing is left."""
    return "/".join(part for part in path.split("/") if part not in ("", ".")) or "."


def is_same_or_below(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies below it; both as `normal_path` gives them."""
    return folder in (".", path) or path.startswith(folder + "/")
