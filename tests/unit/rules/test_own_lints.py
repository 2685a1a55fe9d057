"""Advice beyond the published rules, at its edges: what is told, and above all what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generator.diagnostics.catalogue import catalogue
from generator.diagnostics.model import Severity
from generator.rules.asset_lint import MOST_FILES
from generator.rules.mentions import MOST_SHOWN, mentions
from generator.rules.prompt_lint import MIN_QUOTE, MOST_LOOKED_AT, MOST_READ
from generator.workflows.validate import unknown_fail_on, validate
from tests.support.cases import selected
from tests.support.files import Link, Tree
from tests.support.scenarios import document, write_scenario
from tests.unit.rules.support import codes, notes


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Read `a/b.csv`, then ./c.md. End", ["a/b.csv", "c.md"]),
        ("(docs/x) and docs/y/ and 'z.json'.", ["docs/x", "docs/y", "z.json"]),
        ("python3 bill.py a.csv 2026-01-01", ["bill.py", "a.csv"]),
        ("https://example.org/a/b.csv ftp://h/x a@b.org/c.py", []),
        ("/etc/hosts.conf ~/x.md ../up/x.md $HOME/x.md C:/x.md -I/usr/x.md", []),
        ("src/*.py a/<name>/b.py {reviewer}/judge.py %s/x.py x/{y}.md", []),
        ("json.load e.g. 1/2 1.5 v1.2.3 Node.js-like", []),
        ("either/or", ["either/or"]),
        (".github/workflows/ci.yml .env.yml", [".github/workflows/ci.yml", ".env.yml"]),
    ],
)
def test_relative_paths_are_told_from_addresses_and_patterns(text: str, paths: list[str]) -> None:
    assert [one.path for one in mentions(text)] == paths


def prompt_notes(root: Path, prompt: str, extra: Tree | None = None, **changes: Any) -> list[tuple[str, str]]:
    found = notes(root, {**(extra or {}), "instruction.md": prompt}, **changes)
    return [(one.code, one.hint) for one in found if one.code.startswith("prompt")]


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("Read assets/gone.csv", True),
        ("Read assets/ledgr.csv", True),
        ("Read fixtures/gone.csv", True),
        ("Read data/gone.csv", False),
        ("Read gone.csv", False),
        ("Write the sums to assets/gone.csv", False),
        ("Save it as fixtures/gone.csv", False),
        ("Write it. Then read assets/gone.csv", True),
        ("Read assets", False),
        ("Read assets/", False),
        ("Read solution/main.py", False),
    ],
)
def test_only_what_can_be_no_result_is_missed(tmp_path: Path, prompt: str, told: bool) -> None:
    found = prompt_notes(tmp_path, prompt, {"solution/main.py": ""}, solution="solution")
    assert [code for code, _ in found] == ["prompt_path_missing"] * told


def test_a_misspelt_input_is_met_with_the_closest_path_of_the_workspace(tmp_path: Path) -> None:
    assert prompt_notes(tmp_path, "Read assets/legder.csv") == [("prompt_path_missing", '"assets/ledger.csv"')]


def test_a_path_is_told_once_and_a_long_list_is_cut(tmp_path: Path) -> None:
    assert len(prompt_notes(tmp_path, "assets/x.csv assets/x.csv")) == 1
    many = " ".join(f"assets/x{n}.csv" for n in range(MOST_LOOKED_AT * 2))
    assert len(prompt_notes(tmp_path, many)) == MOST_SHOWN


@pytest.mark.parametrize(
    "changes",
    [
        {"assets": ["assets/gone.csv"]},
        {"assets": "assets"},
        {"assets": ["assets", 5]},
        {"environment": {"stage": "x"}},
    ],
)
def test_where_the_assets_are_wrong_the_prompt_is_left_alone(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert prompt_notes(tmp_path, "Read assets/other.csv", **changes) == []


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("# canary", True),
        ("#CANARY GUID 1\r", True),
        ("<!-- a canary -->", True),
        ("<!-- a canary", False),
        (" # canary", False),
        ("Canary #", False),
    ],
)
def test_a_first_line_is_told_as_harbor_would_strip_it(tmp_path: Path, first: str, told: bool) -> None:
    found = prompt_notes(tmp_path, f"{first}\nSum `assets/ledger.csv`.\n")
    assert [code for code, _ in found] == ["prompt_canary_stripped"] * told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("x" * MIN_QUOTE, True),
        (" " * 8 + "x" * MIN_QUOTE + "  \r\n", True),
        ("x" * (MIN_QUOTE - 1), False),
        ("-" * MIN_QUOTE, False),
        (b"\xff" + b"x" * MIN_QUOTE, False),
        ("y\n" * MOST_READ + "x" * MIN_QUOTE, False),
    ],
)
def test_only_long_lines_of_private_texts_count_as_quotes(tmp_path: Path, content: str | bytes, told: bool) -> None:
    prompt = f"Sum `assets/ledger.csv`. {'x' * MIN_QUOTE} {'-' * MIN_QUOTE}\n"
    found = prompt_notes(tmp_path, prompt, {"private/key": content}, evaluation__privateAssets=["private/key"])
    assert [code for code, _ in found] == ["prompt_quotes_private"] * told


def test_a_private_asset_that_is_not_there_is_not_read(tmp_path: Path) -> None:
    assert codes(tmp_path, {"private/x": Link("gone")}, evaluation__privateAssets=["private"]) == ["asset_missing"]


def test_a_directory_of_thousands_of_files_is_told(tmp_path: Path) -> None:
    files: Tree = {f"many/{n}.txt": "x" for n in range(MOST_FILES + 1)}
    found = notes(tmp_path, files, assets=["assets/ledger.csv", "many"])
    assert [(one.code, one.pointer) for one in found] == [("asset_too_broad", "/assets/1")]


def test_a_private_file_is_compared_by_content_and_not_by_name_or_link(tmp_path: Path) -> None:
    extra: Tree = {"private/a": "item,amount\npens,4.50\npaper,9.50\n", "private/b": "x" * 33}
    assert codes(tmp_path, extra, evaluation__privateAssets=["private"]) == ["private_content_in_public"]
    (tmp_path / "sum-ledger/private/a").unlink()
    (tmp_path / "sum-ledger/private/a").hardlink_to(tmp_path / "sum-ledger/assets/ledger.csv")
    (loaded,) = selected(tmp_path).loaded
    assert [one.code for one in loaded.findings] == ["private_exposed"]


@pytest.mark.parametrize(
    ("criterion", "told"),
    [
        ("`report.json` must hold the total of all the amounts.", True),
        ("The class called Ledger adds all the amounts together.", True),
        ("Line 12 of the source text mentions every one of the amounts.", True),
        ("The total agrees with the ledger, e.g. to two decimal places.", False),
        ("The classes of goods are named as in the ledger that was given.", False),
    ],
)
def test_a_criterion_about_source_is_told_from_one_about_the_outcome(
    tmp_path: Path, criterion: str, told: bool
) -> None:
    rubric = [*document()["evaluation"]["goalRubric"], criterion]
    found = [one.pointer for one in notes(tmp_path, evaluation__goalRubric=rubric)]
    assert found == ["/evaluation/goalRubric/3"] * told


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("cat report.json", False),
        ("cat ./out/report.json", False),
        ("cat other.json", True),
        ("sort x > other.json; cat other.json", False),
        ("sort x | tee -a other.json; cat other.json", False),
        ("tool -o other.json && cat other.json", False),
        ("cat assets/ledger.csv /tmp/other.json", False),
        ("python3 -c 'json.load(sys.stdin)'", False),
    ],
)
def test_a_check_may_name_what_was_told_given_or_made_by_itself(tmp_path: Path, command: str, told: bool) -> None:
    found = notes(tmp_path, evaluation__checks=[{"id": "a", "command": command}])
    assert [one.code for one in found] == ["check_path_unmentioned"] * told


def test_without_a_prompt_nobody_says_what_it_does_not_name(tmp_path: Path) -> None:
    changes: dict[str, Any] = {
        "userPromptPath": "gone.md",
        "evaluation__checks": [{"id": "a", "command": "cat other.json"}],
    }
    assert notes(tmp_path, **changes) == []
    assert codes(tmp_path, **changes) == ["prompt_missing"]


def test_advice_fails_nothing_unless_it_is_named(tmp_path: Path) -> None:
    write_scenario(tmp_path / "a", document(assets=...))
    named = ("prompt_path_missing",), ("prompt",), ("note",)
    for fail_on, failed in (((), False), (("warning",), False), *((names, True) for names in named)):
        assert validate(selected(tmp_path), fail_on).failed is failed


def test_whoever_fails_on_notes_fails_on_warnings_too(tmp_path: Path) -> None:
    write_scenario(tmp_path / "a", document(requires__network=True))
    assert unknown_fail_on(("note", "warning")) is None
    (result,) = validate(selected(tmp_path), ("note",)).results
    assert "network_public" in [one.code for one in result.failing]


def test_advice_is_a_note_and_content_that_is_no_secret_a_warning() -> None:
    ours = [entry for code, entry in catalogue().items() if code in OURS]
    assert {entry.code for entry in ours if entry.severity is not Severity.NOTE} == {"private_content_in_public"}
    assert len(ours) == len(OURS)


OURS = {
    "prompt_path_missing",
    "prompt_canary_stripped",
    "prompt_quotes_private",
    "asset_too_broad",
    "asset_name_dropped",
    "folder_undeclared",
    "private_content_in_public",
    "rubric_names_files",
    "rubric_repeats_prompt",
    "rubric_repeats_itself",
    "calibration_status_missing",
    "check_path_unmentioned",
}
