"""The documents that say what a run was and how it ended: `ruhroh_run_manifest_v1` and `ruhroh_loop_result_v1`."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from generator import __version__
from generator.execute.agent import Agent
from generator.execute.redaction import SECRET_NAME
from generator.execute.taskpackage import TaskPackage
from generator.runtime.launch import ReviewerCommand
from generator.runtime.loop import published_stop_reason

if TYPE_CHECKING:
    from generator.runtime.verdict import Verdict

DATASET: Final = "harborsmith@local"
ADAPTER: Final = "harborsmith-local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """How far the agent was kept apart: `level` (`bubblewrap` or `none`), how, and what was allowed nevertheless."""

    level: str
    detail: str
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As recorded."""
        return {"level": self.level, "detail": self.detail, "notes": list(self.notes)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What is known of a run when its records are written; nothing here is a value of a variable.

    Attributes:
        run_id: `<scenario>-<12 hex>`.
        package: What was run.
        agent: Who worked.
        session: Session handle.
        turns: Iteration records.
        stopped_reason: Why the turns ended, in our words.
        max_turns: Most turns allowed.
        started: When the run began (UTC).
        ended: When its review was over (UTC).
        isolation: How far the agent was kept apart.
        reviewer: Who was to judge; None where checks alone decide.
        env_names: Names of the variables the operator passed to the agent.
        reviewer_env_names: Names of the variables the operator passed to the reviewer.
        traffic: Allowed hosts, and how often which target was reached or refused; None without allowed hosts.
        warnings: What weakens the run.
        adapter: What ran it.
        harbor: Harbor's part of a run through it: its agent, and where it recorded the trial; None otherwise.
    """

    run_id: str
    package: TaskPackage
    agent: Agent
    session: str
    turns: Sequence[Mapping[str, Any]]
    stopped_reason: str
    max_turns: int
    started: datetime
    ended: datetime
    isolation: Isolation
    reviewer: ReviewerCommand | None
    env_names: tuple[str, ...]
    traffic: Mapping[str, Any] | None
    warnings: tuple[str, ...]
    adapter: str = ADAPTER
    harbor: Mapping[str, str] | None = None
    reviewer_env_names: tuple[str, ...] = ()

    @property
    def duration_ms(self) -> int:
        """Milliseconds of the whole run."""
        return round((self.ended - self.started).total_seconds() * 1000)


def run_manifest(facts: RunFacts, artifacts: Mapping[str, str], failure: str | None) -> dict[str, Any]:
    """What was run, with what and on what, so that it can be compared and done again."""
    manifest: dict[str, Any] = {
        "version": "ruhroh_run_manifest_v1",
        "runId": facts.run_id,
        "scenario": _scenario(facts.package),
        "benchmark": {"dataset": DATASET, "adapter": facts.adapter, **(facts.harbor or {})},
        "package": {"sha256": facts.package.digest.removeprefix("sha256:")},
        "timing": {
            "startedAt": facts.started.isoformat(),
            "endedAt": facts.ended.isoformat(),
            "durationMs": facts.duration_ms,
        },
        "loop": {
            "maxIterations": facts.max_turns,
            "implementationIterationsUsed": len(facts.turns),
            "stoppedReason": published_stop_reason(facts.stopped_reason) or "unknown",
        },
        "runAgent": run_agent(facts),
        "evaluator": _evaluator(facts),
        "isolation": facts.isolation.as_json(),
        "environment": _environment(),
        "env": _forwarded(facts),
        "warnings": list(facts.warnings),
        "artifactPaths": dict(artifacts),
    }
    if facts.traffic is not None:
        manifest["network"] = dict(facts.traffic)
    if failure is not None:
        manifest["failureDetails"] = {"message": failure}
    return manifest


def loop_result(
    facts: RunFacts,
    verdict: Verdict,
    eval_result: Mapping[str, Any] | None,
    artifacts: Mapping[str, str],
    failure: str | None,
) -> dict[str, Any]:
    """How the run ended. `failure` says what broke where something did."""
    stopped = published_stop_reason(facts.stopped_reason) or "unknown"
    result: dict[str, Any] = {
        "version": "ruhroh_loop_result_v1",
        "runId": facts.run_id,
        "adapter": facts.adapter,
        "dataset": DATASET,
        "scenarioId": facts.package.scenario_id,
        "task_id": facts.package.scenario_id,
        "status": verdict.status,
        "failure_kind": verdict.failure_kind,
        "failureBucket": verdict.failure_kind,
        "score": verdict.score,
        "iterationsUsed": len(facts.turns),
        "implementationIterationsUsed": len(facts.turns),
        "implementationStoppedReason": stopped,
        "stoppedReason": stopped,
        "duration_ms": facts.duration_ms,
        "runManifest": run_manifest(facts, artifacts, failure),
        "runAgent": run_agent(facts),
        "runAgentAdapterId": facts.agent.id,
        "continuityLevel": facts.agent.about.continuity,
        "sessionHandle": facts.session,
        "runIds": _run_ids(facts.turns),
        "implementationRuns": [dict(turn) for turn in facts.turns],
        "resourceBudgetOutcome": None,
        "isolation": facts.isolation.as_json(),
        "artifactPaths": dict(artifacts),
    }
    if eval_result is not None:
        result["evalResult"] = dict(eval_result)
    if failure is not None:
        result["failure_details"] = {"message": failure, "type": verdict.failure_kind}
    return result


def run_agent(facts: RunFacts) -> dict[str, Any]:
    """Who worked. The command itself may hold anything, so its digest stands for it."""
    agent = facts.agent
    described: dict[str, Any] = {
        "adapterId": agent.id,
        "continuityLevel": agent.about.continuity,
        "sessionHandle": facts.session,
        "runIds": _run_ids(facts.turns),
        "command": {"configured": True, "shellEnabled": False, "sha256": agent.sha256},
    }
    if agent.about.version is not None:
        described["adapterVersion"] = agent.about.version
    return described


def _scenario(package: TaskPackage) -> dict[str, Any]:
    mode = package.metadata.get("run_mode")
    described: dict[str, Any] = {"id": package.scenario_id, "scenarioVersion": package.version}
    if isinstance(mode, str):
        described["runMode"] = mode
    return described


def _evaluator(facts: RunFacts) -> dict[str, Any]:
    evaluation = facts.package.evaluation
    described: dict[str, Any] = {
        "fixtureConfigured": False,
        "source": facts.reviewer.source if facts.reviewer else "checks",
        "inputSummary": {
            "scenarioContextCount": len(evaluation.context),
            "goalRubricCount": len(evaluation.rubric),
            "evidenceGuidanceCount": len(evaluation.guidance),
            "calibrationCaseCount": len(evaluation.calibration),
            "privateAssetCount": len(evaluation.private_assets),
            "privateAssetPathHashes": [hashlib.sha256(path.encode()).hexdigest() for path in evaluation.private_assets],
            "checkCount": len(evaluation.checks),
        },
    }
    if facts.reviewer is not None:
        described["command"] = {"configured": True, "sha256": facts.reviewer.sha256}
    return described


def _forwarded(facts: RunFacts) -> dict[str, Any]:
    """Names of variables, by whom they were passed to."""
    names = sorted({*facts.env_names, *facts.reviewer_env_names})
    return {
        "forwardedKeys": list(facts.env_names),
        "reviewerForwardedKeys": list(facts.reviewer_env_names),
        "secretKeysPresent": [name for name in names if SECRET_NAME.search(name.upper())],
    }


def _environment() -> dict[str, Any]:
    system = os.uname()
    components = {
        "pythonVersion": platform.python_version(),
        "platform": _platform(),
        "system": system.sysname,
        "machine": system.machine,
        "harborsmith": __version__,
    }
    canonical = json.dumps(components, sort_keys=True, separators=(",", ":")).encode()
    fingerprint = {
        "method": "sha256",
        "sha256": hashlib.sha256(canonical).hexdigest(),
        "components": sorted(components),
    }
    return {**components, "fingerprint": fingerprint}


def _platform() -> str:
    """System, release, machine and C library, as `platform.platform` writes them on Linux.

    That function starts a process to learn the processor's name, and leaves the name out.
    """
    system = os.uname()
    words = [system.sysname, system.release, system.machine]
    with contextlib.suppress(ValueError, OSError):  # a C library without a version of its own
        words.append(f"with-{(os.confstr('CS_GNU_LIBC_VERSION') or '').replace(' ', '')}")
    return "-".join(words)


def _run_ids(turns: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(turn["runId"] for turn in turns if isinstance(turn.get("runId"), str)))
