"""The supervisor's orders, one by one, below a directory that stands for a container's root."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from generator.runtime import runroot, supervise
from generator.runtime.places import RUN_ROOT
from generator.runtime.proctree import owned_by
from generator.runtime.supervise import Account, Places, account, close, main, prepare, read_outcome, read_result, turn

UID = 10_000_000 + os.getpid()  # nobody else's, not even of another worker: everything of it is ended

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A container's directories, which another user can reach."""
    for folder in (supervise.PRIVATE, supervise.LOGS, supervise.AGENT, "/app"):
        (tmp_path / folder.lstrip("/")).mkdir(parents=True)
    for above in (tmp_path, *tmp_path.parents[:-2]):
        above.chmod(above.stat().st_mode | 0o055)
    (tmp_path / "logs/agent").chmod(0o777)
    os.chown(tmp_path / "app", UID, UID)
    return Places(str(tmp_path))


AGENT = Account(UID, UID, "/home/agent")


def orders(places: Places, *argv: str, **more: Any) -> dict[str, Any]:
    base = {"number": 1, "argv": list(argv), "cwd": places.at("/app"), "env": {"PATH": "/usr/bin:/bin"}}
    return {**base, "message": "do it", "seconds": 20, **more}


def ready(places: Places) -> Places:
    prepare(AGENT, {}, places)
    return places


def test_preparing_makes_room_for_the_agent_and_lets_it_read_its_program(places: Places) -> None:
    program = Path(places.at("/agent/sub/run"))
    program.parent.mkdir(mode=0o700)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    (program.parent / "data").touch(mode=0o600)
    (program.parent / "link").symlink_to("/etc/shadow")

    answer = prepare(AGENT, {}, places)

    assert (answer["uid"], answer["home"], answer["path"]) == (UID, "/home/agent", os.environ["PATH"])
    assert [oct(path.stat().st_mode & 0o777) for path in (program, program.parent / "data")] == ["0o755", "0o644"]
    assert os.stat(places.at(RUN_ROOT)).st_uid == UID
    assert prepare(AGENT, {}, places) == answer


def test_a_turn_is_run_as_the_agent_and_its_output_and_result_come_back(places: Places) -> None:
    result = Path(ready(places).at("/installed-agent/results/result-1.json"))
    code = (
        f'id -u; cat {places.at("/installed-agent/messages/goal-1.md")}; echo \'{{"status": "continue"}}\' > {result}'
    )

    answer = json.loads(json.dumps(turn(AGENT, orders(places, "sh", "-c", code), places)))

    outcome = read_outcome(answer["outcome"])
    assert (outcome.exit_code, outcome.text) == (0, f"{UID}\ndo it")
    assert read_result(answer["result"]).status == "continue"


def test_a_result_of_an_earlier_turn_is_not_taken_for_this_ones(places: Places) -> None:
    code = f'echo \'{{"status": "goal_satisfied"}}\' > {ready(places).at("/installed-agent/results/result-2.json")}'
    turn(AGENT, orders(places, "sh", "-c", code), places)

    answer = turn(AGENT, orders(places, "true", number=2), places)

    assert read_result(answer["result"]).status == ""


def test_a_result_that_is_no_file_is_an_error_of_the_agents(places: Places) -> None:
    answer = turn(AGENT, orders(ready(places), "mkdir", places.at("/installed-agent/results/result-1.json")), places)

    assert read_result(answer["result"]).errors


def test_a_command_that_does_not_exist_says_so(places: Places) -> None:
    outcome = read_outcome(turn(AGENT, orders(ready(places), "no-such-agent"), places)["outcome"])

    assert not outcome.started
    assert "no-such-agent" in outcome.error


def test_what_a_turn_leaves_running_is_ended(places: Places) -> None:
    code = "(setsid sh -c 'trap \"\" TERM; sleep 321' &); sleep 0.2"

    outcome = read_outcome(turn(AGENT, orders(ready(places), "sh", "-c", code), places)["outcome"])

    assert outcome.left_over > 0
    assert owned_by(UID) == []


def test_two_turns_cannot_run_at_once(places: Places) -> None:
    with open(ready(places).at(supervise.LOCK), "w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match="another turn is still running"):
            turn(AGENT, orders(places, "true"), places)


def test_closing_ends_what_runs_and_forbids_another_turn(places: Places) -> None:
    ready(places)
    left = subprocess.Popen(["sleep", "321"], user=UID, group=UID, extra_groups=[])

    answer = close(AGENT, {"secrets": {}}, places)

    assert (answer["ended"], answer["notes"], left.wait(10)) == (1, [], -9)
    with pytest.raises(ValueError, match="the run is over"):
        turn(AGENT, orders(places, "true"), places)


def test_closing_says_when_a_turn_does_not_end(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "LOCK_SECONDS", 0.2)
    with open(ready(places).at(supervise.LOCK), "w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)

        assert close(AGENT, {"secrets": {}}, places)["notes"] == ["processes of the agent could not be ended"]


def test_closing_clears_the_logs_and_keeps_run_root_and_trace(places: Places) -> None:
    ready(places)
    for path in ("/logs/agent/context.json", "/installed-agent/ruhroh-loop/ruhroh-economic-trace.jsonl"):
        Path(places.at(path)).write_text('{"key": "tok-12345"}')
    Path(places.at("/logs/agent/link")).symlink_to("/etc")

    close(AGENT, {"secrets": {"KEY": "tok-12345"}}, places)

    logs = Path(places.at("/logs/agent"))
    with tarfile.open(logs / "ruhroh-loop-events.tar.gz") as archive:
        kept = archive.extractfile("ruhroh-economic-trace.jsonl")
        assert kept is not None
        assert kept.read() == (logs / "ruhroh-economic-trace.jsonl").read_bytes() == b'{"key": "[value of KEY]"}'
    assert sorted(os.listdir(logs)) == ["ruhroh-economic-trace.jsonl", "ruhroh-loop-events.tar.gz"]
    assert (logs.stat().st_uid, logs.stat().st_mode & 0o777) == (0, 0o755)


def test_a_run_root_or_trace_that_is_too_large_is_left_out_and_said(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runroot, "MAX_EVENT_BYTES", 10)
    monkeypatch.setattr(runroot, "MAX_TRACE_BYTES", 10)
    Path(ready(places).at("/installed-agent/ruhroh-loop/ruhroh-economic-trace.jsonl")).write_text("x" * 20)

    notes = close(AGENT, {"secrets": {}}, places)["notes"]

    assert notes == [
        "the agent's run root holds over 10 bytes or 50000 files: not kept",
        "the agent's ruhroh-economic-trace.jsonl was not kept: it is over 10 bytes",
    ]
    assert os.listdir(places.at("/logs/agent")) == []


@pytest.mark.parametrize(("name", "why"), [("root", "is root"), ("no-such-account", "has no account")])
def test_an_account_that_cannot_be_kept_apart_is_refused(name: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        account(name)


def order(places: Places, **value: Any) -> Path:
    path = Path(places.at(supervise.ORDERS))
    path.write_text(json.dumps(value))
    return path


def test_an_order_is_deleted_and_answered(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    path = order(places, user="nobody")

    assert main(["prepare"], places) == 0
    assert not path.exists()
    answer = capsys.readouterr().out.removeprefix(supervise.ANSWERED)
    assert "home" in json.loads(answer)
    assert not Path(places.at(supervise.ANSWER)).exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [("prepare", {"user": "root"}), ("prepare", {}), ("dance", {"user": "daemon"}), ("turn", {"user": "daemon"})],
)
def test_an_order_that_cannot_be_carried_out_says_why(
    places: Places, capsys: pytest.CaptureFixture[str], name: str, value: dict[str, Any]
) -> None:
    order(places, **value)

    assert main([name], places) == 1
    assert capsys.readouterr().out.startswith("supervisor: ")
    assert not Path(places.at(supervise.ANSWER)).exists()


def test_the_runtimes_folder_starts_the_supervisor_when_asked(tmp_path: Path) -> None:
    runtime = Path(supervise.__file__).parent

    done = subprocess.run(
        [sys.executable, "-I", "-B", str(runtime), "supervise", "prepare"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stdout.startswith("supervisor: ")
