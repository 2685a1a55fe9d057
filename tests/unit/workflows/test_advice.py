"""What `generate` says of a package before somebody uses it: secrecy in git, networks at providers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from generator.execute.settings import Options
from generator.workflows.generate import Mode, Request, generate
from generator.workflows.run import RunRequest, run
from tests.support.files import Script, write_tree
from tests.support.git import git
from tests.support.scenarios import document, write_scenario
from tests.unit.rules.support import metadata

HELD_OUT = {"metadata": metadata(visibility="held_out", privateEvalRationale="The rubric is the private part.")}


def told(folder: Path, code: str, out: Path | None = None, mode: Mode = Mode.WRITE) -> list[tuple[str | None, str]]:
    """Scenario and pointer of every diagnostic with `code`."""
    report = generate(Request(scenario_dir=folder / "scenarios", out=out or folder / "out", mode=mode))
    return [(one.scenario, one.location.pointer) for one in report.diagnostics if one.code == code]


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A repository with an open scenario and one that is held out."""
    write_scenario(tmp_path / "scenarios/open", document(id="open", metadata=metadata()))
    write_scenario(tmp_path / "scenarios/secret", document(id="secret", **HELD_OUT))
    git(tmp_path, "init", "--quiet")
    return tmp_path


@pytest.mark.parametrize("mode", list(Mode))
def test_a_held_out_package_that_git_would_keep_is_told(pack: Path, mode: Mode) -> None:
    assert told(pack, "held_out_tracked", mode=mode) == [("secret", "/metadata/visibility")]


@pytest.mark.parametrize("ignored", ["out/", "out/harbor/tasks/secret/", "/out/**", "**/tasks/*"])
def test_one_that_git_ignores_is_not(pack: Path, ignored: str) -> None:
    write_tree(pack, {".gitignore": f"{ignored}\n"})
    assert told(pack, "held_out_tracked") == []


def test_one_that_is_ignored_but_tracked_all_the_same_is_told(pack: Path) -> None:
    told(pack, "held_out_tracked")
    git(pack, "add", "out")
    write_tree(pack, {".gitignore": "out/\n"})
    assert told(pack, "held_out_tracked") == [("secret", "/metadata/visibility")]


def test_outside_of_a_repository_and_without_git_nothing_is_said(
    pack: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told(pack, "held_out_tracked", tmp_path_factory.mktemp("elsewhere") / "out") == []
    monkeypatch.setenv("PATH", str(pack))
    assert told(pack, "held_out_tracked") == []


def test_a_link_to_the_repository_hides_nothing(pack: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    link = tmp_path_factory.mktemp("elsewhere") / "link"
    link.symlink_to(pack)
    assert told(pack, "held_out_tracked", link / "out") == [("secret", "/metadata/visibility")]


def test_a_name_that_no_text_can_hold_hides_nothing(pack: Path) -> None:
    out = pack / os.fsdecode(b"caf\xe9\n")
    assert told(pack, "held_out_tracked", out) == [("secret", "/metadata/visibility")]


def test_the_settings_of_the_repository_start_nothing(pack: Path) -> None:
    write_tree(pack, {"spy": Script(f"#!/bin/sh\ntouch {pack}/spied\n")})
    for name in ("core.fsmonitor", "core.hooksPath", "core.pager", "core.sshCommand"):
        git(pack, "config", name, str(pack / "spy"))
    told(pack, "held_out_tracked")
    assert not (pack / "spied").exists()


def test_an_invalid_scenario_has_no_package_to_warn_of(pack: Path) -> None:
    write_scenario(pack / "scenarios/secret", document(id="secret", title=5, **HELD_OUT))
    assert told(pack, "held_out_tracked") == []


@pytest.mark.parametrize(
    ("agent", "review", "pointer"),
    [
        (False, False, None),
        (True, True, None),
        (False, True, "/evaluation/network"),
        (True, False, "/requires/network"),
    ],
)
def test_two_networks_are_told_with_the_providers_that_refuse_them(
    tmp_path: Path, agent: bool, review: bool, pointer: str | None
) -> None:
    changes: dict[str, Any] = {"requires__network": agent, "evaluation__network": review}
    write_scenario(tmp_path / "scenarios/one", document(id="one", **changes))
    assert told(tmp_path, "provider_network") == ([("one", pointer)] if pointer else [])


def test_a_run_that_makes_the_package_tells_it_too(pack: Path) -> None:
    request = RunRequest(scenario_dir=pack / "scenarios", ids=("open", "secret"), out=pack / "out", options=Options())
    done = run(request, os.environ, lambda _: None)
    told = [(one.code, one.scenario) for one in done.diagnostics]
    assert told == [("held_out_tracked", "secret")]
