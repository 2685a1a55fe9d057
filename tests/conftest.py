"""What holds for every test: nothing leaks in from the developer's machine, and nothing leaks out to it."""

from __future__ import annotations

import ipaddress
import itertools
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.support.golden import Golden

GOLDEN = Path(__file__).parent / "golden"
REQUIRE_SANDBOX = "HARBORSMITH_REQUIRE_SANDBOX"
NO_SANDBOX = "no sandbox on this machine"
_XDG = {"CONFIG": ".config", "CACHE": ".cache", "DATA": ".local/share", "STATE": ".local/state"}

# The same examples on every machine and run: a red build is then about the change, and never about luck.
hypothesis.settings.register_profile(
    "harborsmith", derandomize=True, max_examples=100, deadline=None, database=None, print_blob=False
)
hypothesis.settings.load_profile("harborsmith")


def pytest_configure() -> None:
    """Take interruptions again: a runner started in the background ignores them, and so would all it starts."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--refresh-golden", action="store_true", help="rewrite the expected outputs; runs only the tests that have one"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--refresh-golden"):
        return
    uses = {item: {"golden", "refresh_golden"} & set(getattr(item, "fixturenames", ())) for item in items}
    config.hook.pytest_deselected(items=[item for item in items if not uses[item]])
    items[:] = [item for item in items if uses[item]]


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("sandbox") is None:
        return
    reason = _sandbox_fault()
    if reason and os.environ.get(REQUIRE_SANDBOX) == "1":
        pytest.fail(f"{NO_SANDBOX}: {reason} ({REQUIRE_SANDBOX}=1 forbids the skip)", pytrace=False)
    if reason:
        pytest.skip(f"{NO_SANDBOX}: {reason}")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = [report for report in terminalreporter.stats.get("skipped", ()) if NO_SANDBOX in str(report.longrepr)]
    if skipped:
        terminalreporter.write_line(
            f"{len(skipped)} tests of the sandbox did NOT run: {_sandbox_fault()}", yellow=True, bold=True
        )


@cache
def _sandbox_fault() -> str:
    """Why bubblewrap cannot start here, empty when it can. Only a try tells: every machine has its own policy."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed"
    command = [program, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
    try:
        tried = subprocess.run([*command, "true"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if tried.returncode == 0 else tried.stderr.decode(errors="replace").strip() or f"exit {tried.returncode}"


@pytest.fixture
def refresh_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected outputs are to be rewritten instead of compared."""
    return bool(request.config.getoption("--refresh-golden"))


@pytest.fixture
def golden(refresh_golden: bool) -> Golden:
    """Compare texts with the files in tests/golden: `golden.check("name.txt", text)`."""
    return Golden(GOLDEN, refresh=refresh_golden)


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    base = tmp_path_factory.mktemp("homes")
    numbers = itertools.count()

    def make() -> Path:
        home = base / str(next(numbers))
        home.mkdir()
        return home

    return make


@pytest.fixture(autouse=True)
def _closed_world(_homes: Callable[[], Path]) -> Iterator[None]:
    """A home of its own, none of the caller's settings or secrets, a known umask; and the test keeps the directory."""
    before = Path.cwd()
    home = _homes()
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("RUHROH_", "HARBORSMITH_", "GIT_", "XDG_")) or name.endswith("_API_KEY"):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        for name, folder in _XDG.items():
            patch.setenv(f"XDG_{name}_HOME", str(home / folder))
        umask = os.umask(0o022)
        yield
        os.umask(umask)
    after = Path.cwd()
    os.chdir(before)
    assert after == before, "the test left the process in another directory; use monkeypatch.chdir"


@pytest.fixture(scope="session", autouse=True)
def _loopback_only() -> Iterator[None]:
    """Refuse connections and look-ups of this process that would leave the machine. (Children are not covered.)"""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
        real_lookup = socket.getaddrinfo

        def lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
            _refuse_unless_local(host)
            return real_lookup(host, *args, **kwargs)

        patch.setattr(socket, "getaddrinfo", lookup)
        yield


def _guarded(real: Callable[..., Any]) -> Callable[..., Any]:
    def call(sock: socket.socket, *args: Any) -> Any:
        if sock.family in {socket.AF_INET, socket.AF_INET6}:
            _refuse_unless_local(args[-1][0])
        return real(sock, *args)

    return call


def _refuse_unless_local(host: Any) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name in {None, "", "localhost"}:
        return
    try:
        local = ipaddress.ip_address(name).is_loopback
    except ValueError:
        local = False
    if not local:
        # Not an Exception, so that no handler of the code under test can hide it.
        pytest.fail(f"a test tried to reach {name!r}; only loopback is allowed")
