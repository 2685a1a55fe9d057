"""The turns of a command through the supervisor, with real processes in a stand-in for a container."""

from __future__ import annotations

import asyncio
import json
import os
import re
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from generator.execute.refusal import Refused
from generator.harbor.assignment import PREFIX, Assignment, understand
from generator.harbor.inside import Supervisor, SupervisorError
from generator.harbor.ledger import Ledger
from generator.harbor.turns import Turns
from generator.runtime.supervise import ANSWER, ANSWERED
from tests.support.packages import written
from tests.support.scenarios import document, write_scenario
from tests.unit.harbor.box import UID, Box

pytestmark = pytest.mark.sandbox

OPTIONS: Mapping[str, Any] = {
    "known_as": "",
    "iterations": None,
    "turn_timeout": 20.0,
    "env_names": "",
    "protocol": "json-final-line",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with a promise of completion."""
    made = document(run={"timeoutSeconds": 60}, loop__completion={"required": True, "promise": "ALL DONE"})
    return written(write_scenario(tmp_path / "sum-ledger", made), tmp_path / "out")


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path / "box")


def understood(package: Path, command: str, copies: Path, environ: Mapping[str, str] | None = None, **more: Any) -> Any:
    return understand(
        task=package,
        options={**OPTIONS, "command": command, **more},
        environ=environ or {},
        overlay={},
        copies=copies,
    )


def script(tmp_path: Path, text: str) -> str:
    path = tmp_path / "agent" / "run"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}")
    path.chmod(0o700)
    return str(path.parent)


async def work(box: Box, assignment: Assignment, logs: Path) -> Ledger:
    ledger = assignment.ledger("run-1", assignment.package.evaluation.user_prompt + "\n", "test", "1")
    supervisor = Supervisor(box, assignment.package.user, assignment.secrets)
    home = await supervisor.install(assignment.agent.binds)
    async for _ in Turns(assignment, ledger, supervisor, home).work():
        ledger.write(logs)
    ledger.notes += await supervisor.close()
    ledger.write(logs)
    return ledger


def run(box: Box, package: Path, tmp_path: Path, text: str, **more: Any) -> Ledger:
    assignment = understood(package, script(tmp_path, text), tmp_path / "room", **more)
    assert isinstance(assignment, Assignment), assignment
    return asyncio.run(work(box, assignment, tmp_path / "logs"))


def test_turns_follow_each_other_until_the_agent_says_it_is_done(box: Box, package: Path, tmp_path: Path) -> None:
    text = (
        'cat "$RUHROH_MESSAGE_PATH" >> seen; echo $RUHROH_ITERATION; [ $RUHROH_ITERATION = 2 ] && echo "ALL DONE"; true'
    )

    ledger = run(box, package, tmp_path, text)

    assert (ledger.stopped_reason, ledger.completed, len(ledger.records)) == ("goal_satisfied", True, 2)
    assert "continuation 1" in box.inside("/app/seen").read_text()
    assert (tmp_path / "logs/transcripts/iteration-2.log").read_text() == "2\nALL DONE\n"


def test_a_command_runs_as_the_tasks_account_and_is_told_the_published_variables_alone(
    box: Box, package: Path, tmp_path: Path
) -> None:
    run(box, package, tmp_path, "id -u > who; env | cut -d= -f1 | sort > names; echo ALL DONE")

    names = set(box.inside("/app/names").read_text().split())
    assert box.inside("/app/who").read_text() == f"{UID}\n"
    assert "OPERATORS" not in names
    assert {"HOME", "PATH", "RUHROH_MESSAGE", "RUHROH_RESULT_PATH", "RUHROH_RUN_ROOT"} <= names


def test_a_review_is_told_another_name_of_the_command_where_one_is_given(
    box: Box, package: Path, tmp_path: Path
) -> None:
    ledger = run(box, package, tmp_path, "echo $RUHROH_ADAPTER_ID", known_as="nobody")

    assert ledger.journey()["runAgentAdapterId"] == "nobody"
    assert ledger.journey()["sessionHandle"].startswith("nobody-sum-ledger-")
    assert (tmp_path / "logs/transcripts/iteration-1.log").read_text() == "nobody\n"
    assert ledger.context()["agent"]["id"] == "nobody"
    assert {record["adapterId"] for record in ledger.records} == {"nobody"}


def test_a_named_variable_reaches_the_command_and_no_record_of_it(box: Box, package: Path, tmp_path: Path) -> None:
    given = {f"{PREFIX}API_KEY": "very-secret-value", "OTHER": "unasked"}

    run(box, package, tmp_path, "echo $API_KEY; echo ALL DONE", environ=given, env_names="API_KEY")

    kept = b"".join(path.read_bytes() for path in (tmp_path / "logs").rglob("*") if path.is_file())
    assert b"[value of API_KEY]" in kept
    assert b"very-secret-value" not in kept
    assert not any("very-secret" in path for path in box.uploads)


def test_an_order_is_gone_once_it_is_read(box: Box, package: Path, tmp_path: Path) -> None:
    run(box, package, tmp_path, "ls /installed-agent/supervisor > seen 2>&1; echo ALL DONE")

    assert "Permission denied" in box.inside("/app/seen").read_text()
    assert not box.inside("/installed-agent/supervisor/orders.json").exists()


def test_a_turn_that_takes_too_long_is_ended_and_ends_the_run(box: Box, package: Path, tmp_path: Path) -> None:
    ledger = run(box, package, tmp_path, "echo started; sleep 300", turn_timeout=1.0)

    (record,) = ledger.records
    assert (ledger.stopped_reason, ledger.completed) == ("agent_timeout", False)
    assert record["termination"]["reason"] == "iteration_timeout"


def test_turns_end_when_their_number_is_used_up(box: Box, package: Path, tmp_path: Path) -> None:
    ledger = run(box, package, tmp_path, "true", iterations=2)

    assert (ledger.stopped_reason, len(ledger.records)) == ("iterations_exhausted", 2)


def test_a_result_file_counts_and_says_what_was_used(box: Box, package: Path, tmp_path: Path) -> None:
    result = {"status": "cannot_satisfy", "usage": {"inputTokens": 7, "costUsd": 0.25}, "model": {"model": "one"}}

    ledger = run(box, package, tmp_path, f"echo '{json.dumps(result)}' > \"$RUHROH_RESULT_PATH\"")

    assert ledger.stopped_reason == "cannot_satisfy"
    trajectory = json.loads((tmp_path / "logs/trajectory.json").read_text())
    assert trajectory["final_metrics"] == {"total_prompt_tokens": 7, "total_cost_usd": 0.25, "total_steps": 2}
    assert trajectory["steps"][1]["model_name"] == "one"


def test_what_an_agent_wrote_among_the_logs_is_not_taken_for_a_record(box: Box, package: Path, tmp_path: Path) -> None:
    run(box, package, tmp_path, "echo '{}' > /logs/agent/context.json; mkdir /logs/agent/transcripts; echo ALL DONE")

    assert sorted(os.listdir(box.inside("/logs/agent"))) == ["ruhroh-loop-events.tar.gz"]
    assert box.inside("/logs/agent").stat().st_uid == 0


def test_the_run_root_and_the_trace_are_kept(box: Box, package: Path, tmp_path: Path) -> None:
    text = 'echo note > "$RUHROH_RUN_ROOT/note"; echo "{}" > "$RUHROH_ECONOMIC_TRACE_PATH"; echo ALL DONE'
    run(box, package, tmp_path, text)

    with tarfile.open(box.inside("/logs/agent/ruhroh-loop-events.tar.gz")) as events:
        assert set(events.getnames()) == {"note", "ruhroh-economic-trace.jsonl"}
    assert box.inside("/logs/agent/ruhroh-economic-trace.jsonl").read_text() == "{}\n"


def test_a_trace_that_is_no_file_is_left_where_it_is_and_said(box: Box, package: Path, tmp_path: Path) -> None:
    ledger = run(box, package, tmp_path, 'ln -s /etc/passwd "$RUHROH_ECONOMIC_TRACE_PATH"; echo ALL DONE')

    assert "ruhroh-economic-trace.jsonl" in ledger.notes[0]
    assert not box.inside("/logs/agent/ruhroh-economic-trace.jsonl").exists()


def test_no_turn_starts_once_the_run_is_closed(box: Box, package: Path, tmp_path: Path) -> None:
    assignment = understood(package, script(tmp_path, "touch ran"), tmp_path / "room")
    ledger = assignment.ledger("run-1", "x", "test", "1")
    supervisor = Supervisor(box, "agent", {})

    async def late() -> None:
        home = await supervisor.install(assignment.agent.binds)
        await supervisor.close()
        async for _ in Turns(assignment, ledger, supervisor, home).work():
            pass

    with pytest.raises(SupervisorError, match="the run is over"):
        asyncio.run(late())
    assert not box.inside("/app/ran").exists()


@pytest.mark.parametrize(
    ("passwd", "message"),
    [("root:x:0:0::/root:/bin/sh\n", "no account 'agent'"), ("agent:x:0:0::/root:/bin/sh\n", "is root")],
)
def test_an_image_without_the_agents_own_account_is_refused(
    box: Box, package: Path, tmp_path: Path, passwd: str, message: str
) -> None:
    box.inside("/etc/passwd").write_text(passwd)

    with pytest.raises(SupervisorError, match=message):
        run(box, package, tmp_path, "true")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("bash: warning\n", "gave 0 answers to '{}': bash: warning"),
        (f"{ANSWERED}{{}}\n{ANSWERED}{{}}\n", "gave 2 answers to '{}'"),
        (f"{ANSWERED}{{", "answer to '{}' cannot be read: "),
        (f"{ANSWERED}[1]", "answer to '{}' cannot be read: "),
        (f"{ANSWERED}{{}}", "answer to '{}' cannot be read: "),
        (f'{ANSWERED}{{"home": 5, "path": "/bin", "notes": 5}}', "answer to '{}' cannot be read: "),
        (f'{ANSWERED}{{"home": "/root", "path": 5, "notes": [5]}}', "answer to '{}' cannot be read: "),
    ],
)
@pytest.mark.parametrize("order", ["prepare", "close"])
def test_a_supervisor_without_one_answer_is_no_supervisor(
    box: Box, package: Path, tmp_path: Path, order: str, said: str, why: str
) -> None:
    box.instead = {f"supervise {order}": said}

    with pytest.raises(SupervisorError, match=re.escape(why.format(order))):
        run(box, package, tmp_path, "echo done")


@pytest.mark.parametrize("answer", ["{}", '{"outcome": {}, "result": {}}', '{"outcome": 5, "result": 5}', "5", "{"])
def test_a_turn_without_a_sound_answer_is_the_containers_fault(
    box: Box, package: Path, tmp_path: Path, answer: str
) -> None:
    box.instead = {"supervise turn": "done\n"}
    place = box.inside(ANSWER)
    place.parent.mkdir(parents=True)
    place.write_text(answer)

    with pytest.raises(SupervisorError, match="the container's answer to "):
        run(box, package, tmp_path, "echo done")


def test_an_answer_is_found_among_what_else_is_printed(box: Box, package: Path, tmp_path: Path) -> None:
    """Some environments put both streams of a command together, and shells warn."""
    box.instead = {"supervise close": f'bash: warning\n{ANSWERED}{{"notes": ["left"]}}\nbye\n'}

    assert run(box, package, tmp_path, "echo done").notes[-1:] == ["left"]


def test_a_container_that_fails_is_said_with_what_was_tried(box: Box, package: Path, tmp_path: Path) -> None:
    box.broken = "supervise turn"

    with pytest.raises(SupervisorError, match=r"supervise turn` exited with 1 in the container: the box is broken"):
        run(box, package, tmp_path, "true")


def test_an_instruction_with_more_than_the_prompt_is_what_the_agent_is_told(package: Path, tmp_path: Path) -> None:
    assignment = understood(package, "claude", tmp_path / "room")
    prompt = assignment.package.evaluation.user_prompt

    assert assignment.ledger("r", f"{prompt}\n\n", "test", "1").prompt == prompt
    assert assignment.ledger("r", f"{prompt}\nAlso: be quick.", "test", "1").prompt.endswith("be quick.")


def test_a_program_of_the_image_needs_no_file_here(package: Path, tmp_path: Path) -> None:
    assignment = understood(package, "no-such-program-here --fast", tmp_path / "room")

    assert (assignment.agent.argv, assignment.agent.binds) == (("no-such-program-here", "--fast"), ())


def test_files_named_in_a_command_are_uploaded_with_it(package: Path, tmp_path: Path) -> None:
    (tmp_path / "solve.py").write_text("print()")

    assignment = understood(package, f"python3 {tmp_path}/solve.py", tmp_path / "room")

    assert assignment.agent.argv == ("python3", "/agent/solve.py")
    assert (tmp_path / "room" / "solve.py").exists()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"command": ""}, "agent_command_invalid"),
        ({"command": "'"}, "agent_command_invalid"),
        ({"env_names": "MISSING"}, "agent_env_unset"),
        ({"env_names": "LD_PRELOAD"}, "agent_env_reserved"),
    ],
)
def test_what_cannot_be_used_is_refused_before_the_container_is_touched(
    package: Path, tmp_path: Path, change: dict[str, Any], code: str
) -> None:
    refused = understood(package, **{"command": "claude", "copies": tmp_path / "room", **change})

    assert isinstance(refused, Refused)
    assert refused.code == code


def test_an_agent_that_lies_beside_the_answers_is_refused(package: Path, tmp_path: Path) -> None:
    script(tmp_path, "true")
    (package.parent / "run").write_text("#!/bin/sh\n")
    (package.parent / "run").chmod(0o755)

    refused = understood(package, str(package.parent), tmp_path / "room")

    assert isinstance(refused, Refused)
    assert refused.code == "agent_path_leaks"


@pytest.mark.parametrize("spoil", ["edit", "remove"])
def test_a_package_that_is_not_whole_is_refused(package: Path, tmp_path: Path, spoil: str) -> None:
    if spoil == "edit":
        (package / "instruction.md").write_text("something else")
    else:
        (package / "manifest.json").unlink()

    assert isinstance(understood(package, "claude", tmp_path / "room"), Refused)
