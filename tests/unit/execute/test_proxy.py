"""What the agent's proxy lets through, asked over its own socket and from inside the sandbox."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.execute.doorway import SOCKET_NAME, doorway_binds, doorway_env, through_doorway
from generator.execute.hosts import AllowedHost, parse_allowed_host
from generator.execute.proxy import MAX_CONNECTIONS, MAX_RECORDED, AgentProxy
from generator.execute.sandbox import Sandbox, probe
from generator.execute.view import SYSTEM_PATH, View
from generator.runtime.launch import Job, Limits
from tests.support.servers import Stub, ask, stub_server


@pytest.fixture
def stub() -> Iterator[Stub]:
    with stub_server() as server:
        yield server


def proxy_for(folder: Path, *hosts: str) -> AgentProxy:
    allowed = []
    for host in hosts:
        parsed = parse_allowed_host(host)
        assert isinstance(parsed, AllowedHost)
        allowed.append(parsed)
    return AgentProxy(folder, tuple(allowed))


def test_a_plain_request_to_an_allowed_host_is_answered(tmp_path: Path, stub: Stub) -> None:
    with proxy_for(tmp_path / "p", f"127.0.0.1:{stub.port}") as proxy:
        request = f"GET http://127.0.0.1:{stub.port}/v1?a=b HTTP/1.1\r\nHost: x\r\nProxy-Connection: keep-alive\r\n\r\n"
        answer = ask(proxy.folder, request.encode())
    assert answer.endswith(stub.answer)
    assert stub.paths == ["/v1?a=b"]
    assert dict(proxy.traffic.allowed) == {f"127.0.0.1:{stub.port}": 1}


def test_a_tunnel_to_an_allowed_host_carries_bytes_both_ways(tmp_path: Path, stub: Stub) -> None:
    with proxy_for(tmp_path / "p", f"127.0.0.1:{stub.port}") as proxy:
        head = f"CONNECT 127.0.0.1:{stub.port} HTTP/1.1\r\n\r\n".encode()
        answer = ask(proxy.folder, head + b"GET /t HTTP/1.0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(stub.answer)


@pytest.mark.parametrize(
    "request_line",
    ["CONNECT example.org:443 HTTP/1.1", "GET http://example.org/ HTTP/1.1", "CONNECT 127.0.0.1:{other} HTTP/1.1"],
)
def test_every_other_host_is_refused_with_the_reason(tmp_path: Path, stub: Stub, request_line: str) -> None:
    with proxy_for(tmp_path / "p", f"127.0.0.1:{stub.port}") as proxy:
        line = request_line.format(other=stub.port + 1 if stub.port < 65535 else 1)
        answer = ask(proxy.folder, line.encode() + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 403")
    assert b"--allow-agent-host" in answer
    assert sum(proxy.traffic.refused.values()) == 1
    assert not proxy.traffic.allowed


def test_a_name_must_not_lead_back_into_this_machine(
    tmp_path: Path, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rebound(host: str, port: int, *args: object, **kwargs: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", rebound)
    with proxy_for(tmp_path / "p", f"api.example.com:{stub.port}") as proxy:
        answer = ask(proxy.folder, f"GET http://api.example.com:{stub.port}/ HTTP/1.1\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 403")
    assert stub.paths == []


def test_an_allowed_host_that_does_not_answer_is_a_bad_gateway(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with proxy_for(tmp_path / "p", f"127.0.0.1:{port}") as proxy:
        assert ask(proxy.folder, f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode()).startswith(b"HTTP/1.1 502")


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"CONNECT host:port HTTP/1.1\r\n\r\n",
        b"CONNECT :443 HTTP/1.1\r\n\r\n",
        b"GET http://[::1 HTTP/1.1\r\n\r\n",
        b"A" * 100_000,
        b"GET ftp://x/ HTTP/1.1\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
    ],
)
def test_what_is_no_proxy_request_is_a_bad_request(tmp_path: Path, request_bytes: bytes) -> None:
    with proxy_for(tmp_path / "p", "127.0.0.1") as proxy:
        answer = ask(proxy.folder, request_bytes)
    assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 403"))
    assert not proxy.traffic.allowed


def test_a_second_request_on_one_connection_is_not_sent_on(tmp_path: Path, stub: Stub) -> None:
    with proxy_for(tmp_path / "p", f"127.0.0.1:{stub.port}") as proxy:
        one = f"GET http://127.0.0.1:{stub.port}/first HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        answer = ask(proxy.folder, one + one.replace(b"first", b"second"))
    assert answer.count(b"HTTP/1.") == 1
    assert stub.paths == ["/first"]


def test_connections_that_say_nothing_do_not_keep_the_run_from_ending(tmp_path: Path) -> None:
    before = threading.active_count()
    clients = []
    with proxy_for(tmp_path / "p", "127.0.0.1") as proxy:
        for _ in range(MAX_CONNECTIONS + 10):
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(proxy.folder / SOCKET_NAME))
            clients.append(client)
    for client in clients:
        client.close()
    assert threading.active_count() == before


def test_a_scan_does_not_fill_the_record(tmp_path: Path) -> None:
    with proxy_for(tmp_path / "p", "127.0.0.1:1") as proxy:
        for number in range(MAX_RECORDED + 20):
            ask(proxy.folder, f"CONNECT h{number}.example.com:443 HTTP/1.1\r\n\r\n".encode())
    assert len(proxy.traffic.refused) == MAX_RECORDED + 1
    assert proxy.traffic.refused["other"] == 20


CLIENT = """
import os, sys, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())
except Exception as error:
    print("failed:", error, getattr(error, "code", ""))
    sys.exit(5)
"""


@pytest.mark.sandbox
@pytest.mark.parametrize(("target", "expected", "code"), [("own", "forty-two", 0), ("other", "403", 5)])
def test_a_program_inside_reaches_allowed_hosts_by_its_proxy_variables(
    tmp_path: Path, stub: Stub, target: str, expected: str, code: int
) -> None:
    sandbox = probe()
    assert isinstance(sandbox, Sandbox)
    url = f"http://127.0.0.1:{stub.port}/v1" if target == "own" else "http://example.org/"
    with proxy_for(tmp_path / "p", f"127.0.0.1:{stub.port}") as proxy:
        binds = doorway_binds(proxy.folder, {})
        argv = through_doorway(("/usr/bin/python3", "-c", CLIENT, url))
        env = {"PATH": SYSTEM_PATH, **doorway_env({})}
        outcome = sandbox.run(View(binds=binds, workdir="/"), Job(argv, env, "/", Limits(60)))
    assert expected in outcome.text
    assert outcome.exit_code == code


@pytest.mark.sandbox
def test_a_program_behind_the_forwarder_has_no_child_it_did_not_start(tmp_path: Path) -> None:
    sandbox = probe()
    assert isinstance(sandbox, Sandbox)
    code = "import os\ntry:\n  os.wait()\nexcept ChildProcessError:\n  print('alone')"
    with proxy_for(tmp_path / "p", "127.0.0.1") as proxy:
        binds = doorway_binds(proxy.folder, {})
        argv = through_doorway(("/usr/bin/python3", "-c", code))
        outcome = sandbox.run(View(binds=binds, workdir="/"), Job(argv, {"PATH": SYSTEM_PATH}, "/", Limits(60)))
    assert outcome.text == "alone\n"


@pytest.mark.sandbox
def test_a_program_that_cannot_start_behind_the_forwarder_ends_with_127(tmp_path: Path) -> None:
    sandbox = probe()
    assert isinstance(sandbox, Sandbox)
    with proxy_for(tmp_path / "p", "127.0.0.1") as proxy:
        binds = doorway_binds(proxy.folder, {})
        argv = through_doorway(("/no/such/program",))
        outcome = sandbox.run(View(binds=binds, workdir="/"), Job(argv, {"PATH": SYSTEM_PATH}, "/", Limits(60)))
    assert (outcome.exit_code, outcome.text) == (127, "/no/such/program: No such file or directory\n")
