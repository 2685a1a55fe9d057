"""Which directories among the packages belong into a dataset, and which keep it from being one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from generator.diagnostics.model import Finding
from generator.package.dataset import Member
from generator.package.manifest import read_manifest, whole_digest
from generator.package.output import Output

HELD_OUT: Final = "held_out"
PRIVATE: Final = "private"
_TASK: Final = "task.toml"


@dataclass(frozen=True, slots=True)
class Survey:
    """What stands among the packages.

    Attributes:
        members: Tasks of the dataset.
        held_out: Ids of packages that are not to be listed.
        private: Ids of members whose scenario is private.
        unfit: Why there can be no dataset.
    """

    members: tuple[Member, ...]
    held_out: tuple[str, ...]
    private: tuple[str, ...]
    unfit: tuple[Finding, ...]


def survey(output: Output, tasks: Mapping[str, bytes]) -> Survey:
    """Look at everything that Harbor would take for a task.

    Args:
        output: Where the packages stand.
        tasks: Id of a scenario -> the `task.toml` of its package, for those that stand there as planned.

    Raises:
        OSError: Something cannot be read.
    """
    import tomllib

    members: list[Member] = []
    unfit: list[Finding] = []
    seen: dict[object, list[str]] = {}
    for name in _tasks(output):
        records = read_manifest(output.package(name), name) if name in tasks else "it is made from no scenario here"
        if isinstance(records, str):
            unfit.append(_unfit(name, records))
            continue
        table = tomllib.loads(tasks[name].decode())
        visibility = table["metadata"].get("visibility")
        seen.setdefault(visibility, []).append(name)
        if visibility != HELD_OUT:
            members.append(Member(table["task"]["name"], whole_digest(records)))
    return Survey(tuple(members), tuple(seen.get(HELD_OUT, ())), tuple(seen.get(PRIVATE, ())), tuple(unfit))


def _tasks(output: Output) -> Iterator[str]:
    """Names of the directories that Harbor would take for tasks: it follows links."""
    for name in sorted(os.listdir(output.tasks)):
        if os.path.exists(os.path.join(output.package(name), _TASK)):
            yield name


def _unfit(name: str, why: str) -> Finding:
    message = f"Harbor would publish {name!r} with the dataset, and it is no package of it: {why}"
    hint = f"move harbor/tasks/{name} away, or make a scenario of it"
    return Finding("dataset_task_foreign", "", message, hint, file=name)
