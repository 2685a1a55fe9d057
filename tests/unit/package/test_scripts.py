"""The constant scripts, run for real."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest

from generator.package.render import collect_script, constant
from tests.support.files import Script, Tree, read_tree, write_tree


def solve(folder: Path, reference: Tree | None) -> subprocess.CompletedProcess[str]:
    """Run solve.sh with `reference` beside it in an emptied workspace `folder/work`."""
    solution = folder / "solution"
    write_tree(solution, {"solve.sh": constant("solution/solve.sh")})
    if reference is not None:
        write_tree(solution / "reference", reference)
    (folder / "work").mkdir(exist_ok=True)
    command = ["bash", str(solution / "solve.sh")]
    return subprocess.run(command, cwd=folder / "work", capture_output=True, text=True, check=False)


def test_a_reference_is_laid_over_the_workspace(tmp_path: Path) -> None:
    write_tree(tmp_path / "work", {"main.py": "old", "kept.txt": "kept", "src/a.py": "a"})
    done = solve(tmp_path, {"main.py": "new", "src/b.py": "b", ".hidden": "h", "-odd name": "o", "run": Script("x")})
    assert done.returncode == 0, done.stderr
    assert read_tree(tmp_path / "work") == {
        "-odd name": (b"o", False),
        ".hidden": (b"h", False),
        "kept.txt": (b"kept", False),
        "main.py": (b"new", False),
        "run": (b"x", True),
        "src/a.py": (b"a", False),
        "src/b.py": (b"b", False),
    }


def test_a_reference_with_a_script_is_run_in_the_workspace(tmp_path: Path) -> None:
    done = solve(tmp_path, {"solve.sh": 'cat "$(dirname "$0")/answer" >report; exit 7\n', "answer": "42"})
    assert done.returncode == 7
    assert read_tree(tmp_path / "work") == {"report": (b"42", False)}


def test_without_a_reference_the_solution_says_so_and_fails(tmp_path: Path) -> None:
    done = solve(tmp_path, None)
    assert done.returncode == 1
    assert "no reference solution" in done.stderr
    assert read_tree(tmp_path / "work") == {}


# --- the hook that hands the workspace over -------------------------------------------------------------------------


@pytest.fixture
def collect(tmp_path: Path) -> Path:
    """A folder with an agent's `app` and `logs`, for `handed_over`."""
    if os.geteuid() != 0:
        pytest.skip("the hook ends other users' processes, which takes root")
    write_tree(tmp_path / "logs", {"agent/turn.log": "log\n", "artifacts/planted.tar": "x"})
    (tmp_path / "app").mkdir()
    return tmp_path


def handed_over(folder: Path, before: str = "", workdir: str = "/app") -> subprocess.CompletedProcess[str]:
    """Run `before` in the background as the agent, then the hook as root, in a container of its own."""
    (folder / "hook.sh").write_text(collect_script(workdir))
    (folder / "before.sh").write_text(f"touch /app/ready\n{before}")
    (folder / "main.sh").write_text(
        "cd /app\n"
        "setsid setpriv --reuid 10001 --regid 10001 --clear-groups bash /t/before.sh &\n"
        "for i in {1..1000}; do [ -e /app/ready ] && break; sleep 0.01; done; rm /app/ready || exit 99\n"
        'bash -c "$(cat /t/hook.sh)"; code=$?\n'
        "ls -ln /proc | grep -c ' 10001 ' >/t/left\n"
        "exit $code\n"
    )
    folder.chmod(0o755)
    for name in ("app", "logs/agent", "logs/artifacts"):
        (folder / name).chmod(0o777)
    command = ["bwrap", "--unshare-pid", "--unshare-net", "--die-with-parent", "--cap-add", "ALL", "--tmpfs", "/"]
    for name in ("usr", "bin", "lib", "lib64", "sbin", "etc"):
        if Path("/", name).is_symlink():
            command += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
        elif Path("/", name).exists():
            command += ["--ro-bind", f"/{name}", f"/{name}"]
    command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--perms", "0755", "--dir", "/t"]
    command += [
        "--bind",
        str(folder),
        "/t",
        "--bind",
        str(folder / "app"),
        "/app",
        "--bind",
        str(folder / "logs"),
        "/logs",
    ]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    return subprocess.run(
        [*command, "bash", "/t/main.sh"], capture_output=True, text=True, check=False, timeout=60, env=environment
    )


def members(folder: Path) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(folder / "logs/artifacts/workspace.tar") as archive:
        return {member.name: member for member in archive}


@pytest.mark.sandbox
def test_the_hook_hands_over_the_workspace_and_the_logs_and_nothing_planted(collect: Path) -> None:
    write_tree(collect / "app", {"report.json": "{}", ".git/HEAD": "ref", "build/out.bin": "b"})
    (collect / "app/away").symlink_to("../../etc/passwd")
    (collect / "logs/agent/away").symlink_to("/etc/passwd")
    done = handed_over(collect)
    assert done.returncode == 0, done.stderr
    assert set(members(collect)) == {
        ".",
        "./.git",
        "./.git/HEAD",
        "./away",
        "./build",
        "./build/out.bin",
        "./report.json",
    }
    assert members(collect)["./away"].issym()
    logs = collect / "logs/artifacts"
    assert read_tree(logs / "agent") == {"turn.log": (b"log\n", False)}
    assert sorted(path.name for path in logs.iterdir()) == ["agent", "sockets", "workspace.tar"]
    assert stat.S_IMODE(logs.stat().st_mode) == 0o755


@pytest.mark.sandbox
def test_sockets_which_no_archive_holds_are_listed_beside_it(collect: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(collect / "app")  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("a door")
    assert handed_over(collect).returncode == 0
    assert (collect / "logs/artifacts/sockets").read_bytes() == b"./a door\0"
    assert set(members(collect)) == {"."}


@pytest.mark.sandbox
def test_holes_stay_holes(collect: Path) -> None:
    with (collect / "app/big").open("wb") as handle:
        handle.truncate(10 * 1024**3)
    assert handed_over(collect).returncode == 0
    assert (collect / "logs/artifacts/workspace.tar").stat().st_size < 1024**2
    assert members(collect)["./big"].size == 10 * 1024**3


ESCAPES = {
    "in its own session": "setsid bash -c 'while :; do date >/app/x; done' &\n",
    "deaf to signals": "trap '' TERM INT HUP; while :; do :; done\n",
    "forking away": "f() { f & }; hop() { sleep 0.001; hop & }; for i in 1 2 3 4 5; do hop & done; wait\n",
    "stopped": "kill -STOP $$\n",
    "behind a dead first thread": (
        'exec python3 -c "import ctypes, threading, time; threading.Thread(target=time.sleep, args=(600,)).start(); '
        'ctypes.CDLL(None).pthread_exit(None)"\n'
    ),
}


@pytest.mark.sandbox
@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES.keys())
def test_nothing_of_the_agent_runs_while_its_work_is_archived(collect: Path, escape: str) -> None:
    done = handed_over(collect, escape)
    assert done.returncode == 0, done.stderr
    assert (collect / "left").read_text() == "0\n"
    assert "./ready" not in members(collect)


@pytest.mark.sandbox
def test_a_workspace_that_is_gone_fails_the_hook(collect: Path) -> None:
    done = handed_over(collect, workdir="/nowhere")
    assert done.returncode != 0
    assert not (collect / "logs/artifacts/workspace.tar").exists()
