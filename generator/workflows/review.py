"""Judge finished work without running an agent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from generator.execute.interrupt import raising
from generator.execute.notify import Notify
from generator.execute.preparation import check_package
from generator.execute.refusal import Refused
from generator.execute.review import review_workspace
from generator.execute.room import room_folder, sweep_rooms
from generator.execute.settings import Options, understand
from generator.execute.taskpackage import open_package
from generator.execute.view import is_below
from generator.package.output import Output
from generator.resources import data_folder
from generator.workflows.run import RunOutcome, exit_of
from generator.workflows.targets import called


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """What is asked of `review`: a package, a directory with finished work, where to record, and how to run things."""

    package: Path
    workspace: Path
    out: Path = Path("generated")
    options: Options


def review(request: ReviewRequest, environ: Mapping[str, str], notify: Notify) -> RunOutcome:
    """Review a copy of the work as `run` would, with the same evidence.

    Raises:
        Interrupted: Before the review began; later it is part of the report.
    """
    with raising():
        sweep_rooms()
        settings = understand(request.options, request.out, (), (data_folder("scenarios"),), environ)
        if isinstance(settings, Refused):
            return _refused(settings)
        package = open_package(request.package)
        if isinstance(package, Refused):
            return _refused(_with_place(package, request))
        problem = check_package(package, settings)
        if problem is not None:
            return _refused(problem)
        if not request.workspace.is_dir():
            message = f"--workspace {request.workspace}: there is no such directory"
            return _refused(Refused("workspace_missing", message, "a directory that holds the finished work"))
        problem = _overlap(request, package.directory)
        if problem is not None:
            return _refused(problem)
        report = review_workspace(package, settings, request.workspace, notify)
        if isinstance(report, Refused):
            return _refused(report)
        return RunOutcome(runs=(report,), exit_code=report.exit_code)


def _overlap(request: ReviewRequest, package: Path) -> Refused | None:
    """The refusal of a workspace that holds the answers, the records, or the place where its own copy would be made."""
    workspace = os.path.realpath(request.workspace)
    within = (package, request.out / "runs", Path(room_folder()))
    place = next((place for place in within if is_below(os.path.realpath(place), workspace)), None)
    if place is None and not is_below(workspace, os.path.realpath(package)):
        return None
    relation = "lies in the package" if place is None else f"holds {place}, which is no part of finished work"
    message = f"--workspace {request.workspace} {relation}"
    return Refused("workspace_overlaps", message, "a directory that holds the finished work alone")


def _with_place(refused: Refused, request: ReviewRequest) -> Refused:
    """The refusal; where the package of that name, or of that scenario, was made, with its path as what to write."""
    from generator.formats.discovery import has_document

    meant = Output(request.out).tasks / called(request.package)
    named = refused.code == "package_missing" and len(request.package.parts) == 1
    if not (named or has_document(request.package)) or not meant.is_dir():
        return refused
    return replace(refused, hint=str(meant))


def _refused(refused: Refused) -> RunOutcome:
    return RunOutcome(refused=(refused,), exit_code=exit_of(refused))
