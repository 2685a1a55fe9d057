"""Where an agent finds what a turn gives it and leaves what it makes, in a sandbox and in a container alike."""

from __future__ import annotations

from .loop import TurnPaths

ROOT = "/installed-agent"
RUN_ROOT = f"{ROOT}/ruhroh-loop"
MESSAGES = f"{ROOT}/messages"
RESULTS = f"{ROOT}/results"
TRACE = "ruhroh-economic-trace.jsonl"  # in the run root, and in the evidence
EVENTS = "ruhroh-loop-events.tar.gz"  # the run root in the evidence


def message_name(number: int) -> str:
    """Name of the file with the message of turn `number`."""
    return f"goal-{number}.md"


def result_name(number: int) -> str:
    """Name of the file in which the agent states how turn `number` ended."""
    return f"result-{number}.json"


def turn_paths(
    number: int, workspace: str, *, messages: str = MESSAGES, results: str = RESULTS, run_root: str = RUN_ROOT
) -> TurnPaths:
    """The paths of turn `number` as the agent sees them; it sees other ones only where nothing confines it."""
    return TurnPaths(
        workspace=workspace,
        message=f"{messages}/{message_name(number)}",
        result=f"{results}/{result_name(number)}",
        run_root=run_root,
        economic_trace=f"{run_root}/{TRACE}",
    )
