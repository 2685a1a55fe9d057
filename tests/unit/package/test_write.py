"""Packages on disk: whole or not at all, and nothing of anybody else's touched."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from generator.package import lock, swap
from generator.package.lock import sweep, workshop
from generator.package.output import Output
from generator.package.source import CHUNK
from generator.package.write import (
    PackageOutcome,
    Status,
    preview_package,
    refused_by_machine,
    remove_package,
    write_package,
)
from tests.support.files import Tree, read_tree, write_tree
from tests.support.packages import made, modes, planned, untouched, written
from tests.support.scenarios import document, write_scenario
from tests.unit.rules.built import unprivileged


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    changes = {"assets": ["assets/ledger.csv", "data"], "evaluation__privateAssets": ["private"]}
    files: Tree = {"data/a.bin": bytes(range(256)) * 4096, "data/b.txt": "b\n", "private/key.json": "{}\n"}
    return write_scenario(tmp_path / "scenarios/sum-ledger", document(**changes), files)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def package(scenario: Path, out: Path) -> Path:
    return written(scenario, out)


def codes(outcome: PackageOutcome) -> list[str]:
    return [finding.code for finding in outcome.findings]


def test_a_package_is_written_with_copies_of_its_sources(scenario: Path, package: Path) -> None:
    tree = read_tree(package)
    assert tree["data/a.bin"] == tree["environment/workspace/data/a.bin"] == (bytes(range(256)) * 4096, False)
    assert all(path.lstat().st_nlink == 1 for path in package.rglob("*") if path.is_file())
    manifest = json.loads(tree["manifest.json"][0])
    assert {file["path"] for file in manifest["files"]} | {"manifest.json"} == set(tree)


@pytest.mark.parametrize("threads", [True, False])
def test_a_large_asset_is_copied_and_hashed_whole(
    scenario: Path, out: Path, monkeypatch: pytest.MonkeyPatch, threads: bool
) -> None:
    def no_room(_: threading.Thread) -> NoReturn:
        raise RuntimeError("can't start new thread")

    if not threads:
        monkeypatch.setattr(threading.Thread, "start", no_room)
    content = os.urandom(CHUNK) * 33 + b"the end"
    (scenario / "data/large.bin").write_bytes(content)
    package = written(scenario, out)
    assert (package / "data/large.bin").read_bytes() == content
    assert (package / "environment/workspace/data/large.bin").read_bytes() == content
    listed = {file["path"]: file["sha256"] for file in json.loads((package / "manifest.json").read_bytes())["files"]}
    assert listed["data/large.bin"] == hashlib.sha256(content).hexdigest()


def test_nothing_but_packages_is_left_in_the_output(package: Path, out: Path) -> None:
    assert [path.name for path in out.iterdir()] == ["harbor"]
    assert [path.name for path in (out / "harbor/tasks").iterdir()] == ["sum-ledger"]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o027, 0o077])
def test_modes_do_not_depend_on_the_umask(scenario: Path, out: Path, umask: int) -> None:
    os.umask(umask)
    package = written(scenario, out)
    found = modes(package)
    assert {mode for path, mode in found.items() if (package / path).is_dir()} == {0o755}
    assert {path for path, mode in found.items() if not (package / path).is_dir() and mode == 0o755} == {
        "tests/test.sh",
        "solution/solve.sh",
    }
    assert {mode for path, mode in found.items() if not (package / path).is_dir()} == {0o644, 0o755}


def test_a_second_time_nothing_is_written(scenario: Path, package: Path, out: Path) -> None:
    before = untouched(out)
    assert made(scenario, out).status is Status.UNCHANGED
    assert untouched(out) == before


def test_a_private_asset_that_is_gone_leaves_nothing_behind(scenario: Path, package: Path, out: Path) -> None:
    assert any("key.json" in path for path in read_tree(out))
    (scenario / "scenario.json").write_text(json.dumps(document(assets=["data"])))
    assert made(scenario, out).status is Status.WRITTEN
    assert not any("key.json" in path for path in read_tree(out))
    assert b"key.json" not in b"".join(content for content, _ in read_tree(out).values())


def test_a_stale_mode_is_put_right(scenario: Path, package: Path, out: Path) -> None:
    (scenario / "data/b.txt").chmod(0o755)
    assert made(scenario, out).status is Status.WRITTEN
    assert os.access(package / "data/b.txt", os.X_OK)


def edit_text(package: Path) -> None:
    (package / "instruction.md").write_text("mine\n")


def edit_same_size(package: Path) -> None:
    text = (package / "task.toml").read_text()
    (package / "task.toml").write_text(text.replace("120.0", "999.0"))


def edit_mode(package: Path) -> None:
    (package / "tests/test.sh").chmod(0o644)


def edit_mode_up(package: Path) -> None:
    (package / "task.toml").chmod(0o755)


def remove_file(package: Path) -> None:
    (package / "data/b.txt").unlink()


def add_file(package: Path) -> None:
    (package / "tests/extra.py").write_text("")


def add_folder(package: Path) -> None:
    (package / "tests/empty").mkdir()


def add_link(package: Path) -> None:
    (package / "tests/link").symlink_to("test.sh")


def add_pipe(package: Path) -> None:
    os.mkfifo(package / "tests/pipe")


EDITS: dict[str, tuple[Callable[[Path], None], str]] = {
    "text": (edit_text, "instruction.md has other content"),
    "same size": (edit_same_size, "task.toml has other content"),
    "mode": (edit_mode, "tests/test.sh is not executable"),
    "mode up": (edit_mode_up, "task.toml is executable"),
    "file gone": (remove_file, "data/b.txt is missing"),
    "file more": (add_file, "tests/extra.py does not belong to it"),
    "folder more": (add_folder, "tests/empty is an empty directory"),
    "link": (add_link, "tests/link is a link"),
    "pipe": (add_pipe, "tests/pipe is not a regular file"),
}


@pytest.mark.parametrize(("edit", "difference"), EDITS.values(), ids=EDITS.keys())
def test_an_edited_package_is_kept_until_force(
    scenario: Path, package: Path, out: Path, edit: Callable[[Path], None], difference: str
) -> None:
    right = read_tree(package)
    edit(package)
    before = untouched(out)
    seen = preview_package(planned(scenario), Output(out), differing=Status.DRIFTED)
    assert (seen.status, str(seen.difference), seen.edited) == (Status.DRIFTED, difference, True)
    kept = made(scenario, out)
    assert (kept.status, codes(kept), str(kept.difference)) == (Status.FAILED, ["package_edited"], difference)
    assert {path: facts for path, facts in untouched(out).items() if "tasks/" in path} == {
        path: facts for path, facts in before.items() if "tasks/" in path
    }
    assert made(scenario, out, force=True).status is Status.WRITTEN
    assert read_tree(package) == right


def test_a_manifest_that_is_not_the_right_one_is_drift(scenario: Path, package: Path, out: Path) -> None:
    manifest = package / "manifest.json"
    manifest.write_text(manifest.read_text().replace("Sum the ledger", "Sum the Ledger"))
    seen = preview_package(planned(scenario), Output(out), differing=Status.DRIFTED)
    assert str(seen.difference) == "manifest.json has other content"
    manifest.unlink()
    seen = preview_package(planned(scenario), Output(out), differing=Status.DRIFTED)
    assert str(seen.difference) == "manifest.json is missing"
    assert seen.edited


def test_an_executable_manifest_is_drift(scenario: Path, package: Path, out: Path) -> None:
    (package / "manifest.json").chmod(0o755)
    seen = preview_package(planned(scenario), Output(out), differing=Status.DRIFTED)
    assert str(seen.difference) == "manifest.json is executable"


def test_a_package_that_only_grew_old_is_replaced(scenario: Path, package: Path, out: Path) -> None:
    (scenario / "instruction.md").write_text("Another prompt.\n")
    seen = preview_package(planned(scenario), Output(out), differing=Status.WOULD_WRITE)
    assert (seen.status, seen.edited) == (Status.WOULD_WRITE, False)
    assert made(scenario, out).status is Status.WRITTEN
    assert (package / "instruction.md").read_text() == "Another prompt.\n"


FOREIGN: dict[str, Tree] = {
    "no manifest": {"README.md": "mine"},
    "garbage": {"manifest.json": b"\xff\x00"},
    "deep": {"manifest.json": "[" * 100_000},
    "a list": {"manifest.json": "[]"},
    "other format": {"manifest.json": '{"packageFormat": "harborsmith_package_v9"}'},
    "other scenario": {"manifest.json": '{"packageFormat": "harborsmith_package_v1", "scenario": {"id": "x"}}'},
    "no files": {"manifest.json": '{"packageFormat": "harborsmith_package_v1", "scenario": {"id": "sum-ledger"}}'},
    "odd files": {
        "manifest.json": '{"packageFormat": "harborsmith_package_v1", "scenario": {"id": "sum-ledger"}, "files": '
        '[{"path": "a", "sha256": "short", "size": 1, "executable": false}]}'
    },
    "odd sizes": {
        "manifest.json": '{"packageFormat": "harborsmith_package_v1", "scenario": {"id": "sum-ledger"}, "files": '
        f'[{{"path": "a", "sha256": "{"0" * 64}", "size": "1", "executable": false}}]}}'
    },
    "folders alone": {"a/b": {}},
}


@pytest.mark.parametrize("tree", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_directory_that_is_not_ours_is_kept_until_force(scenario: Path, out: Path, tree: Tree) -> None:
    target = write_tree(out / "harbor/tasks/sum-ledger", tree)
    before = read_tree(target)
    kept = made(scenario, out)
    assert (kept.status, codes(kept)) == (Status.FAILED, ["package_foreign"])
    assert read_tree(target) == before
    assert made(scenario, out, force=True).status is Status.WRITTEN
    assert made(scenario, out).status is Status.UNCHANGED


@pytest.mark.parametrize("kind", ["file", "link", "pipe"])
def test_what_is_no_directory_is_kept_until_force(scenario: Path, out: Path, tmp_path: Path, kind: str) -> None:
    elsewhere = write_tree(tmp_path / "elsewhere", {"precious.txt": "x"})
    target = out / "harbor/tasks/sum-ledger"
    target.parent.mkdir(parents=True)
    if kind == "file":
        target.write_text("mine")
    elif kind == "link":
        target.symlink_to(elsewhere)
    else:
        os.mkfifo(target)
    assert codes(made(scenario, out)) == ["package_foreign"]
    assert made(scenario, out, force=True).status is Status.WRITTEN
    assert not target.is_symlink()
    assert read_tree(elsewhere) == {"precious.txt": (b"x", False)}


def test_an_empty_directory_is_nobodys(scenario: Path, out: Path) -> None:
    (out / "harbor/tasks/sum-ledger").mkdir(parents=True)
    assert made(scenario, out).status is Status.WRITTEN


@pytest.mark.parametrize("part", ["", "harbor", "harbor/tasks", ".harborsmith"])
@pytest.mark.parametrize("kind", ["link", "file"])
def test_an_output_that_is_a_link_or_a_file_is_refused(tmp_path: Path, part: str, kind: str) -> None:
    output = Output(tmp_path / "out")
    place = output.root / part
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        (tmp_path / "elsewhere").mkdir()
        place.symlink_to(tmp_path / "elsewhere")
    else:
        place.write_text("")
    problem = output.problem(())
    assert problem is not None
    assert problem.code == "output_unusable"
    assert ("a link" if kind == "link" else "not a directory") in problem.message


@pytest.mark.parametrize("place", ["scenarios/one", "scenarios", "scenarios/one/out/deep", "alias", "alias/one/out"])
def test_an_output_inside_or_among_scenarios_is_refused(tmp_path: Path, place: str) -> None:
    scenario = write_scenario(tmp_path / "scenarios/one")
    (tmp_path / "alias").symlink_to("scenarios")
    problem = Output(tmp_path / place if place != "alias" else (tmp_path / place).resolve()).problem([scenario])
    assert problem is not None
    assert problem.code == "output_overlaps"


@pytest.mark.parametrize("place", ["harbor/tasks/one", ".harborsmith/deep/one"])
def test_an_output_whose_packages_would_stand_around_a_scenario_is_refused(tmp_path: Path, place: str) -> None:
    problem = Output(tmp_path).problem([write_scenario(tmp_path / place)])
    assert problem is not None
    assert problem.code == "output_overlaps"


@pytest.mark.parametrize("place", [".", "scenarios-out"])
def test_an_output_beside_scenarios_is_fine(tmp_path: Path, place: str) -> None:
    assert Output(tmp_path / place).problem([write_scenario(tmp_path / "scenarios/one")]) is None


def test_a_left_over_package_is_removed_only_unedited(scenario: Path, package: Path, out: Path) -> None:
    edit_text(package)
    kept = remove_package("sum-ledger", Output(out))
    assert (kept.status, codes(kept)) == (Status.UNCHANGED, ["package_kept"])
    assert package.exists()
    assert remove_package("sum-ledger", Output(out), force=True).status is Status.REMOVED
    assert read_tree(out) == {}
    written(scenario, out)
    assert remove_package("sum-ledger", Output(out)).status is Status.REMOVED
    assert not package.exists()


# --- sources that change meanwhile ----------------------------------------------------------------------------------


def replace_by_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


def replace_by_other(path: Path) -> None:
    (path.parent / "new").write_bytes(path.read_bytes())
    (path.parent / "new").rename(path)


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


SIZES = {"small": 2, "large": 33 * CHUNK}  # a large one is hashed by another thread
CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "grown": (lambda path: path.write_bytes(path.read_bytes() + b"x"), "written to"),
    "shrunk": (lambda path: path.write_bytes(b""), "written to"),
    "gone": (lambda path: path.unlink(), "No such file"),
    "a link": (replace_by_link, "symbolic links"),
    "a pipe": (replace_by_pipe, "not a regular file"),
    "another file": (replace_by_other, "another file"),
}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize(("change", "why"), CHANGES.values(), ids=CHANGES.keys())
def test_a_source_that_changed_since_the_plan_spoils_the_package(
    scenario: Path, out: Path, change: Callable[[Path], object], why: str, size: int
) -> None:
    (scenario / "data/b.txt").write_bytes(b"x" * size)
    before = written(scenario, out)
    tree = read_tree(before)
    (scenario / "instruction.md").write_text("Newer.\n")
    plan = planned(scenario)
    change(scenario / "data/b.txt")
    failed = write_package(plan, Output(out))
    assert (failed.status, codes(failed)) == (Status.FAILED, ["package_source_changed"])
    assert why in failed.findings[0].message
    assert read_tree(out) == {f"harbor/tasks/sum-ledger/{path}": facts for path, facts in tree.items()}


def test_a_source_that_changed_is_a_finding_of_a_check_too(scenario: Path, package: Path, out: Path) -> None:
    plan = planned(scenario)
    (scenario / "data/b.txt").write_text("longer than before\n")
    seen = preview_package(plan, Output(out), differing=Status.DRIFTED)
    assert (seen.status, codes(seen)) == (Status.FAILED, ["package_source_changed"])


def test_a_reviewer_of_another_content_spoils_the_package(tmp_path: Path, out: Path) -> None:
    """Its digest stands in the package already, so that a change of the same size and place must not slip through."""
    changes = {"evaluation__reviewer": {"path": "judge.py", "command": ["python3", "{reviewer}/judge.py"]}}
    scenario = write_scenario(tmp_path / "sum-ledger", document(**changes), {"judge.py": "one\n"})
    plan = planned(scenario)
    (scenario / "judge.py").write_text("two\n")
    failed = write_package(plan, Output(out))
    assert codes(failed) == ["package_source_changed"]
    assert read_tree(out) == {}


# --- machines that do not let us ------------------------------------------------------------------------------------

LIMITED = """
import os, resource, sys
from pathlib import Path
from generator.package.output import Output
from generator.package.write import write_package
from tests.support.packages import planned
plan = planned(Path(sys.argv[1]))
if sys.argv[3] == "size":
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
elif os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
outcome = write_package(plan, Output(Path(sys.argv[2])))
print(outcome.status.value, outcome.could_not, *(finding.message for finding in outcome.findings))
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user can enter, unlike those of `tmp_path`."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.mark.parametrize("size", [200_000, SIZES["large"]])
@pytest.mark.parametrize(("limit", "words"), [("size", "File too large"), ("permission", "Permission denied")])
def test_what_the_machine_refuses_is_said_and_changes_nothing(
    open_folder: Path, limit: str, words: str, size: int
) -> None:
    files: Tree = {"assets/ledger.csv": "x" * size}
    out = open_folder / "out"
    scenario = write_scenario(open_folder / "sum-ledger")
    tree = read_tree(written(scenario, out))
    write_scenario(scenario, extra=files)
    if limit == "permission":
        out.chmod(0o555)
    command = [sys.executable, "-c", LIMITED, str(scenario), str(out), limit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    out.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("failed True ")
    assert f": {words}" in done.stdout
    assert str(out / ".harborsmith") in done.stdout
    assert read_tree(out) == {f"harbor/tasks/sum-ledger/{path}": facts for path, facts in tree.items()}
    assert made(scenario, out).status is Status.WRITTEN


def test_a_tree_deeper_than_any_path_is_no_package_of_ours(scenario: Path, package: Path, out: Path) -> None:
    shutil.rmtree(package)
    deep = package
    package.mkdir()
    here = os.open(package, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=here)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    seen = preview_package(planned(scenario), Output(out), differing=Status.DRIFTED)
    assert seen.status is Status.DRIFTED
    assert str(seen.difference) == f"{'d' * 250} holds a path that is longer than any of a package"
    assert (package / ("d" * 250)).is_dir(), "nothing was removed"
    shutil.rmtree(deep)


@pytest.mark.parametrize("closed", ["tests", "environment/workspace"])
def test_directories_that_cannot_be_written_do_not_keep_a_package_from_being_replaced(
    open_folder: Path, closed: str
) -> None:
    out = open_folder / "out"
    scenario = write_scenario(open_folder / "sum-ledger")
    open_folder.chmod(0o777)
    written(scenario, open_folder / "warm")  # loads what the unprivileged user may not be allowed to load
    with unprivileged(open_folder):
        package = written(scenario, out)
        (package / closed).chmod(0o555)
    (scenario / "instruction.md").write_text("Another prompt.\n")
    with unprivileged(open_folder):
        outcome = made(scenario, out)
        assert (outcome.status, outcome.findings) == (Status.WRITTEN, ())
    assert (package / "instruction.md").read_text() == "Another prompt.\n"
    assert [path.name for path in out.iterdir()] == ["harbor"]


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "make room"),
        (errno.EDQUOT, "make room"),
        (errno.EACCES, "give yourself permission"),
        (errno.EROFS, "another output directory"),
        (errno.EXDEV, "file system"),
        (errno.ENOTDIR, "--out"),
    ],
)
def test_what_the_machine_refuses_comes_with_what_helps(number: int, hint: str) -> None:
    found = refused_by_machine(OSError(number, os.strerror(number), "out/x"), "out")
    assert found.message == f"out/x: {os.strerror(number)}"
    assert hint in found.hint


# --- places without an exchange of names ----------------------------------------------------------------------------


@pytest.fixture
def no_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """A C library without renameat2, as on macOS."""
    monkeypatch.setattr(swap, "_renameat2", lambda: None)


@pytest.mark.usefixtures("no_exchange")
def test_without_an_exchange_a_package_is_replaced_all_the_same(scenario: Path, package: Path, out: Path) -> None:
    (scenario / "instruction.md").write_text("Newer.\n")
    assert made(scenario, out).status is Status.WRITTEN
    assert (package / "instruction.md").read_text() == "Newer.\n"
    assert [path.name for path in out.iterdir()] == ["harbor"]


@pytest.mark.usefixtures("no_exchange")
def test_a_replacement_that_fails_half_way_brings_the_old_one_back(tmp_path: Path) -> None:
    target = write_tree(tmp_path / "target", {"a": "old"})
    with pytest.raises(FileNotFoundError):
        swap.put_in_place(str(tmp_path / "nothing"), str(target), str(tmp_path / "aside"))
    assert read_tree(target) == {"a": (b"old", False)}


def test_an_exchange_the_file_system_cannot_do_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = write_tree(tmp_path / "target", {"a": "old"})
    new = write_tree(tmp_path / "new", {"a": "new"})

    def unsupported(*_: object) -> int:
        import ctypes

        ctypes.set_errno(errno.EINVAL)
        return -1

    monkeypatch.setattr(swap, "_renameat2", lambda: unsupported)
    swap.put_in_place(str(new), str(target), str(tmp_path / "aside"))
    assert read_tree(target) == {"a": (b"new", False)}
    assert read_tree(tmp_path / "aside") == {"a": (b"old", False)}


def test_an_exchange_with_nothing_is_an_error(tmp_path: Path) -> None:
    write_tree(tmp_path / "target", {"a": "old"})
    with pytest.raises(FileNotFoundError):
        swap.exchange(str(tmp_path / "nothing"), str(tmp_path / "target"))


# --- what killed processes leave ------------------------------------------------------------------------------------


def test_what_a_killed_process_left_is_swept(scenario: Path, package: Path, out: Path) -> None:
    write_tree(out / ".harborsmith/sum-ledger/new", {"tests/half": "x"})
    write_tree(out / ".harborsmith/other/gone", {"tests/half": "x"})
    sweep(Output(out))
    assert [path.name for path in out.iterdir()] == ["harbor"]
    assert made(scenario, out).status is Status.UNCHANGED


def test_a_package_that_was_moved_aside_comes_back(scenario: Path, package: Path, out: Path) -> None:
    """A process killed between the two renames of a replacement leaves no package in place."""
    tree = read_tree(package)
    (out / ".harborsmith/sum-ledger").mkdir(parents=True)
    package.rename(out / ".harborsmith/sum-ledger/old")
    sweep(Output(out))
    assert read_tree(package) == tree
    assert not (out / ".harborsmith").exists()


def test_what_a_living_process_makes_is_left_alone(out: Path) -> None:
    with workshop(Output(out), "sum-ledger") as folder:
        write_tree(Path(folder), {"new/half": "x"})
        sweep(Output(out))
        assert read_tree(Path(folder)) == {"new/half": (b"x", False)}
    assert not (out / ".harborsmith").exists()


def test_a_workshop_is_empty_again_when_its_holder_fails(out: Path) -> None:
    def interrupted() -> None:
        with workshop(Output(out), "sum-ledger") as folder:
            write_tree(Path(folder), {"new/half": "x"})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not (out / ".harborsmith").exists()


def test_sweeping_nothing_makes_nothing(out: Path) -> None:
    sweep(Output(out))
    assert not out.exists()


def waited_for(folder: str) -> bool:
    """Whether a lock on `folder` has somebody in line (`/proc/locks` shows who waits behind an arrow)."""
    inode = str(os.stat(folder).st_ino)
    lines = Path("/proc/locks").read_text().splitlines()
    return any("->" in line and f":{inode} " in line for line in lines)


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux shows who waits for a lock")
def test_who_waits_for_a_workshop_gets_a_new_one_when_its_holder_is_done(out: Path) -> None:
    """The holder removes the workshop when it leaves: whoever waited holds a lock on nothing, and must notice."""
    seen = []

    def wait() -> None:
        with workshop(Output(out), "sum-ledger") as folder:
            seen.append(os.path.samestat(os.stat(folder), os.stat(out / ".harborsmith/sum-ledger")))

    waiting = threading.Thread(target=wait, daemon=True)
    with workshop(Output(out), "sum-ledger") as folder:
        waiting.start()
        while not waited_for(folder):
            assert waiting.is_alive()
        assert seen == []
    waiting.join(60)
    assert seen == [True]
    assert not (out / ".harborsmith").exists()


def test_a_workshop_that_cannot_be_locked_is_an_error(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some network file systems have no locks."""

    def unsupported(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", unsupported)
    with pytest.raises(OSError, match="No locks available"), workshop(Output(out), "sum-ledger"):
        pass


def test_removing_a_package_that_is_gone_is_done(out: Path) -> None:
    assert remove_package("sum-ledger", Output(out), force=True).status is Status.REMOVED


def test_removing_what_is_not_there_is_done(tmp_path: Path) -> None:
    lock.remove(str(tmp_path / "nothing"))
