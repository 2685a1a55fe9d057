"""Which rules are asked about which documents, and words that are looked for before patterns are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generator.formats.reading import draft, read
from generator.rules.plain import all_plain
from generator.rules.registry import ABOUT_FILES, RULES, Rule
from tests.support.scenarios import document, write_scenario
from tests.unit.rules.support import findings, notes

NEEDED = [(member, rule) for member, rule in RULES if member]


def faulty() -> dict[str, Any]:
    """A document with something to complain about in every member that a rule needs."""
    return document(
        id="con",
        requires__network=True,
        run__resourceBudgets={"tokens": 1},
        solution="assets/ledger.csv",
        metadata={
            "scenarioVersion": "1",
            "changelog": ["2.0.0: more"],
            "visibility": "public",
            "createdAt": "2026-02-30",
            "lifecycle": {"status": "retired"},
        },
        environment={"workdir": "/usr/x", "stage": {"gone.csv": "con"}},
        evaluation__goalRubric=["Short."],
        evaluation__env=["PATH"],
        evaluation__checks=[{"id": "a", "command": "cat x.csv", "restore": ["gone.csv"]}],
    )


@pytest.mark.parametrize(("member", "rule"), NEEDED, ids=[f"{rule.__module__}.{rule.__name__}" for _, rule in NEEDED])
def test_a_rule_that_is_passed_over_would_have_said_nothing(tmp_path: Path, member: str, rule: Rule) -> None:
    made = faulty()
    *above, name = member.split("/")
    holder = made[above[0]] if above else made
    del holder[name]
    found = draft(read(write_scenario(tmp_path / "sum-ledger", made)))
    assert found is not None
    assert list(rule(found)) == []


@pytest.mark.parametrize("member", sorted({member for member, _ in NEEDED}))
def test_each_needed_member_brings_its_rules(tmp_path: Path, member: str) -> None:
    whole = faulty()
    assert [one for one in findings(tmp_path, **whole) if one.pointer.startswith(f"/{member}")]


@pytest.mark.parametrize(
    "phrase",
    [
        "The Source code of it",
        "It is in the source text and",
        "After line 3 of the work it",
        "A variable called total",
        "A function named total",
        "Its class called Total",
        "A METHOD NAMED total",
    ],
)
def test_a_criterion_about_source_is_found_whatever_its_words(tmp_path: Path, phrase: str) -> None:
    others = document()["evaluation"]["goalRubric"]
    found = notes(tmp_path, evaluation__goalRubric=[*others, f"{phrase} holds the sum of all the amounts, rounded."])
    assert [(one.code, one.pointer) for one in found] == [("rubric_names_files", "/evaluation/goalRubric/3")]


@pytest.mark.parametrize(("size", "told"), [(39, False), (40, True)])
def test_a_private_file_is_read_from_the_length_of_a_quotation_on(tmp_path: Path, size: int, told: bool) -> None:
    answer = ("The total is fourteen, as anybody sees. " * 2)[:size].replace(" ", "_")
    extra = {"instruction.md": f"Sum `assets/ledger.csv`.\n{answer}\n", "private/answer": answer}
    found = notes(tmp_path, extra, evaluation__privateAssets=["private/answer"])
    assert [one.code for one in found] == ["prompt_quotes_private"] * told


def test_rules_about_files_say_nothing_where_all_is_plain(tmp_path: Path) -> None:
    found = draft(read(write_scenario(tmp_path / "sum-ledger", document())))
    assert found is not None
    assert all_plain(found)
    assert [finding for rule in ABOUT_FILES for finding in rule(found)] == []


@pytest.mark.parametrize(
    "name",
    [
        *(
            ".git",
            ".harborignore",
            ".gitignore",
            ".gitattributes",
            "con",
            "aux.txt",
            "a.pyc",
            "a~",
            "venv",
            "node_modules",
        ),
        *("dot.", "a b ", "Upper", "\u00e9", "a:b", "x" * 256),
    ],
)
def test_a_name_that_a_rule_knows_is_not_plain(tmp_path: Path, name: str) -> None:
    found = draft(read(write_scenario(tmp_path / "sum-ledger", document(assets=[f"assets/{name}"]))))
    assert found is not None
    assert not all_plain(found)


@pytest.mark.parametrize("assets", [["assets"], ["gone.csv"], ["assets/ledger.csv", "./assets/ledger.csv"]])
def test_folders_missing_files_and_repetitions_are_not_plain(tmp_path: Path, assets: list[str]) -> None:
    found = draft(read(write_scenario(tmp_path / "sum-ledger", document(assets=assets))))
    assert found is not None
    assert not all_plain(found)
