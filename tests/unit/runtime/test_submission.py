from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from generator.resources import RUNTIME
from generator.runtime import submission
from generator.runtime.proctree import kill_commands_of
from generator.runtime.submission import Broker, run
from tests.unit.runtime.support import PASS, PATH, Case, alive, tag

ANSWER = f"answer '{json.dumps(PASS)}'"
HELPER = f'"{sys.executable}" "$HARBORSMITH_SUBMISSION"'


def log_of(case: Case, body: str, **changes: Any) -> str:
    case.review(f"{body}\n{ANSWER}", **changes)
    return (case.out / "reviewer.log").read_text()


def test_a_reviewer_runs_the_agents_program_and_gets_output_and_status(tmp_path: Path) -> None:
    case = Case(tmp_path)
    (case.work / "tool.sh").write_text("echo out; echo err >&2; exit 7\n")
    assert log_of(case, f"{HELPER} -- sh tool.sh; echo status $?") == "out\nerr\nstatus 7\n"


def test_each_command_gets_a_fresh_copy_unless_one_is_kept(tmp_path: Path) -> None:
    case = Case(tmp_path)
    body = (
        f"{HELPER} -- sh -c 'rm report.json; ls'; {HELPER} -- ls\n"
        f"{HELPER} --keep -- touch kept; {HELPER} --keep -- ls; ls; ls $RUHROH_EVAL_ORIGINAL_WORKSPACE_PATH"
    )
    assert log_of(case, body).split() == ["report.json", "kept", "report.json", "report.json", "report.json"]


def test_a_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    mark = tag()
    case = Case(tmp_path)
    body = f"{HELPER} --timeout 0.3 -- sh -c 'TAG={mark} sleep 1000 & echo begun; sleep 1000'; echo status $?"
    assert log_of(case, body).startswith("begun\n")
    assert (case.out / "reviewer.log").read_text().endswith("status 124\n")
    assert alive(mark) == []


def test_what_a_command_says_is_passed_byte_for_byte(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert log_of(case, rf"{HELPER} -- printf '\377\000a' | od -An -tx1").split() == ["ff", "00", "61"]


def test_a_command_does_not_see_the_reviewers_environment(tmp_path: Path) -> None:
    log = log_of(Case(tmp_path), f"export SECRET=s; {HELPER} -- env")
    assert "SECRET" not in log
    assert "RUHROH" not in log


def test_it_can_be_used_from_python(tmp_path: Path) -> None:
    code = (
        "import os, sys; sys.path.insert(0, os.path.dirname(os.environ['HARBORSMITH_SUBMISSION']))\n"
        "from submission import run\n"
        "print(run('cat report.json; exit 2').exit_code, run(['sleep', '1000'], timeout=0.2).timed_out)\n"
        "print(run(['cat', 'report.json']).output)\n"
    )
    assert log_of(Case(tmp_path), f'{sys.executable} -B -c "{code}"') == '2 True\n{"total": 14.00}\n\n'


def test_a_command_still_running_when_the_reviewer_ends_is_ended_as_well(tmp_path: Path) -> None:
    mark = tag()
    case = Case(tmp_path, reviewerTimeoutSeconds=600)
    started = tmp_path / "started"
    body = (
        f"{HELPER} --timeout 500 -- sh -c 'touch {started}; TAG={mark} exec sleep 500' &\n"
        f"while [ ! -e {started} ]; do sleep 0.05; done; {ANSWER}"
    )
    assert case.review(body).verdict.score == 1
    assert alive(mark) == []


def test_it_works_however_long_the_rooms_path_is(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    assert log_of(Case(deep), f"{HELPER} -- echo hello") == "hello\n"


def test_outside_a_review_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv(submission.SOCKET, raising=False)
    with pytest.raises(RuntimeError, match="submissions can only be run during a review"):
        run("true")
    assert submission.main(["--", "true"]) == 125
    assert capsys.readouterr().err.startswith("submission: HARBORSMITH_SUBMISSION_SOCKET is not set")


def echo(argv: Sequence[str], seconds: float, keep: bool) -> dict[str, Any]:
    return {"exitCode": 0, "output": f"{' '.join(argv)} {seconds} {keep}", "timedOut": False, "error": ""}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    made = str(tmp_path / "s")
    monkeypatch.setenv(submission.SOCKET, made)
    return made


def send(place: str, data: bytes) -> Any:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(place)
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return json.loads(b"".join(iter(lambda: connection.recv(65536), b"")))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"garbage",
        b"\xff\xfe",
        b"[]",
        b"[" * 100_000,
        b"{}",
        b'{"argv": []}',
        b'{"argv": "ls"}',
        b'{"argv": [5]}',
        b'{"argv": ["a\\u0000"]}',
        b'{"argv": ["ls"], "timeoutSeconds": -1}',
        b'{"argv": ["ls"], "timeoutSeconds": "5"}',
        b'{"argv": ["ls"], "timeoutSeconds": true}',
        b'{"argv": ["ls"], "timeoutSeconds": 1e999}',
    ],
)
def test_garbage_is_answered_and_survived(place: str, data: bytes) -> None:
    with Broker(place, echo, kill_commands_of):
        answer = send(place, data)
        assert answer["exitCode"] is None
        assert answer["error"].startswith("the request is not understood")
        assert run(["still", "there"], timeout=3, keep=True).output == "still there 3.0 True"
    assert not os.path.exists(place)


def test_a_request_without_end_is_cut_off(place: str) -> None:
    with Broker(place, echo, kill_commands_of), socket.socket(socket.AF_UNIX) as connection:
        connection.connect(place)
        with pytest.raises(OSError, match=r"Broken pipe|reset"):
            connection.sendall(b"[" * 10_000_000)
        assert run("true").exit_code == 0


def test_whoever_leaves_before_the_answer_does_no_harm(place: str) -> None:
    with Broker(place, echo, kill_commands_of):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(place)
            connection.sendall(b'{"argv": ["ls"]}')
        assert run("true").exit_code == 0


def test_a_command_that_could_not_be_run_is_125(place: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    def refuse(*_: object) -> dict[str, Any]:
        return {"exitCode": None, "output": "", "timedOut": False, "error": "no sandbox"}

    with Broker(place, refuse, kill_commands_of):
        assert submission.main(["--", "true"]) == 125
    assert capsysbinary.readouterr().err == b"submission: no sandbox\n"


@pytest.mark.parametrize("answer", [b"", b"[]", b"{"])
def test_an_answer_that_is_none_is_an_error(place: str, answer: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                while connection.recv(65536):
                    pass
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(RuntimeError, match="the review"):
            run("true")
        thread.join()


def test_a_place_that_is_taken_is_an_error(place: str) -> None:
    Path(place).touch()
    with pytest.raises(OSError, match="in use"), Broker(place, echo, kill_commands_of):
        pass


def test_the_program_says_how_it_is_used() -> None:
    told = subprocess.run(
        [sys.executable, "-I", "-B", str(RUNTIME / "submission.py"), "--timeout", "x", "--", "ls"],
        capture_output=True, text=True, check=False, env={"PATH": PATH},
    )  # fmt: skip
    assert told.returncode == 2
    assert "usage: submission" in told.stderr


def test_a_command_that_ran_is_printed_with_its_status(place: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    def answer(*_: object) -> dict[str, Any]:
        return {"exitCode": 3, "output": "a\udcff", "timedOut": False, "error": ""}

    with Broker(place, answer, kill_commands_of):
        assert submission.main(["--keep", "--", "true"]) == 3
    assert capsysbinary.readouterr().out == b"a\xff"


def test_an_interruption_while_closing_comes_after_the_command_was_ended(place: str) -> None:
    stop = threading.Event()
    cancelled: list[int] = []

    def wait(*_: object) -> dict[str, Any]:
        started.set()
        stop.wait()
        return {"exitCode": 0}

    def interrupt(thread: int) -> None:
        cancelled.append(thread)
        if len(cancelled) == 1:
            raise KeyboardInterrupt
        stop.set()

    started = threading.Event()
    broker = Broker(place, wait, interrupt)
    with socket.socket(socket.AF_UNIX) as connection:
        broker.__enter__()
        connection.connect(place)
        connection.sendall(b'{"argv": ["x"]}')
        connection.shutdown(socket.SHUT_WR)
        started.wait()
        with pytest.raises(KeyboardInterrupt):
            broker.__exit__()
    assert stop.is_set()
    assert not os.path.exists(place)


def test_a_reviewer_that_removes_the_socket_does_not_keep_the_review_from_ending(place: str) -> None:
    with Broker(place, echo, kill_commands_of):
        os.unlink(place)
    assert not os.path.exists(place)
