"""What to type to try a new agent or reviewer: with a scenario that is there, else after the one that begins one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from generator.formats.discovery import is_directory
from generator.scenario.names import id_problem
from generator.workflows.suggest import Usual

_NEW_SCENARIO: Final = "my-task"
_NEW_REVIEWER: Final = "my-judge"


class _Tried(NamedTuple):
    """A scenario to try something with, and what `run` needs to be told about it."""

    name: str
    judges_itself: bool
    has_solution: bool


def judges_itself(document: Any) -> bool:
    """Whether a sound scenario needs no reviewer of the operator's."""
    evaluation = document["evaluation"]
    return "reviewer" in evaluation or evaluation.get("mode") == "checks"


def try_agent(options: Sequence[str], usual: Usual, reviewers: Path = Path("reviewers")) -> tuple[str, ...]:
    """The commands that run an agent, which `options` name, with the first sound scenario.

    Args:
        options: Options of `run` about the agent, quoted for a shell.
        usual: Where scenarios are.
        reviewers: Where reviewers are, should the scenario need one.
    """
    there = _scenarios(usual.scenario_dir)
    if not there:
        begin = f"harborsmith new scenario {_NEW_SCENARIO} --template checks"
        return begin, _run(_NEW_SCENARIO, *options)
    tried = next((one for one in there if one.judges_itself), there[0])
    if tried.judges_itself:
        return (_run(tried.name, *options),)
    known = [path for path in sorted(reviewers.glob("*/run")) if id_problem(path.parent.name) is None]
    reviewer = known[0].parent if known else reviewers / _NEW_REVIEWER
    begins = () if known else (f"harborsmith new reviewer {_NEW_REVIEWER}",)
    return *begins, _run(tried.name, *options, f"--reviewer ./{reviewer}")


def try_reviewer(reviewer: str, usual: Usual) -> tuple[str, ...]:
    """The commands that let a reviewer, quoted for a shell, judge a reference solution, and no work at all."""
    there = [one for one in _scenarios(usual.scenario_dir) if not one.judges_itself]
    tried = next((one for one in there if one.has_solution), there[0] if there else None)
    begins = () if tried else (f"harborsmith new scenario {_NEW_SCENARIO}",)
    agents = ("oracle", "nop") if tried is None or tried.has_solution else ("nop",)
    name = tried.name if tried else _NEW_SCENARIO
    return *begins, *(_run(name, f"--agent {agent}", f"--reviewer {reviewer}") for agent in agents)


def _run(scenario: str, *options: str) -> str:
    return " ".join(("harborsmith run", f"--scenario {shlex.quote(scenario)}", *options))


def _scenarios(folder: Path) -> list[_Tried]:
    """The sound scenarios of a pack, in their order."""
    if not is_directory(folder):
        return []
    from generator.workflows.select import select

    return [
        _Tried(one.id, judges_itself(one.raw), "solution" in one.raw)
        for one in select(folder).loaded
        if one.scenario is not None and one.raw is not None
    ]
