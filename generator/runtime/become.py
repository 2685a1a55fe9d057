"""Become another user with its limits, then turn into a command; run as a program by `process`, never imported by it.

The dropping happens in a process of its own because Python code between fork and exec is unsafe once there are
threads. It is told what to do through a pipe: nothing of the command's environment touches this interpreter, which
still runs as root.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import sys
from typing import Dict, List

PR_SET_NO_NEW_PRIVS = 38


def refuse_new_privileges() -> None:
    """Make setuid programs powerless for this process and all it starts (Linux; elsewhere there is no such switch)."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return


def execute(argv: List[bytes], env: Dict[bytes, bytes]) -> None:
    """Turn into the command, looked up as the shell does; returns only by an OSError.

    Not `os.execvpe`: that imports a module on its way, which the new user may not be able to read.
    """
    if b"/" in argv[0]:
        os.execve(argv[0], argv, env)
    refusal: OSError = FileNotFoundError(errno.ENOENT, "not on PATH")
    for folder in env.get(b"PATH", os.defpath.encode()).split(b":"):
        try:
            os.execve(os.path.join(folder, argv[0]), argv, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as problem:
            refusal = problem
    raise refusal


def main(orders_fd: int, report_fd: int) -> None:
    """Read the orders, drop, and execute.

    A `+` on `report_fd` says that the orders arrived; an errno follows it when something fails, and the execution of
    the command closes it. So a crash of this program is told from the command's own exit.
    """
    for descriptor in (orders_fd, report_fd):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 -- takes no keyword
    with os.fdopen(orders_fd, "rb") as stream:
        orders = json.load(stream)
    argv = [word.encode("latin-1") for word in orders["argv"]]
    env = {name.encode("latin-1"): value.encode("latin-1") for name, value in orders["env"].items()}
    os.write(report_fd, b"+")
    try:
        refuse_new_privileges()  # first: the new user may not be able to read what it imports
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if orders["processes"] is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (orders["processes"], orders["processes"]))
        os.setgroups(orders["groups"])
        os.setgid(orders["gid"])
        os.setuid(orders["uid"])
        execute(argv, env)
    except OSError as problem:
        os.write(report_fd, str(problem.errno or 0).encode())
        os._exit(127)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
