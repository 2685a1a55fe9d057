"""What is measured is valid, draws no complaint, and is as large as it is said to be."""

from __future__ import annotations

from pathlib import Path

from benchmarks.packs import make_large_pack, make_pack
from generator.workflows.select import select
from tests.support.files import read_tree


def test_a_pack_is_valid_without_a_complaint_and_has_documents_of_3_kb(tmp_path: Path) -> None:
    found = select(make_pack(tmp_path / "scenarios", 4))

    assert [loaded.id for loaded in found.loaded] == [f"ledger-{number:05}" for number in (1, 2, 3, 4)]
    assert [loaded.findings for loaded in found.loaded] == [()] * 4
    assert all(loaded.scenario for loaded in found.loaded)
    sizes = [path.stat().st_size for path in tmp_path.glob("scenarios/*/scenario.json")]
    assert all(2900 <= size <= 3100 for size in sizes)


def test_a_pack_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    assert read_tree(make_pack(tmp_path / "one", 2)) == read_tree(make_pack(tmp_path / "two", 2))


def test_a_large_pack_has_an_asset_of_so_many_megabytes_that_is_declared(tmp_path: Path) -> None:
    (loaded,) = select(make_large_pack(tmp_path / "scenarios", 3)).loaded

    assert loaded.findings == ()
    assert loaded.files["assets/records.bin"][0].size == 3 * 1024 * 1024
