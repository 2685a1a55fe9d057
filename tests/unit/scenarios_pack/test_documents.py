"""The bundled scenarios keep the published rules, the lint rules, and the promises of this pack."""

from __future__ import annotations

import filecmp
import json
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from generator.resources import data_folder
from tests.unit.scenarios_pack.workbench import IDS, SCENARIOS, document, place, untouched

PUBLISHED = (
    "provenance",
    "createdAt",
    "updatedAt",
    "contaminationNotes",
    "difficulty",
    "tags",
    "expectedRuntimeSeconds",
    "maintainers",
    "changelog",
    "lifecycle",
)
GENERIC = re.compile(r"\bsatisf(y|ies)\s+the\s+user\s+(goal|prompt|request)\b")
PROXY = re.compile(r"\bsource\s+(text|code)\s+match(es)?\b|\bfilenames?\b")
FILE_NAME = re.compile(r"[\w./-]*\w\.(?:py|csv|json|html|css|js|log|digest|md)\b")
each_scenario = pytest.mark.parametrize("scenario", IDS)


def prompt(scenario: str) -> str:
    return (SCENARIOS / scenario / "instruction.md").read_text(encoding="utf-8")


def files_of(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), names
    return dict(pairs)


def test_the_pack_spreads_over_tiers_kinds_and_modes() -> None:
    documents = [document(name) for name in IDS]
    assert len(documents) >= 6
    assert {each["tier"] for each in documents} == {"smoke", "nightly", "release"}
    assert {each["kind"] for each in documents} == {"real_user", "contract_stress"}
    assert {each["evaluation"]["mode"] for each in documents} == {"agentic_goal_review", "checks"}
    assert {each["run"]["mode"] for each in documents} >= {"build", "plan"}
    assert "held_out" in {each["metadata"]["visibility"] for each in documents}


@each_scenario
def test_the_document_is_strict_json_that_the_schema_accepts(scenario: str) -> None:
    text = (SCENARIOS / scenario / "scenario.json").read_text(encoding="utf-8")
    loaded = json.loads(text, object_pairs_hook=without_repeats)
    schema = json.loads((data_folder("schemas") / "scenario-v2.schema.json").read_text(encoding="utf-8"))
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(loaded)) == []
    assert loaded["version"] == "ruhroh_scenario_v2"


def test_validate_has_nothing_to_say_about_any_of_them() -> None:
    command = [sys.executable, "-m", "generator", "validate", "--scenario-dir", str(SCENARIOS), "--json"]
    done = subprocess.run(command, cwd=SCENARIOS.parent, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    said = {each["scenario"]["id"]: [*each["errors"], *each["warningDetails"]] for each in report["results"]}
    assert (done.returncode, said) == (0, {name: [] for name in IDS})


@each_scenario
def test_the_id_is_the_name_of_the_directory(scenario: str) -> None:
    assert document(scenario)["id"] == scenario
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", scenario, re.ASCII)


@each_scenario
def test_the_metadata_is_ready_for_publication(scenario: str) -> None:
    metadata = document(scenario)["metadata"]
    assert metadata["visibility"] in ("public", "held_out")
    assert [name for name in PUBLISHED if not metadata.get(name)] == []
    assert any(metadata["scenarioVersion"] in entry for entry in metadata["changelog"])
    assert metadata["createdAt"] <= metadata["updatedAt"]
    assert metadata["lifecycle"]["status"] == "active"
    if metadata["visibility"] == "held_out":
        assert metadata["privateEvalRationale"]
        assert document(scenario)["evaluation"]["privateAssets"]


@each_scenario
def test_the_review_keeps_the_published_lint_rules(scenario: str) -> None:
    evaluation = document(scenario)["evaluation"]
    rubric, guidance = evaluation["goalRubric"], evaluation["evidenceGuidance"]
    assert len(evaluation["scenarioContext"]) >= 2
    assert len(rubric) >= 3
    assert len(guidance) >= 2
    assert [text for text in rubric if len(text) < 40 or GENERIC.search(text.lower()) or FILE_NAME.search(text)] == []
    assert [text for text in guidance if PROXY.search(text.lower())] == []
    statuses = Counter(case["expectedStatus"] for case in evaluation["calibrationCases"])
    assert statuses == {"passed": 1, "failed": 1, "review": 1}
    assert len({case["id"] for case in evaluation["calibrationCases"]}) == 3


@each_scenario
def test_nothing_is_needed_but_a_plain_machine(scenario: str) -> None:
    made = document(scenario)
    assert made["requires"]["network"] is False
    assert not {"image", "packages", "setup"} & set(made.get("environment", {}))
    assert not {"env", "network", "environment"} & set(made["evaluation"])


@each_scenario
def test_every_named_file_is_an_ordinary_one_below_the_scenario(scenario: str) -> None:
    made, folder = document(scenario), SCENARIOS / scenario
    evaluation = made["evaluation"]
    named = [*made.get("assets", []), *evaluation.get("privateAssets", []), made["solution"]]
    named += [evaluation["reviewer"]["path"]] if "reviewer" in evaluation else []
    assert [name for name in named if not files_of(folder / name)] == []
    assert [str(path) for path in folder.rglob("*") if path.is_symlink()] == []
    declared = {folder / "scenario.json", folder / "instruction.md"}
    declared |= {path for name in named for path in files_of(folder / name)}
    assert {path for path in files_of(folder) if path.suffix != ".pyc"} == declared


@each_scenario
def test_checks_restore_declared_assets_and_name_paths_that_the_prompt_names(scenario: str, tmp_path: Path) -> None:
    made = document(scenario)
    checks = made["evaluation"].get("checks", [])
    assert len({check["id"] for check in checks}) == len(checks)
    started = {path.relative_to(tmp_path).as_posix() for path in files_of(untouched(scenario, tmp_path))}
    for check in checks:
        assert set(check.get("restore", [])) <= set(made.get("assets", []))
        words = check["command"] if isinstance(check["command"], str) else " ".join(check["command"])
        assert [name for name in FILE_NAME.findall(words) if name not in prompt(scenario) and name not in started] == []


@each_scenario
def test_every_asset_that_the_agent_gets_is_named_in_the_prompt(scenario: str) -> None:
    places = [place(scenario, asset) for asset in document(scenario).get("assets", [])]
    assert [name for name in places if name != "." and name not in prompt(scenario)] == []


@each_scenario
def test_no_private_text_stands_where_an_agent_can_read_it(scenario: str) -> None:
    made, folder = document(scenario), SCENARIOS / scenario
    public = prompt(scenario)
    for asset in made.get("assets", []):
        public += "".join(path.read_text(encoding="utf-8") for path in files_of(folder / asset))
    evaluation = made["evaluation"]
    texts = [*evaluation["goalRubric"], *evaluation["scenarioContext"], *evaluation["evidenceGuidance"]]
    texts += [case[name] for case in evaluation["calibrationCases"] for name in ("id", "inputSummary", "rationale")]
    texts += [check["command"] for check in evaluation.get("checks", []) if isinstance(check["command"], str)]
    for asset in evaluation.get("privateAssets", []):
        lines = [line.strip() for path in files_of(folder / asset) for line in path.read_text("utf-8").splitlines()]
        texts += ["\n".join(pair) for pair in pairwise(lines) if len("".join(pair)) >= 24]
        texts += [line for line in lines if len(line) >= 40]
    assert [text for text in texts if text in public] == []


def test_what_several_reviewers_share_is_the_same_in_all_of_them() -> None:
    first, *others = sorted(SCENARIOS.glob("*/reviewer/judging.py"))
    assert len(others) >= 2
    assert all(filecmp.cmp(first, other, shallow=False) for other in others)


def test_what_a_reviewer_keeps_of_the_public_assets_is_what_the_agent_gets() -> None:
    plan = SCENARIOS / "archive-move-plan"
    parcel = SCENARIOS / "parcel-quote-bug-fix"
    kept = {path: plan / "assets" / path.name for path in files_of(plan / "reviewer" / "facts")}
    kept |= {path: parcel / "assets/starter/parcel" / path.name for path in files_of(parcel / "reviewer" / "original")}
    assert len(kept) == 5
    assert all(filecmp.cmp(path, source, shallow=False) for path, source in kept.items())
