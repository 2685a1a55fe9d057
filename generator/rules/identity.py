"""Names and versions of a scenario and of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import quoted
from generator.scenario.names import id_problem, portable_name

# The pattern that semver.org gives, in ASCII.
_SEMANTIC: Final = (
    r"(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)"
    r"(?:-(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)


def portable_id(draft: Draft) -> Iterator[Finding]:
    """The id must be usable as a directory and task name everywhere (`name_not_portable`)."""
    name = draft.get("/id")
    if name is not None and (reason := id_problem(name)):
        message = f"{quoted(name)} does not fit: {reason}"
        yield Finding("name_not_portable", "/id", message, quoted(portable_name(name) or "csv-clean-up"))


def semantic_version(draft: Draft) -> Iterator[Finding]:
    """Results of two versions can be compared only when the version says how much changed (`version_not_semantic`)."""
    version = draft.get("/metadata/scenarioVersion")
    if version is not None and not re.fullmatch(_SEMANTIC, version):
        message = f"{quoted(version)} is not a semantic version"
        yield Finding("version_not_semantic", "/metadata/scenarioVersion", message, '"1.0.0" (semver.org)')


def version_in_changelog(draft: Draft) -> Iterator[Finding]:
    """Published rule: some changelog entry contains the current version (`changelog_version_missing`)."""
    version = draft.get("/metadata/scenarioVersion")
    entries = [entry for _, entry in draft.items("/metadata/changelog")]
    if version and entries and not any(version in entry for entry in entries):
        message = f"no changelog entry mentions the current version {version}"
        yield Finding("changelog_version_missing", "/metadata/changelog", message, quoted(f"{version}: what changed"))


def calibration_ids(draft: Draft) -> Iterator[Finding]:
    """Calibration cases are told apart by their ids (`calibration_id_duplicate`)."""
    first: dict[str, str] = {}
    for pointer, case in draft.items("/evaluation/calibrationCases"):
        name = case.get("id")
        if name is None:
            continue
        if name in first:
            message = f"the id {quoted(name)} is taken by another calibration case ({first[name]})"
            yield Finding("calibration_id_duplicate", f"{pointer}/id", message, "an id of its own")
        first.setdefault(name, pointer)
