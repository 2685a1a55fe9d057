"""`task.toml`: what Harbor reads of a task (its schema 1.4) and the published metadata."""

from __future__ import annotations

import unicodedata
from typing import Any, Final

from generator.package import layout
from generator.package.model import Settings
from generator.scenario.model import Environment, Metadata, Scenario

# Stated although providers have defaults of their own, so that the same task gets the same machine everywhere: one
# processor, and memory for a package manager, a compiler or a headless test run.
DEFAULT_CPUS: Final = 1
DEFAULT_MEMORY_MB: Final = 2048

BUILD_SECONDS: Final = 600.0
COLLECT_SECONDS: Final = 600.0  # archiving 50,000 files takes about 45 s on one slow processor
AGENT_MARGIN_SECONDS: Final = 30.0  # the agent phase ends itself at its limit; this is for its records
CHECK_MARGIN_SECONDS: Final = 15.0  # copying the workspace, ending what a check left behind
REVIEW_MARGIN_SECONDS: Final = 120.0  # unpacking the workspace, archiving the evidence


def task_table(scenario: Scenario, settings: Settings, collect: str) -> dict[str, Any]:
    """The whole document in its order; `collect` is the script that hands the workspace to the reviewer.

    No table of it names a variable: Harbor would stop and ask before it fills one in, take the value from whoever runs
    a stranger's package, and blank it out of the evidence. What a reviewer declares stands in evaluation.json.
    """
    review, environment = scenario.review, scenario.workspace.environment
    verifier: dict[str, Any] = {
        "user": "root",
        "timeout_sec": _verifier_seconds(scenario),
        "environment_mode": "separate",
    }
    verifier["collect"] = [{"user": "root", "timeout_sec": COLLECT_SECONDS, "command": collect}]
    verifier["environment"] = _machine(review.environment or environment, public=review.network)
    return {
        "schema_version": "1.4",
        "artifacts": [],
        "task": _task(scenario, settings),
        "metadata": _metadata(scenario),
        "agent": {"user": environment.user, "timeout_sec": scenario.loop.timeout_seconds + AGENT_MARGIN_SECONDS},
        "verifier": verifier,
        "environment": _machine(environment, public=scenario.workspace.network),
    }


def _task(scenario: Scenario, settings: Settings) -> dict[str, Any]:
    metadata = scenario.metadata
    table: dict[str, Any] = {"name": f"{settings.org}/{layout.task_slug(scenario.id)}"}
    if metadata is not None:
        table["version"] = metadata.scenario_version
    table["description"] = scenario.title
    authors = (metadata.maintainers if metadata is not None else ()) or settings.authors
    if authors:
        table["authors"] = [{"name": name} for name in authors]
    table["keywords"] = _keywords([scenario.tier, scenario.kind, *(metadata.tags if metadata else ())])
    return table


def _keywords(words: list[str]) -> list[str]:
    """Words without control characters and doubled spaces, each once, in their order."""
    clean = (" ".join("".join(" " if unicodedata.category(c) == "Cc" else c for c in word).split()) for word in words)
    return list(dict.fromkeys(word for word in clean if word))


def _metadata(scenario: Scenario) -> dict[str, Any]:
    """The published keys in their published order, then ours; a key without a value is left out."""
    return {
        "scenario_id": scenario.id,
        **(_published(scenario.metadata) if scenario.metadata is not None else {}),
        **({"run_mode": scenario.loop.mode} if scenario.loop.mode is not None else {}),
        "run_timeout_sec": float(scenario.loop.timeout_seconds),
        "max_iterations": scenario.loop.max_iterations,
        **({"continuity": scenario.loop.continuity} if scenario.loop.continuity is not None else {}),
        **({"tools": list(scenario.loop.tools)} if scenario.loop.tools else {}),
        "package_format": layout.PACKAGE_FORMAT,
    }


def _published(metadata: Metadata) -> dict[str, Any]:
    seconds, lifecycle = metadata.expected_runtime_seconds, metadata.lifecycle
    values = {
        "scenario_version": metadata.scenario_version,
        "difficulty": metadata.difficulty,
        "created_at": metadata.created_at,
        "updated_at": metadata.updated_at,
        "provenance": metadata.provenance,
        "expected_runtime_sec": None if seconds is None else float(seconds),
        "visibility": metadata.visibility,
        "lifecycle_status": lifecycle.status if lifecycle else None,
        "lifecycle_replacement_id": lifecycle.replacement_id if lifecycle else None,
        "tags": list(metadata.tags) or None,
    }
    return {key: value for key, value in values.items() if value is not None}


def _machine(environment: Environment, *, public: bool) -> dict[str, Any]:
    return {
        "network_mode": "public" if public else "no-network",
        "build_timeout_sec": BUILD_SECONDS,
        "os": "linux",
        "cpus": environment.cpus if environment.cpus is not None else DEFAULT_CPUS,
        "memory_mb": environment.memory_mb if environment.memory_mb is not None else DEFAULT_MEMORY_MB,
    }


def _verifier_seconds(scenario: Scenario) -> float:
    checks = sum(check.timeout_seconds + CHECK_MARGIN_SECONDS for check in scenario.review.checks)
    return float(checks + scenario.review.timeout_seconds + REVIEW_MARGIN_SECONDS)
