"""Run an agent's turns inside its container: as root, the agent's command as the account the task names.

Every call is a process of its own that answers one order: `prepare` once, `turn` for each, `close` at the end, whatever
happened before. Orders, and a turn's answer, are files in a directory that is root's alone: what a turn is given stands
neither in an argument list nor where an earlier turn could read it. The other answers hold nothing of a turn and are
printed: a file that has to be fetched costs a request more.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import pwd
import signal
import sys
import time
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Mapping, Sequence

from . import strictjson
from .agentresult import AgentResult, read_agent_result
from .launch import Job, Limits, Outcome
from .places import MESSAGES, RESULTS, ROOT, RUN_ROOT, message_name, result_name
from .process import User, run
from .proctree import owned_by
from .runroot import keep_run_root
from .trees import DIRECTORY, FILE, create_directory, empty_directory, remove_tree, walk

# Absolute paths in the container beside those that the agent is told of; all but its program are ours alone.
PRIVATE = f"{ROOT}/supervisor"
ORDERS = f"{PRIVATE}/orders.json"
ANSWER = f"{PRIVATE}/answer.json"  # of a turn
ANSWERED = "supervisor answered: "  # before an answer that is printed
CLOSED = f"{PRIVATE}/closed"  # stands there once no further turn may begin
LOCK = f"{PRIVATE}/lock"  # held by every turn while it runs
AGENT = "/agent"
LOGS = "/logs/agent"

# Harbor sets no limit of its own, and a fork bomb holds the whole machine. Threads count, and the kernel counts those
# of an account over all containers of a machine, so that there must be room for many agents at a time.
PROCESSES = 4096
LOCK_SECONDS = 15.0  # for a turn whose caller was cancelled to notice that its agent is dead
MAX_ORDER_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class Places:
    """Where those paths lie as this process sees them: below `top`, which in a container is nothing."""

    top: str = ""

    def at(self, path: str) -> str:
        """An absolute path of the container."""
        return self.top + path


CONTAINER = Places()


@dataclass(frozen=True)
class Account:
    """The agent's account in this container."""

    uid: int
    gid: int
    home: str

    @property
    def user(self) -> User:
        """As the process runner takes it."""
        return User(self.uid, self.gid)


def account(name: str) -> Account:
    """The account called `name`. Raises ValueError for one that is missing, or is root."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise ValueError(f"the image has no account {name!r}") from None
    if entry.pw_uid == 0:
        raise ValueError(f"the account {name!r} is root: nothing could be kept from the agent, or end it")
    return Account(entry.pw_uid, entry.pw_gid, entry.pw_dir)


def main(arguments: Sequence[str], places: Places = CONTAINER) -> int:
    """Carry out the order `prepare`, `turn` or `close`, whose details lie in `ORDERS`.

    The answer to a turn is in `ANSWER`, every other is printed, as one line of JSON after `ANSWERED`.

    Returns:
        0 with an answer, 1 with a reason on standard output.
    """
    try:
        orders = strictjson.read_object(places.at(ORDERS), MAX_ORDER_BYTES)
        os.unlink(places.at(ORDERS))
        work = {"prepare": prepare, "turn": turn, "close": close}[arguments[0]]
        answer = work(account(orders["user"]), orders, places)
    except (OSError, ValueError, LookupError) as problem:
        sys.stdout.write(f"supervisor: {problem}\n")
        return 1
    if arguments[0] == "turn":
        strictjson.write(places.at(ANSWER), answer)
    else:
        sys.stdout.write(f"{ANSWERED}{json.dumps(answer)}\n")
    return 0


def prepare(agent: Account, _orders: Mapping[str, Any], places: Places) -> Dict[str, Any]:
    """Make the agent's directories, and its program readable for it; says where it is at home and its PATH."""
    os.chmod(places.at(ROOT), 0o755)  # noqa: S103 -- the agent passes through it
    for folder in map(places.at, (MESSAGES, RESULTS, RUN_ROOT)):
        if not os.path.isdir(folder):
            create_directory(folder)
    os.chown(places.at(RUN_ROOT), agent.uid, agent.gid)
    if os.path.isdir(places.at(AGENT)):
        _open_up(places.at(AGENT))
    return {"uid": agent.uid, "home": agent.home, "path": os.environ.get("PATH", "")}


def _open_up(top: str) -> None:
    """Let everybody read a tree of ours, and execute what its owner may."""
    os.chmod(top, 0o755)  # noqa: S103 -- it is the agent's own program
    for entry in walk(top):
        if entry.kind in (DIRECTORY, FILE):
            executable = entry.kind == DIRECTORY or entry.executable
            os.chmod(os.path.join(top, entry.path), 0o755 if executable else 0o644)


def turn(agent: Account, orders: Mapping[str, Any], places: Places) -> Dict[str, Any]:
    """Run one turn to its end and end whatever it left running.

    Orders: `number`, `argv`, `cwd`, `env` (all of it), `message`, `seconds`.
    """
    results = places.at(RESULTS)
    with _turn_lock(places, 0) as free:
        if not free or os.path.exists(places.at(CLOSED)):
            raise ValueError("another turn is still running, or the run is over")
        number = int(orders["number"])
        _write_message(places.at(f"{MESSAGES}/{message_name(number)}"), orders["message"])
        remove_tree(results)
        create_directory(results)
        os.chown(results, agent.uid, agent.gid)
        limits = Limits(float(orders["seconds"]), processes=PROCESSES)
        job = Job(tuple(orders["argv"]), orders["env"], orders["cwd"], limits)
        outcome = run(job, user=agent.user)
        return {"outcome": _as_json(outcome), "result": _result_json(os.path.join(results, result_name(number)))}


def _write_message(path: str, text: str) -> None:
    remove_tree(path)
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write(text)
    os.chmod(path, 0o644)


def _as_json(outcome: Outcome) -> Dict[str, Any]:
    return {
        "exitCode": outcome.exit_code,
        "timedOut": outcome.timed_out,
        "signals": list(outcome.signals),
        "leftOver": outcome.left_over,
        "output": base64.b64encode(outcome.output).decode(),
        "outputBytes": outcome.output_bytes,
        "omittedBytes": outcome.omitted_bytes,
        "seconds": outcome.seconds,
        "error": outcome.error,
    }


def read_outcome(value: Mapping[str, Any]) -> Outcome:
    """The outcome of a turn from an answer. Raises LookupError or ValueError for something else."""
    return Outcome(
        exit_code=value["exitCode"],
        timed_out=value["timedOut"],
        signals=tuple(value["signals"]),
        left_over=value["leftOver"],
        output=base64.b64decode(value["output"]),
        output_bytes=value["outputBytes"],
        omitted_bytes=value["omittedBytes"],
        seconds=value["seconds"],
        error=value["error"],
    )


def _result_json(path: str) -> Dict[str, Any]:
    try:
        result = read_agent_result(path)
    except OSError as problem:
        result = AgentResult(errors=(f"the result file cannot be read: {problem.strerror or problem}",))
    return {
        "version": result.version,
        "status": result.status,
        "fields": dict(result.fields),
        "errors": list(result.errors),
    }


def read_result(value: Mapping[str, Any]) -> AgentResult:
    """The agent's result file from an answer. Raises LookupError for something else."""
    return AgentResult(value["version"], value["status"], value["fields"], tuple(value["errors"]))


def close(agent: Account, orders: Mapping[str, Any], places: Places) -> Dict[str, Any]:
    """End everything of the agent, forbid further turns, and clear the log directory of what it left there.

    The log directory is writable for everybody and what lies there later counts as ours: nothing of the agent's may
    stay. Its run root and trace are kept as two files.

    Orders: `secrets`, variables whose values these files must not hold.
    """
    with open(places.at(CLOSED), "w", encoding="ascii"):
        pass
    found = len(owned_by(agent.uid))
    deadline = time.monotonic() + LOCK_SECONDS
    ended = False
    while not ended and time.monotonic() < deadline:
        end_all_of(agent.user)
        with _turn_lock(places, 0.05) as free:
            ended = free and not owned_by(agent.uid)
    notes = [] if ended else ["processes of the agent could not be ended"]
    logs = places.at(LOGS)
    os.chown(logs, 0, 0)
    os.chmod(logs, 0o755)  # noqa: S103 -- the agent is over; others may read
    empty_directory(logs)
    return {"ended": found, "notes": [*notes, *keep_run_root(places.at(RUN_ROOT), logs, orders["secrets"])]}


def end_all_of(user: User) -> None:
    """Send SIGKILL to every process of a user at once, from a process of its own: nobody can fork away from that."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(user.gid)
            os.setuid(user.uid)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


@contextlib.contextmanager
def _turn_lock(places: Places, seconds: float) -> Iterator[bool]:
    """Hold what every turn holds while it runs; False when that was not possible within `seconds`."""
    with open(places.at(LOCK), "w", encoding="ascii") as stream:
        deadline = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    yield False
                    return
                time.sleep(0.01)
            else:
                yield True
                return
