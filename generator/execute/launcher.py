"""Run the programs of a review on this machine, each as far confined as it is trusted."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from generator.execute.sandbox import Sandbox
from generator.execute.view import Bind, View, is_below
from generator.runtime.launch import Job, Outcome, ReviewPlace
from generator.runtime.plain import PlainLauncher

if TYPE_CHECKING:
    from generator.execute.networking import Access

TESTS: Final = "/tests"
REVIEW: Final = "/review"


@dataclass(frozen=True, slots=True, kw_only=True)
class BubblewrapLauncher:
    """What the agent made and packaged reviewers run confined; the operator's own reviewer runs plainly.

    Attributes:
        sandbox: How programs are confined.
        workdir: Where the work stands inside.
        user: Name of the account inside.
        network: Whether a packaged reviewer has the network. What the agent made never has.
        hidden: Paths of this machine that nothing confined may see.
    """

    sandbox: Sandbox
    workdir: str
    user: str
    network: bool = False
    hidden: tuple[str, ...] = ()

    def run_submission(self, job: Job, work: str) -> Outcome:
        """Run what the agent made with the directory `work` at the workdir, and nothing else of the run in sight."""
        self.sandbox.own(work)
        cwd = self.workdir
        if is_below(job.cwd, work):
            cwd = os.path.normpath(os.path.join(self.workdir, os.path.relpath(job.cwd, work)))
        binds = (Bind(work, self.workdir, writable=True),)
        view = View(binds=binds, workdir=cwd, user=self.user, hidden=self.hidden)
        return self.sandbox.run(view, _at_home(job, view))

    def run_reviewer(self, job: Job, place: ReviewPlace, trusted: bool) -> Outcome:
        """Run a reviewer: a trusted one as the operator would, any other confined to what `seen` names."""
        if trusted:
            return PlainLauncher().run_reviewer(job, place, trusted)
        writable = [os.path.join(place.room, name) for name in ("workspace", "output")]
        for folder in writable:
            self.sandbox.own(folder)
        _open_to_reading(place)
        binds = (
            Bind(place.tests, TESTS),
            Bind(place.room, REVIEW),
            *(Bind(folder, self.seen(folder, place, trusted=False), writable=True) for folder in writable),
            Bind(os.path.join(place.room, "original"), self.workdir),
        )
        access = _access() if self.network else None
        view = View(
            binds=(*binds, *(access.binds if access else ())),
            workdir=self.seen(job.cwd, place, trusted=False),
            network=self.network,
            user=self.user,
            hidden=self.hidden,
        )
        job = job._replace(env={**(access.env if access else {}), **job.env})
        return self.sandbox.run(view, _at_home(job, view))

    def seen(self, path: str, place: ReviewPlace, trusted: bool) -> str:
        """The path under which a reviewer sees `path` of this machine."""
        if trusted:
            return path
        shown = ((os.path.join(place.room, "original"), self.workdir), (place.room, REVIEW), (place.tests, TESTS))
        for source, target in shown:
            if is_below(path, source):
                return os.path.normpath(os.path.join(target, os.path.relpath(path, source)))
        return path


def _access() -> Access:
    from generator.execute.networking import network_access

    return network_access(os.environ)


def _open_to_reading(place: ReviewPlace) -> None:
    """Let the sandbox's account read the room's files and ask on its socket, whatever the operator's umask is."""
    with os.scandir(place.room) as entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                os.chmod(entry.path, 0o644)
    os.chmod(place.socket, 0o666)  # noqa: S103 -- below a directory that is closed to all other accounts


def _at_home(job: Job, view: View) -> Job:
    return job._replace(env={**job.env, "HOME": view.home, "USER": view.user, "LOGNAME": view.user})
