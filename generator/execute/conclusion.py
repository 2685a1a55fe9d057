"""The end of a run: what is still missing in its directory, the result file last, and the report."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from generator.execute.evidence import ARTIFACTS, JOURNEY, MANIFEST, RESULT, RunDirectory, shown_path
from generator.execute.interrupt import Interrupted
from generator.execute.judging import Judgement, no_verdict
from generator.execute.records import RunFacts, loop_result, run_manifest
from generator.execute.report import RunReport


def conclude(
    facts: RunFacts,
    judgement: Judgement,
    directory: RunDirectory,
    told: Mapping[str, Any],
    *,
    failure: str | None = None,
    interrupted: Interrupted | None = None,
) -> RunReport:
    """Write the records and say what the run came to.

    Args:
        facts: What is known of the run.
        judgement: What its review came to.
        directory: Where it is recorded.
        told: The journey, for a run whose review did not get to write it.
        failure: What ended the run early.
        interrupted: The signal that did.
    """
    try:
        if failure is not None and judgement.verdict.score is None:
            directory.forget_verdict()
        for name, document in ((JOURNEY, told), (ARTIFACTS["evalResult"], judgement.result)):
            if not (directory.path / name).exists():
                directory.write(name, document)
        reason = failure or judgement.problem or None
        artifacts = directory.artifacts()
        directory.write(MANIFEST, run_manifest(facts, artifacts, reason))
        directory.write(RESULT, loop_result(facts, judgement.verdict, judgement.result, artifacts, reason))
    except OSError as error:
        with contextlib.suppress(OSError):  # a verdict that is not reported must not be found either
            directory.forget_verdict()
        judgement = no_verdict(f"the evidence could not be written: {error}", "infra_failed")
    return judgement.report(
        facts,
        evidence=shown_path(directory.path),
        interrupted=interrupted.exit_code if interrupted else None,
    )
