"""The shipped schemas and two independent validators over them, neither of which can reach a network."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import jsonschema
import jsonschema_rs
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from generator.resources import data_folder
from tests.support.scenarios import document

SCHEMAS: dict[str, dict[str, Any]] = {
    file.name.removesuffix(".schema.json"): json.loads(file.read_bytes())
    for file in sorted(data_folder("schemas").glob("*.schema.json"))
}
REGISTRY: Any = Registry().with_resources(
    (schema["$id"], DRAFT202012.create_resource(schema)) for schema in SCHEMAS.values()
)
_FAST_REGISTRY = jsonschema_rs.Registry([(schema["$id"], schema) for schema in SCHEMAS.values()])


@cache
def wordy(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(SCHEMAS[name], registry=REGISTRY)


@cache
def fast(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(SCHEMAS[name], registry=_FAST_REGISTRY)


def is_valid(name: str, value: object) -> bool:
    """The verdict on which both validators agree."""
    verdict: bool = fast(name).is_valid(value)
    assert wordy(name).is_valid(value) == verdict, f"the validators disagree about {value!r}"
    return verdict


def full_document() -> dict[str, Any]:
    """A valid held-out scenario in which every member of the format occurs."""
    return document(
        **{"$schema": SCHEMAS["scenario-v2"]["$id"]},
        userPrompt="Sum the amounts.",
        metadata={
            "scenarioVersion": "1.0.0",
            "provenance": "Written for this pack.",
            "createdAt": "2026-03-14",
            "updatedAt": "2026-05-02T10:00:00.5+02:00",
            "difficulty": "standard",
            "tags": ["csv"],
            "visibility": "held_out",
            "expectedRuntimeSeconds": 90.5,
            "networkRationale": "None is needed.",
            "contaminationNotes": "Never published before.",
            "privateEvalRationale": "The rubric decides.",
            "maintainers": ["Ada Example"],
            "changelog": ["1.0.0: first version"],
            "lifecycle": {
                "status": "deprecated",
                "reason": "Too easy.",
                "sunsetAt": "2027-01-31",
                "replacementId": "sum-ledger-2",
            },
        },
        workloadProfile=copy.deepcopy(SCHEMAS["scenario-v2"]["$defs"]["workloadProfile"]["examples"][0]),
        environment={
            "image": "ghcr.io/acme/tools:1.4@sha256:" + "0" * 64,
            "packages": ["jq", "sqlite3=3.40.1-2"],
            "setup": "setup.sh",
            "workdir": "/srv/work",
            "stage": {"assets/ledger.csv": "."},
            "git": True,
            "cpus": 0.5,
            "memoryMb": 512,
            "user": "worker",
        },
        run__resourceBudgets={
            "version": "ruhroh_resource_budgets_v1",
            "scope": "implementation",
            "onUnobservable": "fail",
            "limits": [{"resource": "cost", "max": 2.5, "requiredEnforcement": "boundary", "currency": "USD"}],
        },
        loop__completion={"required": True, "promise": "ALL DONE"},
        evaluation__privateAssets=["private/expected.json"],
        evaluation__checks=[
            {
                "id": "total",
                "command": ["grep", "-q", "", "report.json"],
                "expectExit": 0,
                "timeoutSeconds": 5,
                "restore": ["assets/ledger.csv"],
            },
            {"id": "shell", "command": "test -f report.json"},
        ],
        evaluation__reviewer={"path": "reviewer", "command": ["python3", "{reviewer}/judge.py"]},
        evaluation__environment={
            "image": "python:3.12.7",
            "packages": ["jq"],
            "setup": "r.sh",
            "cpus": 1,
            "memoryMb": 64,
        },
        evaluation__env=["OPENAI_API_KEY"],
        evaluation__network=True,
        evaluation__timeoutSeconds=300,
        solution="solution",
    )


def steps(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every value within `value`, but not its own."""
    members: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        members = list(value.items())
    elif isinstance(value, list):
        members = list(enumerate(value))
    for key, below in members:
        yield (*path, key)
        yield from steps(below, (*path, key))


def at(value: Any, path: Sequence[str | int]) -> Any:
    """The value at `path` within `value`."""
    for key in path:
        value = value[key]
    return value


def v1_document(**changes: Any) -> dict[str, Any]:
    """A valid v1 document with a driver and without a run."""
    driver = {"adapter": "custom-shell", "timeoutSeconds": 900}
    return document(**{"version": "ruhroh_scenario_v1", "driver": driver, "run": ..., **changes})
