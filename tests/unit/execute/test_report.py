"""The summary of a run, as people read it."""

from __future__ import annotations

import pytest

from generator.execute.report import SHOWN_WARNINGS, RunReport, text_report


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (0, f"  warning: {SHOWN_WARNINGS}"),
        (1, "  and 1 more warning in the evidence"),
        (2, "  and 2 more warnings in the evidence"),
    ],
)
def test_warnings_that_are_not_shown_are_counted(more: int, said: str) -> None:
    run = RunReport(
        scenario_id="one",
        scenario_version=None,
        run_id="one-0",
        failure_kind="none",
        score=1,
        reasons=(),
        warnings=tuple(str(number + 1) for number in range(SHOWN_WARNINGS + more)),
        isolation="bubblewrap",
        evidence=None,
    )

    assert list(text_report(run))[-1] == said
