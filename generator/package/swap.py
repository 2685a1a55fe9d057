"""Put a finished directory in the place of another, so that one of them stands there at every moment."""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from typing import Any, Final

_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2
_UNSUPPORTED: Final = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def put_in_place(new: str, target: str, aside: str) -> None:
    """Make `new` stand at `target`; what stood there ends at `new` or `aside`, for the caller to remove.

    On Linux the two change places in one step. Elsewhere, and on file systems that cannot, the old one is moved aside
    first; a process killed between the two steps leaves it there, from where `lock.workshop` brings it back.

    Raises:
        OSError: It could not be done; `target` is what it was.
    """
    if not os.path.lexists(target):
        os.rename(new, target)
    elif not exchange(new, target):
        os.rename(target, aside)
        try:
            os.rename(new, target)
        except OSError:
            os.rename(aside, target)
            raise


def exchange(one: str, other: str) -> bool:
    """Let two paths change places in one step; False where the system cannot.

    Raises:
        OSError: The system can, but not with these paths.
    """
    renameat2 = _renameat2()
    if renameat2 is None:
        return False
    if renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), other)


@cache
def _renameat2() -> Any:
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
