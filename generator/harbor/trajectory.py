"""The turns of a command as a trajectory in Harbor's interchange format (ATIF 1.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from generator.harbor.usage import Usage, total

SCHEMA: Final = "ATIF-v1.8"
SHOWN_OUTPUT: Final = 64 * 1024  # characters of the end of a turn's output; all of it stands in the transcripts


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStory:
    """One turn: what the agent was told and when, what it printed, what that means, what it used."""

    message: str
    started: str
    ended: str
    output: str
    outcome: str
    exit_code: int | None
    usage: Usage
    model: str | None


def trajectory(session: str, agent: str, version: str, turns: Sequence[TurnStory]) -> dict[str, Any]:
    """The document. `session` names the run; the command itself is left out, since it may hold anything.

    A turn is a step of the user (its message) and one of the agent, whose only tool call is the command.
    """
    steps: list[dict[str, Any]] = []
    for number, turn in enumerate(turns, start=1):
        steps.append(
            {"step_id": len(steps) + 1, "timestamp": turn.started, "source": "user", "message": turn.message},
        )
        steps.append({"step_id": len(steps) + 1, **_agent_step(number, turn)})
    return {
        "schema_version": SCHEMA,
        "session_id": session,
        "agent": {"name": agent, "version": version},
        "steps": steps,
        "final_metrics": {**_metrics(total([turn.usage for turn in turns]), "total_"), "total_steps": len(steps)},
    }


def _agent_step(number: int, turn: TurnStory) -> dict[str, Any]:
    call = f"turn-{number}"
    step: dict[str, Any] = {
        "timestamp": turn.ended,
        "source": "agent",
        "message": turn.outcome,
        "tool_calls": [{"tool_call_id": call, "function_name": "command", "arguments": {"turn": number}}],
        "observation": {"results": [{"source_call_id": call, "content": turn.output[-SHOWN_OUTPUT:]}]},
        "extra": {"exit_code": turn.exit_code},
    }
    if turn.model is not None:
        step["model_name"] = turn.model
    metrics = _metrics(turn.usage, "")
    if metrics:
        step["metrics"] = metrics
    return step


def _metrics(usage: Usage, prefix: str) -> dict[str, Any]:
    values = {
        f"{prefix}prompt_tokens": usage.input_tokens,
        f"{prefix}completion_tokens": usage.output_tokens,
        f"{prefix}cost_usd": usage.cost_usd,
    }
    return {name: value for name, value in values.items() if value is not None}
