"""The manifest's digests and what reading one gives."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from generator.package.manifest import digest, read_manifest
from generator.package.model import FileRecord
from tests.support.files import Tree, read_tree
from tests.support.packages import written
from tests.support.scenarios import document, write_scenario


def harbor_digest(package: Path, folders: tuple[str, ...], files: tuple[str, ...]) -> str:
    """Harbor's formula, spelt out over what is on disk."""
    lines = [
        f"{path}\0{hashlib.sha256(content).hexdigest()}\n"
        for path, (content, _) in read_tree(package).items()
        if path.startswith(folders) or path in files
    ]
    return "sha256:" + hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def digests(package: Path) -> dict[str, str]:
    manifest: dict[str, Any] = json.loads((package / "manifest.json").read_text())
    found: dict[str, str] = manifest["digests"]
    return found


def test_the_manifest_matches_its_schema_and_the_files(tmp_path: Path) -> None:
    files: Tree = {"assets/a.b": "1", "assets/a/b": "2", "assets/x~": "3", "assets/\u00e9\U0001f680": "4"}
    scenario = write_scenario(
        tmp_path / "s/sum-ledger", document(assets=["assets"], metadata={"scenarioVersion": "2.1.0"}), files
    )
    package = written(scenario, tmp_path / "out")
    manifest = json.loads((package / "manifest.json").read_text())
    assert manifest["scenario"] == {"id": "sum-ledger", "version": "2.1.0", "title": "Sum the ledger"}
    assert manifest["generator"] == {"name": "harborsmith"}
    assert manifest["files"] == [
        {"path": path, "sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "executable": executable}
        for path, (content, executable) in read_tree(package).items()
        if path != "manifest.json"
    ]
    assert digests(package) == {
        "agent": harbor_digest(package, ("environment/",), ("instruction.md",)),
        "judge": harbor_digest(package, ("tests/",), ()),
        "metadata": harbor_digest(package, (), ("task.toml",)),
        "whole": harbor_digest(package, ("environment/", "tests/", "solution/"), ("task.toml", "instruction.md")),
    }


def test_the_digest_of_nothing_and_of_one_file_are_as_published() -> None:
    sha256 = hashlib.sha256(b"x").hexdigest()
    assert digest([]) == hashlib.sha256(b"").hexdigest()
    assert (
        digest([FileRecord("a", sha256, 1, executable=False)]) == hashlib.sha256(f"a\0{sha256}\n".encode()).hexdigest()
    )


def test_a_digest_changes_with_its_part_alone(tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path / "s/sum-ledger", document(evaluation__privateAssets=["key"]), {"key": "1"})
    before = digests(written(scenario, tmp_path / "out"))
    (scenario / "key").write_text("2")
    after = digests(written(scenario, tmp_path / "out"))
    assert {name for name in before if before[name] != after[name]} == {"judge", "whole"}


def test_a_manifest_behind_a_link_is_not_read(tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path / "s/sum-ledger")
    package = written(scenario, tmp_path / "out")
    (package / "manifest.json").rename(tmp_path / "elsewhere.json")
    (package / "manifest.json").symlink_to(tmp_path / "elsewhere.json")
    assert isinstance(read_manifest(str(package), "sum-ledger"), str)
