"""Which directories are scenarios, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.formats.discovery import discover
from generator.formats.reading import read
from tests.support.files import Link, write_tree
from tests.unit.rules.built import unprivileged


def names(root: Path) -> list[str]:
    return [path.name for path in discover(root).directories]


def test_a_directory_with_a_document_is_that_one_scenario(tmp_path: Path) -> None:
    write_tree(tmp_path, {"scenario.json": "{}", "inner/scenario.json": "{}"})
    assert discover(tmp_path).directories == (tmp_path,)


def test_only_direct_children_with_a_document_count(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/scenario.json": "{}", "b/notes.md": "", "c/d/scenario.json": "{}", "scenario.txt": ""})
    assert names(tmp_path) == ["a"]


def test_the_order_ignores_case_and_normal_form_then_takes_the_name(tmp_path: Path) -> None:
    given = ["b", "A", "a", "_x", "10", "9", "e\u0301b", "éa", "-y"]
    write_tree(tmp_path, {f"{name}/scenario.json": "{}" for name in given})
    assert names(tmp_path) == ["-y", "10", "9", "_x", "A", "a", "b", "éa", "e\u0301b"]


def test_a_linked_directory_is_passed_over_and_named(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/scenario.json": "{}", "b": Link("a"), "c": Link("nowhere"), "d": Link("d")})
    found = discover(tmp_path)
    assert [path.name for path in found.directories] == ["a"]
    assert [path.name for path in found.skipped_links] == ["b"]


def test_a_document_that_is_a_dangling_link_still_makes_a_scenario(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/scenario.json": Link("nowhere")})
    assert names(tmp_path) == ["a"]


def test_a_missing_root_and_a_file_as_root_are_told_apart(tmp_path: Path) -> None:
    assert discover(tmp_path / "gone").missing
    (tmp_path / "file").write_text("")
    assert "directory" in discover(tmp_path / "file").unreadable


def test_a_directory_that_cannot_be_looked_into_is_not_passed_over(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/scenario.json": "{}", "b/scenario.json": "{}"})
    (tmp_path / "b").chmod(0)
    with unprivileged(tmp_path):
        assert names(tmp_path) == ["a", "b"]
    (tmp_path / "b").chmod(0o755)


@pytest.mark.parametrize("files", [["scenario.json"], ["scenario.yaml"], ["scenario.json", "scenario.yaml"]])
def test_a_directory_that_may_be_entered_and_not_listed_is_read_as_any_other(tmp_path: Path, files: list[str]) -> None:
    scenario = write_tree(tmp_path, {f"a/{name}": "{}" for name in files}) / "a"
    listed = read(scenario)
    scenario.chmod(0o711)
    with unprivileged(tmp_path):
        unlisted = read(scenario)
        assert unlisted.names == ()
    scenario.chmod(0o755)
    assert unlisted.findings == listed.findings
    assert [one.document.file for one in (listed, unlisted) if one.document] == (files * 2 if len(files) == 1 else [])


@pytest.mark.parametrize("name", [b"\xff", b"a\nb"])
def test_names_that_are_no_text_are_found_as_well(tmp_path: Path, name: bytes) -> None:
    folder = bytes(tmp_path) + b"/" + name
    Path(folder.decode("utf-8", "surrogateescape")).mkdir()
    Path((folder + b"/scenario.json").decode("utf-8", "surrogateescape")).write_text("{}")
    assert [bytes(path).rpartition(b"/")[2] for path in discover(tmp_path).directories] == [name]
