"""What `prove` says in the end: a table with a line a package, why some are not proven, and all of it as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from generator.diagnostics.printable import printable
from generator.diagnostics.report import Paint, detail, plain, plural, text_lines
from generator.execute.evidence import shown_path
from generator.workflows.proof import ADVERSARY, NOP, ORACLE, Outcome, outcomes_json
from generator.workflows.prove import Proved, ProveOutcome, Status
from generator.workflows.run import refusal_detail

REPORT_VERSION: Final = "harborsmith_prove_report_v1"
_HEAD: Final = ("package", NOP, ORACLE, ADVERSARY, "result")
_NO_REFERENCE: Final = "no reference: only nop and adversary"


def text_report(outcome: ProveOutcome, paint: Paint = plain) -> Iterator[str]:
    """What is wrong with each package, the table, and the counts."""
    for one in outcome.packages:
        for diagnostic in one.diagnostics:
            yield from text_lines(diagnostic, paint)
    if outcome.packages:
        yield from _table([_HEAD, *map(_row, outcome.packages)])
        yield _counts(outcome)


def _row(one: Proved) -> tuple[str, ...]:
    tried = {entry.agent: entry for entry in one.outcomes}
    cells = [_scores(tried.get(agent)) for agent in (NOP, ORACLE, ADVERSARY)]
    result = one.status.value.replace("_", " ")
    if not one.subject.reference:
        result += f" ({_NO_REFERENCE})"
    return (printable(one.subject.scenario_id), *cells, result)


def _scores(outcome: Outcome | None) -> str:
    """`0`, `1 1 none`, or `-` for an agent that was not run."""
    if outcome is None:
        return "-"
    return " ".join("none" if trial.score is None else str(trial.score) for trial in outcome.trials)


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


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
    return {
        "id": one.subject.scenario_id,
        "path": shown_path(one.subject.place),
        "digest": one.subject.digest,
        "status": one.status.value,
        "reference": one.subject.reference,
        "outcomes": outcomes_json(one.outcomes),
        "limits": [
            {"name": limit.name, "limitSeconds": limit.limit, "usedSeconds": round(limit.used, 1)}
            for limit in one.limits
        ],
        "proof": shown_path(one.proof),
        "findings": [*map(detail, one.diagnostics), *map(refusal_detail, one.refused)],
    }
