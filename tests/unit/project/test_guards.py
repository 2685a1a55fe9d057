"""The rules that tests/conftest.py lays on every test do hold."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.golden import Golden
from tests.support.repository import ROOT

ELSEWHERE = "192.0.2.1"  # reserved for documentation (RFC 5737); nobody answers


def run_tests(folder: Path, source: str, *options: str, **env: str) -> str:
    """Run `source` as a test module under our conftest, in a process of its own, and return what pytest printed."""
    module = folder / "test_inner.py"
    module.write_text(textwrap.dedent(source), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-rs"]
    command += ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={folder}", f"--basetemp={folder / 'tmp'}", *options]
    # Measured here, the inner run would write its own data over that of the outer one.
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE", "COV_", "PYTEST"))
    }
    ran = subprocess.run(
        [*command, str(module)], cwd=ROOT, env={**inherited, **env}, capture_output=True, text=True, check=False
    )
    return ran.stdout + ran.stderr


def connect(address: str) -> None:
    socket.create_connection((address, 9), timeout=1)


def send(address: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"x", (address, 9))


def look_up(address: str) -> None:
    socket.getaddrinfo(f"{address}.example", 9)


@pytest.mark.parametrize("reach", [connect, send, look_up])
def test_leaving_the_machine_fails_the_test_even_where_errors_are_handled(reach: Callable[[str], None]) -> None:
    with pytest.raises(pytest.fail.Exception, match="only loopback is allowed"), suppress(Exception):
        reach(ELSEWHERE)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_may_be_reached(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()[:2]) as client:
        assert client.getpeername() == server.getsockname()
        assert socket.getaddrinfo(host, 9)


def test_sockets_of_the_file_system_may_be_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # their addresses must be short
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind("socket")
        server.listen()
        client.connect("socket")


def test_settings_and_secrets_of_the_caller_do_not_leak_in(tmp_path: Path) -> None:
    printed = run_tests(
        tmp_path,
        """
        import os
        from pathlib import Path

        def test_inner():
            leaked = {"RUHROH_X", "HARBORSMITH_X", "OPENAI_API_KEY", "GIT_DIR"} & set(os.environ)
            assert leaked == set()
            assert Path.home() != Path("/nowhere") and Path.home().is_dir()
            assert os.environ["XDG_CONFIG_HOME"].startswith(os.environ["HOME"])
            assert list(Path.home().iterdir()) == []
            Path.home().joinpath("left").touch()

        def test_the_next_has_a_home_of_its_own():
            assert list(Path.home().iterdir()) == []
        """,
        RUHROH_X="1",
        HARBORSMITH_X="1",
        OPENAI_API_KEY="secret",
        GIT_DIR="/nowhere",
        HOME="/nowhere",
    )

    assert "2 passed" in printed, printed


def test_the_umask_is_known_and_the_caller_s_comes_back(tmp_path: Path) -> None:
    printed = run_tests(
        tmp_path,
        """
        import os
        import pytest

        @pytest.fixture(scope="module", autouse=True)
        def outer():
            os.umask(0o077)
            yield
            assert os.umask(0o022) == 0o077

        def test_inner():
            assert os.umask(0) == 0o022
        """,
    )

    assert "1 passed" in printed, printed
    assert "error" not in printed, printed


def test_a_test_that_leaves_the_directory_fails_and_the_next_one_starts_where_it_should(tmp_path: Path) -> None:
    printed = run_tests(
        tmp_path,
        """
        import os

        def test_that_strays(tmp_path):
            os.chdir(tmp_path)

        def test_that_moves_and_comes_back(tmp_path, monkeypatch):
            monkeypatch.chdir(tmp_path)
        """,
    )

    assert "the test left the process in another directory" in printed, printed
    assert "2 passed, 1 error" in printed, printed


@pytest.fixture
def no_sandbox(tmp_path: Path) -> dict[str, str]:
    """An environment in which a bubblewrap is found and cannot start."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "bwrap").write_text("#!/bin/sh\necho 'bwrap: no permission to make namespaces' >&2\nexit 1\n")
    (folder / "bwrap").chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


SANDBOXED = """
    import pytest

    @pytest.mark.sandbox
    def test_inner():
        raise AssertionError("must not run")
"""


def test_without_a_sandbox_its_tests_are_skipped_loudly_with_the_reason(
    tmp_path: Path, no_sandbox: dict[str, str]
) -> None:
    printed = run_tests(tmp_path, SANDBOXED, **no_sandbox)

    assert "1 tests of the sandbox did NOT run: bwrap: no permission to make namespaces" in printed, printed
    assert "1 skipped" in printed, printed


def test_a_missing_sandbox_fails_its_tests_where_it_is_required(tmp_path: Path, no_sandbox: dict[str, str]) -> None:
    printed = run_tests(tmp_path, SANDBOXED, **no_sandbox, HARBORSMITH_REQUIRE_SANDBOX="1")

    assert "no sandbox on this machine: bwrap: no permission to make namespaces" in printed, printed
    assert "1 failed" in printed or "1 error" in printed, printed


@pytest.mark.parametrize(
    ("options", "summary"), [((), "1 failed, 1 passed"), (("--refresh-golden",), "1 passed, 1 deselected")]
)
def test_refreshing_runs_only_the_tests_that_have_an_expected_output(
    tmp_path: Path, options: tuple[str, ...], summary: str
) -> None:
    printed = run_tests(
        tmp_path,
        """
        def test_with(refresh_golden):
            assert refresh_golden

        def test_without():
            pass
        """,
        *options,
    )

    assert summary in printed, printed


def test_an_expected_output_is_written_only_when_asked_and_compared_exactly(tmp_path: Path) -> None:
    for text in ("one\n", ""):
        with pytest.raises(pytest.fail.Exception, match="make golden"):
            Golden(tmp_path).check("a/b.txt", text)
    assert not (tmp_path / "a").exists()

    Golden(tmp_path, refresh=True).check("a/b.txt", "one\r\n")

    Golden(tmp_path).check("a/b.txt", "one\r\n")
    for other in ("one\n", "one\r\ntwo\n", ""):
        with pytest.raises(pytest.fail.Exception, match=r"\n[-+](one|two)"):
            Golden(tmp_path).check("a/b.txt", other)


def test_examples_are_the_same_on_every_run() -> None:
    from hypothesis import settings

    current: Any = settings()
    assert (current.derandomize, current.deadline, current.database) == (True, None, None)
