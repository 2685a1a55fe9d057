"""What a run has in common with a run of the same command on the same package in the other world: nearly all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

# When, where and by what it was run, and the random names it was given.
_OWN = (
    *("runId", "adapter", "benchmark", "isolation", "environment", "sessionHandle", "timing", "duration_ms"),
    *("elapsedMs", "timeoutMs", "timeoutObservedAtMs", "terminationDurationMs", "terminatedAtMs", "overrunMs"),
)


def alike(folder: Path) -> dict[str, Any]:
    """The result and the verdict in a run directory, without what no two runs share."""
    names = ("ruhroh-loop-result.json", "ruhroh-loop-eval.json")
    return {name: _common(json.loads((folder / name).read_text())) for name in names if (folder / name).exists()}


def _common(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _common(item) for key, item in value.items() if key not in _OWN}
    if isinstance(value, list):
        return [_common(item) for item in value]
    return value
