"""Run the programs of a review where they are, without confinement: only for programs the operator answers for."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .launch import Job, Outcome, ReviewPlace
from .process import run


@dataclass(frozen=True)
class PlainLauncher:
    """No isolation: same user, same network, same files. Trees of processes still end with their command."""

    def run_submission(self, job: Job, work: str) -> Outcome:
        """Run what the agent made in `work`, which is its home as well."""
        return run(job._replace(env={**job.env, "HOME": work}))

    def run_reviewer(self, job: Job, place: ReviewPlace, trusted: bool) -> Outcome:
        """Run a reviewer as it is; one that brings no HOME gets the room's."""
        return run(job._replace(env={"HOME": os.path.join(place.room, "output"), **job.env}))

    def seen(self, path: str, place: ReviewPlace, trusted: bool) -> str:
        """Every path is what it is."""
        return path
