"""What lies at each path a scenario declares."""

from __future__ import annotations

from collections.abc import Mapping

from generator.scenario.model import Scenario
from generator.source.tree import MAX_ENTRIES, Entry, Kind, Tree


def declared_paths(scenario: Scenario) -> tuple[str, ...]:
    """Every path below the scenario directory that the scenario names, the prompt's aside, each once."""
    environments = (scenario.workspace.environment, scenario.review.environment)
    single = (
        scenario.solution,
        scenario.review.reviewer.path if scenario.review.reviewer else None,
        *(environment.setup for environment in environments if environment),
    )
    named = (*scenario.workspace.assets, *scenario.review.private_assets, *single)
    return tuple(dict.fromkeys(path for path in named if path))


def look_at_files(tree: Tree, scenario: Scenario, limit: int = MAX_ENTRIES) -> Mapping[str, tuple[Entry, ...]]:
    """Declared path -> what lies there and below, as `Tree.walk` gives it.

    Once more than `limit` entries are found, what is declared after that is one `TOO_MANY` entry each: links and paths
    within paths could otherwise multiply one tree by the length of the list.
    """
    found: dict[str, tuple[Entry, ...]] = {}
    total = 0
    for path in declared_paths(scenario):
        entries = tree.walk(path) if total <= limit else (_beyond(path, limit),)
        total += len(entries)
        found[path] = entries
    return found


def _beyond(path: str, limit: int) -> Entry:
    return Entry(path, Kind.TOO_MANY, detail=f"with what is declared before it, more than {limit} entries")
