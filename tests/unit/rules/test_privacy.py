"""No public path may lead to a private byte, in whatever form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.files import Link, Tree
from tests.support.scenarios import document, write_scenario
from tests.unit.rules.support import codes, findings

KEY: Tree = {"private/key.json": "{}\n", "pub/a.csv": "a\n"}


@pytest.mark.parametrize(
    ("public", "private"),
    [
        (["private/key.json"], ["private/key.json"]),
        (["private"], ["private/key.json"]),
        (["private/key.json"], ["private"]),
        (["./private//key.json"], ["private/"]),
        (["."], ["private"]),
        (["pub"], ["."]),
    ],
)
def test_a_path_that_holds_or_is_the_private_one_is_refused(
    tmp_path: Path, public: list[str], private: list[str]
) -> None:
    found = set(codes(tmp_path, KEY, assets=public, evaluation__privateAssets=private))
    assert "private_exposed" in found


@pytest.mark.parametrize(
    "link",
    [
        {"pub/link": Link("../private/key.json")},
        {"pub/link": Link("../private")},
        {"pub/far/link": Link("../hop"), "pub/hop": Link("../private/key.json")},
        {"private/key.json": "{}\n", "pub/up": Link("../private/../private")},
    ],
)
def test_a_link_to_something_private_is_refused(tmp_path: Path, link: Tree) -> None:
    found = findings(tmp_path, {**KEY, **link}, assets=["pub"], evaluation__privateAssets=["private"])
    assert "private_exposed" in [one.code for one in found]


def test_a_private_link_to_a_public_file_is_refused(tmp_path: Path) -> None:
    extra: Tree = {"pub/a.csv": "a\n", "private/key": Link("../pub/a.csv")}
    (found,) = findings(tmp_path, extra, assets=["pub"], evaluation__privateAssets=["private"])
    assert found.code == "private_exposed"
    assert '"pub/a.csv" and "private/key" are one file' in found.message


def test_a_hard_link_to_something_private_is_refused(tmp_path: Path) -> None:
    root = write_scenario(tmp_path / "x", document(), KEY)
    os.link(root / "private/key.json", root / "pub/same.csv")
    root.rename(tmp_path / "sum-ledger")
    found = codes(tmp_path, assets=["pub"], evaluation__privateAssets=["private"])
    assert found == ["private_exposed"]


@pytest.mark.parametrize("link", [Link("scenario.json"), Link("pub/../scenario.json")])
def test_the_document_with_rubric_and_cases_is_private(tmp_path: Path, link: Link) -> None:
    assert codes(tmp_path, {"open": link, "pub/a": "a"}, assets=["open"]) == ["private_exposed"]


@pytest.mark.parametrize(
    ("changes", "extra"),
    [
        ({"solution": "pub"}, {"pub/a": "a"}),
        ({"solution": "pub/inner"}, {"pub/inner/a": "a"}),
        ({"evaluation__reviewer": {"path": "pub/judge.py", "command": ["x"]}}, {"pub/judge.py": "x"}),
        ({"solution": "solution"}, {"solution/a": "a", "pub/link": Link("../solution")}),
    ],
)
def test_solution_and_reviewer_are_private(tmp_path: Path, changes: dict[str, object], extra: Tree) -> None:
    assert "private_exposed" in codes(tmp_path, extra, assets=["pub"], **changes)


@pytest.mark.parametrize("prompt", ["private/task.md", "link.md"])
def test_a_prompt_file_is_public(tmp_path: Path, prompt: str) -> None:
    extra: Tree = {"private/task.md": "Sum it.\n", "link.md": Link("private/task.md")}
    changes: dict[str, Any] = {"userPromptPath": prompt, "evaluation__privateAssets": ["private"]}
    assert codes(tmp_path, extra, **changes) == ["private_exposed"]


def test_a_set_up_script_is_public(tmp_path: Path) -> None:
    extra: Tree = {"private/setup.sh": "true\n"}
    changes: dict[str, Any] = {"environment": {"setup": "private/setup.sh"}, "evaluation__privateAssets": ["private"]}
    assert codes(tmp_path, extra, **changes) == ["private_exposed"]


def test_private_things_may_share_files_with_each_other(tmp_path: Path) -> None:
    extra: Tree = {"private/judge/run.py": "x", "private/solution/a": Link("../judge/run.py")}
    changes: dict[str, Any] = {
        "evaluation__privateAssets": ["private"],
        "solution": "private/solution",
        "evaluation__reviewer": {"path": "private/judge", "command": ["x"]},
        "evaluation__environment": {"setup": "private/judge/run.py"},
    }
    assert codes(tmp_path, extra, **changes) == []


def test_neighbours_with_a_common_beginning_are_no_overlap(tmp_path: Path) -> None:
    extra: Tree = {"data/a": "a", "data-private/b": "b", "data.json": "c"}
    assert codes(tmp_path, extra, assets=["data"], evaluation__privateAssets=["data-private", "data.json"]) == []


def test_each_pair_is_told_once(tmp_path: Path) -> None:
    extra: Tree = {
        **KEY,
        "private/other": "o",
        "pub/l1": Link("../private/key.json"),
        "pub/l2": Link("../private/other"),
    }
    found = codes(tmp_path, extra, assets=["pub"], evaluation__privateAssets=["private"])
    assert found == ["private_exposed"]


def test_the_set_up_of_the_review_is_private(tmp_path: Path) -> None:
    extra: Tree = {"assets/judge-setup.sh": "echo expected\n"}
    changes: dict[str, Any] = {"assets": ["assets"], "evaluation__environment": {"setup": "assets/judge-setup.sh"}}
    (found,) = findings(tmp_path, extra, **changes)
    assert (found.code, found.pointer) == ("private_exposed", "/assets/0")
    assert "the set-up of the review" in found.message


def test_one_set_up_for_both_machines_is_no_secret(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"environment": {"setup": "setup.sh"}, "evaluation__environment": {"setup": "./setup.sh"}}
    assert codes(tmp_path, {"setup.sh": "true\n"}, **changes) == []
