"""Looking again: what did not change is not read or judged again, and what others say of it still counts."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from generator.formats.loaded import LoadedScenario
from generator.workflows.memory import Memory
from generator.workflows.select import Selection, select
from tests.support.scenarios import document, write_scenario

DAY = date(2026, 6, 1)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        write_scenario(tmp_path / name, document(id=name))
    return tmp_path


def found(pack: Path, memory: Memory, day: date = DAY) -> dict[str, LoadedScenario]:
    return {loaded.name: loaded for loaded in select(pack, today=day, memory=memory).loaded}


def same(before: dict[str, LoadedScenario], after: dict[str, LoadedScenario]) -> set[str]:
    """Names of the scenarios that were not judged again."""
    return {name for name, loaded in after.items() if before.get(name) is loaded}


def codes(loaded: LoadedScenario) -> list[str]:
    return [finding.code for finding in loaded.findings]


@pytest.mark.parametrize("file", ["instruction.md", "assets/ledger.csv", "new/file", ""])
def test_only_the_scenario_that_holds_what_changed_is_judged_again(pack: Path, file: str) -> None:
    memory = Memory()
    before = found(pack, memory)
    memory.forget([str(pack / "b" / file)])

    assert same(before, found(pack, memory)) == {"a", "c"}


def test_without_a_change_nothing_is_read_again(pack: Path) -> None:
    memory = Memory()
    before = found(pack, memory)
    (pack / "b/scenario.json").unlink()
    (pack / "b/scenario.json").write_text("{")
    memory.forget([str(pack)])

    assert same(before, found(pack, memory)) == {"a", "b", "c"}


def test_what_was_saved_is_what_is_judged(pack: Path) -> None:
    memory = Memory()
    assert codes(found(pack, memory)["b"]) == []
    (pack / "b/instruction.md").write_text(" \n")
    memory.forget([str(pack / "b/instruction.md")])

    assert "prompt_blank" in codes(found(pack, memory)["b"])


def test_a_clash_with_a_changed_scenario_is_told_of_both_and_goes_again(pack: Path) -> None:
    memory = Memory()
    found(pack, memory)
    for new, clashing in (("a", True), ("b", False)):
        write_scenario(pack / "b", document(id=new))
        memory.forget([str(pack / "b/scenario.json")])
        after = found(pack, memory)
        assert [("id_clash" in codes(after[name])) for name in ("a", "b", "c")] == [clashing, clashing, False]


def test_a_replacement_that_is_retired_is_told_where_it_is_named(pack: Path) -> None:
    lifecycle = {"status": "retired", "reason": "Too easy.", "replacementId": "b"}
    write_scenario(pack / "a", document(metadata={"scenarioVersion": "1.0.0", "lifecycle": lifecycle}, id="a"))
    memory = Memory()
    assert "lifecycle_replacement_retired" not in codes(found(pack, memory)["a"])
    retired = {"scenarioVersion": "1.0.0", "lifecycle": {"status": "retired", "reason": "Old."}}
    write_scenario(pack / "b", document(id="b", metadata=retired))
    memory.forget([str(pack / "b/scenario.json")])

    assert "lifecycle_replacement_retired" in codes(found(pack, memory)["a"])


def test_the_next_day_everything_is_judged_again(pack: Path) -> None:
    memory = Memory()
    before = found(pack, memory)

    assert same(before, found(pack, memory, date(2026, 6, 2))) == set()


def test_a_directory_named_in_another_way_is_the_same_one(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(pack)
    memory = Memory()

    def look() -> Selection:
        return select(Path(), today=DAY, memory=memory)

    before = look().loaded
    memory.forget(["./b/instruction.md"])

    after = look().loaded
    assert [one is other for one, other in zip(before, after, strict=True)] == [True, False, True]
