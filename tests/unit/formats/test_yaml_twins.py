"""A scenario in YAML is the scenario in JSON: same codes at the same members, same loaded form, same package."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from generator.diagnostics.model import Diagnostic
from generator.formats.discovery import discover
from generator.resources import data_folder
from generator.source.pointer import child, parent
from generator.workflows.select import select
from tests.support.cases import cases, diagnosed, selected
from tests.support.files import read_tree, write_tree
from tests.support.packages import written
from tests.support.scenarios import document, write_scenario
from tests.support.twins import YAML_NAME, as_yaml, write_twin


def parses(scenario: Path) -> bool:
    (loaded,) = select(scenario).loaded
    return loaded.document is not None and loaded.document.file == "scenario.json"


CASES = [
    case
    for kind in ("valid", "invalid")
    for case in cases(kind)
    if all(parses(scenario) for scenario in discover(case).directories)
]


def about(found: list[Diagnostic]) -> list[tuple[str, str, str, str]]:
    """Code, file (as if it were JSON), pointer and words of each, in no particular order."""
    return sorted(
        (
            one.code,
            one.location.file.replace(YAML_NAME, "scenario.json"),
            one.location.pointer,
            one.message.replace(YAML_NAME, "scenario.json"),
        )
        for one in found
    )


def marks(node: yaml.Node, pointer: str = "") -> dict[str, set[tuple[int, int]]]:
    """Where PyYAML's own composer sees each value and, for members, its name."""
    places: dict[str, set[tuple[int, int]]] = {pointer: {place(node)}}
    if isinstance(node, yaml.MappingNode):
        for name, below in node.value:
            found = marks(below, child(pointer, name.value))
            found[child(pointer, name.value)].add(place(name))
            places |= found
    elif isinstance(node, yaml.SequenceNode):
        for index, below in enumerate(node.value):
            places |= marks(below, child(pointer, index))
    return places


def place(node: yaml.Node) -> tuple[int, int]:
    assert node.start_mark is not None
    return node.start_mark.line + 1, node.start_mark.column + 1


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_yaml_twin_of_a_case_is_told_the_same_at_the_right_places(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for scenario in discover(case).directories:
        write_twin(scenario, tmp_path / scenario.name)
    monkeypatch.chdir(case)
    expected = about(diagnosed(Path()))
    monkeypatch.chdir(tmp_path)
    found = diagnosed(Path())
    assert about(found) == expected
    for one in found:
        if one.location.file.endswith(YAML_NAME) and one.location.pointer in known(one):
            assert (one.location.line, one.location.column) in known(one)[one.location.pointer] | elsewhere(one)


def known(one: Diagnostic) -> dict[str, set[tuple[int, int]]]:
    node = yaml.compose(Path(one.location.file).read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    assert node is not None
    return marks(node)


def elsewhere(one: Diagnostic) -> set[tuple[int, int]]:
    """Places of the few complaints that are shown at another member than the one they are about."""
    shown = {
        "publication": "/metadata/visibility",
        "evidence": child(one.location.pointer, 1),
        "structure": parent(one.location.pointer),
    }
    return known(one).get(shown.get(one.category, ""), set())


def test_cases_of_every_category_have_a_twin() -> None:
    assert len(CASES) > 90


@pytest.mark.parametrize("scenario", discover(data_folder("scenarios")).directories, ids=lambda path: path.name)
def test_the_twin_of_a_bundled_scenario_makes_the_same_package(scenario: Path, tmp_path: Path) -> None:
    twin = write_twin(scenario, tmp_path / "pack" / scenario.name)
    assert read_tree(written(twin, tmp_path / "out-yaml")) == read_tree(written(scenario, tmp_path / "out-json"))


def test_both_documents_in_one_directory_are_refused(tmp_path: Path) -> None:
    write_scenario(tmp_path / "a", extra={YAML_NAME: as_yaml(document())})
    (found,) = diagnosed(tmp_path)
    assert (found.code, Path(found.location.file).name) == ("document_twice", YAML_NAME)


@pytest.mark.parametrize("path", ["a", "a/scenario.yaml", "."])
def test_a_yaml_scenario_is_found_by_every_kind_of_path(tmp_path: Path, path: str) -> None:
    write_twin(write_scenario(tmp_path / "json/sum-ledger"), tmp_path / "a")
    (loaded,) = select(tmp_path, paths=[tmp_path / path]).loaded
    assert loaded.id == "sum-ledger"
    assert loaded.document is not None
    assert loaded.document.file == YAML_NAME
    assert loaded.findings == ()


def test_a_broken_yaml_document_is_placed_in_its_own_file(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/scenario.yaml": "id: a\ntitle: b: c\n"})
    (found,) = diagnosed(tmp_path)
    assert (found.code, found.location.line, found.location.column) == ("document_syntax", 2, 9)
    assert found.location.file.endswith("a/scenario.yaml")


def test_a_missing_named_document_is_the_one_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (loaded,) = select(tmp_path, paths=[tmp_path / "a/scenario.yaml"]).loaded
    assert [one.code for one in loaded.findings] == ["document_missing"]


def test_an_invalid_alias_target_is_told_at_each_place_it_stands_for(tmp_path: Path) -> None:
    made = as_yaml(document(evaluation__scenarioContext=..., evaluation__evidenceGuidance=...))
    made += "  scenarioContext: &notes [' ', 'A note that says something.']\n  evidenceGuidance: *notes\n"
    write_scenario(tmp_path / "a", extra={YAML_NAME: made})
    (tmp_path / "a/scenario.json").unlink()
    found = [one.pointer for one in selected(tmp_path).loaded[0].findings if one.code == "text_blank"]
    assert found == ["/evaluation/scenarioContext/0", "/evaluation/evidenceGuidance/0"]
