"""Talk to the supervisor inside a container: install it, give orders, read answers.

An order is a file that the supervisor deletes when it has read it, so that nothing of a turn (message, variables, keys)
ever stands in an argument list of this machine or of the container.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from generator.execute.view import SYSTEM_PATH, Bind
from generator.resources import RUNTIME
from generator.runtime.agentresult import AgentResult
from generator.runtime.launch import GRACE_SECONDS, Outcome
from generator.runtime.places import ROOT
from generator.runtime.strictjson import loads, read_object, write
from generator.runtime.supervise import (
    AGENT,
    ANSWER,
    ANSWERED,
    LOCK_SECONDS,
    ORDERS,
    PRIVATE,
    read_outcome,
    read_result,
)

Answer = TypeVar("Answer")

COMMAND: Final = f"python3 -I {PRIVATE}/runtime supervise"  # compiled once: the folder is root's alone
MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
SHORT_SECONDS: Final = 60  # for an order that only tidies up
MARGIN_SECONDS: Final = 60  # after a turn's own limit, for ending it; the container's clock decides, not this one


class SupervisorError(RuntimeError):
    """The container, or Harbor's access to it, failed; the message says what was tried."""


class Executed(Protocol):
    """How a command in the container ended."""

    @property
    def return_code(self) -> int:
        """Its exit status."""
        ...

    @property
    def stdout(self) -> str | None:
        """What it printed; some environments add the standard error to it."""
        ...

    @property
    def stderr(self) -> str | None:
        """What it printed to standard error, where that is kept apart."""
        ...


class Container(Protocol):
    """The part of Harbor's environments that is used here."""

    async def exec(
        self, command: str, *, cwd: str | None = None, timeout_sec: int | None = None, user: str | int | None = None
    ) -> Executed:
        """Run a shell command."""
        ...

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy a file into the container."""
        ...

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy what a directory holds into one of the container."""
        ...

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy a file out of the container."""
        ...


@dataclass(frozen=True, slots=True)
class Home:
    """What the container says about the agent's account: its home directory, and the PATH of the image."""

    directory: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOrder:
    """One turn: its number, the command and where it starts, all its variables, the message, and its time limit."""

    number: int
    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    message: str
    seconds: float


class Supervisor:
    """The supervisor of one container. Its methods raise `SupervisorError` when the container does not do its part."""

    def __init__(self, container: Container, user: str, secrets: Mapping[str, str]) -> None:
        """Work in `container`, whose agent has the account `user`; no value of `secrets` is kept of what it leaves."""
        self._container = container
        self._user = user
        self._secrets = dict(secrets)

    async def install(self, binds: Sequence[Bind]) -> Home:
        """Upload the supervisor and what shows the agent's program, and prepare both."""
        folders = f"mkdir -p {ROOT} {AGENT} && mkdir -p -m 700 {PRIVATE} && chmod 700 {PRIVATE}"
        await self._run(f"{folders} && command -v python3", SHORT_SECONDS)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / RUNTIME.name
            copy.mkdir()
            for source in sorted(RUNTIME.glob("*.py")):
                (copy / source.name).write_bytes(source.read_bytes())
            self._write_orders(folder, {})
            await self._container.upload_dir(folder, PRIVATE)
        for bind in binds:
            await self._container.upload_dir(bind.source, bind.target)
        return _printed(await self._run(f"{COMMAND} prepare", SHORT_SECONDS), "prepare", _home)

    async def turn(self, order: TurnOrder) -> tuple[Outcome, AgentResult]:
        """Run a turn to its end; how it went, and what the agent wrote about it."""
        details = {
            "number": order.number,
            "argv": list(order.argv),
            "cwd": order.cwd,
            "env": dict(order.env),
            "message": order.message,
            "seconds": order.seconds,
        }
        await self._order("turn", details, int(order.seconds + GRACE_SECONDS) + MARGIN_SECONDS)
        answer = await self._downloaded()
        try:
            return read_outcome(answer["outcome"]), read_result(answer["result"])
        except (LookupError, TypeError, ValueError) as problem:
            raise SupervisorError(f"the container's answer to a turn is malformed: {problem!r}") from problem

    async def close(self) -> tuple[str, ...]:
        """End everything of the agent; what a reader of the run should know."""
        said = await self._order("close", {"secrets": self._secrets}, int(LOCK_SECONDS) + SHORT_SECONDS)
        return _printed(said, "close", _notes)

    async def _order(self, name: str, details: Mapping[str, Any], seconds: int) -> str:
        """Give an order and wait until it is carried out; what was printed."""
        with tempfile.TemporaryDirectory() as folder:  # mkdtemp: nobody else may look into it
            await self._container.upload_file(self._write_orders(folder, details), ORDERS)
        return await self._run(f"{COMMAND} {name}", seconds)

    def _write_orders(self, folder: str, details: Mapping[str, Any]) -> Path:
        orders = Path(folder) / Path(ORDERS).name
        write(str(orders), {"user": self._user, **details})
        orders.chmod(0o600)
        return orders

    async def _downloaded(self) -> dict[str, Any]:
        """The answer to a turn."""
        with tempfile.TemporaryDirectory() as folder:
            answer = Path(folder) / Path(ANSWER).name
            await self._container.download_file(ANSWER, answer)
            try:
                return read_object(str(answer), MAX_ANSWER_BYTES)
            except (OSError, ValueError) as problem:
                raise SupervisorError(f"the container's answer to 'turn' cannot be read: {problem}") from problem

    async def _run(self, command: str, seconds: int) -> str:
        """What a command printed; where errors go is the environment's affair."""
        done = await self._container.exec(command, cwd="/", timeout_sec=seconds, user="root")
        said = f"{done.stdout or ''}\n{done.stderr or ''}"
        if done.return_code != 0:
            last = said.strip()[-1000:] or "no output"
            raise SupervisorError(f"`{command}` exited with {done.return_code} in the container: {last}")
        return said


def _printed(said: str, order: str, read: Callable[[Any], Answer]) -> Answer:
    """The answer to an order that stands in what was printed, as `read` understands it."""
    answers = [line.removeprefix(ANSWERED) for line in said.splitlines() if line.startswith(ANSWERED)]
    if len(answers) != 1:
        raise SupervisorError(f"the container gave {len(answers)} answers to {order!r}: {said.strip()[-1000:]}")
    try:
        return read(loads(answers[0]))
    except (LookupError, TypeError, ValueError) as problem:
        raise SupervisorError(f"the container's answer to {order!r} cannot be read: {problem!r}") from problem


def _home(answer: Any) -> Home:
    return Home(_text(answer["home"]), _text(answer["path"]) or SYSTEM_PATH)


def _notes(answer: Any) -> tuple[str, ...]:
    return tuple(map(_text, answer["notes"]))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
