"""The run directory: what is kept of a run, written as it happens, the result last of all.

A run that broke half way still has everything up to there; a run directory without a result file is one that was cut
off. Paths in records are relative to the directory, so that it can be moved.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from generator.execute.turnrecord import TRANSCRIPTS as TRANSCRIPT_FOLDER
from generator.runtime.handover import archive
from generator.runtime.places import EVENTS, TRACE
from generator.runtime.runroot import keep_run_root
from generator.runtime.strictjson import write
from generator.runtime.trees import create_directory, remove_tree

RESULT: Final = "ruhroh-loop-result.json"
MANIFEST: Final = "ruhroh-run-manifest.json"
ITERATIONS: Final = "ruhroh-loop-iterations.jsonl"
JOURNEY: Final = "ruhroh-loop-journey.json"
TRANSCRIPTS: Final = "ruhroh-loop-transcripts.tar.gz"

# Published names of artifacts, by what records call them.
ARTIFACTS: Final = {
    "result": RESULT,
    "runManifest": MANIFEST,
    "implementationRuns": ITERATIONS,
    "journey": JOURNEY,
    "evalInput": "ruhroh-loop-eval-input.json",
    "evalResult": "ruhroh-loop-eval.json",
    "workspaceSummary": "ruhroh-workspace-summary.json",
    "workspaceTarball": "ruhroh-workspace.tar.gz",
    "eventsTarball": EVENTS,
    "transcriptsTarball": TRANSCRIPTS,
    "economicTrace": TRACE,
}


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """One run's evidence below `path`."""

    path: Path

    @property
    def run_id(self) -> str:
        """Id of the run."""
        return self.path.name

    @property
    def transcripts(self) -> Path:
        """One file for the output of each turn."""
        return self.path / TRANSCRIPT_FOLDER

    def append_iteration(self, record: Mapping[str, Any]) -> None:
        """Add a turn's record, whole or not at all. Raises OSError."""
        line = (json.dumps(record, sort_keys=True) + "\n").encode("ascii")
        with (self.path / ITERATIONS).open("ab", buffering=0) as stream:
            before = stream.tell()
            try:
                while line:  # a nearly full disk takes a part
                    line = line[stream.write(line) :]
            except OSError:
                stream.truncate(before)
                raise

    def write(self, name: str, document: Mapping[str, Any]) -> None:
        """Write a JSON file whole or not at all. Raises OSError."""
        write(str(self.path / name), dict(document))

    def keep_agent_files(self, state: Path, secrets: Mapping[str, str]) -> tuple[str, ...]:
        """Archive transcripts and the agent's run root, and copy its trace; returns what was too large to keep.

        Values of `secrets` are replaced in the run root, which is changed for it, and in the trace.

        Raises:
            OSError: The archives cannot be written.
        """
        archive(str(self.transcripts), str(self.path / TRANSCRIPTS))
        return keep_run_root(str(state), str(self.path), secrets)

    def forget_verdict(self) -> None:
        """Remove what says how a run ended that was cut off before its verdict counted. Raises OSError."""
        from generator.runtime.review import DETAILS_NAME, REWARD_NAME

        for name in (RESULT, REWARD_NAME, DETAILS_NAME, ARTIFACTS["evalResult"]):
            remove_tree(str(self.path / name))

    def artifacts(self) -> dict[str, str]:
        """The artifacts that are there, and the two that are about to be."""
        coming = (RESULT, MANIFEST)
        return {key: name for key, name in ARTIFACTS.items() if name in coming or (self.path / name).exists()}


def new_run_directory(out: Path, scenario_id: str) -> RunDirectory:
    """Make the directory of a new run, `<out>/runs/<id>/<id>-<12 hex>`. Raises OSError."""
    parent = out / "runs" / scenario_id
    parent.mkdir(parents=True, exist_ok=True)
    made = RunDirectory(parent / f"{scenario_id}-{os.urandom(6).hex()}")
    create_directory(str(made.path))
    create_directory(str(made.transcripts))
    (made.path / ITERATIONS).touch()
    return made


def shown_path(path: Path) -> str:
    """A path as people read it: relative when it lies below the current directory."""
    absolute = os.path.abspath(path)
    relative = os.path.relpath(absolute)
    return absolute if relative.startswith("..") else relative
