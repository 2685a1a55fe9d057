"""A folder that nothing declares is told once, with the member to paste; one that something names is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.diagnostics.model import Finding
from tests.support.cases import selected
from tests.support.files import Folder, Link, Script, Tree
from tests.support.scenarios import document, write_scenario
from tests.unit.rules.support import notes

PROMPT: Tree = {"instruction.md": "Add the amounts up and write the total to `report.json`.\n"}
REVIEWER: Tree = {"reviewer/judge.py": "", "reviewer/README.md": ""}
CHECKS = [{"id": "a", "command": "true"}]
STRAY: Tree = {"solution/report.json": "{}\n"}


def undeclared(root: Path, extra: Tree | None = None, **changes: Any) -> list[tuple[str, str]]:
    """Pointer and hint of each."""
    return told(notes(root, extra, **changes))


def told(found: list[Finding]) -> list[tuple[str, str]]:
    return [(one.pointer, one.hint) for one in found if one.code == "folder_undeclared"]


@pytest.mark.parametrize(
    ("extra", "changes", "pointer", "hint"),
    [
        (STRAY, {}, "/solution", '"solution": "solution"'),
        (PROMPT, {"assets": ...}, "/assets", '"assets": ["assets"]'),
        (PROMPT, {"assets": []}, "/assets", '"assets": ["assets"]'),
        (
            {"private/a/key.json": "{}\n"},
            {},
            "/evaluation/privateAssets",
            '"privateAssets": ["private"] in "evaluation"',
        ),
        (
            REVIEWER,
            {},
            "/evaluation/reviewer",
            '"reviewer": {"path": "reviewer", "command": ["python3", "{reviewer}/judge.py"]} in "evaluation"',
        ),
        (
            {"reviewer/run": Script("#!/bin/sh\n"), **REVIEWER},
            {},
            "/evaluation/reviewer",
            '"reviewer": {"path": "reviewer", "command": ["{reviewer}/run"]} in "evaluation"',
        ),
        (
            {"reviewer/judge.sh": "x\n"},
            {},
            "/evaluation/reviewer",
            '"reviewer": {"path": "reviewer", "command": ["{reviewer}/judge.sh"]} in "evaluation"',
        ),
    ],
)
def test_what_to_paste_is_told(tmp_path: Path, extra: Tree, changes: dict[str, Any], pointer: str, hint: str) -> None:
    assert undeclared(tmp_path, extra, **changes) == [(pointer, hint)]


def test_what_is_pasted_takes_the_note_away(tmp_path: Path) -> None:
    extra: Tree = {**PROMPT, **REVIEWER, **STRAY, "private/key.json": "[]\n"}
    found = undeclared(tmp_path / "before", extra, assets=...)
    made = document(assets=...)
    for pointer, hint in found:
        member, _, holder = hint.partition(" in ")
        place = made["evaluation"] if holder else made
        place |= json.loads(f"{{{member}}}")
        assert pointer.rpartition("/")[2] in place
    write_scenario(tmp_path / "after/sum-ledger", made, extra)
    (loaded,) = selected(tmp_path / "after").loaded
    assert (len(found), loaded.findings) == (4, ())


@pytest.mark.parametrize(
    ("extra", "changes"),
    [
        pytest.param(STRAY, {"assets": ["assets/ledger.csv", "solution"]}, id="an asset"),
        pytest.param(STRAY, {"assets": ["assets/ledger.csv", "./solution//report.json"]}, id="an asset inside"),
        pytest.param({"solution/a/report.json": "{}\n"}, {"solution": "solution/a"}, id="a folder inside"),
        pytest.param({**STRAY, "task": Link("solution")}, {"solution": "task"}, id="a link to it"),
        pytest.param({"assets/setup.sh": ":\n"}, {"assets": [], "environment__setup": "assets/setup.sh"}, id="setup"),
        pytest.param({"private/task.md": "Sum it.\n"}, {"userPromptPath": "private/task.md"}, id="the prompt"),
        pytest.param({"solution": "a file\n"}, {}, id="a file of that name"),
        pytest.param({"solution": Folder(), "private/a": Folder()}, {}, id="no file in it"),
        pytest.param({"solution": Link("/usr")}, {}, id="a link that leads out"),
        pytest.param({"solution": Link("gone")}, {}, id="a dead link"),
        pytest.param(
            REVIEWER,
            {"evaluation__mode": "checks", "evaluation__checks": [{"id": "a", "command": "true"}]},
            id="checks",
        ),
    ],
)
def test_a_folder_that_is_not_forgotten_gets_no_note(tmp_path: Path, extra: Tree, changes: dict[str, Any]) -> None:
    assert undeclared(tmp_path, extra, **changes) == []


@pytest.mark.parametrize("name", [".gitkeep", ".keep", ".gitignore", ".DS_Store", "__pycache__/judge.cpython-311.pyc"])
def test_a_folder_with_nothing_in_it_that_anybody_wrote_gets_no_note(tmp_path: Path, name: str) -> None:
    assert undeclared(tmp_path, {f"solution/{name}": "", f"private/a/{name}": ""}) == []


@pytest.mark.parametrize(
    ("extra", "changes", "code"),
    [
        pytest.param(STRAY, {"solution": 5}, "field_type", id="refused"),
        pytest.param(STRAY, {"solution": "../solution"}, "path_unsafe", id="an unsafe path"),
        pytest.param({"private/k": "k\n"}, {"evaluation__privateAssets": [5]}, "field_type", id="an item refused"),
        pytest.param(STRAY, {"sollution": "solution"}, "field_unknown", id="misspelt"),
        pytest.param({"private/k": "k\n"}, {"privateAssets": ["private/k"]}, "field_unknown", id="in another place"),
        pytest.param({"private/k": "k\n"}, {"evaluation": ...}, "field_missing", id="no evaluation"),
        pytest.param(REVIEWER, {"evaluation__mode": "x"}, "field_value", id="no mode"),
        pytest.param(None, {"assets": ...}, "prompt_path_missing", id="named by the prompt"),
    ],
)
def test_a_folder_that_a_complaint_is_about_already_gets_no_note(
    tmp_path: Path, extra: Tree | None, changes: dict[str, Any], code: str
) -> None:
    write_scenario(tmp_path / "sum-ledger", document(**changes), extra)
    (loaded,) = selected(tmp_path).loaded
    assert code in {one.code for one in loaded.findings}
    assert told(list(loaded.findings)) == []


def test_a_folder_of_another_name_in_an_unknown_member_excuses_nothing(tmp_path: Path) -> None:
    assert undeclared(tmp_path, STRAY, notes={"of": ["private", 1]}) == [("/solution", '"solution": "solution"')]
