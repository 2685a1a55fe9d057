"""`tests/evaluation.json`: all that the review needs to know, as data."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from generator.formats.loaded import LoadedScenario
from generator.package import layout
from generator.package.placement import restored
from generator.scenario.model import Check, Scenario

EVALUATION_FORMAT: Final = "harborsmith_evaluation_v1"


def evaluation(loaded: LoadedScenario, scenario: Scenario, reviewer_sha256: str | None) -> dict[str, Any]:
    """The document as its schema describes it; `reviewer_sha256` is None without a packaged reviewer."""
    review, environment = scenario.review, scenario.workspace.environment
    return {
        "version": EVALUATION_FORMAT,
        "scenarioId": scenario.id,
        "scenarioTitle": scenario.title,
        "scenarioVersion": scenario.metadata.scenario_version if scenario.metadata else None,
        "userPrompt": scenario.prompt,
        "mode": review.mode,
        "workdir": environment.workdir,
        "user": environment.user,
        "git": environment.git,
        "scenarioContext": list(review.context),
        "goalRubric": list(review.rubric),
        "criteria": criteria(review.rubric),
        "evidenceGuidance": list(review.guidance),
        "calibrationCases": [
            {
                "id": case.id,
                "expectedStatus": case.expected_status,
                "inputSummary": case.input_summary,
                "rationale": case.rationale,
            }
            for case in review.calibration
        ],
        "privateAssets": [f"{layout.PRIVATE}/{path}" for path in review.private_assets],
        "checks": [_check(loaded, scenario, check) for check in review.checks],
        "reviewer": None
        if review.reviewer is None
        else {"command": list(review.reviewer.command), "sha256": reviewer_sha256},
        "reviewerTimeoutSeconds": review.timeout_seconds,
        "reviewerEnv": list(review.env),
        "completion": {
            "required": scenario.loop.completion.required,
            "promise": scenario.loop.completion.promise,
        },
    }


def criteria(rubric: Iterable[str]) -> list[dict[str, str]]:
    """The rubric with a short name for each text, which stays while the text does.

    It is `c-` and 8 hexadecimal digits of the text's SHA-256; a name that stands already gets a number.
    """
    seen: Counter[str] = Counter()
    named = []
    for text in rubric:
        name = "c-" + hashlib.sha256(text.encode()).hexdigest()[:8]
        seen[name] += 1
        named.append({"id": name if seen[name] == 1 else f"{name}-{seen[name]}", "text": text})
    return named


def _check(loaded: LoadedScenario, scenario: Scenario, check: Check) -> dict[str, Any]:
    return {
        "id": check.id,
        "command": check.command if isinstance(check.command, str) else list(check.command),
        "expectExit": check.expect_exit,
        "timeoutSeconds": check.timeout_seconds,
        "restore": list(restored(loaded, scenario, check)),
    }
