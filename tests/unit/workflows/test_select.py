"""Which scenarios are selected, and that none hides another."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.formats.schemas import V2, schema
from generator.scenario.tiers import TIERS
from generator.workflows.select import Selection, ids_known, select
from tests.support.files import write_tree
from tests.support.scenarios import document, write_scenario


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    write_scenario(tmp_path / "a", document(id="first"))
    write_scenario(tmp_path / "b", document(id="second", tier="nightly"))
    write_tree(tmp_path, {"broken/scenario.json": "{"})
    return tmp_path


def test_the_tiers_that_can_be_chosen_are_those_of_the_schema() -> None:
    assert schema(V2)["properties"]["tier"]["enum"] == list(TIERS)


def names(selection: Selection) -> list[str]:
    return [loaded.name for loaded in selection.loaded]


def problems(selection: Selection) -> list[str]:
    return [problem.code for problem in selection.problems]


def test_without_a_choice_everything_is_selected_and_a_broken_one_hides_no_other(pack: Path) -> None:
    found = select(pack)
    assert names(found) == ["a", "b", "broken"]
    assert [loaded.scenario is not None for loaded in found.loaded] == [True, True, False]
    assert problems(found) == []


def test_a_scenario_is_chosen_by_id_or_directory_name(pack: Path) -> None:
    assert names(select(pack, ids=["first"])) == ["a"]
    assert names(select(pack, ids=["b", "first", "a"])) == ["a", "b"]
    assert names(select(pack, ids=["broken"])) == ["broken"]


def test_an_unknown_id_is_a_problem_with_the_closest_known_one(pack: Path) -> None:
    found = select(pack, ids=["secnd", "first"])
    assert names(found) == ["a"]
    assert problems(found) == ["selection_unknown_scenario"]
    assert "second" in found.problems[0].hint
    assert select(pack, ids=["zzzz"]).problems[0].hint.startswith("one of a, b, ")


def test_a_tier_takes_its_scenarios_and_those_whose_tier_cannot_be_told(pack: Path) -> None:
    assert names(select(pack, tier="nightly")) == ["b", "broken"]
    assert names(select(pack, tier="smoke")) == ["a", "broken"]


def test_a_tier_that_nothing_has_is_a_problem(tmp_path: Path) -> None:
    write_scenario(tmp_path / "a")
    found = select(tmp_path, tier="release")
    assert (names(found), problems(found)) == ([], ["selection_empty"])
    assert "release" in found.problems[0].message


def test_paths_replace_the_directory_and_keep_their_order(pack: Path) -> None:
    found = select(Path("/nowhere"), paths=[pack / "b/scenario.json", pack / "a", pack / "a/scenario.json"])
    assert names(found) == ["b", "a"]
    assert problems(found) == []


def test_a_path_may_be_a_directory_of_scenarios_or_a_link_to_one(pack: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(pack / "a")
    assert names(select(Path("/nowhere"), paths=[pack])) == ["a", "b", "broken"]
    assert names(select(Path("/nowhere"), paths=[tmp_path / "link"])) == ["link"]


@pytest.mark.parametrize(
    ("path", "code"),
    [("gone", "directory_missing"), ("empty", "selection_empty"), ("a/instruction.md", "directory_unreadable")],
)
def test_a_path_that_is_no_scenario_is_a_problem_and_hides_no_other(pack: Path, path: str, code: str) -> None:
    (pack / "empty").mkdir()
    found = select(Path("/nowhere"), paths=[pack / path, pack / "a"])
    assert (names(found), problems(found)) == (["a"], [code])


def test_every_path_that_is_no_scenario_is_named(pack: Path) -> None:
    for name in ("empty", "empty too"):
        (pack / name).mkdir()
    found = select(Path("/nowhere"), paths=[pack / "empty", pack / "gone", pack / "empty too"])
    assert problems(found) == ["selection_empty", "directory_missing", "selection_empty"]


def test_a_directory_that_is_itself_a_scenario_is_that_one(pack: Path) -> None:
    assert names(select(pack / "a")) == ["a"]


def test_a_choice_does_not_narrow_what_ids_are_compared_with(tmp_path: Path) -> None:
    write_scenario(tmp_path / "a", document(id="same"))
    write_scenario(tmp_path / "b", document(id="SAME"))
    write_scenario(tmp_path / "c", document(id="other"))
    (found,) = select(tmp_path, ids=["a"]).loaded
    assert [one.code for one in found.findings] == ["id_clash"]
    assert [loaded.scenario is None for loaded in select(tmp_path).loaded] == [True, True, False]


def test_models_are_built_for_who_asks_and_findings_are_the_same(pack: Path) -> None:
    built, judged = select(pack).loaded, select(pack, models=False).loaded
    assert [one.scenario for one in judged] == [None] * len(built)
    assert [one.findings for one in judged] == [one.findings for one in built]
    assert [one.raw for one in judged] == [one.raw for one in built]


def test_warnings_leave_a_scenario_usable_and_errors_do_not(tmp_path: Path) -> None:
    write_scenario(tmp_path / "a", document(requires__network=True))
    write_scenario(tmp_path / "b", document(id="b", title=5))
    first, second = select(tmp_path).loaded
    assert first.scenario is not None
    assert [one.code for one in first.findings] == ["network_public"]
    assert second.scenario is None


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("Scenario.json", "scenario.json"),
        ("scenario.jsn", "scenario.json"),
        ("scenario.json.txt", "scenario.json"),
        ("scenario.yml", "scenario.yaml"),
        ("senario.yaml", "scenario.yaml"),
        ("scenarios.json", "scenario.json"),
        ("scenario.toml", "scenario.json"),
    ],
)
def test_a_document_of_another_name_is_told_and_hides_no_other(tmp_path: Path, name: str, right: str) -> None:
    write_scenario(tmp_path / "a")
    write_tree(tmp_path, {f"b/{name}": "{}"})
    found = select(tmp_path)
    assert (names(found), problems(found)) == (["a"], ["document_misnamed"])
    (problem,) = found.problems
    assert (Path(problem.location.file), problem.hint) == (tmp_path / "b" / name, right)
    assert name in problem.message
    assert not ids_known(found)


@pytest.mark.parametrize("name", ["scenery.json", "package.json", "scenario", "scene.yml", "scenario_notes.md"])
def test_a_file_that_is_no_document_is_not_taken_for_one(tmp_path: Path, name: str) -> None:
    write_scenario(tmp_path / "a")
    write_tree(tmp_path, {f"b/{name}": "{}", "c/scenario.yml/x": ""})
    assert problems(select(tmp_path)) == []


def test_beside_a_document_another_one_may_be_called_anything(tmp_path: Path) -> None:
    write_tree(write_scenario(tmp_path / "a"), {"scenario.yml": "{}"})
    assert problems(select(tmp_path)) == []


def test_where_every_document_has_another_name_nothing_is_selected(tmp_path: Path) -> None:
    write_tree(tmp_path, {"b/scenario.yml": "{}"})
    assert problems(select(tmp_path)) == ["document_misnamed", "selection_empty"]
    for found in (select(tmp_path / "b"), select(Path("/nowhere"), paths=[tmp_path / "b"])):
        (problem,) = found.problems
        assert (problem.code, problem.hint) == ("selection_empty", "scenario.yaml")
        assert '"scenario.yml"' in problem.message


def hint(selection: Selection) -> str:
    (problem,) = selection.problems
    return problem.hint


def test_a_directory_that_is_not_there_is_told_with_the_closest_one(tmp_path: Path) -> None:
    write_scenario(tmp_path / "scenarios" / "t-judge", document(id="judged"))
    (tmp_path / "scenarios" / "t-judging").write_text("no directory\n")
    assert hint(select(Path("/nowhere"), paths=[tmp_path / "scenarios/t-judg"])) == f"{tmp_path}/scenarios/t-judge"
    assert hint(select(tmp_path / "scenario")) == f"{tmp_path}/scenarios"
    assert "--scenario-dir DIR" in hint(select(tmp_path / "gone" / "zzz"))


@pytest.mark.parametrize("name", ["a", "second", "broken"])
def test_an_id_that_is_typed_as_a_path_is_told_with_the_option_for_it(pack: Path, name: str) -> None:
    assert hint(select(pack, paths=[Path(name)])) == f"--scenario {name}"


def test_a_file_of_a_scenario_is_told_with_its_directory(pack: Path) -> None:
    assert hint(select(pack, paths=[pack / "a/instruction.md"])) == str(pack / "a")
    write_tree(pack, {"notes.md": "no scenario\n"})
    assert hint(select(pack, paths=[pack / "notes.md"])) == "the directory of a scenario"
    write_tree(pack, {"c/scenario.yml": "{}"})
    assert hint(select(pack, paths=[pack / "c/scenario.yml"])) == "scenario.yaml"


def test_a_tier_that_nothing_has_is_told_with_those_that_are_there(tmp_path: Path) -> None:
    write_scenario(tmp_path / "a", document(tier="release"))
    write_scenario(tmp_path / "b", document(id="b", tier="smoke"))
    assert hint(select(tmp_path, tier="nightly")) == "--tier smoke or --tier release"


@pytest.mark.parametrize(
    ("changes", "files", "expected"),
    [
        ({}, {"prompt.md": "x"}, '"userPromptPath": "prompt.md"'),
        ({}, {"prompt.md": "x", "README.md": "x"}, '"userPromptPath": "prompt.md"'),
        ({}, {"instructions.md": "x"}, '"userPromptPath": "instructions.md"'),
        ({"userPromptPath": "task.txt"}, {"prompt.md": "x"}, '"prompt.md"'),
        ({}, {"one.md": "x", "two.md": "x"}, "a UTF-8 text file"),
        ({}, {"prompt.md/x": "x"}, "a UTF-8 text file"),
    ],
)
def test_a_missing_prompt_is_told_with_the_text_that_lies_there(
    tmp_path: Path, changes: dict[str, str], files: dict[str, str], expected: str
) -> None:
    made = document(**({"userPromptPath": ...} | changes))
    folder = write_scenario(tmp_path / "a", made, files)
    (folder / "instruction.md").unlink()
    (loaded,) = select(tmp_path).loaded
    (missing,) = [one for one in loaded.findings if one.code == "prompt_missing"]
    assert missing.hint.startswith(expected)
