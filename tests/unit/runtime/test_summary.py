from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from generator.runtime.summary import summarise
from generator.runtime.trees import LeftOut
from tests.support.files import Link, Script, write_tree
from tests.unit.runtime.support import as_ordinary_user, open_folder


def test_a_summary_skips_nothing(tmp_path: Path) -> None:
    top = write_tree(
        tmp_path / "top",
        {
            "README.md": "r",
            "dist/index.html": "h",
            "node_modules/p/package.json": "{}",
            ".git/HEAD": "g",
            "run": Script("x"),
            "big": "b" * (1024 * 1024 + 1),
            "l": Link("run"),
        },
    )
    os.mkfifo(top / "fifo")
    left_out = (LeftOut("sock", "special file"), LeftOut("away", "link out of the workspace", "/etc"))
    made = summarise(str(top), workspace_root="/app", generated_at="2026-03-14T09:33:00Z", left_out=left_out)
    assert made["exists"] is True
    assert (made["totalFiles"], made["totalDirectories"]) == (6, 4)
    assert made["totalBytes"] == 1 + 1 + 2 + 1 + 1 + 1024 * 1024 + 1
    assert [entry["path"] for entry in made["topLevelEntries"]] == sorted(os.listdir(top))
    assert {"path": "dist", "type": "directory"} in made["topLevelEntries"]
    assert made["projectMarkers"] == ["README.md", "dist/index.html", "node_modules/p/package.json"]
    samples = {sample["path"]: sample for sample in made["sampleFiles"]}
    assert samples["README.md"]["sha256"] == hashlib.sha256(b"r").hexdigest()
    assert "sha256" not in samples["big"]
    assert samples["run"]["executable"] is True
    assert (made["skippedPaths"], made["unreadablePaths"]) == (0, 0)
    assert made["links"] == [{"path": "l", "target": "run"}]
    assert made["specialFiles"] == ["fifo", "sock"]
    assert made["leftOut"] == [
        {"path": "sock", "reason": "special file"},
        {"path": "away", "reason": "link out of the workspace", "target": "/etc"},
    ]
    assert made["truncated"] is False


def test_long_lists_are_cut_and_said_to_be(tmp_path: Path) -> None:
    write_tree(tmp_path / "top", {f"{number:03}": "" for number in range(201)})
    made = summarise(str(tmp_path / "top"), workspace_root="/app", generated_at="now")
    assert (len(made["sampleFiles"]), len(made["topLevelEntries"]), made["totalFiles"]) == (200, 100, 201)
    assert made["truncated"] is True


def test_names_that_are_no_text_are_shown_with_escapes(tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/top/a\xff")).write_text("x")
    made = summarise(str(tmp_path / "top"), workspace_root="/app", generated_at="now")
    assert made["sampleFiles"][0]["path"] == r"a\xff"


@pytest.mark.parametrize("name", ["none", "file"])
def test_a_workspace_that_is_not_there_has_a_summary_too(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    made = summarise(str(tmp_path / name), workspace_root="/app", generated_at="now")
    assert (made["exists"], made["totalFiles"], made["sampleFiles"]) == (False, 0, [])


def test_what_cannot_be_read_is_counted_and_listed() -> None:
    code = (
        "import json, sys\n"
        "from generator.runtime.summary import summarise\n"
        "print(json.dumps(summarise(sys.argv[1], workspace_root='/app', generated_at='now')))\n"
    )
    with open_folder() as folder:
        write_tree(folder, {"top/shut/file": "", "top/closed": ""})
        (folder / "top" / "shut").chmod(0)
        (folder / "top" / "closed").chmod(0)
        made = json.loads(as_ordinary_user(code, folder, str(folder / "top")))
    assert made["unreadablePaths"] == 1
    assert made["leftOut"] == [{"path": "shut", "reason": "Permission denied"}]
    assert made["sampleFiles"] == [{"path": "closed", "sizeBytes": 0, "executable": False, "unreadable": True}]
