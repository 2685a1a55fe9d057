"""Let a confined agent reach named hosts and nothing else.

The agent has no network. A small HTTP proxy in this process answers on a Unix socket that is shown inside, and a
forwarder there (`forwarder.py`) makes a loopback port of it, because programs know proxies by address. The decision is
made here, where the agent cannot change it; names are resolved here, so none leaks through a resolver.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import ipaddress
import os
import re
import socket
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from generator.execute.doorway import SOCKET_NAME
from generator.execute.hosts import AllowedHost, canonical_host, is_host

MAX_HEAD_BYTES: Final = 32 * 1024
MAX_CONNECTIONS: Final = 64
MAX_RECORDED: Final = 100  # different targets; an agent that scans must not fill the record
HEAD_SECONDS: Final = 30.0
CONNECT_SECONDS: Final = 30.0
_CHUNK: Final = 64 * 1024
_PORT: Final = re.compile("[0-9]{1,5}")  # Python refuses to read a number of thousands of digits
_SHOWN: Final = 300  # characters of a malformed target in the answer


@dataclass(slots=True)
class Traffic:
    """How often each target was reached or refused; keys are `host:port`."""

    allowed: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def count(self, counter: Counter[str], target: str) -> None:
        """Count one more; beyond `MAX_RECORDED` targets everything new is `other`."""
        counter[target if target in counter or len(counter) < MAX_RECORDED else "other"] += 1


@dataclass(frozen=True, slots=True)
class _Request:
    host: str
    port: int
    head: bytes | None  # what to send on; None for a tunnel


class _Refusal(Exception):  # noqa: N818 -- an answer to the client, not a fault
    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class AgentProxy:
    """A running proxy; a context manager. `folder` is shown inside, read-only, and holds the socket."""

    def __init__(self, folder: Path, allowed: tuple[AllowedHost, ...]) -> None:
        """Prepare a proxy whose socket lies in `folder` (made if missing) and that reaches the `allowed` hosts."""
        self.folder = folder
        self.traffic = Traffic()
        self._allowed = allowed
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._clients: dict[asyncio.Task[None], socket.socket] = {}
        self._thread = threading.Thread(target=self._serve, name="agent-proxy", daemon=True)
        self._problem: OSError | None = None

    def __enter__(self) -> Self:
        self.folder.mkdir(mode=0o755, exist_ok=True)
        self._thread.start()
        self._ready.wait()
        if self._problem is not None:
            raise self._problem
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _serve(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._listen())

    async def _listen(self) -> None:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with listener:
            try:
                path = self.folder / SOCKET_NAME
                listener.bind(str(path))
                listener.listen(MAX_CONNECTIONS)
                listener.settimeout(0)
                os.chmod(path, 0o666)  # noqa: S103 -- the agent is another account; what it may ask is decided below
            except OSError as error:
                self._problem = error
                return
            finally:
                self._ready.set()
            self._loop.add_reader(listener, self._accept, listener)
            await self._stop.wait()
            self._loop.remove_reader(listener)
            await self._end()

    async def _end(self) -> None:
        """End what is left, also what was accepted a moment ago and is not served yet."""
        left = dict(self._clients)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await asyncio.sleep(0)  # transports close on the turn of the loop after they were told to
        for connection in left.values():
            connection.close()

    def _accept(self, listener: socket.socket) -> None:
        """Serve one more; beyond `MAX_CONNECTIONS` others wait in the system's queue."""
        with contextlib.suppress(OSError):  # whoever asked is gone
            connection, _ = listener.accept()
            task = self._loop.create_task(self._answer(connection))
            self._clients[task] = connection
            task.add_done_callback(functools.partial(self._forget, listener))
        if len(self._clients) >= MAX_CONNECTIONS:
            self._loop.remove_reader(listener)

    def _forget(self, listener: socket.socket, task: asyncio.Task[None]) -> None:
        del self._clients[task]
        if not self._stop.is_set():
            self._loop.add_reader(listener, self._accept, listener)

    async def _answer(self, connection: socket.socket) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=connection, limit=MAX_HEAD_BYTES)
        try:
            await self._connect(reader, writer)
        except _Refusal as refusal:
            await _say(writer, refusal.status, refusal.reason)
        except OSError:
            pass  # either side went away
        finally:
            writer.close()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await _read_request(reader)
        target = f"{request.host}:{request.port}"
        if not any(host.admits(request.host, request.port) for host in self._allowed):
            self.traffic.count(self.traffic.refused, target)
            raise _Refusal(
                "403 Forbidden", f"{target} is not allowed; the operator allows hosts with --allow-agent-host"
            )
        upstream_reader, upstream_writer = await self._open(request, target)
        self.traffic.count(self.traffic.allowed, target)
        try:
            if request.head is None:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                upstream_writer.write(request.head)
            await asyncio.gather(_pump(reader, upstream_writer), _pump(upstream_reader, writer))
        finally:
            upstream_writer.close()

    async def _open(self, request: _Request, target: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            addresses = await asyncio.wait_for(_addresses(request), CONNECT_SECONDS)
            return await asyncio.wait_for(asyncio.open_connection(addresses[0], request.port), CONNECT_SECONDS)
        except (OSError, TimeoutError) as error:
            raise _Refusal(
                "502 Bad Gateway", f"{target} cannot be reached: {str(error) or 'no answer in time'}"
            ) from error


async def _addresses(request: _Request) -> list[str]:
    """The addresses of the host. A name must not lead back into this machine: only an address or `localhost` may."""
    found = await asyncio.get_running_loop().getaddrinfo(request.host, request.port, proto=6)
    addresses = [str(entry[4][0]) for entry in found]
    inward = [address for address in addresses if _is_inward(address)]
    if inward and canonical_host(request.host) not in (*inward, "localhost"):
        raise _Refusal("403 Forbidden", f"{request.host} leads to {inward[0]}; name the address itself to allow that")
    return addresses


def _is_inward(address: str) -> bool:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return parsed.is_loopback or parsed.is_link_local or parsed.is_unspecified


async def _read_request(reader: asyncio.StreamReader) -> _Request:
    try:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_SECONDS)
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError) as error:
        raise _Refusal("400 Bad Request", "that is no request to an HTTP proxy") from error
    line, *fields = head[:-4].split(b"\r\n")
    words = line.split(b" ")
    if len(words) != 3:
        raise _Refusal("400 Bad Request", "the first line is not METHOD TARGET VERSION")
    method, target, version = words
    if method == b"CONNECT":
        host, port = _authority(target, 443)
        return _Request(host, port, None)
    if not target.lower().startswith(b"http://"):
        raise _Refusal("400 Bad Request", "the target is not an absolute http:// address")
    authority, slash, path = target[7:].partition(b"/")
    host, port = _authority(authority, 80)
    # One request per connection: a later one could be meant for another host.
    kept = [field for field in fields if not field.lower().startswith((b"connection:", b"proxy-", b"keep-alive:"))]
    lines = [b" ".join((method, slash + path or b"/", version)), *kept, b"Connection: close"]
    return _Request(host, port, b"\r\n".join(lines) + b"\r\n\r\n")


def _authority(data: bytes, default: int) -> tuple[str, int]:
    text = data.decode("ascii", "replace")
    host, colon, port = text.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = text, str(default)
    host = canonical_host(host)
    if not is_host(host) or not _PORT.fullmatch(port) or not 0 < int(port) < 65536:
        raise _Refusal("400 Bad Request", f"{text[:_SHOWN]!r} names no host and port")
    return host, int(port)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass bytes on until their end, then say so to the other side."""
    try:
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    except OSError:
        writer.close()
        return
    if writer.can_write_eof() and not writer.is_closing():
        with contextlib.suppress(OSError):
            writer.write_eof()


async def _say(writer: asyncio.StreamWriter, status: str, reason: str) -> None:
    body = f"harborsmith: {reason}\n".encode("utf-8", "replace")
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with contextlib.suppress(OSError):
        writer.write(head.encode() + body)
        await writer.drain()
