"""`harborsmith schema` through the real command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from referencing import Registry

from generator.resources import data_folder
from tests.support.scenarios import document

NAMES = sorted(file.name.removesuffix(".schema.json") for file in data_folder("schemas").glob("*.schema.json"))
REPOSITORY = Path(__file__).parents[2]


def harborsmith(*arguments: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "generator", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), **env},
        timeout=60,
        check=False,
    )


def test_without_a_name_every_schema_is_listed_with_its_title(tmp_path: Path) -> None:
    ended = harborsmith("schema", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    listed = dict(line.split(maxsplit=1) for line in ended.stdout.splitlines())
    assert list(listed) == NAMES
    assert listed["scenario-v2"] == "Scenario, version 2 (scenario.json)"


def test_a_schema_that_needs_no_other_is_printed_byte_for_byte(tmp_path: Path) -> None:
    ended = harborsmith("schema", "scenario-v2", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.encode() == (data_folder("schemas") / "scenario-v2.schema.json").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_printed_schema_works_alone(name: str, tmp_path: Path) -> None:
    printed: dict[str, Any] = json.loads(harborsmith("schema", name, cwd=tmp_path).stdout)
    jsonschema.Draft202012Validator.check_schema(printed)
    alone = jsonschema.Draft202012Validator(printed, registry=Registry())
    second = jsonschema_rs.Draft202012Validator(printed)
    for example in printed["examples"]:
        assert [error.message for error in alone.iter_errors(example)] == []
        assert second.is_valid(example)


@pytest.mark.parametrize(("changes", "verdict"), [({}, True), ({"assets": ["../x"]}, False), ({"tier": 5}, False)])
def test_a_printed_schema_applies_the_rules_it_borrows(changes: dict[str, Any], verdict: bool, tmp_path: Path) -> None:
    printed = json.loads(harborsmith("schema", "scenario-v1", cwd=tmp_path).stdout)
    driver = {"adapter": "custom-shell", "timeoutSeconds": 900}
    made = document(version="ruhroh_scenario_v1", driver=driver, **changes)
    assert jsonschema.Draft202012Validator(printed, registry=Registry()).is_valid(made) is verdict
    assert jsonschema_rs.Draft202012Validator(printed).is_valid(made) is verdict


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("scenario-2", "scenario-v2"),
        ("scenario_v2", "scenario-v2"),
        ("Loop-Result", "loop-result"),
        ("evalresult", "eval-result"),
    ],
)
def test_a_misspelt_name_is_wrong_usage_and_gets_the_right_one(name: str, meant: str, tmp_path: Path) -> None:
    ended = harborsmith("schema", name, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"there is no schema {name!r}. Did you mean {meant}?" in ended.stderr
    assert all(known in ended.stderr for known in NAMES)


@pytest.mark.parametrize(
    "name", ["", "../pyproject", "/etc/hostname", "zzz", "*", "scenario-v2\n", "\u202e", "a" * 5000]
)
def test_a_name_that_is_none_is_wrong_usage_without_a_traceback(name: str, tmp_path: Path) -> None:
    ended = harborsmith("schema", name, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "Traceback" not in ended.stderr
    assert "There are: agent, " in ended.stderr


def test_more_than_one_name_is_wrong_usage(tmp_path: Path) -> None:
    assert harborsmith("schema", "agent", "journey", cwd=tmp_path).returncode == 2


def test_a_terminal_without_unicode_can_show_every_schema(tmp_path: Path) -> None:
    for name in ("scenario-v2", "scenario-v1", "loop-result"):
        ended = harborsmith("schema", name, cwd=tmp_path, LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
        assert (ended.returncode, ended.stderr) == (0, "")


def test_the_help_shows_how_to_use_it(tmp_path: Path) -> None:
    ended = harborsmith("schema", "--help", cwd=tmp_path)
    assert ended.returncode == 0
    assert "harborsmith schema scenario-v2" in ended.stdout


def test_nothing_heavy_is_imported_to_print_a_schema(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from generator.cli.main import main\n"
        "try:\n    main(['schema', 'loop-result'])\n"
        "except SystemExit as end:\n    code = end.code\n"
        "heavy = {'jsonschema', 'jsonschema_rs', 'jinja2', 'yaml', 'asyncio', 'difflib'} & {*sys.modules}\n"
        "print(sorted(heavy), int(code), file=sys.stderr)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        timeout=60,
        check=False,
    )
    assert ended.stderr == "[] 0\n"
