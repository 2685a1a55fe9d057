"""Names inside a package: which there are, and which of them a declared asset may not take."""

from __future__ import annotations

from typing import Final

from generator.scenario.names import fold, is_harbor_name

PACKAGE_FORMAT: Final = "harborsmith_package_v1"
MANIFEST: Final = "manifest.json"
WORKSPACE: Final = "environment/workspace"
PRIVATE: Final = "private-eval-assets"
ORIGINALS: Final = "tests/originals"
REVIEWER: Final = "tests/reviewer"
REVIEW: Final = "tests/review"
REFERENCE: Final = "solution/reference"

AGENT_UID: Final = 10001  # far above what distributions hand out, so that no image has it taken

# Names at the top of a package that mean something to Harbor or to us.
_RESERVED: Final = frozenset(
    {
        "task.toml",
        "instruction.md",
        "readme.md",
        "trajectory.json",
        "dataset.toml",
        "manifest.json",
        "environment",
        "tests",
        "solution",
        "steps",
        PRIVATE,
    }
)

_ESCAPED: Final = "x."  # what the name of every id that Harbor would refuse begins with


def is_reserved(path: str) -> bool:
    """Whether the first part of `path` may not stand at the top of a package (hidden names never may)."""
    first = path.split("/", 1)[0]
    return first.startswith(".") or fold(first) in _RESERVED


def task_slug(scenario_id: str) -> str:
    """The name of a scenario as Harbor accepts it: the id itself, or a form of it with `.` and `-` escaped.

    Two ids that differ when case is ignored have names that differ when case is ignored: an id that Harbor would refuse
    (a leading underscore, two dots in a row) or that looks escaped already gets the prefix, behind which `-` becomes
    `--` and `.` becomes `-d`, which can be read back.
    """
    if is_harbor_name(scenario_id) and not scenario_id.lower().startswith(_ESCAPED):
        return scenario_id
    return _ESCAPED + scenario_id.replace("-", "--").replace(".", "-d")
