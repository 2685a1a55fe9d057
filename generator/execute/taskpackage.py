"""Open a package for a run: whole, unedited, with our own review runner inside, and its facts as values."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from generator.execute.members import MAX_SECONDS, Members
from generator.execute.refusal import Blame, Refused
from generator.package.compare import copy_difference, edits
from generator.package.layout import MANIFEST, PACKAGE_FORMAT, REVIEW
from generator.package.manifest import MAX_MANIFEST_BYTES, modes_digest, read_manifest, whole_digest
from generator.package.model import FileRecord
from generator.package.refusals import TOKENS
from generator.package.render import DEFAULT_IMAGE
from generator.resources import RUNTIME
from generator.runtime import strictjson
from generator.runtime.evaluation import Evaluation, parse_evaluation
from generator.scenario.names import id_problem
from generator.source.tree import Refusal, Tree

EVALUATION: Final = "tests/evaluation.json"
MAX_FILE_BYTES: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPackage:
    """One package, verified.

    Attributes:
        directory: Its absolute path.
        scenario_id: Id of its scenario.
        version: The scenario's version; None when it has none.
        evaluation: What the review needs, from `tests/evaluation.json`. Private.
        metadata: The `[metadata]` table of `task.toml`.
        timeout_seconds: Bound of the agent phase.
        max_iterations: Most turns.
        network: Whether the agent has the network.
        review_network: Whether a packaged reviewer has it.
        user: Name of the account the agent works as.
        machine: What it needs that only a container gives, for agent and review; empty when nothing.
        digest: Harbor's content digest of the package.
        modes: Digest of which of its files are executable, which Harbor's says nothing of.
        records: Every file of it, as it was when the package was verified.
        continuity: What an agent has to keep between turns; None when the scenario does not say.
        tools: Tools it has to have.
    """

    directory: Path
    scenario_id: str
    version: str | None
    evaluation: Evaluation
    metadata: Mapping[str, Any]
    timeout_seconds: float
    max_iterations: int
    network: bool
    review_network: bool
    user: str
    machine: tuple[str, ...]
    digest: str
    modes: str
    records: tuple[FileRecord, ...]
    continuity: str | None = None
    tools: tuple[str, ...] = ()


def open_package(directory: Path) -> TaskPackage | Refused:
    """Verify a package against its manifest and read it."""
    try:
        return _verified(directory)
    except OSError as error:
        path = error.filename or directory
        return Refused("package_unreadable", f"{path}: {error.strerror}", "chmod -R u+rX PACKAGE_DIR", Blame.MACHINE)


def _verified(directory: Path) -> TaskPackage | Refused:
    """Raises OSError when it cannot be read half way."""
    manifest = _manifest(directory)
    if isinstance(manifest, Refused):
        return manifest
    scenario_id = manifest["scenario"]["id"]
    difference = edits(str(directory), scenario_id)
    if difference is not None:
        message = f"{directory} is not what its {MANIFEST} says: {difference}"
        return Refused("package_edited", message, _discard(scenario_id), Blame.PACKAGE)
    if not _has_our_runner(directory):
        message = f"{directory} holds the review runner of another version of Harborsmith"
        return Refused("package_outdated", message, _regenerate(scenario_id), Blame.PACKAGE)
    records = read_manifest(str(directory), scenario_id)
    if isinstance(records, str):
        return _invalid(directory, records)
    return _read(directory.absolute(), manifest, records)


def changed_copy(package: TaskPackage, folder: str, copy: Path) -> Refused | None:
    """Why a copy of one of its folders is not what was verified: somebody changed the package in between.

    Raises:
        OSError: The copy cannot be read.
    """
    difference = copy_difference(package.records, f"{folder}/", str(copy))
    if difference is None:
        return None
    return _changed(package.directory, package.scenario_id, f"{folder}/{difference}")


def _manifest(directory: Path) -> dict[str, Any] | Refused:
    if not directory.is_dir():
        return Refused("package_missing", f"there is no package directory {directory}", "harborsmith generate")
    data = Tree(directory).read(MANIFEST, MAX_MANIFEST_BYTES)
    manifest = f"{MANIFEST}: {data.kind.value}" if isinstance(data, Refusal) else _parse_manifest(data)
    if isinstance(manifest, dict):
        return manifest
    message = f"{directory} is no package: {manifest}"
    return Refused("package_invalid", message, "a directory that `harborsmith generate` wrote", Blame.PACKAGE)


def _parse_manifest(data: bytes) -> dict[str, Any] | str:
    """The manifest as far as a run needs it, or what is wrong with it."""
    try:
        manifest: dict[str, Any] = json.loads(data)
        texts = (manifest["scenario"]["id"], manifest["digests"]["whole"])
        if manifest["packageFormat"] == PACKAGE_FORMAT and all(isinstance(text, str) for text in texts):
            return manifest
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    return f"{MANIFEST} is not of format {PACKAGE_FORMAT}"


def _has_our_runner(directory: Path) -> bool:
    """Whether its `tests/review` is ours: both worlds must judge alike."""
    ours = {name for name in os.listdir(RUNTIME) if name.endswith(".py")}
    theirs = set(os.listdir(directory / REVIEW)) if (directory / REVIEW).is_dir() else set()
    return ours == theirs and all(
        (RUNTIME / name).read_bytes() == (directory / REVIEW / name).read_bytes() for name in ours
    )


def _read(directory: Path, manifest: Mapping[str, Any], records: tuple[FileRecord, ...]) -> TaskPackage | Refused:
    import tomllib

    tree = Tree(directory)
    verified = {record.path: record.sha256 for record in records}
    texts: dict[str, str] = {}
    for name in ("task.toml", "environment/Dockerfile", "tests/Dockerfile", EVALUATION):
        data = tree.read(name, MAX_FILE_BYTES)
        if isinstance(data, Refusal):
            return _invalid(directory, f"{name}: {data.kind.value}")
        if hashlib.sha256(data).hexdigest() != verified.get(name):
            return _changed(directory, manifest["scenario"]["id"], name)
        texts[name] = data.decode("utf-8", "replace")
    try:
        evaluation = _evaluation(texts[EVALUATION])
        _check_evaluation(evaluation, manifest["scenario"]["id"])
    except ValueError as error:
        return _invalid(directory, str(error))
    try:
        task = Members(tomllib.loads(texts["task.toml"]))
        metadata = task.table("metadata")
        return TaskPackage(
            directory=directory,
            user=task.table("agent").text("user", TOKENS["user"]),
            scenario_id=evaluation.scenario_id,
            version=evaluation.scenario_version,
            evaluation=evaluation,
            metadata=metadata.values,
            timeout_seconds=metadata.seconds("run_timeout_sec"),
            max_iterations=metadata.count("max_iterations"),
            network=task.table("environment").text("network_mode") == "public",
            review_network=task.table("verifier").table("environment").text("network_mode") == "public",
            machine=tuple(_machine(directory, texts)),
            digest=whole_digest(records),
            modes=modes_digest(records),
            records=records,
            continuity=metadata.text("continuity") if "continuity" in metadata.values else None,
            tools=metadata.texts("tools") if "tools" in metadata.values else (),
        )
    except (ValueError, RecursionError) as error:  # a TOML error is a ValueError
        return _invalid(directory, f"task.toml: {error}")


def _evaluation(text: str) -> Evaluation:
    """Raises ValueError."""
    try:
        value = strictjson.loads(text)
    except ValueError as error:
        raise ValueError(f"{EVALUATION}: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"{EVALUATION}: is JSON but no object")
    return parse_evaluation(value)


def _check_evaluation(evaluation: Evaluation, scenario_id: str) -> None:
    """The id becomes a directory of the run, so it has to be a name, and the manifest's. Raises ValueError."""
    problem = id_problem(evaluation.scenario_id)
    if problem is not None:
        raise ValueError(f"tests/evaluation.json: scenarioId {evaluation.scenario_id!r:.60}: {problem}")
    if evaluation.scenario_id != scenario_id:
        raise ValueError(f"tests/evaluation.json: scenarioId is not {scenario_id!r:.60}, which {MANIFEST} names")
    if TOKENS["workdir"].fullmatch(evaluation.workdir) is None:
        raise ValueError(f"tests/evaluation.json: workdir {evaluation.workdir!r:.60} is no plain absolute path")
    times = [("reviewerTimeoutSeconds", evaluation.reviewer_seconds)]
    times += [(f"checks[{index}]: timeoutSeconds", check.seconds) for index, check in enumerate(evaluation.checks)]
    for name, seconds in times:
        if not seconds <= MAX_SECONDS:
            raise ValueError(f"tests/evaluation.json: {name} is over {MAX_SECONDS}")


def _machine(directory: Path, texts: Mapping[str, str]) -> list[str]:
    """Why it needs a container, each reason once."""
    reasons: dict[str, None] = {}
    for folder in ("environment", "tests"):
        image = next((line[5:] for line in texts[f"{folder}/Dockerfile"].splitlines() if line.startswith("FROM ")), "")
        if image != DEFAULT_IMAGE:
            reasons[f"the image {image}"] = None
        if (directory / folder / "packages.txt").is_file():
            names = (directory / folder / "packages.txt").read_text(encoding="utf-8").split()
            reasons[f"the packages {', '.join(names)}"] = None
        if (directory / folder / "setup.sh").is_file():
            reasons["a setup script"] = None
    return list(reasons)


def _changed(directory: Path, scenario_id: str, what: str) -> Refused:
    message = f"{directory} changed while it was used: {what}"
    return Refused("package_edited", message, _discard(scenario_id), Blame.PACKAGE)


def _invalid(directory: Path, why: str) -> Refused:
    hint = "generate it again with `harborsmith generate --force`"
    return Refused("package_invalid", f"{directory} is no usable package: {why}", hint, Blame.PACKAGE)


def _discard(scenario_id: str) -> str:
    return f"{_regenerate(scenario_id)}, which discards what was edited; to keep it, make the change in the scenario"


def _regenerate(scenario_id: str) -> str:
    return f"harborsmith generate --scenario {scenario_id} --force"
