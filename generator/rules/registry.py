"""Every rule, in the order in which complaints about one place are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import lru_cache
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
    plain,
    privacy,
    prompt_lint,
    publication,
    review_lint,
    staging,
    undeclared,
)
from generator.rules.pack import Pack
from generator.source.pointer import parent

__all__ = ["Pack", "check_pack", "check_scenario"]

Rule = Callable[[Draft], Iterable[Finding]]

_ANY: Final = ""
# The member of the document, or of one of its members, without which a rule has nothing to say (most documents have few
# of them), and the rule.
RULES: Final[tuple[tuple[str, Rule], ...]] = (
    ("id", identity.portable_id),
    ("metadata", identity.semantic_version),
    ("metadata", identity.version_in_changelog),
    ("evaluation", identity.calibration_ids),
    ("metadata", lifecycle.possible_dates),
    ("metadata", lifecycle.updated_after_created),
    ("metadata", lifecycle.status),
    ("metadata", publication.complete),
    ("requires", network.public),
    ("environment", environment.workdir),
    ("evaluation/env", environment.reserved_names),
    ("run/resourceBudgets", environment.budgets),
    ("evaluation", environment.effective),
    ("evaluation/checks", checks.ids),
    ("evaluation/checks", checks.restore),
    ("evaluation", lint.minimums),
    ("evaluation", lint.rubric),
    ("evaluation", lint.evidence),
    (_ANY, assets.duplicates),
    (_ANY, assets.present),
    (_ANY, assets.bounded),
    (_ANY, assets.setup_is_file),
    ("solution", assets.solution_is_directory),
    (_ANY, assets.empty_directories),
    (_ANY, names.safe),
    (_ANY, names.portable),
    (_ANY, names.distinct),
    (_ANY, names.reserved),
    (_ANY, names.git_rules),
    ("environment", staging.declared),
    ("environment", staging.portable),
    ("environment", staging.once),
    ("environment", staging.distinct),
    (_ANY, privacy.sealed),
    (_ANY, prompt_lint.missing_paths),
    (_ANY, prompt_lint.canary),
    (_ANY, prompt_lint.quotes),
    ("evaluation", review_lint.rubric_names_files),
    ("evaluation", review_lint.rubric_repeats_prompt),
    ("evaluation", review_lint.rubric_repeats_itself),
    ("evaluation", review_lint.calibration_statuses),
    ("evaluation/checks", review_lint.check_paths),
    (_ANY, asset_lint.too_broad),
    (_ANY, asset_lint.dropped_names),
    (_ANY, asset_lint.private_content),
    (_ANY, undeclared.folders),
)
_OPENED: Final = ("evaluation", "run")  # the members whose members are named above
# The rules that have nothing to say where `plain.all_plain` holds.
ABOUT_FILES: Final[frozenset[Rule]] = frozenset(
    {
        *(assets.duplicates, assets.present, assets.bounded, assets.setup_is_file, assets.empty_directories),
        *(names.safe, names.portable, names.distinct, names.reserved, names.git_rules),
        *(asset_lint.too_broad, asset_lint.dropped_names),
    }
)


def check_scenario(draft: Draft, known: Pack, today: date) -> tuple[Finding, ...]:
    """Everything the rules say about one scenario.

    What lies in a value that the schema refused is left out: its reason has been given, and the rest follows from it.
    """
    found: list[Finding] = []
    sound = draft.sound
    opened = [sound.get(name) for name in _OPENED]
    members = tuple(sound), *[tuple(one if isinstance(one, dict) else ()) for one in opened]
    for rule in _rules_about(members, plain.all_plain(draft)):
        found += rule(draft)
    if "metadata" in sound:
        found += lifecycle.sunset(draft, today)
        found += lifecycle.replacement(draft, known)
    if draft.invalid:
        found = [finding for finding in found if not _follows(finding, draft.invalid)]
    return tuple(found)


@lru_cache(maxsize=64)
def _rules_about(members: tuple[tuple[str, ...], ...], all_plain: bool) -> tuple[Rule, ...]:
    """The rules that may have something to say about a document with these members; most of a pack have the same.

    Args:
        members: Its own, and then those of each in `_OPENED`.
        all_plain: Whether what it declares is plain.
    """
    own, *opened = members
    known = {_ANY, *own, *(f"{above}/{name}" for above, below in zip(_OPENED, opened, strict=True) for name in below)}
    left_out = ABOUT_FILES if all_plain else frozenset[Rule]()
    return tuple(rule for member, rule in RULES if member in known and rule not in left_out)


def check_pack(known: Pack) -> Mapping[Path, list[Finding]]:
    """What is wrong between scenarios, by scenario directory."""
    return pack.clashes(known)


def _follows(finding: Finding, invalid: frozenset[str]) -> bool:
    pointer = finding.pointer
    while pointer and pointer not in invalid:
        pointer = parent(pointer)
    return pointer in invalid
