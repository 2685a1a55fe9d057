"""One maker at a time for each package, and a clean start for each of them.

The lock is the directory a package is made in. It goes when its holder is done, so that an output nobody writes to
holds packages and nothing else; whoever locks a directory that is gone by then tries again.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from generator.package.output import Output
from generator.runtime.trees import remove_tree

# What a workshop may hold. OLD is a package on its way out while its successor is not yet in place.
NEW, OLD, GONE = "new", "old", "gone"


@contextmanager
def workshop(output: Output, scenario_id: str) -> Iterator[str]:
    """An empty directory to make a package in, held by this process alone; waits for another holder.

    What a killed process left in it is put right first: a package that was moved aside and not replaced goes back.

    Raises:
        OSError: It cannot be made.
    """
    descriptor = None
    while descriptor is None:
        descriptor = _acquire(output, scenario_id, wait=True)
    with _held(output, scenario_id, descriptor) as folder:
        yield folder


def sweep(output: Output) -> None:
    """Put right what killed processes left of any package; what a living one holds is left alone.

    Raises:
        OSError: Something cannot be removed.
    """
    for name in _workshops(output.private):
        descriptor = _acquire(output, name, wait=False)
        if descriptor is not None:
            with _held(output, name, descriptor):
                pass


def remove(path: str) -> None:
    """Remove whatever stands at `path`, following no link.

    Raises:
        OSError: It cannot be removed.
    """
    try:
        remove_tree(path)
    except OSError as error:
        error.filename = path  # the system names it relative to some directory inside
        raise


def _workshops(folder: os.PathLike[str]) -> list[str]:
    """Names of the directories in `folder`; whatever else lies there is not ours."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []


def _acquire(output: Output, scenario_id: str, *, wait: bool) -> int | None:
    """A locked descriptor of the workshop, or None when it is held (without `wait`) or was removed while we waited."""
    path = output.workshop(scenario_id)
    if wait:
        with suppress(FileExistsError):  # also when it was there, and another maker, done, removed it just then
            os.makedirs(output.private, exist_ok=True)
        with suppress(FileExistsError, FileNotFoundError):
            os.mkdir(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        if os.path.samestat(os.fstat(descriptor), os.lstat(path)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


@contextmanager
def _held(output: Output, scenario_id: str, descriptor: int) -> Iterator[str]:
    path = output.workshop(scenario_id)
    try:
        _put_right(path, output.package(scenario_id))
        try:
            yield path
        finally:
            # What is done is done, whatever becomes of the leavings: the next sweep says what keeps them.
            with suppress(OSError):
                _put_right(path, output.package(scenario_id))
                os.rmdir(path)
                os.rmdir(output.private)  # refused while others are at work in there
    finally:
        os.close(descriptor)


def _put_right(path: str, target: str) -> None:
    old = os.path.join(path, OLD)
    if os.path.lexists(old) and not os.path.lexists(target):
        os.rename(old, target)
    for name in os.listdir(path):
        remove(os.path.join(path, name))
