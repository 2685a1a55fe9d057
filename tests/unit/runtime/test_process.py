from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from generator.runtime.launch import Outcome
from generator.runtime.process import run
from tests.support.runs import ROOT
from tests.unit.runtime.support import alive, as_ordinary_user, job, lonely_user, needs_root, open_folder, tag


def test_output_and_exit_status_are_reported() -> None:
    outcome = run(job("sh", "-c", "echo out; echo err >&2; exit 3"))
    assert (outcome.exit_code, outcome.text, outcome.error) == (3, "out\nerr\n", "")
    assert outcome.started
    assert (outcome.output_bytes, outcome.omitted_bytes, outcome.left_over) == (8, 0, 0)


def test_the_command_has_an_empty_input_and_a_session_of_its_own_and_no_core_dumps() -> None:
    outcome = run(job("sh", "-c", "cat; umask; ulimit -c; ps -o sid= -p $$; echo $$"))
    mask, core, session, pid = outcome.text.split()
    assert (mask, session) == ("0022", pid)
    # the limit is set from outside right after the start, so only a command that looked at once could miss it
    assert core in {"0", str(resource.getrlimit(resource.RLIMIT_CORE)[0])}


def test_the_environment_is_exactly_the_given_one() -> None:
    outcome = run(job("/usr/bin/env", env={"ONLY": "this"}))
    assert sorted(outcome.text.splitlines()) == ["ONLY=this", "PATH=/usr/local/bin:/usr/bin:/bin"]


def test_output_that_is_no_text_is_decoded_leniently() -> None:
    outcome = run(job("printf", r"a\377b"))
    assert (outcome.output, outcome.text) == (b"a\xffb", "a�b")


def test_a_signal_counts_as_128_and_its_number() -> None:
    assert run(job("sh", "-c", "kill -9 $$")).exit_code == 137


def test_a_command_that_heeds_the_first_signal_gets_no_second() -> None:
    outcome = run(job("sleep", "1000", seconds=0.2))
    assert (outcome.exit_code, outcome.timed_out, outcome.signals) == (124, True, ("SIGTERM",))


def test_a_command_that_ignores_the_first_signal_is_killed_after_the_grace() -> None:
    outcome = run(job("sh", "-c", "trap '' TERM; echo ready; sleep 1000", seconds=0.5, grace_seconds=0.2))
    assert (outcome.exit_code, outcome.signals, outcome.text) == (124, ("SIGTERM", "SIGKILL"), "ready\n")


def test_what_a_command_says_on_its_way_out_is_kept() -> None:
    outcome = run(job("sh", "-c", "trap 'echo bye; exit 0' TERM; echo hi; while :; do sleep 0.1; done", seconds=0.5))
    assert outcome.exit_code == 124
    assert outcome.text.startswith("hi\n")
    assert outcome.text.endswith("bye\n")


@pytest.mark.parametrize(
    ("argv", "cwd", "words"),
    [
        (("no-such-program",), "/", "cannot start 'no-such-program': No such file or directory"),
        (("/etc/passwd",), "/", "cannot start '/etc/passwd': Permission denied"),
        (("true",), "/no/such/place", "cannot start 'true': its working directory '/no/such/place' is missing"),
        (("true", "a\0b"), "/", "cannot start 'true': embedded null byte"),
        (("true", "x" * 3_000_000), "/", "cannot start 'true': Argument list too long"),
    ],
)
def test_a_command_that_cannot_start_says_why(argv: tuple[str, ...], cwd: str, words: str) -> None:
    outcome = run(job(*argv, cwd=cwd))
    assert (outcome.exit_code, outcome.started, outcome.error) == (None, False, words)


def test_a_script_whose_interpreter_is_missing_is_explained(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    assert "the interpreter in its first line is missing" in run(job(str(script))).error


def test_of_a_long_output_both_ends_are_kept() -> None:
    outcome = run(job("sh", "-c", "echo first; head -c 1000000 /dev/zero; echo last", keep_bytes=100))
    assert outcome.output.startswith(b"first\n\0")
    assert outcome.output.endswith(b"\0last\n")
    assert outcome.output_bytes == 1_000_011
    assert outcome.omitted_bytes == 1_000_011 - 200
    assert b"\n[... 999811 bytes left out ...]\n" in outcome.output


@pytest.mark.slow
def test_a_flood_of_a_gigabyte_does_not_grow_our_memory() -> None:
    code = (
        "import resource, sys\n"
        "from generator.runtime.launch import Job, Limits\n"
        "from generator.runtime.process import run\n"
        "for size in ('10000000', '1000000000'):\n"
        "    job = Job(('head', '-c', size, '/dev/zero'), {'PATH': '/usr/bin:/bin'}, '/', Limits(300))\n"
        "    print(run(job).output_bytes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    small, small_kib, large, large_kib = map(int, told.split())
    assert (small, large) == (10_000_000, 1_000_000_000)
    assert large_kib - small_kib < 8 * 1024


def test_a_flood_without_end_is_ended_at_the_limit() -> None:
    outcome = run(job("yes", seconds=0.5))
    assert outcome.exit_code == 124
    assert outcome.omitted_bytes > 0


def test_a_background_child_that_holds_the_output_does_not_hold_us() -> None:
    mark = tag()
    outcome = run(job("sh", "-c", "sleep 1000 & echo done", env={"TAG": mark}))
    assert (outcome.exit_code, outcome.timed_out, outcome.text, outcome.left_over) == (0, False, "done\n", 1)
    assert alive(mark) == []


def test_a_command_that_closes_its_output_early_is_still_waited_for() -> None:
    assert run(job("sh", "-c", "exec >&- 2>&-; sleep 0.3; exit 5")).exit_code == 5


DAEMON = """
import os, signal, sys, time
if os.fork(): os._exit(0)
os.setsid()
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
if os.fork(): os._exit(0)
os.close(int(sys.argv[1]))
time.sleep(1000)
"""


@pytest.mark.parametrize("ending", ["exit 0", "sleep 1000"], ids=["ends by itself", "runs out of time"])
def test_a_daemon_that_forked_twice_and_ignores_signals_does_not_survive(ending: str) -> None:
    mark = tag()
    # the daemon closes its end of a pipe when it has hidden, so the shell knows when to go on
    script = f"{sys.executable} -c '{DAEMON}' 9 9>&1 >/dev/null 2>&1 | cat; {ending}"
    outcome = run(job("bash", "-c", script, env={"TAG": mark}, seconds=3 if "sleep" in ending else 20))
    assert outcome.timed_out is ("sleep" in ending)
    assert outcome.left_over >= 1
    assert alive(mark) == []


STORM = """
import os, sys, time
end = time.monotonic() + 30
children = 0
while time.monotonic() < end:
    if children > 40:
        time.sleep(0.01)
    try:
        pid = os.fork()
    except OSError:
        continue
    if pid == 0:
        if os.fork():
            os._exit(0)
        os.setsid()
        time.sleep(0.02)
        children = 0
        depth = int(os.environ.get("DEPTH", "0")) + 1
        os.environ["DEPTH"] = str(depth)
        if depth > 1:
            time.sleep(1000)
    else:
        os.waitpid(pid, 0)
        children += 1
"""


def test_a_storm_of_forks_is_ended_completely() -> None:
    mark = tag()
    outcome = run(job(sys.executable, "-c", STORM, env={"TAG": mark}, seconds=0.6, grace_seconds=0.2))
    assert outcome.timed_out
    assert outcome.left_over > 0
    assert alive(mark) == []


def test_processes_of_the_caller_are_left_alone() -> None:
    with (
        subprocess.Popen(["sleep", "1000"]) as before,
        subprocess.Popen(["sleep", "1000"], start_new_session=True) as own,
    ):
        run(job("sh", "-c", "sleep 1000 &"))
        assert before.poll() is None
        assert own.poll() is None
        before.kill()
        own.kill()


def test_descriptors_are_passed_and_the_start_is_told() -> None:
    read, write = os.pipe()
    pids: list[int] = []
    try:
        outcome = run(job("bash", "-c", f"echo $$; echo through >&{write}"), pass_fds=(write,), on_start=pids.append)
        os.close(write)
        assert os.read(read, 100) == b"through\n"
    finally:
        os.close(read)
    assert pids == [int(outcome.text)]


INTERRUPTED = """
import os, signal, sys
from generator.runtime.launch import Job, Limits
from generator.runtime.launch import Outcome
from generator.runtime.process import run
write, number, reaction = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
if reaction == "exit":
    signal.signal(number, lambda *_: sys.exit(7))
if reaction == "note":
    signal.signal(number, lambda *_: None)
script = "trap '' TERM INT HUP; setsid sleep 1000 & sleep 1000 & echo started >&%d; sleep 1000" % write
try:
    outcome = run(Job(("bash", "-c", script), dict(os.environ), "/", Limits(100)), pass_fds=(write,))
except KeyboardInterrupt:
    sys.exit(130)
sys.exit(8 if outcome.exit_code == 137 and not outcome.timed_out else 9)
"""


@pytest.mark.parametrize(
    ("number", "reaction", "status"),
    [
        (signal.SIGINT, "none", 130),
        (signal.SIGINT, "exit", 7),
        (signal.SIGTERM, "exit", 7),
        (signal.SIGTERM, "note", 8),
        (signal.SIGTERM, "none", -15),
        (signal.SIGHUP, "none", -1),
    ],
)
def test_an_interruption_of_the_caller_leaves_nothing_alive(number: int, reaction: str, status: int) -> None:
    mark = tag()
    read, write = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(write), str(int(number)), reaction],
        cwd=ROOT,
        env={**os.environ, "TAG": mark},
        pass_fds=(write,),
        start_new_session=True,
    ) as caller:
        os.close(write)
        assert os.read(read, 100) == b"started\n"
        os.close(read)
        for _ in range(3 if reaction != "note" else 1):  # impatience changes nothing
            caller.send_signal(number)
        assert caller.wait(30) == status
    assert alive(mark) == []


def test_other_signals_and_their_handlers_work_while_a_command_runs() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
    try:
        outcome = run(job("sh", "-c", f"kill -USR1 {os.getpid()}; sleep 0.2; exit 4"))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert (outcome.exit_code, seen) == (4, [signal.SIGUSR1])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_command_can_be_run_in_any_thread() -> None:
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(run(job("sh", "-c", "sleep 1000 & echo hi"))))
    thread.start()
    thread.join()
    assert [(outcome.text, outcome.left_over) for outcome in outcomes] == [("hi\n", 1)]


@pytest.mark.parametrize("lacking", ["another system", "an old kernel"])
def test_without_means_to_be_told_of_the_end_it_is_looked_for(monkeypatch: pytest.MonkeyPatch, lacking: str) -> None:
    def missing(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    if lacking == "another system":
        monkeypatch.setattr("sys.platform", "darwin")
    else:
        monkeypatch.setattr("os.pidfd_open", missing)
        monkeypatch.setattr("resource.prlimit", missing)
    assert run(job("sh", "-c", "sleep 0.2; echo hi; exit 3")).exit_code == 3
    assert run(job("sleep", "1000", seconds=0.2)).exit_code == 124


def test_an_ignored_interruption_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        outcome = run(job("sh", "-c", f"kill -HUP {os.getpid()} $$; sleep 0.2; exit 4"))
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert outcome.exit_code == 4


def test_without_a_process_table_the_group_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_proc(_: str) -> list[str]:
        raise FileNotFoundError

    mark = tag()
    with monkeypatch.context() as patch:
        patch.setattr("sys.platform", "darwin")
        patch.setattr("os.listdir", no_proc)
        assert run(job("sh", "-c", "sleep 1000 & echo hi", env={"TAG": mark})).text == "hi\n"
    assert alive(mark) == []


@needs_root
def test_another_user_gets_nothing_of_ours() -> None:
    user = lonely_user()
    with open_folder() as folder:
        script = "id -u; id -g; id -G; ulimit -c; umask; pwd; grep -E 'NoNewPrivs|CapEff' /proc/self/status"
        outcome = run(job("bash", "-c", f"{script}; ulimit -u", cwd=str(folder), processes=77), user=user)
        uid, gid, groups, core, mask, cwd, *rest = outcome.text.splitlines()
    assert (uid, gid, groups) == (str(user.uid), str(user.gid), str(user.gid))
    assert (core, mask, cwd) == ("0", "0022", str(folder))
    assert rest == ["CapEff:\t0000000000000000", "NoNewPrivs:\t1", "77"]


@needs_root
def test_every_process_of_another_user_ends_with_the_command() -> None:
    mark = tag()
    # a grandchild that wiped its environment, changed its session and lost its parent
    outcome = run(
        job("bash", "-c", "(setsid env -i /bin/sleep 1000 &) ; sleep 0.2", env={"TAG": mark}), user=lonely_user()
    )
    assert outcome.left_over >= 1
    found = subprocess.run(
        ["ps", "-o", "pid=", "-u", str(lonely_user().uid)], capture_output=True, text=True, check=False
    )
    assert found.stdout == ""


@needs_root
def test_a_fork_bomb_of_another_user_is_bounded_and_ended() -> None:
    bomb = "bomb() { bomb | bomb & }; bomb; sleep 1000"
    outcome = run(job("bash", "-c", bomb, seconds=1, grace_seconds=0.2, processes=60), user=lonely_user())
    assert outcome.timed_out
    found = subprocess.run(
        ["ps", "-o", "pid=", "-u", str(lonely_user().uid)], capture_output=True, text=True, check=False
    )
    assert found.stdout == ""


@needs_root
@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("no-such-program",), "No such file or directory"),
        (("/etc/passwd",), "Permission denied"),
        (("true", "a\0b"), "embedded null byte"),
        (("/bin/true", "x" * 3_000_000), "Argument list too long"),
    ],
)
def test_a_start_as_another_user_that_fails_says_why(argv: tuple[str, ...], words: str) -> None:
    outcome = run(job(*argv), user=lonely_user())
    assert (outcome.exit_code, outcome.error) == (None, f"cannot start {argv[0]!r}: {words}")


@needs_root
def test_a_start_as_another_user_in_a_missing_directory_says_so() -> None:
    before = len(os.listdir("/proc/self/fd"))
    outcome = run(job("true", cwd="/no/such/place"), user=lonely_user())
    assert outcome.error == "cannot start 'true': its working directory '/no/such/place' is missing"
    assert len(os.listdir("/proc/self/fd")) == before


@needs_root
@pytest.mark.parametrize("size", [1, 100_000], ids=["orders that fit a pipe", "orders that do not"])
def test_a_python_that_cannot_change_users_is_not_taken_for_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no modules here; exit 0\n")
    broken.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(broken))
    outcome = run(job("true", "x" * size), user=lonely_user())
    assert outcome.exit_code is None
    assert outcome.error == f"cannot start 'true': {broken} could not change users: no modules here"


@needs_root
def test_arguments_and_environment_reach_another_user_byte_for_byte() -> None:
    odd = "ünï " + b"\xff\xfe".decode("utf-8", "surrogateescape")
    outcome = run(job("sh", "-c", 'printf "%s|%s" "$1" "$ODD"', "sh", odd, env={"ODD": odd}), user=lonely_user())
    assert outcome.output == os.fsencode(f"{odd}|{odd}")


def test_becoming_another_user_without_the_right_to_is_an_error() -> None:
    code = (
        "from generator.runtime.launch import Job, Limits\n"
        "from generator.runtime.process import User, run\n"
        "print(run(Job(('true',), {'PATH': '/usr/bin:/bin'}, '/', Limits(5)), user=User(1, 1)).error)\n"
    )
    with open_folder() as folder:
        assert as_ordinary_user(code, folder) == "cannot start 'true': Operation not permitted\n"
