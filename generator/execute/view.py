"""What a confined program sees of this machine, as data; `bubblewrap` turns it into arguments."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final, NamedTuple

AGENT_UID: Final = 10001  # the uid that container images give the agent account, so both worlds look alike
HOSTNAME: Final = "harborsmith"
SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SYSTEM_ROOTS: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
TMP_BYTES: Final = 1 << 30


class Bind(NamedTuple):
    """A file or directory of this machine (`source`) shown at the absolute path `target` inside."""

    source: str
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One program's world.

    Attributes:
        binds: What is shown beside the system folders.
        workdir: Working directory inside.
        network: Whether the machine's network is there; without it there is a loopback device and nothing else.
        user: Name of the account, which is never root whatever its name.
        hidden: Absolute paths of this machine that appear empty where a bind or a system folder would show them.
    """

    binds: tuple[Bind, ...]
    workdir: str
    network: bool = False
    user: str = "agent"
    hidden: tuple[str, ...] = ()

    @property
    def home(self) -> str:
        """The account's home directory inside; empty and gone after the program unless something is bound there."""
        return home_of(self.user)


def home_of(user: str) -> str:
    """Where the home directory of the account `user` is inside."""
    return f"/home/{user}"


def is_below(path: str, folder: str) -> bool:
    """Whether the normalised absolute `path` is `folder` or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def overlaps(one: str, other: str) -> bool:
    """Whether one of two normalised absolute paths lies in the other."""
    return is_below(one, other) or is_below(other, one)


def first_invisible(path: str, roots: tuple[str, ...]) -> str | None:
    """The first path on the way to `path` that is not below any of `roots`; None when all of them are.

    Links are followed one at a time, because each of them has to be there inside: the interpreter of a virtual
    environment is a link to another interpreter elsewhere.
    """
    for _ in range(40):
        if not any(is_below(path, root) for root in roots):
            return path
        path, followed = _follow_one(path)
        if not followed:
            return None
    return path


def _follow_one(path: str) -> tuple[str, bool]:
    """`path` with its first symbolic link replaced by what it points to, and whether there was one."""
    walked = "/"
    parts = [part for part in path.split("/") if part]
    for index, part in enumerate(parts):
        walked = os.path.join(walked, part)
        if os.path.islink(walked):
            target = os.path.join(os.path.dirname(walked), os.readlink(walked))
            return os.path.normpath(os.path.join(target, *parts[index + 1 :])), True
    return path, False
