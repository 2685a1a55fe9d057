"""The turns of an agent as a state machine: what it is told, what its turn means, whether another one follows.

Pure: nothing here starts, reads or writes anything, so the local executor and the agent inside Harbor share it.
"""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Tuple

from . import strictjson
from .agentresult import AgentResult

DONE, NOT_DONE, TERMINAL = "done", "not_done", "terminal_failure"
GOAL_SATISFIED = "goal_satisfied"
AGENT_TIMEOUT = "agent_timeout"
RUNTIME_FAILURE = "runtime_failure"
ITERATIONS_EXHAUSTED = "iterations_exhausted"
CANCELLED = "cancelled"
GIVING_UP = ("cannot_satisfy", "policy_blocked", "out_of_scope", RUNTIME_FAILURE, "infra_failure", CANCELLED)
JSON_FINAL_LINE = "json-final-line"
RESULT_PROTOCOL = "ruhroh_run_agent_result_v2"
BIG_VALUE = 96 * 1024  # bytes; one environment string may not pass 128 KiB on Linux

_HOW_TO_FINISH = (
    'When the goal is met, end your output with the line {"status": "goal_satisfied"}, or write that object to '
    "the file that RUHROH_RESULT_PATH names. If it cannot be met, give the status cannot_satisfy, policy_blocked or "
    "out_of_scope instead; if you need another turn, give continue."
)


class Completion(NamedTuple):
    """What one turn says about the goal: `state` done, not_done or terminal_failure, its reason, where that stands."""

    state: str
    reason: str
    source: str = ""
    errors: Tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether the agent says that the goal is met."""
        return self.state == DONE

    def as_json(self, transcript: str = "") -> Dict[str, Any]:
        """The published `completionStatus`."""
        refs = [{"kind": "transcript", "ref": transcript, "summary": self.source}] if transcript else []
        return {"state": self.state, "reason": self.reason, "confidence": "adapter_inferred", "evidenceRefs": refs}


class Step(NamedTuple):
    """What follows a turn: another one, or the end for `stopped_reason`."""

    stop: bool = True
    stopped_reason: str = ""


def turn_message(turn: int, goal: str, promise: Optional[str] = None) -> str:
    """The message of turn number `turn` (from 1)."""
    return first_message(goal, promise) if turn == 1 else continuation_message(turn, goal, promise)


def first_message(prompt: str, promise: Optional[str] = None) -> str:
    """The first turn's message: the prompt, byte for byte; how to finish is added only where a promise is agreed."""
    return prompt if promise is None else f"{prompt.rstrip()}\n\n{_promise_sentence(promise)}\n"


def continuation_message(turn: int, goal: str, promise: Optional[str] = None) -> str:
    """The message of a later turn (`turn` >= 2): go on in the same workspace towards the same goal."""
    finish = _HOW_TO_FINISH if promise is None else f"{_HOW_TO_FINISH} {_promise_sentence(promise)}"
    return (
        f"This is continuation {turn - 1} of a task that is already under way. The workspace is as you left it: carry "
        "on there and do not start over.\n\n"
        f"The original goal:\n\n{goal.rstrip()}\n\n"
        "Inspect what is there, continue with what is missing, and verify the result against the goal.\n\n"
        f"{finish}\n"
    )


def _promise_sentence(promise: str) -> str:
    return f"When the goal is met, end your output with exactly this line: {promise}"


def detect_completion(
    *,
    exit_code: Optional[int],
    timed_out: bool,
    result: AgentResult,
    output_text: str,
    protocol: str = JSON_FINAL_LINE,
    promise: Optional[str] = None,
) -> Completion:
    """What a turn means.

    A time-out is its own reason whatever the agent says. Its result file comes before its output, of which only the
    last line that is not blank counts. A reason the agent gives for giving up survives a non-zero exit; a claim of
    success, or a wish to go on, does not.

    Args:
        exit_code: Exit status of the turn; None when it could not be started.
        timed_out: Whether a limit ended it.
        result: The result file.
        output_text: The output.
        protocol: `json-final-line`, or anything else to ignore the output.
        promise: A line that says the goal is met as well.
    """
    errors = result.errors
    if timed_out:
        return Completion(TERMINAL, AGENT_TIMEOUT, "time limit", errors)
    status, source, unknown = _stated(result, output_text, protocol, promise)
    errors += unknown
    if status in GIVING_UP:
        return Completion(TERMINAL, status, source, errors)
    if exit_code != 0:
        return Completion(TERMINAL, RUNTIME_FAILURE, "exit status", errors)
    if status == GOAL_SATISFIED:
        return Completion(DONE, GOAL_SATISFIED, source, errors)
    if status == "continue":
        return Completion(NOT_DONE, "partial_progress", source, errors)
    return Completion(NOT_DONE, "missing_completion_signal", "", errors)


def _stated(
    result: AgentResult, output_text: str, protocol: str, promise: Optional[str]
) -> Tuple[str, str, Tuple[str, ...]]:
    """The agent's own word, where it stands, and errors about words that are none."""
    known = (GOAL_SATISFIED, "continue", *GIVING_UP)
    errors: Tuple[str, ...] = ()
    if result.status in known:
        return result.status, "result file", errors
    if result.status:
        errors = (f"unknown status {result.status!r:.60} in the result file; known are {', '.join(known)}",)
    line = last_line(output_text)
    if promise is not None and line == promise.strip():
        return GOAL_SATISFIED, "promise in the last line", errors
    status = _status_in(line) if protocol == JSON_FINAL_LINE else None
    if status in known:
        return str(status), "last line of the output", errors
    if status is not None:
        errors += (f"unknown status {status!r:.60} in the last line of the output; known are {', '.join(known)}",)
    return "", "", errors


def last_line(text: str) -> str:
    """The last line that is not blank, without space around it."""
    return text.rstrip().rpartition("\n")[2].strip()


def _status_in(line: str) -> Optional[str]:
    if not line.startswith("{"):
        return None
    try:
        value = strictjson.loads(line)
    except ValueError:
        return None
    status = value.get("status")
    return status if isinstance(status, str) else None


def next_step(completion: Completion, turn: int, max_turns: int, seconds_left: float) -> Step:
    """Whether another turn follows turn number `turn` (from 1), with `seconds_left` of the agent phase."""
    if completion.state != NOT_DONE:
        return Step(stopped_reason=completion.reason)
    if turn >= max_turns:
        return Step(stopped_reason=ITERATIONS_EXHAUSTED)
    if seconds_left <= 0:
        return Step(stopped_reason=AGENT_TIMEOUT)
    return Step(stop=False)


def published_stop_reason(reason: str) -> str:
    """The published word for a stop reason: it says `max_iterations` where we say `iterations_exhausted`."""
    return "max_iterations" if reason == ITERATIONS_EXHAUSTED else reason


def session_handle(adapter_id: str, scenario_id: str, digits: str) -> str:
    """`<adapter>-<scenario>-<8 hex>`; `digits` are at least eight hexadecimal digits."""
    return f"{adapter_id}-{scenario_id}-{digits[:8]}"


class TurnPaths(NamedTuple):
    """Absolute paths of a turn as the agent sees them."""

    workspace: str
    message: str
    result: str
    run_root: str
    economic_trace: str


def agent_environment(
    *, message: str, iteration: int, paths: TurnPaths, session: str, scenario_id: str, adapter_id: str
) -> Dict[str, str]:
    """The published `RUHROH_*` variables of a turn, and nothing else.

    A message over 96 KiB is left out of the environment (the system would refuse to start the agent); it stands in the
    file that RUHROH_GOAL_PATH and RUHROH_MESSAGE_PATH name.
    """
    env = {
        "RUHROH_ITERATION": str(iteration),
        "RUHROH_WORKSPACE": paths.workspace,
        "RUHROH_WORKSPACE_PATH": paths.workspace,
        "RUHROH_GOAL_PATH": paths.message,
        "RUHROH_MESSAGE_PATH": paths.message,
        "RUHROH_RESULT_PATH": paths.result,
        "RUHROH_SESSION_HANDLE": session,
        "RUHROH_SCENARIO_ID": scenario_id,
        "RUHROH_RUN_ROOT": paths.run_root,
        "RUHROH_ADAPTER_ID": adapter_id,
        "RUHROH_RUN_AGENT_RESULT_PROTOCOL": RESULT_PROTOCOL,
        "RUHROH_ECONOMIC_TRACE_PATH": paths.economic_trace,
    }
    if len(message.encode("utf-8", "surrogateescape")) <= BIG_VALUE and "\0" not in message:
        env["RUHROH_MESSAGE"] = message
    return env
