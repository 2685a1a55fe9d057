"""Which verdicts the calibration cases of a scenario cover."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

STATUSES: Final = ("passed", "failed", "review")


class Calibration(NamedTuple):
    """Number of well-formed cases by expected status, in published order."""

    by_status: Mapping[str, int]

    @property
    def total(self) -> int:
        """All well-formed cases."""
        return sum(self.by_status.values())

    @property
    def covered(self) -> tuple[str, ...]:
        """Statuses with a case."""
        return tuple([status for status in STATUSES if self.by_status[status]])

    @property
    def missing(self) -> tuple[str, ...]:
        """Statuses without one."""
        return tuple([status for status in STATUSES if not self.by_status[status]])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the cases lack, in words."""
        if not self.total:
            return ("there are no calibration cases",)
        return (f"no calibration case expects {', '.join(self.missing)}",) if self.missing else ()


def calibration(document: Mapping[str, Any]) -> Calibration:
    """Count the well-formed cases of a document, valid or not."""
    evaluation = document.get("evaluation")
    cases = evaluation.get("calibrationCases") if isinstance(evaluation, dict) else None
    statuses = [case["expectedStatus"] for case in cases if _well_formed(case)] if isinstance(cases, list) else []
    return Calibration({status: statuses.count(status) for status in STATUSES})


def _well_formed(case: object) -> bool:
    if not isinstance(case, dict):
        return False
    for text in (case.get("id"), case.get("inputSummary"), case.get("rationale")):
        if not isinstance(text, str) or not text or text.isspace():
            return False
    return case.get("expectedStatus") in STATUSES
