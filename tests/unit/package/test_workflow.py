"""`generate` and `ensure_package` as functions."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from generator.package.model import Settings
from generator.package.write import Status
from generator.workflows.generate import Mode, Request, ensure_package, generate
from generator.workflows.select import select
from tests.support.files import Link, Tree, read_tree, write_tree
from tests.support.packages import load, untouched
from tests.support.scenarios import document, write_scenario
from tests.unit.rules.built import unprivileged


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    return write_scenario(tmp_path / "scenarios/sum-ledger")


def codes(found: object) -> list[str]:
    assert isinstance(found, tuple)
    return [finding.code for finding in found]


def test_a_package_is_made_when_needed_and_found_when_not(scenario: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    package = ensure_package(load(scenario), out, Settings(org="acme"))
    assert package == out / "harbor/tasks/sum-ledger"
    assert b'name = "acme/sum-ledger"' in read_tree(package)["task.toml"][0]
    before = untouched(out)
    assert ensure_package(load(scenario), out, Settings(org="acme")) == package
    assert untouched(out) == before


def test_why_there_is_no_package_comes_back_as_findings(scenario: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    broken = write_scenario(tmp_path / "scenarios/broken", document(id="broken", title=5))
    (invalid,) = select(tmp_path / "scenarios", paths=[broken]).loaded
    assert "package" not in " ".join(codes(ensure_package(invalid, out)))
    assert codes(ensure_package(load(scenario), scenario / "out")) == ["output_overlaps"]
    write_tree(out / "harbor/tasks/sum-ledger", {"README.md": "mine"})
    assert codes(ensure_package(load(scenario), out)) == ["package_foreign"]
    assert isinstance(ensure_package(load(scenario), out, force=True), Path)
    assert codes(ensure_package(load(scenario), Path("/proc/self/out"))) == ["package_not_written"]


def test_a_scenario_that_changes_under_our_hands_is_a_finding(tmp_path: Path) -> None:
    changes = {"evaluation__reviewer": {"path": "judge.py", "command": ["python3", "{reviewer}/judge.py"]}}
    files: Tree = {"judge.py": ""}
    loaded = load(write_scenario(tmp_path / "scenarios/sum-ledger", document(**changes), files))
    (tmp_path / "scenarios/sum-ledger/judge.py").unlink()
    assert codes(ensure_package(loaded, tmp_path / "out")) == ["package_source_changed"]


def test_progress_is_told_for_every_scenario(scenario: Path, tmp_path: Path) -> None:
    write_scenario(tmp_path / "scenarios/two", document(id="two"))
    told: list[tuple[int, int]] = []
    generate(
        Request(scenario_dir=scenario.parent, out=tmp_path / "out"), lambda done, total: told.append((done, total))
    )
    assert told == [(1, 2), (2, 2)]


def test_what_killed_processes_left_is_swept_by_a_call_that_writes(scenario: Path, tmp_path: Path) -> None:
    write_tree(tmp_path / "out/.harborsmith/other/new", {"half": "x"})
    for mode in (Mode.CHECK, Mode.DRY_RUN):
        generate(Request(scenario_dir=scenario.parent, out=tmp_path / "out", mode=mode))
        assert read_tree(tmp_path / "out") == {".harborsmith/other/new/half": (b"x", False)}
    generate(Request(scenario_dir=scenario.parent, out=tmp_path / "out"))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["harbor"]


def test_leavings_that_cannot_be_removed_are_said(scenario: Path, tmp_path: Path) -> None:
    """What another user left is not for us to remove."""
    package = ensure_package(load(scenario), tmp_path / "out")
    (tmp_path / "out").chmod(0o777)
    write_tree(tmp_path / "out/.harborsmith/stray", {"new/a": "x"})
    with unprivileged(tmp_path):
        report = generate(Request(scenario_dir=scenario.parent, out=tmp_path / "out"))
    assert [package.outcome.status for package in report.packages] == [Status.FAILED, Status.UNCHANGED]
    assert report.could_not
    assert "Permission denied" in report.diagnostics[0].message
    assert isinstance(package, Path)


def test_what_is_no_leaving_of_ours_is_left_alone(scenario: Path, tmp_path: Path) -> None:
    stray: Tree = {"stray": "x", "link": Link("..")}
    write_tree(tmp_path / "out/.harborsmith", stray)
    report = generate(Request(scenario_dir=scenario.parent, out=tmp_path / "out"))
    assert [package.outcome.status for package in report.packages] == [Status.WRITTEN]
    assert set(os.listdir(tmp_path / "out/.harborsmith")) == set(stray)


def test_a_directory_of_packages_that_cannot_be_listed_is_said(scenario: Path, tmp_path: Path) -> None:
    """A closed directory: packages cannot be written there, and left-overs cannot be looked for."""
    ensure_package(load(scenario), tmp_path / "warm")  # loads what the unprivileged user may not be allowed to load
    tasks = tmp_path / "out/harbor/tasks"
    tasks.mkdir(parents=True)
    tasks.chmod(0)
    with unprivileged(tmp_path):
        report = generate(Request(scenario_dir=scenario.parent, out=tmp_path / "out"))
    assert [package.outcome.id for package in report.packages] == ["sum-ledger", "tasks"]
    assert report.could_not
    assert {said.code for said in report.diagnostics} == {"package_not_written"}


def test_progress_shows_on_a_terminal_that_waits(scenario: Path, tmp_path: Path) -> None:
    code = (
        "import sys; import generator.cli.generate as command; command.PROGRESS_AFTER_SECONDS = 0.0\n"
        "from generator.cli.main import main; main(sys.argv[1:])"
    )
    ours, theirs = pty.openpty()
    words = ["generate", "--scenario-dir", str(scenario.parent), "--out", str(tmp_path / "out")]
    done = subprocess.run([sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 1000).decode()
    os.close(ours)
    assert shown == "\r1 of 1 scenarios\r\n"
    assert b"1 of 1" not in done.stdout
