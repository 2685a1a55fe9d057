"""What every reviewer of a workspace needs: its input, safe reading, fresh runs of the work, and the written verdict.

The workspace was made by somebody who wants to pass, so nothing in it is taken on trust: files are read only when they
are ordinary and small, and programs run through the submission helper, sealed from the answers beside this file.
"""

import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 20
NOT_RUN = 125  # with words on the helper's own standard error, which the work cannot reach


class Unreadable(Exception):
    """A deliverable that is not there, or not what was asked for. The text says why."""


@dataclass
class Finding:
    """What was found out about one criterion: `evidence` are pairs of a reference and what it shows."""

    met: bool
    notes: str
    evidence: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Ran:
    """A run of the work: the command in words, its exit code and what it printed."""

    command: str
    exit_code: int
    output: str


def load_input() -> dict[str, Any]:
    """The evaluation input of this review."""
    return dict(json.loads(Path(os.environ["RUHROH_EVAL_INPUT_PATH"]).read_text(encoding="utf-8")))


def read_text(path: Path) -> str:
    """The text of an ordinary file of at most one MiB; raises `Unreadable` for anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise Unreadable(f"{path.name}: {error.strerror}") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unreadable(f"{path.name} is not an ordinary file")
        data = _read(descriptor)
    finally:
        os.close(descriptor)
    if len(data) > MOST_BYTES:
        raise Unreadable(f"{path.name} is larger than one MiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path.name} is not UTF-8 text") from error


def _read(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(MOST_BYTES + 1)


def run_work(words: str, *command: str, seconds: int = 20) -> Ran:
    """Run a command in a fresh, sealed copy of the workspace; `words` is how the verdict names it.

    A helper that cannot run anything breaks the review: that is no fault of the work, so it must not become one.
    """
    helper = [sys.executable, "-I", "-B", os.environ["HARBORSMITH_SUBMISSION"], "--timeout", str(seconds), "--"]
    done = subprocess.run([*helper, *command], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode == NOT_RUN and done.stderr:
        raise RuntimeError(done.stderr.decode("utf-8", "replace").strip())
    return Ran(words, done.returncode, done.stdout.decode("utf-8", "replace"))


def write_verdict(given: dict[str, Any], judge: str, findings: list[Finding], ran: list[Ran]) -> None:
    """Write the verdict: passed when every criterion is met. `findings` stand in the order of the criteria."""
    pairs = list(zip(given["criteria"], findings))
    if len(pairs) != len(given["criteria"]) or len(pairs) != len(findings):
        raise ValueError(f"{len(given['criteria'])} criteria, but {len(findings)} findings")
    unmet = [f"{criterion['text']} ({found.notes})" for criterion, found in pairs if not found.met]
    verdict = {
        "version": "ruhroh_eval_result_v1",
        "status": "failed" if unmet else "passed",
        "goalMet": not unmet,
        "confidence": "high",
        "reasons": [found.notes for found in findings],
        "unmetCriteria": unmet,
        "evidenceRefs": [reference for found in findings for reference in _references(found)],
        "commandsRun": [{"command": each.command, "exitCode": each.exit_code} for each in ran],
        "criteriaResults": [
            {
                "id": criterion["id"],
                "description": criterion["text"],
                "status": "passed" if found.met else "failed",
                "score": 1 if found.met else 0,
                "weight": 1,
                "evidenceRefs": _references(found),
                "notes": found.notes,
            }
            for criterion, found in pairs
        ],
        "judge": {"kind": "command", "model": judge, "version": "1.0.0"},
        "finalSummary": f"{len(pairs) - len(unmet)} of {len(pairs)} criteria are met.",
    }
    Path(os.environ["RUHROH_EVAL_OUTPUT_PATH"]).write_text(json.dumps(verdict, indent=2) + "\n", encoding="utf-8")


def _references(found: Finding) -> list[dict[str, str]]:
    return [{"kind": "workspace", "ref": ref, "summary": summary} for ref, summary in found.evidence]
