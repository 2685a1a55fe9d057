"""Servers on loopback for tests: each in a thread, on a free port, gone at the end of its block."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from generator.execute.doorway import SOCKET_NAME


@dataclass
class Stub:
    """A model's API that answers everything alike. `paths` holds what was asked for."""

    port: int = 0
    answer: bytes = b'{"text": "forty-two"}'
    paths: list[str] = field(default_factory=list)


@contextlib.contextmanager
def stub_server() -> Iterator[Stub]:
    """Serve until the block ends."""
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            self._answer()

        def _answer(self) -> None:
            stub.paths.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(stub.answer)))
            self.end_headers()
            self.wfile.write(stub.answer)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def ask(folder: Path, request: bytes) -> bytes:
    """All that the agent's proxy in `folder` answers to a request."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(20)
        client.connect(str(folder / SOCKET_NAME))
        client.sendall(request)
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while data := client.recv(65536):
            answer += data
        return answer
