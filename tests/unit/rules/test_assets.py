"""Declared paths, their names, and where they stand in the workspace."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from generator.rules.assets import MAX_BYTES, MOST_SHOWN
from generator.scenario.placement import workspace_path
from tests.support.cases import selected
from tests.support.files import Link, Tree
from tests.support.scenarios import document, write_scenario
from tests.unit.rules.support import codes, findings


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"assets/link": Link("ledger.csv")}, []),
        ({"assets/link": Link("../other"), "other/a": "a"}, []),
        ({"assets/link": Link("nowhere")}, ["asset_missing"]),
        ({"assets/link": Link("/etc/hostname")}, ["asset_outside"]),
        ({"assets/link": Link("../../outside")}, ["asset_outside"]),
        ({"assets/link": Link("..")}, ["asset_loop", "private_exposed"]),
        ({"assets/link": Link("link")}, ["asset_loop"]),
    ],
)
def test_a_link_below_an_asset_is_followed_only_inside(tmp_path: Path, extra: Tree, expected: list[str]) -> None:
    (tmp_path / "outside").mkdir()
    assert codes(tmp_path, extra, assets=["assets"]) == expected


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.mknod(path, 0o600 | 0o140000)])
def test_a_pipe_or_socket_is_refused_without_blocking(tmp_path: Path, make: object) -> None:
    root = write_scenario(tmp_path / "sum-ledger")
    assert callable(make)
    make(root / "assets/odd")
    assert codes(tmp_path, assets=["assets"]) == ["asset_special"]
    assert codes(tmp_path, assets=["assets/odd"]) == ["asset_special"]


def test_of_a_broken_tree_the_first_few_are_shown(tmp_path: Path) -> None:
    extra = {f"assets/l{number:03}": Link("nowhere") for number in range(50)}
    assert codes(tmp_path, extra, assets=["assets"]) == ["asset_missing"] * MOST_SHOWN


@pytest.mark.parametrize(
    "name",
    [
        "tab\there",
        "back\\slash",
        "bell\x07",
        "c1\x85",
        "line\u2028sep",
        b"not-utf8-\xff".decode("utf-8", "surrogateescape"),
    ],
)
def test_an_unsafe_name_is_refused_wherever_it_stands(tmp_path: Path, name: str) -> None:
    assert codes(tmp_path, {f"assets/{name}": "x"}, assets=["assets"]) == ["asset_name_unsafe"]


def test_a_declared_name_too_long_for_any_system_is_refused_by_its_name(tmp_path: Path) -> None:
    assert codes(tmp_path, assets=["é" * 128]) == ["asset_name_unsafe"]
    assert codes(tmp_path, {"é" * 127: "x"}, assets=["é" * 127]) == []


@pytest.mark.parametrize("name", ["aux", "COM1.txt", "what?", "a:b", "dot.", "space ", " space", 'q"'])
def test_a_name_that_windows_cannot_hold_is_a_warning(tmp_path: Path, name: str) -> None:
    assert codes(tmp_path, {f"assets/{name}": "x"}, assets=["assets"]) == ["asset_name_not_portable"]
    assert codes(tmp_path, {f"more/{name}/in": "x"}, assets=[f"more/{name}/in"]) == ["asset_name_not_portable"]


@pytest.mark.parametrize(
    "name", ["..dots", ".hidden", "-rf", "a b", "[glob]*"[:6], "éa", "e\u0301", "communion", "a.nul"]
)
def test_an_odd_but_harmless_name_is_taken(tmp_path: Path, name: str) -> None:
    assert codes(tmp_path, {f"assets/{name}": "x"}, assets=["assets"]) == []


@pytest.mark.parametrize(
    ("extra", "assets"),
    [
        ({"assets/A": "", "assets/a": ""}, ["assets"]),
        ({"assets/A/x": "", "assets/a/y": ""}, ["assets"]),
        ({"Data/x": "", "data/y": ""}, ["Data/x", "data/y"]),
        ({"a/\u00e9": "", "a/e\u0301": ""}, ["a"]),
        ({"a/stra\u00dfe": "", "a/STRASSE": ""}, ["a/stra\u00dfe", "a/STRASSE"]),
    ],
)
def test_names_that_differ_in_case_or_form_alone_are_refused(tmp_path: Path, extra: Tree, assets: list[str]) -> None:
    assert "asset_name_clash" in codes(tmp_path, extra, assets=assets)
    apart = {"assets": [], "evaluation__privateAssets": assets}
    assert "asset_name_clash" in codes(tmp_path, extra, **apart)


def test_public_and_private_names_may_be_alike(tmp_path: Path) -> None:
    extra = {"pub/Key": "", "private/key": "", "Pub": ""}
    assert codes(tmp_path, extra, assets=["pub"], evaluation__privateAssets=["Pub", "private"]) == []


@pytest.mark.parametrize("name", [".git", ".GIT", "sub/.git/config", ".harborignore"])
def test_names_that_git_or_harbor_act_on_are_refused(tmp_path: Path, name: str) -> None:
    expected = ["asset_harborignore" if "ignore" in name else "asset_git"]
    assert codes(tmp_path, {f"assets/{name}": "x"}, assets=["assets"]) == expected
    assert codes(tmp_path, {f"key/{name}": "x"}, evaluation__privateAssets=["key"]) == expected
    assert codes(tmp_path, {f"assets/{name}": "x"}, assets=[f"assets/{name}"]) == expected


def test_empty_directories_are_named_and_others_not(tmp_path: Path) -> None:
    root = write_scenario(tmp_path / "sum-ledger", document(), {"assets/full/a": "a"})
    (root / "assets/empty").mkdir()
    (root / "assets/full/inner").mkdir()
    found = findings(tmp_path, assets=["assets"])
    assert [one.code for one in found] == ["asset_directory_empty"] * 2
    assert "assets/empty" in found[0].message
    assert "assets/full/inner" in found[1].message


@pytest.mark.parametrize(
    ("path", "asset", "stage", "expected"),
    [
        ("assets/a/x", "assets", {}, "assets/a/x"),
        ("assets/a/x", "assets", {"assets": "."}, "a/x"),
        ("assets/a/x", "assets", {"assets": "deep/er"}, "deep/er/a/x"),
        ("a.csv", "a.csv", {"a.csv": "data/b.csv"}, "data/b.csv"),
    ],
)
def test_a_staged_file_stands_below_the_target(path: str, asset: str, stage: dict[str, str], expected: str) -> None:
    assert workspace_path(path, asset, stage) == expected


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ({"a": ".", "b": "other"}, []),
        ({"a": ".", "b": "."}, ["stage_clash"]),
        ({"a": "b"}, ["stage_clash"]),
        ({"a": "B"}, ["stage_clash"]),
        ({"a": "b/x"}, ["stage_clash"]),
        ({"a": "assets/ledger.csv/x"}, ["stage_clash"]),
        ({"a": "..a"}, []),
        ({"a/x": "y"}, ["stage_undeclared"]),
        ({"a": ".GIT/x"}, ["stage_target_unsuitable"]),
        ({"a": "../x"}, ["path_unsafe"]),
        ({"a": "x" * 256}, ["stage_target_unsuitable"]),
    ],
)
def test_stage_targets_stay_inside_and_apart(tmp_path: Path, stage: dict[str, str], expected: list[str]) -> None:
    extra = {"a/x": "1", "b/x": "2"}
    assert codes(tmp_path, extra, assets=["a", "b", "assets/ledger.csv"], environment={"stage": stage}) == expected


def test_one_file_declared_twice_is_no_clash(tmp_path: Path) -> None:
    stage = {"assets/ledger.csv": "assets/ledger.csv"}
    assert codes(tmp_path, assets=["assets", "assets/ledger.csv"], environment={"stage": stage}) == []


@pytest.mark.parametrize("restore", ["assets/ledger.csv", "./assets/ledger.csv"])
def test_a_declared_asset_can_be_restored(tmp_path: Path, restore: str) -> None:
    assert codes(tmp_path, evaluation__checks=[{"id": "a", "command": "true", "restore": [restore]}]) == []


@pytest.mark.parametrize(
    ("workdir", "taken"),
    [
        *((place, False) for place in ("/app", "/home/agent/work", "/opt/x", "/var/lib/x", "/srv/app", "/testing")),
        *((place, True) for place in ("/opt", "/home", "/etc/x", "/tests", "/logs/verifier", "/lib64", "/tmp/x")),
    ],
)
def test_a_workspace_needs_a_folder_of_its_own(tmp_path: Path, workdir: str, taken: bool) -> None:
    assert codes(tmp_path, environment={"workdir": workdir}) == ["workdir_unsuitable"] * taken


def test_an_asset_is_staged_once_however_it_is_spelt(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"assets": ["assets"], "environment": {"stage": {"assets": "a", "./assets/": "b"}}}
    (found,) = findings(tmp_path, **changes)
    assert (found.code, found.pointer) == ("stage_clash", "/environment/stage/.~1assets~1")
    assert '"assets"' in found.message


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (".harborignore", "stage_target_unsuitable"),
        ("a/.Git/b", "stage_target_unsuitable"),
        ("con", "asset_name_not_portable"),
        ("a./b", "asset_name_not_portable"),
        ("a/" * 300 + "b", "stage_target_unsuitable"),
    ],
)
def test_a_staged_name_obeys_the_rules_of_every_other_name(tmp_path: Path, target: str, expected: str) -> None:
    changes: dict[str, Any] = {"environment": {"stage": {"assets/ledger.csv": target}}}
    assert codes(tmp_path, **changes) == [expected]


def test_a_path_that_a_package_cannot_hold_is_refused(tmp_path: Path) -> None:
    deep = "/".join(["d" * 100] * 6)
    assert codes(tmp_path, {f"assets/{deep}": "x"}, assets=["assets"]) == ["asset_name_unsafe"]
    assert codes(tmp_path, assets=[f"assets/{deep}"]) == ["asset_name_unsafe"]
    staged = {"stage": {"assets": "/".join(["s" * 100] * 4)}}
    shallow = "/".join(["e" * 100] * 2)
    (tmp_path / "sum-ledger/assets" / ("d" * 100)).rename(tmp_path / "away")
    extra: Tree = {f"assets/{shallow}": "x"}
    assert codes(tmp_path, extra, assets=["assets"], environment=staged) == ["stage_target_unsuitable"]


@pytest.mark.parametrize("name", ["a\u202eb.csv", "a\u2066b.csv", "\ufeffa.csv"])
def test_a_name_that_is_shown_otherwise_than_it_is_written_is_refused(tmp_path: Path, name: str) -> None:
    assert codes(tmp_path, {f"assets/{name}": "x"}, assets=["assets"]) == ["asset_name_unsafe"]


@pytest.mark.parametrize("name", [".gitignore", "deep/.gitattributes"])
def test_files_that_tell_git_what_to_keep_are_named(tmp_path: Path, name: str) -> None:
    (found,) = findings(tmp_path, {f"assets/{name}": "*.log\n"}, assets=["assets"])
    assert (found.code, found.pointer) == ("asset_git_rules", "/assets/0")
    assert name in found.message


def test_an_empty_directory_that_is_declared_twice_is_named_once(tmp_path: Path) -> None:
    root = write_scenario(tmp_path / "sum-ledger", document(), {"priv/a": "a"})
    (root / "priv/empty").mkdir()
    (root / "solution").mkdir()
    changes: dict[str, Any] = {"evaluation__privateAssets": ["priv", "priv/empty"], "solution": "solution"}
    assert codes(tmp_path, **changes) == ["asset_directory_empty"] * 2


@pytest.mark.parametrize("value", ["assets/ledgr.csv", "asset/ledger.csv", "ledger.csv", "assets/Ledger.csv"])
def test_a_missing_asset_is_compared_with_what_is_there(tmp_path: Path, value: str) -> None:
    (found,) = findings(tmp_path, assets=[value])
    assert (found.code, found.hint) == ("asset_missing", '"assets/ledger.csv"')


def test_a_pattern_in_place_of_a_path_is_recognised(tmp_path: Path) -> None:
    found = findings(tmp_path, assets=["assets/*.csv"])
    assert [one.code for one in found] == ["asset_missing"]
    assert found[0].hint == '"assets", which takes all that is in it'


def test_what_is_staged_or_restored_is_not_blamed_for_an_invalid_asset(tmp_path: Path) -> None:
    changes: dict[str, Any] = {
        "assets": ["assets\\ledger.csv"],
        "environment": {"stage": {"assets/ledger.csv": "a"}},
        "evaluation__checks": [{"id": "a", "command": "true", "restore": ["assets/ledger.csv"]}],
    }
    assert codes(tmp_path, **changes) == ["path_unsafe"]


def test_what_is_declared_together_is_bounded_and_counted_once(tmp_path: Path) -> None:
    root = write_scenario(tmp_path / "sum-ledger", document(), {"assets/a": "", "priv/b": ""})
    os.truncate(root / "assets/a", MAX_BYTES // 2)
    os.truncate(root / "priv/b", MAX_BYTES // 2)
    changes: dict[str, Any] = {"assets": ["assets/a", "assets"], "evaluation__privateAssets": ["priv"]}
    write_scenario(root, document(**changes), {"assets/ledger.csv": ""})
    (loaded,) = selected(tmp_path).loaded
    assert "asset_too_large" not in [one.code for one in loaded.findings]
    os.truncate(root / "priv/b", MAX_BYTES // 2 + 1)
    (loaded,) = selected(tmp_path).loaded
    assert ("asset_too_large", "/evaluation/privateAssets/0") in [(one.code, one.pointer) for one in loaded.findings]


def test_what_is_declared_already_is_not_proposed_in_place_of_what_is_missing(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, assets=["assets/ledger.csv", "assets/ledger2.csv"])
    assert (found.code, found.pointer) == ("asset_missing", "/assets/1")
    assert found.hint == "the path of a file or directory below the scenario directory"
