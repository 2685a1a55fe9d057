"""What stands in a package, and above all what does not."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from generator.formats.loaded import LoadedScenario
from generator.package.model import PackagePlan, Settings, SourceFile
from generator.package.plan import plan
from generator.resources import RUNTIME
from generator.scenario.model import Environment, Scenario
from generator.source.tree import Kind
from tests.support.files import Link, Script, Tree
from tests.support.packages import load, planned
from tests.support.scenarios import document, write_scenario

FULL: dict[str, Any] = {
    "assets": ["assets/starter", "assets/tests", "notes.txt"],
    "environment": {
        "packages": ["jq", "sqlite3=3.40.1-2"],
        "setup": "setup.sh",
        "stage": {"assets/starter": ".", "assets/tests": "tests"},
        "git": True,
    },
    "evaluation__privateAssets": ["private/key.json"],
    "evaluation__checks": [{"id": "unit", "command": ["python3", "-m", "unittest"], "restore": ["assets/tests"]}],
    "evaluation__reviewer": {"path": "reviewer", "command": ["python3", "{reviewer}/judge.py"]},
    "solution": "solution",
}
FULL_FILES: Tree = {
    "assets/starter/main.py": "print(1)\n",
    "assets/starter/run": Script("#!/bin/sh\n"),
    "assets/tests/test_main.py": "import unittest\n",
    "notes.txt": "notes\n",
    "setup.sh": "true\n",
    "private/key.json": "{}\n",
    "reviewer/judge.py": "print()\n",
    "reviewer/data/cases.txt": "1\n",
    "solution/main.py": "print(2)\n",
}


@pytest.fixture
def full(tmp_path: Path) -> Path:
    return write_scenario(tmp_path / "sum-ledger", document(**FULL), FULL_FILES)


def paths(made: PackagePlan) -> set[str]:
    return {file.path for file in made.files if not file.path.startswith("tests/review/")}


def content(made: PackagePlan, path: str) -> bytes:
    (file,) = [file for file in made.files if file.path == path]
    return (made.tree.root / file.content.real).read_bytes() if isinstance(file.content, SourceFile) else file.content


def changed(loaded: LoadedScenario, scenario: Scenario) -> LoadedScenario:
    return loaded._replace(scenario=scenario)


def test_a_package_has_exactly_the_documented_files(full: Path) -> None:
    assert paths(planned(full)) == {
        ".gitattributes",
        ".gitignore",
        "assets/starter/main.py",
        "assets/starter/run",
        "assets/tests/test_main.py",
        "environment/Dockerfile",
        "environment/packages.txt",
        "environment/setup.sh",
        "environment/workspace/main.py",
        "environment/workspace/notes.txt",
        "environment/workspace/run",
        "environment/workspace/tests/test_main.py",
        "instruction.md",
        "notes.txt",
        "private-eval-assets/private/key.json",
        "solution/reference/main.py",
        "solution/solve.sh",
        "task.toml",
        "tests/Dockerfile",
        "tests/evaluation.json",
        "tests/originals/tests/test_main.py",
        "tests/packages.txt",
        "tests/private-eval-assets/private/key.json",
        "tests/reviewer/data/cases.txt",
        "tests/reviewer/judge.py",
        "tests/setup.sh",
        "tests/test.sh",
    }


def test_files_are_sorted_and_each_stands_once(full: Path) -> None:
    listed = [file.path for file in planned(full).files]
    assert listed == sorted(set(listed))


def test_the_review_code_is_the_runtime_and_nothing_else(full: Path) -> None:
    made = planned(full)
    carried = {file.path.removeprefix("tests/review/"): file.content for file in made.files if "/review/" in file.path}
    assert carried == {path.name: path.read_bytes() for path in RUNTIME.glob("*.py")}


def test_executable_bits_are_those_of_the_sources_and_of_our_scripts(full: Path) -> None:
    assert {file.path for file in planned(full).files if file.executable} == {
        "assets/starter/run",
        "environment/workspace/run",
        "solution/solve.sh",
        "tests/test.sh",
    }


def test_nothing_private_stands_where_the_agent_can_see_it(tmp_path: Path) -> None:
    canary = "CANARY-7f3a"
    case = {"id": "a", "expectedStatus": "passed", "inputSummary": canary, "rationale": canary}
    made = document(
        **{
            **FULL,
            "evaluation__goalRubric": [f"{canary} the report holds the correct total of all amounts."],
            "evaluation__scenarioContext": [f"{canary} context", "More of it."],
            "evaluation__evidenceGuidance": [f"{canary} guidance", "More of it."],
            "evaluation__calibrationCases": [case],
            "evaluation__checks": [{"id": "unit", "command": f"echo {canary}"}],
            "evaluation__reviewer": {"path": "reviewer", "command": ["python3", "{reviewer}/judge.py", canary]},
        }
    )
    private: Tree = {
        "private/key.json": canary,
        "reviewer/judge.py": f"# {canary}\n",
        "reviewer/data/cases.txt": canary,
        "solution/main.py": canary,
    }
    package = planned(write_scenario(tmp_path / "sum-ledger", made, {**FULL_FILES, **private}))
    with_canary = {file.path for file in package.files if canary.encode() in content(package, file.path)}
    assert with_canary == {
        "private-eval-assets/private/key.json",
        "solution/reference/main.py",
        "tests/evaluation.json",
        "tests/private-eval-assets/private/key.json",
        "tests/reviewer/data/cases.txt",
        "tests/reviewer/judge.py",
    }


@pytest.mark.parametrize(
    "path",
    [
        "task.toml",
        "instruction.md",
        "README.md",
        "readme.md",
        "trajectory.json",
        "dataset.toml",
        "manifest.json",
        "environment/Dockerfile",
        "tests/test.sh",
        "Tests/test.sh",
        "solution/solve.sh",
        "steps/one/instruction.md",
        "private-eval-assets/x",
        ".env",
        ".github/workflows/ci.yml",
    ],
)
def test_an_asset_with_a_reserved_name_goes_to_the_workspace_only(tmp_path: Path, path: str) -> None:
    """An asset may be called like a file of the package; it must neither replace that file nor be lost."""
    scenario = write_scenario(tmp_path / "sum-ledger", document(assets=[path]), {path: "mine\n"})
    made = planned(scenario)
    assert content(made, f"environment/workspace/{path}") == b"mine\n"
    assert {file.path for file in made.files if content(made, file.path) == b"mine\n"} <= {
        f"environment/workspace/{path}",
        *(["instruction.md"] if path == "instruction.md" else []),
    }


def test_without_assets_there_is_no_workspace_and_nothing_copies_one(tmp_path: Path) -> None:
    made = planned(write_scenario(tmp_path / "sum-ledger", document(assets=[])))
    assert not any(path.startswith("environment/workspace") for path in paths(made))
    assert b"workspace" not in content(made, "environment/Dockerfile")


def test_links_are_packaged_as_what_they_lead_to(tmp_path: Path) -> None:
    files: Tree = {"shared/a.txt": "a\n", "assets/a.txt": Link("../shared/a.txt"), "assets/more": Link("../shared")}
    made = planned(write_scenario(tmp_path / "sum-ledger", document(assets=["assets"]), files))
    assert content(made, "environment/workspace/assets/a.txt") == b"a\n"
    assert content(made, "environment/workspace/assets/more/a.txt") == b"a\n"


def test_overlapping_declarations_package_a_file_once(tmp_path: Path) -> None:
    made = planned(write_scenario(tmp_path / "sum-ledger", document(assets=["assets", "assets/ledger.csv"])))
    assert [file.path for file in made.files].count("environment/workspace/assets/ledger.csv") == 1


def test_odd_spellings_of_a_path_lead_to_one_place(tmp_path: Path) -> None:
    made = planned(write_scenario(tmp_path / "sum-ledger", document(assets=["./assets//ledger.csv", "assets/"])))
    assert {"assets/ledger.csv", "environment/workspace/assets/ledger.csv"} <= paths(made)


@pytest.mark.parametrize(("prompt", "expected"), [("no line end", b"no line end\n"), ("a\r\nb\r\n", b"a\r\nb\r\n")])
def test_the_prompt_is_kept_byte_for_byte_but_for_a_final_newline(tmp_path: Path, prompt: str, expected: bytes) -> None:
    files: Tree = {"instruction.md": prompt.encode()}
    made = planned(write_scenario(tmp_path / "sum-ledger", extra=files))
    assert content(made, "instruction.md") == expected


def test_the_reviewer_has_its_own_machine_when_it_asks_for_one(tmp_path: Path) -> None:
    made = document(
        environment={"packages": ["jq"], "setup": "setup.sh", "workdir": "/srv/work", "user": "dev"},
        evaluation__environment={"image": "python:3.12-slim", "packages": ["git"]},
    )
    package = planned(write_scenario(tmp_path / "sum-ledger", made, {"setup.sh": "true\n"}))
    assert content(package, "environment/packages.txt") == b"jq\n"
    assert content(package, "tests/packages.txt") == b"git\n"
    assert "tests/setup.sh" not in paths(package)
    assert content(package, "tests/Dockerfile").startswith(b"FROM python:3.12-slim\n")
    assert b"\nWORKDIR /srv/work\n" in content(package, "tests/Dockerfile")


def test_both_images_start_with_the_same_layers(full: Path) -> None:
    made = planned(full)
    agent, judge = (content(made, f"{name}/Dockerfile").split(b"WORKDIR")[0] for name in ("environment", "tests"))
    assert agent == judge
    assert b"packages.txt" in agent
    assert b"setup.sh" in agent


def test_a_single_reviewer_file_keeps_its_name_and_is_known_by_its_digest(tmp_path: Path) -> None:
    made = document(evaluation__reviewer={"path": "judges/one.py", "command": ["python3", "{reviewer}/one.py"]})
    package = planned(write_scenario(tmp_path / "sum-ledger", made, {"judges/one.py": "pass\n"}))
    evaluation = json.loads(content(package, "tests/evaluation.json"))
    assert content(package, "tests/reviewer/one.py") == b"pass\n"
    assert evaluation["reviewer"] == {
        "command": ["python3", "{reviewer}/one.py"],
        "sha256": hashlib.sha256(b"pass\n").hexdigest(),
    }


def test_a_reviewer_directory_is_known_by_all_its_files(full: Path) -> None:
    before = json.loads(content(planned(full), "tests/evaluation.json"))["reviewer"]["sha256"]
    (full / "reviewer/data/cases.txt").write_text("2\n")
    assert json.loads(content(planned(full), "tests/evaluation.json"))["reviewer"]["sha256"] != before


def test_what_checks_restore_is_listed_by_workspace_path(full: Path) -> None:
    (check,) = json.loads(content(planned(full), "tests/evaluation.json"))["checks"]
    assert check["restore"] == ["tests/test_main.py"]


def test_restoring_what_is_staged_at_the_top_names_its_files_alone(tmp_path: Path) -> None:
    """The agent's own files at the top of the workspace must survive a check that puts the starter back."""
    checks = [{"id": "unit", "command": "true", "restore": ["assets/starter"]}]
    made = document(**{**FULL, "evaluation__checks": checks})
    package = planned(write_scenario(tmp_path / "sum-ledger", made, FULL_FILES))
    (check,) = json.loads(content(package, "tests/evaluation.json"))["checks"]
    assert check["restore"] == ["main.py", "run"]
    assert {"tests/originals/main.py", "tests/originals/run"} <= paths(package)


def test_equal_criteria_have_different_ids(tmp_path: Path) -> None:
    rubric = ["The same criterion twice, word for word the same."] * 2
    package = planned(write_scenario(tmp_path / "sum-ledger", document(evaluation__goalRubric=rubric)))
    first, second = json.loads(content(package, "tests/evaluation.json"))["criteria"]
    assert first["id"] == "c-" + hashlib.sha256(rubric[0].encode()).hexdigest()[:8]
    assert second["id"] == first["id"] + "-2"


def test_empty_directories_are_left_out_and_said(tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path / "sum-ledger", document(assets=["assets"]))
    (scenario / "assets/out/deep").mkdir(parents=True)
    notes = planned(scenario).notes
    assert [note.code for note in notes] == ["asset_directory_empty"]
    assert '"assets/out/deep"' in notes[0].message


def test_the_same_scenario_gives_the_same_plan(full: Path) -> None:
    assert planned(full) == planned(full)


def test_the_organisation_stands_in_the_task_name(full: Path) -> None:
    assert b'name = "acme/sum-ledger"\n' in content(planned(full, Settings(org="acme")), "task.toml")


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("image", "debian\nRUN id"),
        ("image", "-v"),
        ("workdir", "/app\nRUN id"),
        ("workdir", "/app/../etc"),
        ("workdir", "/a b"),
        ("user", "agent\n"),
        ("user", "a;id"),
        ("user", "root"),
        ("packages", ("jq", "-o=x")),
        ("packages", ("jq\nRUN id",)),
    ],
)
def test_nothing_but_a_token_reaches_a_dockerfile(full: Path, change: str, value: Any) -> None:
    loaded = load(full)
    scenario = loaded.scenario
    assert scenario is not None
    for place in ("workspace", "review"):
        environment = dataclasses.replace(Environment(), **{change: value})
        part = dataclasses.replace(getattr(scenario, place), environment=environment)
        refused = plan(changed(loaded, dataclasses.replace(scenario, **{place: part})), Settings())
        assert isinstance(refused, tuple)
        assert [finding.code for finding in refused] == ["package_token_unsafe"]
        assert repr(value if isinstance(value, str) else value[-1]) in refused[0].message


def test_only_names_of_variables_are_passed_to_a_reviewer(full: Path) -> None:
    loaded = load(full)
    assert loaded.scenario is not None
    review = dataclasses.replace(loaded.scenario.review, env=("A=B",))
    refused = plan(changed(loaded, dataclasses.replace(loaded.scenario, review=review)), Settings())
    assert isinstance(refused, tuple)
    assert refused[0].code == "package_token_unsafe"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Data.csv", "data.csv"),
        ("caf\u00e9", "cafe\u0301"),
        ("data", "data/x"),
        ("data", "Data/x"),
        ("STRASSE", "stra\u00dfe"),
    ],
)
def test_two_files_that_are_one_on_some_machine_are_refused(tmp_path: Path, first: str, second: str) -> None:
    """The rules refuse such assets already; a package must not depend on it."""
    files: Tree = {"a/one.txt": "1", "b/two.txt": "2"}
    scenario = write_scenario(tmp_path / "sum-ledger", document(assets=["a/one.txt", "b/two.txt"]), files)
    loaded = load(scenario)
    assert loaded.scenario is not None
    environment = Environment(stage={"a/one.txt": first, "b/two.txt": second})
    workspace = dataclasses.replace(loaded.scenario.workspace, environment=environment)
    refused = plan(changed(loaded, dataclasses.replace(loaded.scenario, workspace=workspace)), Settings())
    assert isinstance(refused, tuple)
    assert {finding.code for finding in refused} == {"package_path_clash"}


@pytest.mark.parametrize("name", [".harborignore", ".git/config"])
def test_names_that_change_what_is_kept_are_refused(tmp_path: Path, name: str) -> None:
    scenario = write_scenario(tmp_path / "sum-ledger", document(solution="solution"), {"solution/a": "", "x/y": ""})
    loaded = load(scenario)
    entry = loaded.files["solution"][-1]._replace(path=f"solution/{name}")
    refused = plan(loaded._replace(files={**loaded.files, "solution": (entry,)}), Settings())
    assert isinstance(refused, tuple)
    assert {finding.code for finding in refused} == {"package_name_reserved"}


def test_what_is_no_file_is_refused(full: Path) -> None:
    loaded = load(full)
    entry = loaded.files["solution"][-1]._replace(kind=Kind.SPECIAL, detail="prw-r--r--")
    refused = plan(loaded._replace(files={**loaded.files, "solution": (entry,)}), Settings())
    assert isinstance(refused, tuple)
    assert [finding.code for finding in refused] == ["package_asset_unusable"]
    assert "prw-r--r--" in refused[0].message


def test_a_reviewer_that_vanishes_is_a_finding(full: Path) -> None:
    loaded = load(full)
    (full / "reviewer/judge.py").unlink()
    refused = plan(loaded, Settings())
    assert isinstance(refused, tuple)
    assert [finding.code for finding in refused] == ["package_source_changed"]
