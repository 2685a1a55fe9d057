from __future__ import annotations

from typing import Any

import pytest

from generator.runtime.agentresult import AgentResult
from generator.runtime.loop import (
    BIG_VALUE,
    Completion,
    Step,
    TurnPaths,
    agent_environment,
    continuation_message,
    detect_completion,
    first_message,
    last_line,
    next_step,
    published_stop_reason,
    session_handle,
)

SAID = '{"status": "goal_satisfied"}'
GIVING_UP = ["cannot_satisfy", "policy_blocked", "out_of_scope", "runtime_failure", "infra_failure", "cancelled"]


def detect(output: str = "", status: str = "", exit_code: int | None = 0, **more: Any) -> Completion:
    return detect_completion(
        **{
            "exit_code": exit_code,
            "timed_out": False,
            "result": AgentResult(status=status),
            "output_text": output,
            **more,
        }
    )


@pytest.mark.parametrize(
    ("completion", "state", "reason"),
    [
        (detect(), "not_done", "missing_completion_signal"),
        (detect(status="goal_satisfied"), "done", "goal_satisfied"),
        (detect(status="continue"), "not_done", "partial_progress"),
        (detect(SAID, status="continue"), "not_done", "partial_progress"),
        (detect(f"working\n{SAID}\n\n  \n"), "done", "goal_satisfied"),
        (detect(f"  {SAID}  "), "done", "goal_satisfied"),
        (detect('{"status": "continue"}'), "not_done", "partial_progress"),
        (detect(f"for example {SAID}"), "not_done", "missing_completion_signal"),
        (detect(f"{SAID}\nthat line is how I will tell you"), "not_done", "missing_completion_signal"),
        (detect('{"status": "goal_satisfied"'), "not_done", "missing_completion_signal"),
        (detect('{"status": "goal_satisfied", "status": "x"}'), "not_done", "missing_completion_signal"),
        (detect('{"status": 5}'), "not_done", "missing_completion_signal"),
        (detect('["goal_satisfied"]'), "not_done", "missing_completion_signal"),
        (detect(SAID, protocol="none"), "not_done", "missing_completion_signal"),
        (detect(exit_code=1), "terminal_failure", "runtime_failure"),
        (detect(exit_code=None), "terminal_failure", "runtime_failure"),
        (detect(SAID, exit_code=1), "terminal_failure", "runtime_failure"),
        (detect(status="goal_satisfied", exit_code=3), "terminal_failure", "runtime_failure"),
        (detect(status="continue", exit_code=3), "terminal_failure", "runtime_failure"),
        (detect(status="cannot_satisfy", exit_code=3), "terminal_failure", "cannot_satisfy"),
        (detect(SAID, exit_code=124, timed_out=True), "terminal_failure", "agent_timeout"),
        (detect(status="cannot_satisfy", exit_code=124, timed_out=True), "terminal_failure", "agent_timeout"),
        (detect("ALL DONE\n", promise="ALL DONE"), "done", "goal_satisfied"),
        (detect("ALL DONE", promise=" ALL DONE "), "done", "goal_satisfied"),
        (detect("ALL DONE\nnot yet", promise="ALL DONE"), "not_done", "missing_completion_signal"),
        (detect("ALL DONE soon", promise="ALL DONE"), "not_done", "missing_completion_signal"),
        (detect("ALL DONE", promise="ALL DONE", protocol="none"), "done", "goal_satisfied"),
        (detect("ALL DONE", promise="ALL DONE", status="continue"), "not_done", "partial_progress"),
        (detect(SAID, promise="ALL DONE"), "done", "goal_satisfied"),
    ],
)
def test_what_a_turn_means(completion: Completion, state: str, reason: str) -> None:
    assert (completion.state, completion.reason) == (state, reason)
    assert completion.done is (state == "done")


@pytest.mark.parametrize("status", GIVING_UP)
@pytest.mark.parametrize("where", ["file", "output"])
@pytest.mark.parametrize("exit_code", [0, 1])
def test_giving_up_is_heard_wherever_it_is_said(status: str, where: str, exit_code: int) -> None:
    said = {"status": status} if where == "file" else {"output": f'{{"status": "{status}"}}\n'}
    completion = detect(**said, exit_code=exit_code)
    assert (completion.state, completion.reason) == ("terminal_failure", status)


def test_an_unknown_status_is_recorded_and_the_output_still_counts() -> None:
    completion = detect(SAID, status="finished")
    assert completion.done
    assert completion.errors[0].startswith("unknown status 'finished' in the result file")
    assert "last line of the output" in detect('{"status": "ok"}').errors[0]


def test_errors_of_the_result_file_are_kept() -> None:
    assert detect(result=AgentResult(errors=("broken",))).errors == ("broken",)


def test_a_completion_names_its_evidence() -> None:
    made = detect(SAID).as_json("/t/iteration-1.log")
    assert made == {
        "state": "done",
        "reason": "goal_satisfied",
        "confidence": "adapter_inferred",
        "evidenceRefs": [{"kind": "transcript", "ref": "/t/iteration-1.log", "summary": "last line of the output"}],
    }
    assert detect().as_json()["evidenceRefs"] == []


@pytest.mark.parametrize(("text", "line"), [("", ""), ("a", "a"), ("a\n b \n\n \t\n", "b"), ("a\r\n", "a")])
def test_the_last_line_is_the_last_that_is_not_blank(text: str, line: str) -> None:
    assert last_line(text) == line


NOT_DONE = Completion("not_done", "missing_completion_signal")


@pytest.mark.parametrize(
    ("completion", "turn", "seconds", "step"),
    [
        (NOT_DONE, 1, 10.0, Step(stop=False)),
        (NOT_DONE, 3, 10.0, Step(stopped_reason="iterations_exhausted")),
        (NOT_DONE, 1, 0.0, Step(stopped_reason="agent_timeout")),
        (Completion("done", "goal_satisfied"), 1, 10.0, Step(stopped_reason="goal_satisfied")),
        (Completion("done", "goal_satisfied"), 3, 0.0, Step(stopped_reason="goal_satisfied")),
        (Completion("terminal_failure", "cannot_satisfy"), 1, 10.0, Step(stopped_reason="cannot_satisfy")),
    ],
)
def test_what_follows_a_turn(completion: Completion, turn: int, seconds: float, step: Step) -> None:
    assert next_step(completion, turn, 3, seconds) == step


def test_the_published_word_for_an_exhausted_loop_is_kept() -> None:
    assert published_stop_reason("iterations_exhausted") == "max_iterations"
    assert published_stop_reason("agent_timeout") == "agent_timeout"


def test_the_first_message_is_the_prompt_byte_for_byte() -> None:
    prompt = "  Sum \r\n the amounts\n\n"
    assert first_message(prompt) == prompt


def test_an_agreed_promise_is_told_in_every_message() -> None:
    first = first_message("Sum.\n", "ALL DONE")
    assert first.startswith("Sum.\n")
    assert first.endswith("with exactly this line: ALL DONE\n")
    assert "ALL DONE" in continuation_message(2, "Sum.", "ALL DONE")


def test_a_continuation_says_where_the_agent_is_and_how_to_finish() -> None:
    message = continuation_message(3, "Sum {the} amounts.\n")
    for part in (
        "continuation 2",
        "Sum {the} amounts.",
        "do not start over",
        "Inspect",
        "verify",
        SAID,
        "cannot_satisfy",
    ):
        assert part in message


PATHS = TurnPaths("/app", "/r/goal-1.md", "/r/result-1.json", "/r", "/r/trace.jsonl")


def environment(message: str) -> dict[str, str]:
    return agent_environment(
        message=message, iteration=2, paths=PATHS, session="a-s-0", scenario_id="s", adapter_id="a"
    )


def test_an_agent_gets_the_published_variables_and_no_others() -> None:
    assert environment("Do it.") == {
        "RUHROH_MESSAGE": "Do it.",
        "RUHROH_ITERATION": "2",
        "RUHROH_WORKSPACE": "/app",
        "RUHROH_WORKSPACE_PATH": "/app",
        "RUHROH_GOAL_PATH": "/r/goal-1.md",
        "RUHROH_MESSAGE_PATH": "/r/goal-1.md",
        "RUHROH_RESULT_PATH": "/r/result-1.json",
        "RUHROH_SESSION_HANDLE": "a-s-0",
        "RUHROH_SCENARIO_ID": "s",
        "RUHROH_RUN_ROOT": "/r",
        "RUHROH_ADAPTER_ID": "a",
        "RUHROH_RUN_AGENT_RESULT_PROTOCOL": "ruhroh_run_agent_result_v2",
        "RUHROH_ECONOMIC_TRACE_PATH": "/r/trace.jsonl",
    }


@pytest.mark.parametrize(
    ("message", "there"),
    [("x" * BIG_VALUE, True), ("x" * (BIG_VALUE + 1), False), ("é" * (BIG_VALUE // 2 + 1), False), ("a\0b", False)],
)
def test_a_message_no_environment_can_hold_travels_by_file_only(message: str, there: bool) -> None:
    assert ("RUHROH_MESSAGE" in environment(message)) is there


def test_a_session_handle_has_its_published_form() -> None:
    assert session_handle("agent", "sum-ledger", "0a1b2c3d4e5f") == "agent-sum-ledger-0a1b2c3d"
