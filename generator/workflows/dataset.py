"""Keep `dataset.toml` in line with the packages of a whole directory of scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from generator.diagnostics.locate import locate
from generator.diagnostics.model import Diagnostic, Finding
from generator.diagnostics.report import plural
from generator.package.dataset import DATASET, Dataset, is_placeholder
from generator.package.dataset_file import dataset_path, preview_dataset, write_dataset
from generator.package.members import Survey, survey
from generator.package.model import DEFAULT_ORG, Settings
from generator.package.output import Output
from generator.package.write import PackageOutcome, Status, refused_by_machine

LEAVE_OUT: Final = "harborsmith generate --without-held-out --out published"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetReport:
    """What became of the dataset: the file, how many tasks it lists and leaves out, and what there is to say."""

    outcome: PackageOutcome
    tasks: int = 0
    held_out: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()


def unnamed(dataset: Dataset | None, settings: Settings) -> Finding | None:
    """Why nothing may be published under these names; None when it may."""
    if dataset is None or not (is_placeholder(dataset.name) or is_placeholder(settings.org)):
        return None
    message = f"a dataset needs an organisation, and {DEFAULT_ORG!r} stands for none"
    hint = 'org = "your-organisation" in place of "local" in harborsmith.toml, or --org'
    return Finding("dataset_org_missing", "", message, hint)


def keep_dataset(
    output: Output,
    dataset: Dataset,
    tasks: Mapping[str, bytes],
    *,
    differing: Status | None = None,
    force: bool = False,
    command: str,
) -> DatasetReport:
    """Bring the dataset in line with the packages that stand in `output`.

    Args:
        output: Where the packages stand.
        dataset: What it is known by.
        tasks: Id of a scenario -> the `task.toml` of its package, for those that stand there as planned.
        differing: Status of a dataset that is not in line and is not to be written; None to write it.
        force: Replace a file that is not ours, or was edited.
        command: What brings it in line.
    """
    try:
        found = survey(output, tasks)
    except OSError as error:
        target = dataset_path(output)
        return _report(output, _failed(target, refused_by_machine(error, target)))
    if found.unfit:
        return _report(output, _failed(dataset_path(output), *found.unfit))
    if differing is None:
        outcome = write_dataset(output, dataset, found.members, force=force)
    else:
        outcome = preview_dataset(output, dataset, found.members, differing=differing)
    return _report(output, outcome, found, command)


def skipped_dataset(output: Output) -> DatasetReport:
    """The report where a package is not what it should be: a dataset of the others would be another dataset."""
    message = f"{DATASET} was not looked at, because not every package is what it should be"
    finding = Finding("dataset_incomplete", "", message, "the packages mended first")
    return _report(output, _failed(dataset_path(output), finding))


def pending_dataset(output: Output) -> DatasetReport:
    """The report of a dry run that would change packages, and the dataset with them."""
    return _report(output, PackageOutcome(id=DATASET, path=dataset_path(output), status=Status.WOULD_WRITE))


def _report(output: Output, outcome: PackageOutcome, found: Survey | None = None, command: str = "") -> DatasetReport:
    findings = [*outcome.findings]
    if outcome.status is Status.DRIFTED:
        what = str(outcome.difference).strip() if outcome.difference else "is missing"
        findings.append(Finding("dataset_drifted", "", f"{DATASET} {what}", command))
    if found is not None:
        findings += _notes(found)
    return DatasetReport(
        outcome=outcome,
        tasks=len(found.members) if found else 0,
        held_out=len(found.held_out) if found else 0,
        diagnostics=locate(findings, None, Path(output.tasks), document_file=DATASET),
    )


def _notes(found: Survey) -> Iterator[Finding]:
    if found.held_out:
        message = f"{_listed(found.held_out)}: held out, so not in the dataset, but Harbor publishes a folder whole"
        yield Finding("dataset_held_out", "", message, f"{LEAVE_OUT}, and that folder published")
    if found.private:
        message = f"{_listed(found.private)}: private, and in the dataset"
        yield Finding("dataset_private", "", message, "harbor publish without --public")


def _listed(ids: tuple[str, ...], shown: int = 5) -> str:
    more = f" and {len(ids) - shown} more" if len(ids) > shown else ""
    return f"{plural(len(ids), 'package')} ({', '.join(ids[:shown])}{more})"


def _failed(target: str, *findings: Finding) -> PackageOutcome:
    return PackageOutcome(id=DATASET, path=target, status=Status.FAILED, findings=findings)
