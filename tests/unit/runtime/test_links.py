from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from generator.runtime.links import copy_tree, drop_leaving_links
from generator.runtime.trees import LeftOut
from tests.support.files import Link, write_tree
from tests.unit.runtime.support import listing

LEAVING = [
    "/etc/passwd",
    "/proc/1/environ",
    "/tests/private-eval-assets/key.json",
    "/application/x",
    "/",
    "..",
    "../..",
    "../out/x",
    "folder/../../x",
    "/usr/../etc/passwd",
    "/usr/bin/../../etc/passwd",
    "/app/..",
    "/app/../etc/passwd",
    "/app/folder/../../etc",
]
STAYING = ["file", "./folder/deep", "folder/../file", "missing", "folder/missing", "/usr/bin/env", "/bin/sh", "."]


@pytest.mark.parametrize("target", LEAVING)
def test_a_link_that_leads_out_is_removed_and_listed(tmp_path: Path, target: str) -> None:
    top = write_tree(tmp_path / "top", {"file": "f", "folder/deep": "d", "self": Link(target)})
    assert drop_leaving_links(str(top), ("/app",)) == (LeftOut("self", "link out of the workspace", target),)
    assert listing(top) == {"file": "f", "folder": "dir", "folder/deep": "d"}


@pytest.mark.parametrize("target", STAYING)
def test_a_link_that_stays_inside_or_leads_to_the_system_is_kept(tmp_path: Path, target: str) -> None:
    top = write_tree(tmp_path / "top", {"file": "f", "folder/deep": "d", "self": Link(target)})
    assert drop_leaving_links(str(top), ("/app",)) == ()
    assert os.readlink(top / "self") == target


@pytest.mark.parametrize(
    ("place", "target", "relative"),
    [
        ("l", "/app/folder/deep", "folder/deep"),
        ("folder/l", "/app/file", "../file"),
        ("folder/l", "//app/./folder//deep", "../folder/deep"),
        ("l", "/app", "."),
        ("folder/l", "/app/", ".."),
    ],
)
def test_an_absolute_link_into_the_workspace_becomes_a_relative_one(
    tmp_path: Path, place: str, target: str, relative: str
) -> None:
    top = write_tree(tmp_path / "top", {"file": "f", "folder/deep": "d", place: Link(target)})
    assert drop_leaving_links(str(top), ("/app",)) == ()
    assert os.readlink(top / place) == relative


def test_chains_are_followed_to_their_end(tmp_path: Path) -> None:
    top = write_tree(
        tmp_path / "top",
        {
            "a": Link("b"),
            "b": Link("folder/c"),
            "folder/c": Link("../../outside"),
            "folder/deep": "d",
            "through": Link("up/x"),
            "up": Link("folder/.."),
            "into": Link("dir/key"),
            "dir": Link("/tests"),
            "good": Link("better"),
            "better": Link("folder/deep"),
        },
    )
    assert {item.path for item in drop_leaving_links(str(top))} == {"a", "b", "folder/c", "into", "dir"}
    assert set(listing(top)) == {"folder", "folder/deep", "through", "up", "good", "better"}


def test_links_without_an_end_are_removed(tmp_path: Path) -> None:
    chain = {f"c{number}": Link(f"c{number + 1}") for number in range(60)}
    loops = {"a": Link("b"), "b": Link("a"), "self": Link("self/../../outside")}
    top = write_tree(tmp_path / "top", {**loops, **chain, "c60": Link("file"), "file": "f"})
    removed = {item.path: item.reason for item in drop_leaving_links(str(top))}
    assert set(removed.values()) == {"link that never ends"}
    assert set(removed) == {"a", "b", "self", *(f"c{number}" for number in range(21))}
    for name in set(listing(top)):
        assert (top / name).exists()


def test_a_copy_knows_where_the_tree_came_from(tmp_path: Path) -> None:
    work = write_tree(tmp_path / "work", {"v1/x": "1"})
    (work / "current").symlink_to(work / "v1")
    (work / "away").symlink_to(tmp_path)
    os.mkfifo(work / "fifo")
    left_out = copy_tree(str(work), str(tmp_path / "copy"))
    assert listing(tmp_path / "copy") == {"v1": "dir", "v1/x": "1", "current": "-> v1"}
    assert [(item.path, item.reason) for item in left_out] == [
        ("fifo", "special file"),
        ("away", "link out of the workspace"),
    ]
    assert (work / "away").is_symlink()


parts = st.sampled_from(["..", ".", "a", "b", "c", "d", ""])
targets = st.one_of(
    st.lists(parts, min_size=1, max_size=6).map("/".join),
    st.lists(parts, min_size=1, max_size=5).map(lambda found: "/".join(["/app", *found])),
    st.sampled_from(["/etc", "/usr/bin", "/tests", "/", "/proc/self/root"]),
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    links=st.dictionaries(
        st.sampled_from(["a", "b", "c", "d", "e/a", "e/b", "e/f/a"]), targets.filter(bool), max_size=7
    )
)
@example(links={"a": "b/../..", "b": "e/f"})
def test_no_link_leads_out_as_the_system_itself_follows_it(
    tmp_path_factory: pytest.TempPathFactory, links: dict[str, str]
) -> None:
    top = tmp_path_factory.mktemp("links") / "top"
    write_tree(top, {"e/f/file": "f", **{name: Link(target) for name, target in links.items()}})
    drop_leaving_links(str(top), ("/app",))
    inside = os.path.realpath(top)
    for name, text in listing(top).items():
        if text.startswith("-> "):
            end = os.path.realpath(top / name)
            assert end == inside or end.startswith((inside + "/", "/usr/")) or end == "/usr"


@pytest.mark.parametrize("target", ["/usr/share/sealed/key", "/usr/share/sealed", "/usr/share", "/usr"])
def test_a_link_to_a_forbidden_place_of_the_system_is_removed(tmp_path: Path, target: str) -> None:
    top = write_tree(
        tmp_path / "top", {"self": Link(target), "next": Link("/usr/share/sealed2"), "sh": Link("/bin/sh")}
    )
    removed = drop_leaving_links(str(top), ("/app",), ("/usr/share/sealed",))
    assert removed == (LeftOut("self", "link out of the workspace", target),)
