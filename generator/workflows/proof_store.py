"""Where proofs are kept, `<out>/proofs/<scenario id>.json`, and whether a kept one holds for a package."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from generator.diagnostics.model import Finding
from generator.package.layout import PACKAGE_FORMAT
from generator.resources import data_folder
from generator.runtime.launch import ReviewerCommand
from generator.runtime.strictjson import read_object, write
from generator.workflows.proof import NO_VERDICT, VERSION, adversary_digest, contradiction

FOLDER: Final = "proofs"
NOT_WRITTEN: Final = "proof_not_written"
PACKAGE: Final = "package"  # the source of a reviewer that ships with one


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a proof has to hold for.

    Attributes:
        scenario_id: Id of the scenario.
        digest: `sha256:` and the package's content digest.
        modes: Digest of which of its files are executable.
        backend: `local` or `harbor`; None takes either.
        reference: Whether there is a reference solution.
        repeat: How often each agent has to have run, at least.
        judged: Whether somebody judges, beside checks.
        reviewer: Who would judge now; None where nobody is named, which takes any operator's reviewer.
    """

    scenario_id: str
    digest: str
    modes: str
    reference: bool
    backend: str | None = None
    repeat: int = 1
    judged: bool
    reviewer: ReviewerCommand | None = None


def proof_path(out: Path, scenario_id: str) -> Path:
    """Where the proof of a scenario is kept."""
    return out / FOLDER / f"{scenario_id}.json"


def read_proof(path: Path) -> dict[str, Any] | Finding:
    """A kept proof that is sound in itself, or why there is none. It may still be one of failure."""
    if path.parent.is_symlink():
        return _invalid(path, _linked(path.parent))
    try:
        document = read_object(str(path))
    except FileNotFoundError:
        return Finding("proof_missing", "", f"there is no proof {path}")
    except ValueError as error:
        return _invalid(path, str(error))
    problem = _misfit(document) or contradiction(document)
    return _invalid(path, problem) if problem else document


def _misfit(document: Mapping[str, Any]) -> str:
    """Why the document is no proof of this version; empty when it is one."""
    import jsonschema_rs

    if document.get("version") != VERSION:
        return f"it is not of version {VERSION}"
    schema = json.loads((data_folder("schemas") / "proof.schema.json").read_bytes())
    error = next(iter(jsonschema_rs.Draft202012Validator(schema).iter_errors(document)), None)
    return "" if error is None else f"/{'/'.join(map(str, error.instance_path))}: {error.message}"


def _invalid(path: Path, why: str) -> Finding:
    return Finding("proof_invalid", "", f"{path} is no proof: {why}")


def shortfall(document: Mapping[str, Any], wanted: Wanted) -> Finding | None:
    """Why a sound proof does not hold for what is wanted; None when it does."""
    if other := _other_subject(document, wanted):
        return _stale(other)
    if not document["proven"]:
        reasons = ", ".join(document["reasons"])
        return Finding("proof_negative", "", f"the package was tried and is not proven: {reasons}")
    if wanted.backend not in (None, document["backend"]):
        return _stale(f"the proof was made with --backend {document['backend']}")
    if document["repeat"] < wanted.repeat:
        return _stale(f"the proof was made with --repeat {document['repeat']}")
    return None if _same_judge(document["reviewer"], wanted) else _stale("the proof was made with another reviewer")


def _other_subject(document: Mapping[str, Any], wanted: Wanted) -> str:
    """How what a proof is about is something else than what is wanted; empty when it is not."""
    package = document["package"]
    if document["scenario"]["id"] != wanted.scenario_id:
        return f"the proof is that of the scenario {document['scenario']['id']}"
    if package["digest"] != wanted.digest:
        return f"the proof is of another package: {package['digest']} instead of {wanted.digest}"
    if package["modes"] != wanted.modes:
        return "the proof is of a package of which other files are executable"
    if package["format"] != PACKAGE_FORMAT or document["versions"]["adversary"] != adversary_digest():
        return "the proof was made with another version of the package format or of the adversary"
    if document["reference"] is not wanted.reference:
        return "the proof says something else about whether there is a reference solution"
    return ""


def _same_judge(theirs: Mapping[str, Any] | None, wanted: Wanted) -> bool:
    """Whether who judged is who would judge now: a package's own reviewer is part of its digest."""
    if theirs is None or not wanted.judged:
        return theirs is None and not wanted.judged
    own = wanted.reviewer is not None and wanted.reviewer.source == PACKAGE
    if own or wanted.reviewer is None:
        return (theirs["source"] == PACKAGE) is own
    return theirs["source"] != PACKAGE and bool(theirs["sha256"] == wanted.reviewer.sha256)


def _stale(message: str) -> Finding:
    return Finding("proof_stale", "", message)


def keep_proof(path: Path, document: Mapping[str, Any], *, evidence: bool) -> Finding | None:
    """Write a proof, whole or not at all; returns why it could not be written, or what it cannot outweigh.

    A failed one takes the place of one of the same package only when it is evidence: when somebody did decide. A good
    one takes the place of none that more runs are behind, and of no failed one that was made alike: whoever repeats a
    proof until it succeeds has shown no more than that outcomes differ.
    """
    kept = read_proof(path)
    if isinstance(kept, dict) and kept["package"] == document["package"]:
        told = kept["proven"] or set(kept["reasons"]) != {NO_VERDICT}
        if not document["proven"] and not evidence and told:
            return None
        if document["proven"] and told and all(kept[name] == document[name] for name in ("backend", "reviewer")):
            if not kept["proven"]:
                message = f"the same package was tried alike before and not proven: {', '.join(kept['reasons'])}"
                hint = f"checks and a reviewer that decide alike about the same work; or remove {path}"
                return Finding("proof_flaky", "", message, hint)
            if kept["repeat"] > document["repeat"] and kept["versions"]["adversary"] == adversary_digest():
                return None
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if folder.is_symlink():
            return _unwritten(path, _linked(folder))
        write(str(path), document)
    except OSError as error:
        return _unwritten(path, error.strerror or str(error))
    return None


def _linked(folder: Path) -> str:
    return f"{folder} is a link, and nothing is read or written where it leads"


def _unwritten(path: Path, why: str) -> Finding:
    return Finding(NOT_WRITTEN, "", f"{path} cannot be written: {why}", "another output directory, with --out")
