"""Findings get their weight and place."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.diagnostics.locate import dotted, has_errors, locate, shown_path
from generator.diagnostics.model import Finding, Severity
from generator.source.document import Document, read_document

TEXT = b'{\n  "id": "a",\n  "metadata": {"visibility": "public"},\n  "tier": 5\n}\n'


def document() -> Document:
    made = read_document(TEXT, "scenario.json")
    assert isinstance(made, Document)
    return made


def place(finding: Finding, with_document: bool = True) -> tuple[str, int | None, int | None]:
    (found,) = locate([finding], document() if with_document else None, Path("/pack/a"), "a")
    return found.location.file, found.location.line, found.location.column


def test_a_finding_gets_severity_category_and_published_field() -> None:
    (found,) = locate([Finding("field_value", "/tier", "m", "h")], document(), Path("/pack/a"), "a")
    assert (found.severity, found.category, found.field) == (Severity.ERROR, "structure", "tier")
    assert (found.message, found.hint, found.scenario) == ("m", "h", "a")


def test_a_value_a_name_and_another_value_can_be_shown() -> None:
    assert place(Finding("field_value", "/tier", "m")) == ("/pack/a/scenario.json", 4, 11)
    assert place(Finding("field_value", "/tier", "m", on_name=True)) == ("/pack/a/scenario.json", 4, 3)
    assert place(Finding("field_value", "/metadata", "m", at="/metadata/visibility")) == (
        "/pack/a/scenario.json",
        3,
        30,
    )


def test_another_file_has_its_own_position_or_none() -> None:
    assert place(Finding("prompt_nul", "", "m", file="instruction.md", position=(7, 3))) == (
        "/pack/a/instruction.md",
        7,
        3,
    )
    assert place(Finding("prompt_blank", "", "m", file="instruction.md")) == ("/pack/a/instruction.md", None, None)


def test_without_a_document_only_a_given_position_is_shown() -> None:
    assert place(Finding("document_missing", "", "m"), with_document=False) == ("/pack/a/scenario.json", None, None)
    assert place(Finding("document_syntax", "", "m", position=(1, 9)), with_document=False)[1:] == (1, 9)


def test_diagnostics_stand_in_file_order_and_those_of_one_place_in_the_order_of_the_rules() -> None:
    given = [
        Finding("field_value", "/tier", "last"),
        Finding("publication_tags_missing", "/metadata", "second", at="/metadata/visibility"),
        Finding("publication_lifecycle_missing", "/metadata", "third", at="/metadata/visibility"),
        Finding("name_not_portable", "/id", "first"),
    ]
    found = locate(given, document(), Path("/pack/a"))
    assert [one.message for one in found] == ["first", "second", "third", "last"]


@pytest.mark.parametrize(
    ("pointer", "field"),
    [
        ("", ""),
        ("/title", "title"),
        ("/evaluation/goalRubric/0", "evaluation.goalRubric[0]"),
        ("/environment/stage/a~1b~0c", "environment.stage.a/b~c"),
    ],
)
def test_the_published_field_is_dotted(pointer: str, field: str) -> None:
    assert dotted(pointer) == field


def test_a_path_below_the_working_directory_is_shown_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown_path(tmp_path / "a/b.json") == "a/b.json"
    assert shown_path(Path("a/b.json")) == "a/b.json"
    assert shown_path(tmp_path) == "."
    assert shown_path(tmp_path.parent / "other") == str(tmp_path.parent / "other")


def test_only_errors_stop_a_scenario() -> None:
    assert has_errors([Finding("network_public", "", "m"), Finding("field_type", "", "m")])
    assert not has_errors([Finding("network_public", "", "m")])
    assert not has_errors([])
