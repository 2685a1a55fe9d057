"""Bring packages on disk in line with their plans: whole or not at all, and never over what someone else made."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from generator.diagnostics.model import Finding
from generator.package.compare import Difference, drift, edits
from generator.package.lock import GONE, NEW, OLD, workshop
from generator.package.model import PackagePlan
from generator.package.output import Output
from generator.package.source import SourceChangedError
from generator.package.stage import stage
from generator.package.swap import put_in_place

NOT_WRITTEN: Final = "package_not_written"
_AGAIN: Final = "then run the command again; what stood there still does"
_ONE_FILE_SYSTEM: Final = "an output directory whose harbor/tasks lies on the file system of the directory itself"
# Error of the system -> what helps.
_HINTS: Final[Mapping[int, str]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), f"make room, {_AGAIN}"),
    **dict.fromkeys((errno.EACCES, errno.EPERM), f"give yourself permission to write there, {_AGAIN}"),
    errno.EROFS: "another output directory, with --out: this one can only be read",
    errno.EXDEV: _ONE_FILE_SYSTEM,
}


class Status(StrEnum):
    """What became of a package, or would become of it."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    WOULD_WRITE = "would_write"
    WOULD_REMOVE = "would_remove"
    DRIFTED = "drifted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageOutcome:
    """What was done about one package.

    Attributes:
        id: The scenario's id.
        path: The package's directory.
        status: What became of it.
        difference: The first place where the package was not what it should be; None when it was, or was not there.
        edited: Whether what differs is an edit, which only `force` would replace.
        findings: Why it failed.
    """

    id: str
    path: str
    status: Status
    difference: Difference | None = None
    edited: bool = False
    findings: tuple[Finding, ...] = ()

    @property
    def could_not(self) -> bool:
        """Whether it failed because of the machine: a full disk, a missing permission."""
        return any(finding.code == NOT_WRITTEN for finding in self.findings)


def write_package(plan: PackagePlan, output: Output, *, force: bool = False) -> PackageOutcome:
    """Make the package of `plan` stand in `output`; a package that is right already is not touched.

    With `force` a directory that is not ours, or was edited, is replaced as well.
    """
    target = output.package(plan.id)
    try:
        if drift(plan, target) is None:
            return PackageOutcome(id=plan.id, path=target, status=Status.UNCHANGED)
        with workshop(output, plan.id) as folder:
            return _replace(plan, target, folder, force=force)
    except SourceChangedError as change:
        return _failed(plan.id, target, change.finding)
    except OSError as error:
        return _failed(plan.id, target, refused_by_machine(error, target))


def preview_package(plan: PackagePlan, output: Output, *, differing: Status) -> PackageOutcome:
    """Compare the package of `plan` with `output` and write nothing; `differing` is its status when they differ."""
    target = output.package(plan.id)
    try:
        difference = drift(plan, target)
        edited = difference is not None and _refusal(target, plan.id) is not None
    except SourceChangedError as change:
        return _failed(plan.id, target, change.finding)
    except OSError as error:
        return _failed(plan.id, target, refused_by_machine(error, target))
    status = Status.UNCHANGED if difference is None else differing
    return PackageOutcome(id=plan.id, path=target, status=status, difference=difference, edited=edited)


def remove_package(scenario_id: str, output: Output, *, force: bool = False) -> PackageOutcome:
    """Remove a package of ours whose scenario is gone, if nobody edited it (or with `force`)."""
    target = output.package(scenario_id)
    try:
        with workshop(output, scenario_id) as folder:
            different = None if force else edits(target, scenario_id)
            if different is not None:
                return _kept(scenario_id, target, different)
            os.rename(target, os.path.join(folder, GONE))
    except FileNotFoundError:
        pass  # another process removed it first
    except OSError as error:
        return _failed(scenario_id, target, refused_by_machine(error, target))
    return PackageOutcome(id=scenario_id, path=target, status=Status.REMOVED)


def _failed(scenario_id: str, target: str, finding: Finding) -> PackageOutcome:
    return PackageOutcome(id=scenario_id, path=target, status=Status.FAILED, findings=(finding,))


def refused_by_machine(error: OSError, path: str) -> Finding:
    """An error of the system in words, with the path it is about (`path` when it names none)."""
    hint = _HINTS.get(error.errno or 0, "another output directory, with --out")
    return Finding(NOT_WRITTEN, "", f"{error.filename or path}: {error.strerror or error}", hint)


def _replace(plan: PackagePlan, target: str, folder: str, *, force: bool) -> PackageOutcome:
    difference = drift(plan, target)
    if difference is None:  # whoever held the workshop before us made it
        return PackageOutcome(id=plan.id, path=target, status=Status.UNCHANGED)
    refused = None if force else _refusal(target, plan.id)
    if refused is not None:
        return refused
    new = os.path.join(folder, NEW)
    stage(plan, new)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    put_in_place(new, target, os.path.join(folder, OLD))
    return PackageOutcome(id=plan.id, path=target, status=Status.WRITTEN, difference=difference)


def _refusal(target: str, scenario_id: str) -> PackageOutcome | None:
    """Why what stands at `target` may not be replaced; None when nothing does, or a package nobody edited."""
    if not os.path.lexists(target) or (_is_real_directory(target) and not os.listdir(target)):
        return None
    different = edits(target, scenario_id)
    if different is None:
        return None
    if isinstance(different, str):
        finding = Finding(
            "package_foreign",
            "",
            f"the directory is not a package made from {scenario_id!r}: {different}",
            "move it away, or replace it with --force",
        )
        return _failed(scenario_id, target, finding)
    finding = Finding(
        "package_edited",
        "",
        f"the package was edited after it was made: {different.sentence}",
        "make the change in the scenario, or discard it with --force",
    )
    return PackageOutcome(id=scenario_id, path=target, status=Status.FAILED, difference=different, findings=(finding,))


def _kept(scenario_id: str, target: str, different: Difference | str) -> PackageOutcome:
    finding = Finding(
        "package_kept",
        "",
        f"its scenario is gone, but the package was edited and is kept: {different}",
        "remove it by hand, or all such packages with --all --force",
    )
    difference = different if isinstance(different, Difference) else None
    return PackageOutcome(
        id=scenario_id, path=target, status=Status.UNCHANGED, difference=difference, edited=True, findings=(finding,)
    )


def _is_real_directory(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)
