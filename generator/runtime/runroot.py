"""Keep what an agent left in its run root: an archive of all of it, and its trace, both without secrets."""

from __future__ import annotations

import os
from typing import Iterator, Mapping, Tuple

from .handover import archive
from .places import EVENTS, TRACE
from .redact import redact_files, redacted_bytes
from .trees import FILE, open_file, shown, walk

MAX_EVENT_BYTES = 256 * 1024 * 1024  # what an agent may have recorded
MAX_EVENT_FILES = 50_000
MAX_TRACE_BYTES = 64 * 1024 * 1024


def keep_run_root(run_root: str, folder: str, secrets: Mapping[str, str]) -> Tuple[str, ...]:
    """Write `EVENTS` and, where there is one, `TRACE` into `folder`.

    Args:
        run_root: The run root of an agent that is over; it is changed.
        folder: Where the two files go.
        secrets: Variables whose values are replaced in both.

    Returns:
        What was not kept, in words.

    Raises:
        OSError: They cannot be written.
    """
    return (*_keep_events(run_root, folder, secrets), *_keep_trace(run_root, folder, secrets))


def _keep_events(run_root: str, folder: str, secrets: Mapping[str, str]) -> Iterator[str]:
    size = 0
    for number, entry in enumerate(walk(run_root, mend=True), start=1):
        size += entry.size if entry.kind == FILE else 0
        if size > MAX_EVENT_BYTES or number > MAX_EVENT_FILES:
            yield f"the agent's run root holds over {MAX_EVENT_BYTES} bytes or {MAX_EVENT_FILES} files: not kept"
            return
    redact_files(run_root, secrets)
    left_out = archive(run_root, os.path.join(folder, EVENTS), mend=True)
    if left_out:
        first = f"{shown(left_out[0].path)} ({left_out[0].reason})"
        yield f"not kept of the agent's run root: {first}{f' and {len(left_out) - 1} more' if left_out[1:] else ''}"


def _keep_trace(run_root: str, folder: str, secrets: Mapping[str, str]) -> Iterator[str]:
    path = os.path.join(run_root, TRACE)
    try:
        if not os.path.lexists(path):
            return
        with open(open_file(path, mend=True), "rb") as stream:
            data = stream.read(MAX_TRACE_BYTES + 1)
    except OSError as problem:
        yield f"the agent's {TRACE} was not kept: {problem.strerror or problem}"
        return
    if len(data) > MAX_TRACE_BYTES:
        yield f"the agent's {TRACE} was not kept: it is over {MAX_TRACE_BYTES} bytes"
        return
    with open(os.path.join(folder, TRACE), "wb") as stream:
        stream.write(redacted_bytes(data, secrets))
