"""Which folders `--agent-path` shows and which it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.execute.agentpath import agent_folders
from generator.execute.refusal import Refused
from tests.support.files import Link, write_tree


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write_tree(
        tmp_path,
        {
            "tools/bin/x": "",
            "pack/scenarios/a/scenario.json": "{}",
            "out/runs/x": "",
            "sneaky": Link("pack/scenarios/a"),
        },
    )


def code(place: Path, folder: str) -> str | None:
    given = folder if folder.startswith("/") else str(place / folder)
    found = agent_folders([given], [str(place / "pack/scenarios/a"), str(place / "out/runs")], "/app")
    return found.code if isinstance(found, Refused) else None


def test_a_folder_of_tools_is_shown_under_its_own_path(place: Path) -> None:
    assert agent_folders([str(place / "tools")], [], "/app") == (str(place / "tools"),)


def test_a_system_folder_is_seen_anyway(place: Path) -> None:
    assert agent_folders(["/usr/local"], [], "/app") == ()


@pytest.mark.parametrize(
    "folder", ["pack", "pack/scenarios", "pack/scenarios/a", "out", "out/runs", "sneaky", "pack/../pack"]
)
def test_a_folder_that_holds_or_lies_in_scenario_package_or_runs_is_refused(place: Path, folder: str) -> None:
    assert code(place, folder) == "agent_path_leaks"


@pytest.mark.parametrize("folder", ["/", "/home", "/root", "/etc", "/tmp", "/var", "/proc"])
def test_a_folder_of_everything_is_refused(place: Path, folder: str) -> None:
    assert code(place, folder) == "agent_path_too_wide"


def test_the_operators_home_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(place / "tools"))
    assert code(place, "tools") == "agent_path_too_wide"


def test_a_missing_folder_is_refused(place: Path) -> None:
    assert code(place, "nowhere") == "agent_path_missing"


def test_a_path_that_means_something_else_inside_is_refused(place: Path) -> None:
    assert code(place, "/etc/ssl") == "agent_path_reserved"
    assert isinstance(agent_folders([str(place / "tools")], [], str(place / "tools/bin")), Refused)
