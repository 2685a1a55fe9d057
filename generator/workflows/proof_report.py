"""What `prove` says in the end: a table with a line a package, why some are not proven, and all of it as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from generator.diagnostics.model import Severity
from generator.diagnostics.printable import printable
from generator.diagnostics.report import Paint, aligned, detail, plain, plural, text_lines
from generator.execute.evidence import shown_path
from generator.workflows.proof import ADVERSARY, NOP, ORACLE, limits_json, outcomes_json, scores_text
from generator.workflows.proof_subjects import Unfit
from generator.workflows.prove import Proved, ProveOutcome, Status
from generator.workflows.run import refusal_detail

REPORT_VERSION: Final = "harborsmith_prove_report_v1"
_HEAD: Final = ("package", NOP, ORACLE, ADVERSARY, "result")
_NO_REFERENCE: Final = "no reference: only nop and adversary"


def text_report(outcome: ProveOutcome, paint: Paint = plain) -> Iterator[str]:
    """What is wrong with each package, the table, and the counts."""
    for one in outcome.packages:
        for diagnostic in one.diagnostics if one.status is not Status.INVALID else ():
            yield from text_lines(diagnostic, paint)
    if outcome.packages:
        alike = Counter(one.subject.scenario_id for one in outcome.packages)
        yield from aligned([_HEAD, *(_row(one, alone=alike[one.subject.scenario_id] == 1) for one in outcome.packages)])
        yield _counts(outcome)


def _row(one: Proved, *, alone: bool) -> tuple[str, ...]:
    """The cells of a package; it is called by its directory, too, when it is not the only one of its scenario."""
    name = one.subject.scenario_id if alone else f"{one.subject.scenario_id} ({shown_path(one.subject.place)})"
    tried = {entry.agent: entry for entry in one.outcomes}
    agents = (NOP, ORACLE, ADVERSARY)
    cells = [scores_text(tried[agent].trials) if agent in tried else "-" for agent in agents]
    result = one.status.value.replace("_", " ")
    if isinstance(one.subject, Unfit):
        result = f"not proven: {result} ({_codes(one)})"
    elif not one.subject.reference:
        result += f" ({_NO_REFERENCE})"
    return (printable(name), *cells, result)


def _codes(one: Proved) -> str:
    """The first code of what is wrong, and how many others there are."""
    errors = [found.code for found in one.diagnostics if found.severity is Severity.ERROR]
    codes = list(dict.fromkeys([*errors, *(refused.code for refused in one.refused)]))
    return " and ".join([*codes[:1], *([f"{len(codes) - 1} more"] if len(codes) > 1 else [])])


def _counts(outcome: ProveOutcome) -> str:
    counted = Counter(one.status for one in outcome.packages)
    parts = [f"{counted[status]} {status.value.replace('_', ' ')}" for status in Status if counted[status]]
    return f"{plural(len(outcome.packages), 'package')}: {', '.join(parts)}"


def json_report(outcome: ProveOutcome) -> dict[str, Any]:
    """The published report: one entry a package, and what is wrong elsewhere."""
    return {
        "version": REPORT_VERSION,
        "packages": [_entry(one) for one in outcome.packages],
        "findings": [*map(detail, outcome.diagnostics), *map(refusal_detail, outcome.refused)],
    }


def _entry(one: Proved) -> dict[str, Any]:
    subject = one.subject
    fit = None if isinstance(subject, Unfit) else subject
    return {
        "id": subject.scenario_id,
        "path": shown_path(subject.place),
        "digest": fit.digest if fit else None,
        "status": one.status.value,
        "reference": fit.reference if fit else None,
        "outcomes": outcomes_json(one.outcomes),
        "limits": limits_json(one.limits),
        "proof": None if one.proof is None else shown_path(one.proof),
        "findings": [*map(detail, one.diagnostics), *map(refusal_detail, one.refused)],
    }
