"""Run the programs of a review inside the disposable container Harbor starts for it, as root.

What the agent made runs as a user that owns nothing but its copy of the work, placed where the agent had it. Answers
and verdict are out of its reach because their directories belong to root alone, which is checked and not assumed.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import stat
import tempfile
import threading
from typing import Sequence

from .evalinput import RoomPaths
from .launch import Job, Outcome, ReviewPlace
from .process import User, run
from .trees import clone_into, empty_directory, give_to, move_children, remove_tree

NOBODY = 65534  # where the image has no such name
SHARED = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 -- writable by everybody, so swept


def nobody() -> User:
    """The unprivileged user of this system."""
    try:
        return named_user("nobody")
    except ValueError:
        return User(NOBODY, NOBODY)


def named_user(name: str) -> User:
    """A user by name or number, which then is its group as well. Raises ValueError for an unknown one and for root."""
    try:
        entry = pwd.getpwnam(name)
        user = User(entry.pw_uid, entry.pw_gid)
    except KeyError:
        if not (name.isascii() and name.isdigit()):
            raise ValueError(f"there is no user {name!r}") from None
        user = User(int(name), int(name))
    if user.uid == 0:
        raise ValueError("what the agent made is not run as root; name another user")
    return user


class ContainerLauncher:
    """Submissions as `user` at the workdir, reviewers as root with a pristine tree there."""

    def __init__(self, workdir: str, user: User, sealed: Sequence[str], shared: Sequence[str] = SHARED) -> None:
        """Set up.

        Args:
            workdir: Where the work stood for the agent; it is emptied.
            user: Whom submissions run as. Everything this user owns or runs is removed and ended after each.
            sealed: Directories that must be closed to everybody but root before a submission may run.
            shared: Directories in which a submission could leave something for the next one.
        """
        self._workdir = workdir
        self._user = user
        self._sealed = tuple(sealed)
        self._shared = tuple(shared)
        self._lock = threading.Lock()

    def run_submission(self, job: Job, work: str) -> Outcome:
        """Run what the agent made with the content of `work` at the workdir; it is moved back afterwards."""
        refusal = self._refusal()
        if refusal:
            return Outcome(exit_code=None, error=refusal)
        aside = f"{work}.aside"
        with self._lock:
            os.makedirs(self._workdir, exist_ok=True)
            os.mkdir(aside, 0o700)
            move_children(self._workdir, aside)
            move_children(work, self._workdir)
            give_to(self._workdir, self._user.uid, self._user.gid)
            try:
                return self._run(job, work)
            finally:
                os.chown(self._workdir, 0, 0)
                move_children(self._workdir, work)
                move_children(aside, self._workdir)
                os.rmdir(aside)
                self._forget()

    def _run(self, job: Job, work: str) -> Outcome:
        home = tempfile.mkdtemp(prefix="home-", dir=self._shared[0])
        os.chown(home, self._user.uid, self._user.gid)
        cwd = os.path.normpath(os.path.join(self._workdir, os.path.relpath(job.cwd, work)))
        return run(job._replace(cwd=cwd, env={**job.env, "HOME": home}), user=self._user)

    def _refusal(self) -> str:
        for folder in self._sealed:
            found = os.stat(folder)
            if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
                return (
                    f"{folder} is open to others, so what the agent made is not run beside it; it has to be mode 0700"
                )
        return ""

    def _forget(self) -> None:
        """Remove what the user left outside the work."""
        for folder in self._shared:
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                place = os.path.join(folder, name)
                with contextlib.suppress(FileNotFoundError):  # somebody else's, who removed it first
                    if os.lstat(place).st_uid == self._user.uid:
                        remove_tree(place)

    def run_reviewer(self, job: Job, place: ReviewPlace, trusted: bool) -> Outcome:
        """Run a reviewer as root, the finished work standing untouched at the workdir meanwhile."""
        os.makedirs(self._workdir, exist_ok=True)
        empty_directory(self._workdir)
        clone_into(RoomPaths(place.room).original, self._workdir)
        return run(job._replace(env={"HOME": "/root", **job.env}))

    def seen(self, path: str, place: ReviewPlace, trusted: bool) -> str:
        """Every path is what it is, but the finished work stands at the workdir."""
        original = RoomPaths(place.room).original
        return self._workdir + path[len(original) :] if _below(path, original) else path


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")
