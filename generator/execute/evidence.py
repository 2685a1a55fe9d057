"""The run directory: what is kept of a run, written as it happens, the result last of all.

A run that broke half way still has everything up to there; a run directory without a result file is one that was cut
off. Paths in records are relative to the directory, so that it can be moved.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from generator.execute.redaction import redact_files, redacted_bytes
from generator.execute.turnrecord import TRANSCRIPTS as TRANSCRIPT_FOLDER
from generator.runtime.handover import archive
from generator.runtime.places import EVENTS, MAX_EVENT_BYTES, MAX_TRACE_BYTES, TRACE
from generator.runtime.review import DETAILS_NAME, REWARD_NAME
from generator.runtime.strictjson import write
from generator.runtime.trees import FILE, create_directory, remove_tree, shown, walk

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
MAX_EVENT_FILES: Final = 50_000


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

    def keep_agent_files(self, state: Path, trace: str, secrets: Mapping[str, str]) -> tuple[str, ...]:
        """Archive transcripts and the agent's run root, and copy its trace; returns what was too large to keep.

        Values of `secrets` are replaced in the run root, which is changed for it, and in the trace.

        Raises:
            OSError: The archives cannot be written.
        """
        archive(str(self.transcripts), str(self.path / TRANSCRIPTS))
        return (*self._keep_state(state, secrets), *self._keep_trace(state, trace, secrets))

    def _keep_state(self, state: Path, secrets: Mapping[str, str]) -> Iterator[str]:
        """Archive the run root, which the agent has filled as it liked; yields what is not in the archive."""
        size = 0
        for number, entry in enumerate(walk(str(state), mend=True), start=1):
            size += entry.size if entry.kind == FILE else 0
            if size > MAX_EVENT_BYTES or number > MAX_EVENT_FILES:
                yield f"the agent's run root holds over {MAX_EVENT_BYTES} bytes or {MAX_EVENT_FILES} files: not kept"
                return
        redact_files(str(state), secrets)
        left_out = archive(str(state), str(self.path / EVENTS), mend=True)
        if left_out:
            first = f"{shown(left_out[0].path)} ({left_out[0].reason})"
            yield f"not kept of the agent's run root: {first}{f' and {len(left_out) - 1} more' if left_out[1:] else ''}"

    def _keep_trace(self, state: Path, trace: str, secrets: Mapping[str, str]) -> tuple[str, ...]:
        from generator.source.tree import Kind, Refusal, Tree

        data = Tree(state).read(trace, MAX_TRACE_BYTES)
        if isinstance(data, Refusal):
            return () if data.kind is Kind.MISSING else (f"the agent's {trace} was not kept: {data.kind.value}",)
        (self.path / TRACE).write_bytes(redacted_bytes(data, secrets))
        return ()

    def forget_verdict(self) -> None:
        """Remove what a review wrote that was cut off before its verdict counted. Raises OSError."""
        for name in (REWARD_NAME, DETAILS_NAME, ARTIFACTS["evalResult"]):
            remove_tree(str(self.path / name))

    def artifacts(self) -> dict[str, str]:
        """The artifacts that are there, and the two that are about to be."""
        coming = (RESULT, MANIFEST)
        return {key: name for key, name in ARTIFACTS.items() if name in coming or (self.path / name).exists()}


def new_run_directory(out: Path, scenario_id: str) -> RunDirectory:
    """Make the directory of a new run, `<out>/runs/<id>/<id>-<12 hex>`. Raises OSError."""
    parent = out / "runs" / scenario_id
    parent.mkdir(parents=True, exist_ok=True)
    made = RunDirectory(parent / f"{scenario_id}-{secrets.token_hex(6)}")
    create_directory(str(made.path))
    create_directory(str(made.transcripts))
    (made.path / ITERATIONS).touch()
    return made


def shown_path(path: Path) -> str:
    """A path as people read it: relative when it lies below the current directory."""
    absolute = os.path.abspath(path)
    relative = os.path.relpath(absolute)
    return absolute if relative.startswith("..") else relative
