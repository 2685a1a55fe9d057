"""`harborsmith generate` with a dataset, as a maintainer and a CI job use it."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from generator.workflows.schemas import schema_text
from tests.acceptance.test_generate import generate
from tests.support.files import write_tree
from tests.support.scenarios import document, write_scenario
from tests.unit.rules.support import metadata

SETTINGS = 'org = "acme"\nauthors = ["Ada"]\n\n[dataset]\nname = "ledgers"\nversion = "1.0.0"\ndescription = "Sums."\n'


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A pack of two scenarios, one held out, whose settings name a dataset."""
    held_out = metadata(visibility="held_out", privateEvalRationale="The rubric is the private part.")
    write_scenario(tmp_path / "scenarios/one", document(id="one"))
    write_scenario(tmp_path / "scenarios/secret", document(id="secret", metadata=held_out))
    return write_tree(tmp_path, {"harborsmith.toml": SETTINGS})


def dataset(pack: Path, out: str = "generated") -> dict[str, Any]:
    return tomllib.loads((pack / out / "harbor/tasks/dataset.toml").read_text())


def test_the_settings_of_a_pack_name_its_dataset(pack: Path) -> None:
    done = generate(cwd=pack)

    assert done.returncode == 0, done.stdout
    assert "dataset: written generated/harbor/tasks/dataset.toml, 1 task" in done.stdout
    assert "warning dataset_held_out" in done.stdout
    assert dataset(pack)["dataset"] == {
        "name": "acme/ledgers",
        "version": "1.0.0",
        "description": "Sums.",
        "authors": [{"name": "Ada"}],
        "keywords": [],
    }


def test_the_command_line_wins(pack: Path) -> None:
    words = ("--dataset", "other/sums", "--dataset-version", "2", "--dataset-description", "More.", "--org", "else")
    assert generate(*words, cwd=pack).returncode == 0
    made = dataset(pack)
    assert (made["dataset"]["name"], made["dataset"]["version"]) == ("other/sums", "2")
    assert [task["name"] for task in made["tasks"]] == ["else/one"]


def test_check_fails_while_the_dataset_is_not_in_line(pack: Path) -> None:
    generate(cwd=pack)
    assert generate("--check", cwd=pack).returncode == 0
    write_tree(pack, {"harborsmith.toml": SETTINGS.replace("Sums.", "Other sums.")})

    done = generate("--check", cwd=pack)

    assert done.returncode == 1
    assert "dataset: drifted" in done.stdout
    assert "error dataset_drifted" in done.stdout


def test_a_folder_without_held_out_packages_can_be_published_whole(pack: Path) -> None:
    done = generate("--without-held-out", "--out", "published", cwd=pack)

    assert done.returncode == 0
    assert "held" not in done.stdout
    assert sorted(path.name for path in (pack / "published/harbor/tasks").iterdir()) == ["dataset.toml", "one"]


def test_a_held_out_package_goes_although_another_scenario_lies_in_a_directory_of_its_name(pack: Path) -> None:
    generate(cwd=pack)
    (pack / "scenarios/secret").rename(pack / "scenarios/x")
    (pack / "scenarios/one").rename(pack / "scenarios/secret")

    done = generate("--without-held-out", "--check", cwd=pack)
    assert (done.returncode, "secret: drifted" in done.stdout) == (1, True), done.stdout
    assert generate("--without-held-out", cwd=pack).returncode == 0
    assert sorted(path.name for path in (pack / "generated/harbor/tasks").iterdir()) == ["dataset.toml", "one"]


@pytest.mark.parametrize("words", [(), ("--scenario", "secret"), ("scenarios/secret",)])
def test_where_all_is_held_out_nothing_is_left_and_that_is_said(pack: Path, words: tuple[str, ...]) -> None:
    write_tree(pack, {"harborsmith.toml": ""})
    generate(cwd=pack)
    shutil.rmtree(pack / "scenarios/one")
    generate(cwd=pack)

    done = generate("--without-held-out", *words, cwd=pack)

    assert done.returncode == 3
    assert "every scenario that is asked for is held out" in done.stdout
    assert [path.name for path in (pack / "generated/harbor/tasks").iterdir()] == ([] if not words else ["secret"])


def test_a_link_that_is_passed_over_may_lead_to_a_scenario_whose_package_then_stays(pack: Path, tmp_path: Path) -> None:
    (pack / "scenarios/one").rename(tmp_path / "elsewhere")
    (pack / "scenarios/one").symlink_to(tmp_path / "elsewhere")
    assert generate("scenarios/one", cwd=pack).returncode == 0

    done = generate(cwd=pack)

    assert "directory_link_skipped" in done.stdout
    assert (pack / "generated/harbor/tasks/one/task.toml").exists()


@pytest.mark.parametrize("words", [(), ("--check",), ("--dry-run",), ("--scenario", "one")])
def test_the_report_says_what_became_of_the_dataset(pack: Path, words: tuple[str, ...]) -> None:
    done = generate(*words, "--json", cwd=pack)
    report = json.loads(done.stdout)

    jsonschema.validate(report, json.loads(schema_text("generate-report") or ""))
    expected = {
        (): {"status": "written", "tasks": 1, "heldOut": 1},
        ("--check",): {"status": "failed", "tasks": 0, "heldOut": 0},
        ("--dry-run",): {"status": "would_write", "tasks": 0, "heldOut": 0},
    }
    path = "generated/harbor/tasks/dataset.toml"
    assert report["dataset"] == ({"path": path, **expected[words]} if words in expected else None)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--dataset", "a/b/c"), "Write NAME or ORG/NAME"),
        (("--dataset", ""), "Write NAME or ORG/NAME"),
        (("--dataset", "le..dgers"), "Write NAME or ORG/NAME"),
        (("--dataset", "x", "--scenario", "one"), "--dataset holds every scenario"),
        (("--dataset", "x", "scenarios/one"), "--dataset holds every scenario"),
        (("--dataset-version", "1\n2"), "Write one line"),
        (("--dataset-description", "a\x1bb"), "Write one line"),
        (("--org", "local"), "dataset_org_missing"),
        (("--dataset", "local/x"), "dataset_org_missing"),
        (("--dataset", "LOCAL/x"), "dataset_org_missing"),
    ],
)
def test_wrong_usage_is_told_and_nothing_is_written(pack: Path, words: tuple[str, ...], told: str) -> None:
    done = generate(*words, cwd=pack)
    assert done.returncode == 2
    assert told in done.stdout + done.stderr
    assert not (pack / "generated").exists()


def test_a_pack_without_a_dataset_gets_none(pack: Path) -> None:
    write_tree(pack, {"harborsmith.toml": ""})
    done = generate(cwd=pack)
    assert "dataset" not in done.stdout
    assert sorted(path.name for path in (pack / "generated/harbor/tasks").iterdir()) == ["one", "secret"]
