"""A generated folder as Harbor's dataset: its model reads it, its digests are the same, its tools leave it alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.harbor.machine import ROOT, Machine

pytestmark = pytest.mark.harbor

NAME = ("--org", "acme", "--dataset", "ledgers", "--dataset-version", "1.0.0", "--author", "Ada Example")
TEXT = ("--dataset-description", 'Sums, "quoted" \\ tasks — 日本.')

# Asked in Harbor's own Python.
LOOK = """
import asyncio, json, sys
from pathlib import Path
from harbor.cli.publish import _resolve_paths
from harbor.cli.sync import sync_dataset
from harbor.models.dataset.manifest import DatasetManifest
from harbor.models.job.config import DatasetConfig
from harbor.publisher.packager import Packager

folder = Path(sys.argv[1])
manifest = DatasetManifest.from_toml_file(folder / "dataset.toml")
tasks = asyncio.run(DatasetConfig(path=folder).get_task_configs())
task_folders, dataset_folders, _, _ = _resolve_paths([folder])
changes = sync_dataset(folder)
print(json.dumps({
    "dataset": manifest.dataset.model_dump(),
    "tasks": {task.name: task.digest for task in manifest.tasks},
    "own": {f"acme/{path.name}": "sha256:" + Packager.compute_content_hash(path)[0] for path in task_folders},
    "run": sorted(Path(task.path).name for task in tasks),
    "published": [str(path) for path in dataset_folders],
    "sync": sorted({change.source for change in changes}),
    "same": DatasetManifest.from_toml_file(folder / "dataset.toml") == manifest,
}))
"""


def generate(harbor: Machine, *words: str) -> str:
    done = harbor.harborsmith(
        "generate", "--scenario-dir", str(ROOT / "scenarios"), "--without-held-out", *NAME, *TEXT, *words
    )
    assert done.code == 0, done.out + done.err
    return done.out


@pytest.fixture(scope="module")
def folder(harbor: Machine) -> Path:
    """The bundled scenarios as a dataset."""
    generate(harbor, "--out", "dataset")
    return harbor.folder / "dataset" / "harbor" / "tasks"


@pytest.fixture(scope="module")
def seen(harbor: Machine, folder: Path) -> dict[str, Any]:
    """What Harbor makes of it; its `sync` has written it once more."""
    done = harbor.run([harbor.python, "-c", LOOK, str(folder)])
    assert done.code == 0, done.err
    return dict(json.loads(done.out))


def test_harbor_reads_what_the_dataset_says_of_itself(seen: dict[str, Any]) -> None:
    assert seen["dataset"] == {
        "name": "acme/ledgers",
        "version": "1.0.0",
        "description": TEXT[1],
        "authors": [{"name": "Ada Example", "email": None}],
        "keywords": [],
    }


def test_every_digest_is_harbors_own_and_no_task_is_missing_or_too_many(folder: Path, seen: dict[str, Any]) -> None:
    assert seen["tasks"] == seen["own"]
    assert [f"acme/{name}" for name in seen["run"]] == sorted(seen["tasks"])
    assert seen["published"] == [str(folder)]


def test_harbors_sync_changes_nothing_and_neither_do_we_afterwards(
    harbor: Machine, folder: Path, seen: dict[str, Any]
) -> None:
    assert (seen["sync"], seen["same"]) == (["unchanged"], True)
    before = (folder / "dataset.toml").read_bytes()

    assert "dataset: unchanged" in generate(harbor, "--out", "dataset", "--check")
    assert "dataset: unchanged" in generate(harbor, "--out", "dataset")

    assert (folder / "dataset.toml").read_bytes() == before


def test_lint_of_a_task_in_the_dataset_is_clean(harbor: Machine, folder: Path, seen: dict[str, Any]) -> None:
    done = harbor.harbor("lint", *(str(folder / name) for name in seen["run"]))
    assert (done.code, done.err) == (0, "")
