"""Bring `dataset.toml` in line with the packages beside it: whole or not at all, and never over somebody else's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from generator.diagnostics.model import Finding
from generator.package.compare import Difference
from generator.package.dataset import (
    DATASET,
    Dataset,
    Member,
    dataset_bytes,
    dataset_table,
    read_dataset,
    same_dataset,
)
from generator.package.lock import NEW, workshop
from generator.package.output import Output
from generator.package.write import PackageOutcome, Status, refused_by_machine
from generator.source.tree import Refusal, Tree

MAX_DATASET_BYTES: Final = 64 * 1024 * 1024  # a dataset of 100,000 tasks has about 15 MB
_MODE: Final = 0o644  # whatever the umask says
_STALE: Final = Difference("", "lists other tasks, or says something else of itself")


def write_dataset(
    output: Output, dataset: Dataset, members: tuple[Member, ...], *, force: bool = False
) -> PackageOutcome:
    """Make the dataset of `members` stand beside their packages; one that says the same already is not touched.

    With `force` a file that is not ours, or was edited, is replaced as well.
    """
    target = dataset_path(output)
    try:
        outcome = _compared(target, dataset, members, differing=Status.WRITTEN, force=force)
        if outcome.status is not Status.WRITTEN:
            return outcome
        with workshop(output, DATASET) as folder:
            new = os.path.join(folder, NEW)
            _write(new, dataset_bytes(dataset_table(dataset, members, _kept(target))))
            os.replace(new, target)
    except OSError as error:
        return _failed(target, refused_by_machine(error, target))
    return outcome


def preview_dataset(
    output: Output, dataset: Dataset, members: tuple[Member, ...], *, differing: Status
) -> PackageOutcome:
    """Compare the dataset with what stands there and write nothing; `differing` is its status when they differ."""
    return _compared(dataset_path(output), dataset, members, differing=differing, force=False)


def dataset_path(output: Output) -> str:
    """Where the file stands: Harbor takes the folder that holds it for the dataset."""
    return str(output.tasks / DATASET)


def _compared(
    target: str, dataset: Dataset, members: tuple[Member, ...], *, differing: Status, force: bool
) -> PackageOutcome:
    standing = _standing(target)
    if standing is None:
        return PackageOutcome(id=DATASET, path=target, status=differing)
    if isinstance(standing, str):
        if force:
            return PackageOutcome(
                id=DATASET, path=target, status=differing, difference=Difference("", standing), edited=True
            )
        message = f"{DATASET} stands there, but {standing}"
        hint = "move it away, or replace it with --force"
        return _failed(target, Finding("dataset_foreign", "", message, hint))
    if same_dataset(standing, dataset_table(dataset, members, standing)):
        return PackageOutcome(id=DATASET, path=target, status=Status.UNCHANGED)
    return PackageOutcome(id=DATASET, path=target, status=differing, difference=_STALE)


def _standing(target: str) -> dict[str, Any] | str | None:
    """The document that stands there if it is ours, why it is not, or None when nothing does."""
    if not os.path.lexists(target):
        return None
    folder, name = os.path.split(target)
    if os.path.islink(target):
        return "it is a link"
    data = Tree(Path(folder)).read(name, MAX_DATASET_BYTES)
    if isinstance(data, Refusal):
        return f"it cannot be read: {data.detail or data.kind.value.replace('_', ' ')}"
    return read_dataset(data)


def _kept(target: str) -> Mapping[str, Any]:
    standing = _standing(target)
    return standing if isinstance(standing, dict) else {}


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as handle:
        os.fchmod(descriptor, _MODE)
        handle.write(content)


def _failed(target: str, finding: Finding) -> PackageOutcome:
    return PackageOutcome(id=DATASET, path=target, status=Status.FAILED, findings=(finding,))
