"""Every rule, in the order in which complaints about one place are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.rules import (
    asset_lint,
    assets,
    checks,
    environment,
    identity,
    lifecycle,
    lint,
    names,
    network,
    pack,
    privacy,
    prompt_lint,
    publication,
    review_lint,
    staging,
)
from generator.rules.pack import Pack
from generator.source.pointer import parent

__all__ = ["Pack", "check_pack", "check_scenario"]

Rule = Callable[[Draft], Iterable[Finding]]

RULES: Final[tuple[Rule, ...]] = (
    identity.portable_id,
    identity.semantic_version,
    identity.version_in_changelog,
    identity.calibration_ids,
    lifecycle.possible_dates,
    lifecycle.updated_after_created,
    lifecycle.status,
    publication.complete,
    network.public,
    environment.workdir,
    environment.reserved_names,
    environment.budgets,
    environment.effective,
    checks.ids,
    checks.restore,
    lint.minimums,
    lint.rubric,
    lint.evidence,
    assets.duplicates,
    assets.present,
    assets.bounded,
    assets.setup_is_file,
    assets.solution_is_directory,
    assets.empty_directories,
    names.safe,
    names.portable,
    names.distinct,
    names.reserved,
    names.git_rules,
    staging.declared,
    staging.portable,
    staging.once,
    staging.distinct,
    privacy.sealed,
    prompt_lint.missing_paths,
    prompt_lint.canary,
    prompt_lint.quotes,
    review_lint.rubric_names_files,
    review_lint.rubric_repeats_prompt,
    review_lint.rubric_repeats_itself,
    review_lint.calibration_statuses,
    review_lint.check_paths,
    asset_lint.too_broad,
    asset_lint.dropped_names,
    asset_lint.private_content,
)


def check_scenario(draft: Draft, known: Pack, today: date) -> tuple[Finding, ...]:
    """Everything the rules say about one scenario.

    What lies in a value that the schema refused is left out: its reason has been given, and the rest follows from it.
    """
    found: list[Finding] = []
    for rule in RULES:
        found += rule(draft)
    found += lifecycle.sunset(draft, today)
    found += lifecycle.replacement(draft, known)
    return tuple(finding for finding in found if not (draft.invalid and _follows(finding, draft.invalid)))


def check_pack(known: Pack) -> Mapping[Path, list[Finding]]:
    """What is wrong between scenarios, by scenario directory."""
    return pack.clashes(known)


def _follows(finding: Finding, invalid: frozenset[str]) -> bool:
    pointer = finding.pointer
    while pointer and pointer not in invalid:
        pointer = parent(pointer)
    return pointer in invalid
