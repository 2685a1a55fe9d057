"""A checked document to the model.

Total: what is missing or was taken out gets its default, because errors have been said by then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.formats.loaded_form import loaded_run
from generator.scenario import defaults, model
from generator.scenario.names import normal_path

Fields = Mapping[str, Any]

_NOTHING: Fields = {}
_NO_ENVIRONMENT = model.Environment()


def build(sound: Fields, prompt: str) -> model.Scenario:
    """Build the scenario that a checked document describes.

    Args:
        sound: The document; each value it has is valid, list items may be None (taken out).
        prompt: Text of the prompt.
    """
    run = loaded_run(sound)
    return model.Scenario(
        id=sound.get("id", ""),
        title=sound.get("title", ""),
        tier=sound.get("tier", ""),
        kind=sound.get("kind", ""),
        prompt=prompt,
        workspace=_workspace(sound),
        loop=_loop(run, _object(sound, "loop"), _object(sound, "requires")),
        review=_review(_object(sound, "evaluation")),
        metadata=_metadata(sound["metadata"]) if "metadata" in sound else None,
        solution=_path(sound, "solution"),
    )


def _workspace(sound: Fields) -> model.Workspace:
    return model.Workspace(
        assets=_paths(sound, "assets"),
        environment=_environment(_object(sound, "environment")),
        network=_object(sound, "requires").get("network", False),
    )


def _environment(given: Fields) -> model.Environment:
    if not given:
        return _NO_ENVIRONMENT
    stage = _object(given, "stage")
    return model.Environment(
        image=given.get("image"),
        packages=_texts(given, "packages"),
        setup=_path(given, "setup"),
        workdir=given.get("workdir", defaults.WORKDIR),
        stage={normal_path(asset): normal_path(target) for asset, target in stage.items()},
        git=given.get("git", False),
        cpus=float(given["cpus"]) if "cpus" in given else None,
        memory_mb=int(given["memoryMb"]) if "memoryMb" in given else None,
        user=given.get("user", defaults.USER),
    )


def _loop(run: Fields, loop: Fields, requires: Fields) -> model.Loop:
    completion = _object(loop, "completion")
    return model.Loop(
        max_iterations=int(loop.get("defaultMaxIterations", defaults.MAX_ITERATIONS)),
        timeout_seconds=float(run["timeoutSeconds"]),
        mode=run.get("mode"),
        completion=model.Completion(required=completion.get("required", False), promise=completion.get("promise")),
        continuity=requires.get("continuity"),
        tools=_texts(requires, "tools"),
    )


def _review(given: Fields) -> model.Review:
    return model.Review(
        mode=given.get("mode", "agentic_goal_review"),
        context=_texts(given, "scenarioContext"),
        rubric=_texts(given, "goalRubric"),
        guidance=_texts(given, "evidenceGuidance"),
        calibration=tuple([_case(case) for case in _objects(given, "calibrationCases")]),
        private_assets=_paths(given, "privateAssets"),
        checks=tuple(_check(check) for check in _objects(given, "checks")),
        reviewer=_reviewer(given["reviewer"]) if "reviewer" in given else None,
        environment=_environment(given["environment"]) if "environment" in given else None,
        env=_texts(given, "env"),
        network=given.get("network", False),
        timeout_seconds=float(given.get("timeoutSeconds", defaults.REVIEW_TIMEOUT_SECONDS)),
    )


def _case(given: Fields) -> model.CalibrationCase:
    return model.CalibrationCase(
        id=given.get("id", ""),
        expected_status=given.get("expectedStatus", ""),
        input_summary=given.get("inputSummary", ""),
        rationale=given.get("rationale", ""),
    )


def _check(given: Fields) -> model.Check:
    command = given.get("command", "")
    return model.Check(
        id=given.get("id", ""),
        command=command if isinstance(command, str) else _texts(given, "command"),
        expect_exit=int(given.get("expectExit", 0)),
        timeout_seconds=float(given.get("timeoutSeconds", defaults.CHECK_TIMEOUT_SECONDS)),
        restore=_paths(given, "restore"),
    )


def _reviewer(given: Fields) -> model.Reviewer:
    return model.Reviewer(path=_path(given, "path") or "", command=_texts(given, "command"))


def _metadata(given: Fields) -> model.Metadata:
    seconds = given.get("expectedRuntimeSeconds")
    return model.Metadata(
        scenario_version=given.get("scenarioVersion", ""),
        created_at=given.get("createdAt"),
        updated_at=given.get("updatedAt"),
        difficulty=given.get("difficulty"),
        tags=_texts(given, "tags"),
        visibility=given.get("visibility"),
        expected_runtime_seconds=None if seconds is None else float(seconds),
        provenance=given.get("provenance"),
        maintainers=_texts(given, "maintainers"),
        lifecycle=_lifecycle(given["lifecycle"]) if "lifecycle" in given else None,
    )


def _lifecycle(given: Fields) -> model.Lifecycle:
    return model.Lifecycle(
        status=given.get("status", "active"),
        reason=given.get("reason"),
        replacement_id=given.get("replacementId"),
    )


def _object(given: Fields, name: str) -> Fields:
    value = given.get(name)
    return value if isinstance(value, dict) else _NOTHING


def _objects(given: Fields, name: str) -> list[Fields]:
    return [item for item in given.get(name, ()) if item is not None]


def _texts(given: Fields, name: str) -> tuple[str, ...]:
    return tuple([item for item in given[name] if item is not None]) if name in given else ()


def _path(given: Fields, name: str) -> str | None:
    return normal_path(given[name]) if name in given else None


def _paths(given: Fields, name: str) -> tuple[str, ...]:
    """Declared paths in normal form, each once."""
    return tuple(dict.fromkeys(map(normal_path, _texts(given, name))))
