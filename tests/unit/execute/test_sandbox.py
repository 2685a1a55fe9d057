"""What a confined program can see and do, found out by programs that try."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest

from tests.support.files import Script, write_tree
from tests.support.runs import Account, alive, confined

pytestmark = pytest.mark.sandbox


def sh(who: Account, script: str, **options: object) -> str:
    outcome = confined(who, ["/bin/bash", "-c", script], **options)  # type: ignore[arg-type]
    assert outcome["exit_code"] is not None, outcome
    return str(outcome["text"])


def test_a_program_is_the_agent_account_on_a_machine_of_its_own(who: Account) -> None:
    said = sh(
        who,
        "id -u; id -g; id -G; id -un; hostname; echo $HOME; awk 2>&1 | head -c0; ls -d ~ && touch ~/x && echo home ok",
    )
    assert said.split("\n")[:5] == ["10001", "10001", "10001", "agent", "harborsmith"]
    assert "home ok" in said


def test_a_program_has_no_capability_and_gets_none(who: Account) -> None:
    said = sh(who, "grep -E '^(Cap|NoNewPrivs)' /proc/self/status")
    values = dict(line.split(":\t") for line in said.strip().splitlines())
    assert values.pop("NoNewPrivs") == "1"
    assert {value for name, value in values.items() if name != "CapBnd"} == {"0" * 16}


def test_a_program_makes_no_user_namespace_of_its_own(who: Account) -> None:
    assert "made" not in sh(who, "unshare -Ur true && echo made")


@pytest.mark.parametrize("path", ["/x", "/usr/x", "/etc/x", "/dev/x", "/proc/sys/vm/swappiness", "/proc/sysrq-trigger"])
def test_a_program_cannot_write_to_the_system(who: Account, path: str) -> None:
    assert "written" not in sh(who, f"true >> {path} && echo written")


@pytest.mark.parametrize("path", ["/tmp", "/var/tmp", "/dev/shm", "/home/agent"])
def test_scratch_space_is_private_and_writable(who: Account, path: str) -> None:
    mark = Path(path if path != "/home/agent" else "/tmp") / f"outside-{secrets.token_hex(4)}"
    mark.touch()
    try:
        assert sh(who, f"echo x > {path}/inside && ls {path}").strip() == "inside"
    finally:
        mark.unlink()


def test_only_the_system_and_the_binds_are_seen(who: Account, place: Path) -> None:
    write_tree(place, {"shown/file": "seen", "secret": "unseen"})
    said = sh(who, "ls /; cat /srv/a/file", binds=[(str(place / "shown"), "/srv/a", False)])
    assert "seen" in said
    names = set(said.split()) - {"seen"}
    assert names <= {
        "bin",
        "dev",
        "etc",
        "home",
        "lib",
        "lib32",
        "lib64",
        "libx32",
        "proc",
        "root",
        "sbin",
        "tmp",
        "usr",
        "var",
        "srv",
    }


def test_no_process_tells_a_path_or_a_secret_of_the_machine(who: Account, place: Path) -> None:
    write_tree(place, {"shown/file": "seen"})
    script = "cat /proc/[0-9]*/cmdline /proc/1/environ 2>/dev/null | tr '\\0' '\\n'"
    said = sh(who, script, binds=[(str(place / "shown"), "/shown", False)], env={"TOKEN": "given"})
    assert str(place) not in said
    assert "PYTHONPATH" not in said


def test_without_the_network_there_is_only_loopback(who: Account) -> None:
    said = sh(who, "cat /proc/net/dev; ls /etc/resolv.conf 2>&1")
    assert [line.split(":")[0].strip() for line in said.splitlines() if ":" in line and "cannot" not in line] == ["lo"]
    assert "No such file" in said


def test_a_read_only_bind_cannot_be_written_and_a_writable_one_can(who: Account, place: Path) -> None:
    write_tree(place, {"fixed/a": "1", "open/a": "1"})
    who.give(place)
    binds = [(str(place / "fixed"), "/fixed", False), (str(place / "open"), "/open", True)]
    assert "1" in sh(who, "echo 2 > /fixed/a; cat /fixed/a; echo 3 > /open/a", binds=binds)
    assert (place / "fixed" / "a").read_text() == "1"
    assert (place / "open" / "a").read_text() == "3\n"


def test_a_nested_bind_lies_over_the_one_around_it(who: Account, place: Path) -> None:
    write_tree(place, {"outer/inner/a": "outer", "other/a": "inner"})
    binds = [(str(place / "other"), "/x/inner", True), (str(place / "outer"), "/x", False)]
    assert sh(who, "cat /x/inner/a", binds=binds) == "inner"


def test_folders_above_a_bind_are_open(who: Account, place: Path) -> None:
    said = sh(who, "stat -c %a /some /some/where", binds=[(str(place), "/some/where/deep", False)])
    assert said.split() == ["755", "755"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can show what its home is closed to")
def test_root_can_show_a_folder_below_a_closed_home(tmp_path: Path) -> None:
    write_tree(tmp_path / "home", {"tools/bin/hello": Script("#!/bin/sh\necho hello\n")})
    (tmp_path / "home").chmod(0o700)
    tools = str(tmp_path / "home" / "tools")
    assert sh(Account(None), f"{tools}/bin/hello", binds=[(tools, tools, False)]).strip() == "hello"


def test_a_hidden_folder_is_empty_where_a_bind_would_show_it(who: Account, place: Path) -> None:
    write_tree(place, {"tools/a": "seen", "tools/private/rubric": "unseen"})
    tools = str(place / "tools")
    said = sh(who, f"cat {tools}/a; ls -A {tools}/private", binds=[(tools, tools, False)], hidden=[f"{tools}/private"])
    assert said == "seen"


def test_a_hidden_folder_of_the_system_is_empty(who: Account) -> None:
    assert sh(who, "ls -A /usr/share/doc; ls -A /usr/share | head -c 3", hidden=["/usr/share/doc"]) != ""
    assert sh(who, "ls -A /usr/share/doc", hidden=["/usr/share/doc"]) == ""


def test_a_program_is_asked_to_end_before_it_is_made_to(who: Account) -> None:
    script = "trap 'echo saved; exit 7' TERM; while :; do sleep 0.05; done"
    outcome = confined(who, ["/bin/bash", "-c", script], limits={"seconds": 0.5, "grace_seconds": 20})
    assert (outcome["exit_code"], outcome["timed_out"], outcome["signals"]) == (124, True, ["SIGTERM"])
    assert "saved\n" in outcome["text"]


DAEMON = """
(setsid bash -c 'trap "" TERM HUP INT; exec -a {tag} sleep 600' >/dev/null 2>&1 &)
bash -c 'trap "" TERM; exec -a {tag} sleep 600' &
"""


@pytest.mark.parametrize("end", ["exit 3", "trap '' TERM; exec -a {tag} sleep 600"])
def test_nothing_of_a_program_is_alive_afterwards(who: Account, end: str) -> None:
    tag = f"survivor-{secrets.token_hex(6)}"
    script = (DAEMON + end).replace("{tag}", tag)
    outcome = confined(who, ["/bin/bash", "-c", script], limits={"seconds": 1, "grace_seconds": 0.3})
    assert outcome["exit_code"] == (3 if end == "exit 3" else 124)
    assert alive(tag) == []


def test_a_background_child_holds_nobody_up(who: Account) -> None:
    outcome = confined(who, ["/bin/bash", "-c", "sleep 600 & echo done"], limits={"seconds": 300})
    assert (outcome["exit_code"], outcome["timed_out"], outcome["text"]) == (0, False, "done\n")


def test_a_fork_bomb_is_bounded(who: Account) -> None:
    script = """
import os, time
n = 0
while True:
    try:
        pid = os.fork()
    except OSError:
        break
    if not pid:
        time.sleep(60)
    n += 1
print(n)
"""
    outcome = confined(who, ["/usr/bin/python3", "-c", script], limits={"processes": 40})
    assert 10 < int(outcome["text"]) <= 40


def test_a_flood_is_counted_and_cut(who: Account) -> None:
    outcome = confined(who, ["/bin/bash", "-c", "head -c 50000000 /dev/zero | tr '\\0' x"], limits={"keep_bytes": 1000})
    assert outcome["output_bytes"] == 50_000_000
    assert len(outcome["text"]) < 3000


def test_a_program_that_is_not_there_ends_with_127(who: Account) -> None:
    assert confined(who, ["/no/such/program"])["exit_code"] == 127
