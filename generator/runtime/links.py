"""Keep symbolic links from leading out of a tree: one that does could pass an answer key off as the work."""

from __future__ import annotations

import os
from typing import List, Optional, Sequence, Tuple

from .trees import LINK, LeftOut, clone_tree, walk

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
MOST_HOPS = 40  # the kernel refuses longer chains; a library that resolves paths by text may still go on
LEAVING = "link out of the workspace"
ENDLESS = "link that never ends"


def copy_tree(
    source: str, target: str, homes: Sequence[str] = (), forbidden: Sequence[str] = ()
) -> Tuple[LeftOut, ...]:
    """Copy a workspace into the new directory `target`, without the links that leave it; returns what is missing."""
    left_out = clone_tree(source, target)
    return left_out + drop_leaving_links(target, (*homes, os.path.realpath(source)), forbidden)


def drop_leaving_links(top: str, homes: Sequence[str] = (), forbidden: Sequence[str] = ()) -> Tuple[LeftOut, ...]:
    """Remove every link that leads out of the tree, or has no end; links to system folders are allowed.

    Args:
        top: The tree.
        homes: Absolute paths at which the tree stood or will stand: an absolute link below one of them leads inside,
            and becomes a relative one so that it does so in every copy.
        forbidden: Real paths that no link may lead to, into or above, also where they lie in a system folder.

    Returns:
        The removed links with their targets. Raises OSError when the tree cannot be changed.
    """
    found = [entry.path for entry in walk(top) if entry.kind == LINK]
    faults = [(path, _fault(top, path, homes, forbidden)) for path in found]
    removed = []
    for path, fault in faults:
        if fault:
            place = os.path.join(top, path)
            removed.append(LeftOut(path, fault, os.readlink(place)))
            os.unlink(place)
        else:
            _make_relative(top, path, homes)
    return tuple(removed)


def _make_relative(top: str, path: str, homes: Sequence[str]) -> None:
    place = os.path.join(top, path)
    inside = _below_home(os.readlink(place), homes)
    if inside is not None:
        os.unlink(place)
        os.symlink("/".join([*[".."] * path.count("/"), *inside]) or ".", place)


def _fault(top: str, path: str, homes: Sequence[str], forbidden: Sequence[str]) -> str:
    """Follow a link component by component as the kernel would, with the tree standing at its homes."""
    here: List[str] = []
    ahead = path.split("/")[::-1]
    hops = 0
    while ahead:
        part = ahead.pop()
        if part in ("", "."):
            continue
        if part == "..":
            if not here:
                return LEAVING
            here.pop()
            continue
        target = _target("/".join([top, *here, part]))
        if target is None:
            here.append(part)
            continue
        hops += 1
        if hops > MOST_HOPS:
            return ENDLESS
        if target.startswith("/"):
            inside = _below_home(target, homes)
            if inside is None:
                return "" if _is_system("/".join([target, *reversed(ahead)]), forbidden) else LEAVING
            here = []
            ahead += reversed(inside)
        else:
            ahead += reversed(target.split("/"))
    return ""


def _target(place: str) -> Optional[str]:
    try:
        return os.readlink(place)
    except OSError:
        return None


def _below_home(target: str, homes: Sequence[str]) -> Optional[List[str]]:
    """The components of an absolute target below the home it lies in; None when it lies in none."""
    if not target.startswith("/"):
        return None
    parts = _parts(target)
    for home in homes:
        start = _parts(home)
        if parts[: len(start)] == start:
            return parts[len(start) :]
    return None


def _parts(path: str) -> List[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _is_system(path: str, forbidden: Sequence[str]) -> bool:
    real = os.path.realpath(path)
    if any(_is_below(real, folder) or _is_below(folder, real) for folder in forbidden):
        return False
    return any(_is_below(real, folder) for folder in SYSTEM)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")
