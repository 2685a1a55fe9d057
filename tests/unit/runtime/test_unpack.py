from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.runtime.handover import HandoverLimits
from generator.runtime.trees import LeftOut
from generator.runtime.unpack import Unpacked, unpack
from tests.unit.runtime.support import listing

Add = Callable[[tarfile.TarFile], None]


def file(name: str, content: str = "x", **fields: object) -> Add:
    def add(tar: tarfile.TarFile) -> None:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        for key, value in fields.items():
            setattr(info, key, value)
        tar.addfile(info, io.BytesIO(content.encode()))

    return add


def other(name: str, kind: bytes, linkname: str = "") -> Add:
    def add(tar: tarfile.TarFile) -> None:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, linkname
        tar.addfile(info)

    return add


def link(name: str, target: str) -> Add:
    return other(name, tarfile.SYMTYPE, target)


def hard(name: str, target: str) -> Add:
    return other(name, tarfile.LNKTYPE, target)


@pytest.fixture
def planted(tmp_path: Path) -> Callable[..., tuple[Unpacked, dict[str, str]]]:
    """Unpack an archive of these members beside a secret; nothing but the target may change."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "key.json").write_text("the answer")

    def make(*members: Add, limits: HandoverLimits | None = None) -> tuple[Unpacked, dict[str, str]]:
        with tarfile.open(tmp_path / "a.tar", "w", format=tarfile.PAX_FORMAT) as tar:
            for add in members:
                add(tar)
        got = unpack(str(tmp_path / "a.tar"), str(tmp_path / "out"), limits or HandoverLimits(), ("/app",))
        outside = listing(tmp_path)
        inside = {name[4:]: text for name, text in outside.items() if name.startswith("out/")}
        assert {name for name in outside if not name.startswith("out/")} <= {"tests", "tests/key.json", "a.tar", "out"}
        assert outside["tests/key.json"] == "the answer"
        return got, inside

    return make


def test_names_that_lead_out_are_listed_and_the_rest_is_unpacked(
    planted: Callable[..., tuple[Unpacked, dict[str, str]]],
) -> None:
    got, tree = planted(file("/etc/x"), file("../x"), file("a/../../x"), file("a/../b"), file("./c//d"), file("e"))
    assert tree == {"c": "dir", "c/d": "x", "e": "x"}
    assert [item.path for item in got.left_out] == ["/etc/x", "../x", "a/../../x", "a/../b"]
    assert {item.reason for item in got.left_out} == {"name leads out of the workspace"}


@pytest.mark.parametrize("target", ["../tests", "/tmp", "/", "..", "."])
def test_nothing_is_written_through_a_link(
    planted: Callable[..., tuple[Unpacked, dict[str, str]]], target: str
) -> None:
    got, tree = planted(link("door", target), file("door/key.json", "forged"))
    assert tree == {"door": "dir", "door/key.json": "forged"}
    assert [item.path for item in got.left_out] == ["door"]


def test_a_link_cannot_be_made_through_a_link(planted: Callable[..., tuple[Unpacked, dict[str, str]]]) -> None:
    got, tree = planted(link("door", "../tests"), link("door/planted", "x"))
    assert tree == {"door": "dir", "door/planted": "-> x"}
    assert [item.path for item in got.left_out] == ["door"]


def test_links_that_lead_out_are_listed_with_their_targets(
    planted: Callable[..., tuple[Unpacked, dict[str, str]]],
) -> None:
    got, tree = planted(file("f"), link("answer", "../tests/key.json"), link("ok", "f"), link("tool", "/usr/bin/env"))
    assert tree == {"f": "x", "ok": "-> f", "tool": "-> /usr/bin/env"}
    assert got.left_out == (LeftOut("answer", "link out of the workspace", "../tests/key.json"),)


def test_a_hard_link_is_a_copy_from_the_archive_and_never_a_file_of_this_machine(
    planted: Callable[..., tuple[Unpacked, dict[str, str]]],
) -> None:
    got, tree = planted(
        file("a", "content"),
        hard("copy", "./a"),
        hard("again", "copy"),
        hard("answer", "../tests/key.json"),
        hard("passwd", "/etc/passwd"),
        link("l", "a"),
        hard("link copy", "l"),
        hard("a", "a"),
    )
    assert tree == {
        "a": "content",
        "copy": "content",
        "again": "content",
        "l": "-> a",
        "link copy": "-> a",
    }
    assert got.left_out == (
        LeftOut("answer", "hard link to nothing in the archive"),
        LeftOut("passwd", "hard link to nothing in the archive"),
    )


def test_special_files_are_listed(planted: Callable[..., tuple[Unpacked, dict[str, str]]]) -> None:
    got, tree = planted(other("fifo", tarfile.FIFOTYPE), other("null", tarfile.CHRTYPE), other("disk", tarfile.BLKTYPE))
    assert tree == {}
    assert got.left_out == tuple(LeftOut(name, "special file") for name in ("fifo", "null", "disk"))


def test_of_members_with_one_name_the_last_counts(planted: Callable[..., tuple[Unpacked, dict[str, str]]]) -> None:
    _, tree = planted(
        file("a", "1"), file("a", "2"), link("b", "a"), file("b", "3"), file("c", "4"), link("c", "a"), link("c", "b")
    )
    assert tree == {"a": "2", "b": "3", "c": "-> b"}


def test_files_and_directories_in_each_others_way_are_listed(
    planted: Callable[..., tuple[Unpacked, dict[str, str]]],
) -> None:
    got, tree = planted(
        file("a"),
        file("a/b"),
        other("a", tarfile.DIRTYPE),
        file("d/e"),
        file("d", "in the way"),
        link("a/l", "x"),
        link("d", "a"),
        file("x" * 300),
    )
    assert tree == {"a": "x", "d": "dir", "d/e": "x"}
    assert [(item.path[:3], item.reason) for item in got.left_out] == [
        ("a/b", "a is a file"),
        ("a", "a is a file"),
        ("d", "File exists"),
        ("xxx", "File name too long"),
        ("a/l", "a is a file"),
        ("d", "File exists"),
    ]


def test_odd_members_do_not_stop_the_others(planted: Callable[..., tuple[Unpacked, dict[str, str]]]) -> None:
    got, tree = planted(
        link("empty", ""),
        file("future", mtime=1e30),
        file("past", mtime=-5),
        file("suid", mode=0o6755),
        file("."),
        file("./"),
        other("x" * 300, tarfile.DIRTYPE),
    )
    assert set(tree) == {"future", "past", "suid"}
    assert [item.path[:5] for item in got.left_out] == ["xxxxx", "empty"]


@pytest.mark.slow
def test_twenty_thousand_names_are_unpacked(in_memory: Path) -> None:
    with tarfile.open(in_memory / "a.tar", "w") as tar:
        for number in range(20_000):
            tar.addfile(tarfile.TarInfo(f"{number % 100}/{number}"))
    assert unpack(str(in_memory / "a.tar"), str(in_memory / "out")).problem == ""
    assert sum(len(names) for _, _, names in os.walk(in_memory / "out")) == 20_000


def test_hard_links_cannot_multiply_a_file_beyond_the_limit(
    planted: Callable[..., tuple[Unpacked, dict[str, str]]],
) -> None:
    bomb = [file("a", "x" * 1000), *(hard(str(number), "a") for number in range(100))]
    got, _ = planted(*bomb, limits=HandoverLimits(max_bytes=50_000))
    assert got.problem == "the workspace holds more than 50000 bytes of data"


def test_an_archive_with_too_many_members_is_refused(planted: Callable[..., tuple[Unpacked, dict[str, str]]]) -> None:
    got, _ = planted(file("a"), file("b"), file("c"), limits=HandoverLimits(max_files=2))
    assert got.problem == "the archive of the workspace has more than 2 members"


def test_an_existing_empty_target_is_used(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        file("a")(tar)
    (tmp_path / "out").mkdir()
    assert unpack(str(tmp_path / "a.tar"), str(tmp_path / "out")) == Unpacked()
    assert listing(tmp_path / "out") == {"a": "x"}


@pytest.fixture
def good(tmp_path: Path) -> bytes:
    with tarfile.open(tmp_path / "good.tar", "w", format=tarfile.PAX_FORMAT) as tar:
        for add in (file("a", "x" * 3000), file("ü" * 80, "y" * 1000), file("b")):
            add(tar)
    return (tmp_path / "good.tar").read_bytes()


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 1000, 3000, 4096, 4608, 7168])
def test_an_archive_that_ends_too_early_is_damaged_wherever_it_ends(tmp_path: Path, good: bytes, size: int) -> None:
    (tmp_path / "a.tar").write_bytes(good[:size])
    assert "is damaged" in unpack(str(tmp_path / "a.tar"), str(tmp_path / "out")).problem


def test_garbage_between_members_is_damage_and_not_an_end(tmp_path: Path, good: bytes) -> None:
    (tmp_path / "a.tar").write_bytes(good[:3584] + b"garbage!" * 64 + good[3584:])
    assert "is damaged" in unpack(str(tmp_path / "a.tar"), str(tmp_path / "out")).problem


def test_a_packed_archive_is_not_taken(tmp_path: Path, good: bytes) -> None:
    (tmp_path / "a.tar").write_bytes(gzip.compress(good))
    assert "is damaged" in unpack(str(tmp_path / "a.tar"), str(tmp_path / "out")).problem


def test_a_missing_archive_is_a_problem(tmp_path: Path) -> None:
    assert "No such file" in unpack(str(tmp_path / "a.tar"), str(tmp_path / "out")).problem


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GNU.sparse.map", "0,5,99999999,5"),
        ("GNU.sparse.map", "-5,5"),
        ("GNU.sparse.map", "a,b"),
        ("GNU.sparse.size", "-1"),
        ("size", "99999999999999999999"),
        ("mtime", "nan"),
        ("path", "../../x"),
        ("linkpath", "/etc/passwd"),
    ],
)
def test_hostile_headers_do_no_harm(tmp_path: Path, name: str, value: str) -> None:
    with tarfile.open(tmp_path / "a.tar", "w", format=tarfile.PAX_FORMAT) as tar:
        headers = {name: value}
        if name == "GNU.sparse.map":
            headers["GNU.sparse.size"] = "10"
        file("f", "0123456789", pax_headers=headers)(tar)
    before = set(os.listdir(tmp_path))
    got = unpack(str(tmp_path / "a.tar"), str(tmp_path / "out"))
    assert set(os.listdir(tmp_path)) <= before | {"out"}
    assert got.problem == "" or "is damaged" in got.problem or "holds more than" in got.problem


def test_headers_nested_without_end_are_damage(tmp_path: Path) -> None:
    info = tarfile.TarInfo("h")
    info.type, info.size = tarfile.XHDTYPE, 0
    header = info.tobuf(tarfile.USTAR_FORMAT)
    (tmp_path / "a.tar").write_bytes(header * 20_000 + bytes(1024))
    assert "is damaged" in unpack(str(tmp_path / "a.tar"), str(tmp_path / "out")).problem


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(st.tuples(st.integers(0, 9000), st.integers(0, 255)), min_size=1, max_size=6))
def test_a_corrupted_archive_never_raises_and_never_writes_outside(
    tmp_path_factory: pytest.TempPathFactory, good: bytes, edits: list[tuple[int, int]]
) -> None:
    top = tmp_path_factory.mktemp("corrupt")
    data = bytearray(good)
    for place, value in edits:
        data[place % len(data)] = value
    (top / "a.tar").write_bytes(data)
    unpack(str(top / "a.tar"), str(top / "out"), HandoverLimits(max_bytes=10**6, max_files=100))
    assert set(os.listdir(top)) <= {"a.tar", "out"}
