"""Inside the sandbox: make the proxy's socket a loopback port, then become the agent.

usage: forwarder.py PORT SOCKET COMMAND [ARG...]

Run by the system's own python3, so it is kept to the standard library and to Python 3.9. The server lives in a process
of its own that is nobody's child (the agent must not find one it never started); it ends with the sandbox.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading

MAX_CONNECTIONS = 64
CHUNK = 65536


def main(port: int, path: str, command: list) -> None:  # type: ignore[type-arg]
    """Listen, leave the serving to a detached process, and execute the command in this one."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(MAX_CONNECTIONS)
    child = os.fork()
    if child == 0:
        if os.fork():
            os._exit(0)
        _detach()
        _serve(listener, path)
    os.waitpid(child, 0)
    listener.close()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


def _detach() -> None:
    os.setsid()
    empty = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(empty, descriptor)


def _serve(listener: socket.socket, path: str) -> None:
    slots = threading.BoundedSemaphore(MAX_CONNECTIONS)
    while True:
        client, _ = listener.accept()
        slots.acquire()
        threading.Thread(target=_join, args=(client, path, slots), daemon=True).start()


def _join(client: socket.socket, path: str, slots: threading.BoundedSemaphore) -> None:
    """Connect the two and pass bytes both ways until both have ended."""
    try:
        with client, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as upstream:
            upstream.connect(path)
            other = threading.Thread(target=_pump, args=(upstream, client), daemon=True)
            other.start()
            _pump(client, upstream)
            other.join()
    except OSError:
        pass
    finally:
        slots.release()


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while True:
            data = source.recv(CHUNK)
            if not data:
                break
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
