"""The corpus: what each case directory must be told, and that every code has a case."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from generator.diagnostics.catalogue import Entry, catalogue
from generator.diagnostics.model import Severity
from generator.workflows.select import select
from generator.workflows.validate import validate
from tests.support.cases import cases, diagnosed, first_lines
from tests.support.scenarios import write_scenario
from tests.unit.rules.built import BUILT

SOURCES = Path(__file__).parents[3] / "generator"
ASKED = {"document_missing": {"paths": ["b/scenario.json"]}, "selection_unknown_scenario": {"ids": ["sum-ledgr"]}}
OURS = ("diagnostics", "source", "formats", "rules", "workflows")


def _catalogue_of_reading() -> dict[str, Entry]:
    import tomllib

    files = [SOURCES / "diagnostics" / name for name in ("catalogue.toml", "catalogue_lint.toml")]
    names = {name for file in files for name in tomllib.loads(file.read_text(encoding="utf-8"))}
    return {code: entry for code, entry in catalogue().items() if code in names}


@pytest.mark.parametrize("case", cases("invalid"), ids=lambda case: case.name)
def test_an_invalid_case_is_told_exactly_what_it_expects(
    case: Path, monkeypatch: pytest.MonkeyPatch, refresh_golden: bool
) -> None:
    monkeypatch.chdir(case)
    found = diagnosed(Path())
    lines = list(first_lines(found))
    expected = case / "expect.txt"
    if refresh_golden:
        expected.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert lines == expected.read_text(encoding="utf-8").splitlines()
    assert case.name.partition("-")[0] in {one.code for one in found}


@pytest.mark.parametrize("case", cases("valid"), ids=lambda case: case.name)
def test_a_valid_case_gets_no_complaint_at_all(case: Path) -> None:
    assert list(first_lines(diagnosed(case))) == []


@pytest.mark.parametrize("code", sorted(BUILT))
def test_a_case_that_no_repository_can_hold_is_told_its_code(code: str, tmp_path: Path) -> None:
    with BUILT[code](tmp_path) as root:
        found = diagnosed(root)
    assert code in {one.code for one in found}


@pytest.mark.parametrize(("code", "asked"), ASKED.items())
def test_asking_for_what_is_not_there_is_told_its_code(code: str, asked: dict[str, Any], tmp_path: Path) -> None:
    write_scenario(tmp_path / "a")
    paths = [tmp_path / name for name in asked.get("paths", ())]
    report = validate(select(tmp_path, ids=asked.get("ids", ()), paths=paths))
    found = [*report.problems, *(one for result in report.results for one in result.diagnostics)]
    assert [one.code for one in found] == [code]


def test_every_code_of_the_catalogue_has_a_case() -> None:
    covered = {case.name.partition("-")[0] for case in cases("invalid")} | set(BUILT) | set(ASKED)
    assert covered == set(_catalogue_of_reading())


def test_every_code_that_the_source_uses_stands_in_the_catalogue() -> None:
    used = set()
    for layer in OURS:
        for file in sorted((SOURCES / layer).glob("*.py")):
            text = file.read_text(encoding="utf-8")
            used |= set(re.findall(r'(?:Finding|note|fail)\(\s*f?"([a-z_{}]+)"', text))
    plain = {code for code in used if "{" not in code}
    assert plain
    assert plain <= set(catalogue())


@pytest.mark.parametrize("entry", _catalogue_of_reading().values(), ids=lambda entry: entry.code)
def test_every_code_is_explained_with_a_fault_and_its_mend(entry: Entry) -> None:
    assert entry.severity in Severity
    assert entry.summary.endswith(".")
    assert entry.why.endswith(".")
    assert entry.mended
    assert entry.fault != entry.mended
    assert re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", entry.since)
