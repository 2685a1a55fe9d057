"""Killed at any moment, or made by many at once: what stands is the old package or the new one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.files import Tree, read_tree
from tests.support.packages import written
from tests.support.scenarios import document, write_scenario


@pytest.fixture
def scenarios(tmp_path: Path) -> tuple[Path, Path]:
    """Two states of one scenario whose packages have the same files, all that depend on it with other bytes."""
    made = []
    for name in ("first", "second"):
        files: Tree = {"instruction.md": f"The {name} prompt.\n", "assets/ledger.csv": name * 1000}
        made.append(write_scenario(tmp_path / name, document(title=name), files))
    return made[0], made[1]


def under_fire(*words: object) -> list[str]:
    return [sys.executable, "-m", "tests.support.generate_under_fire", *map(str, words)]


@pytest.mark.slow
@pytest.mark.parametrize("exchange", ["exchange", "two renames"])
def test_killed_at_any_moment_it_leaves_the_old_package_or_the_new_one(
    scenarios: tuple[Path, Path], tmp_path: Path, exchange: str
) -> None:
    """Every audited step of a run is one moment. Without an exchange, one moment has the package moved aside."""
    environment = {**os.environ, "WITHOUT_EXCHANGE": "" if exchange == "exchange" else "1"}
    command = under_fire("kill", *scenarios, tmp_path / "out")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    moments = [json.loads(line) for line in done.stdout.splitlines()]
    stands = Counter(moment["stands"] for moment in moments)
    assert len(moments) >= 100
    assert set(stands) == {"old", "new"} | ({"nothing"} if exchange != "exchange" else set())
    assert stands["nothing"] <= 2
    assert {(moment["next"], moment["after"]) for moment in moments} <= {("written", "new"), ("unchanged", "new")}


@pytest.mark.slow
def test_many_makers_at_once_never_show_a_torn_package(scenarios: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    known = [read_tree(written(scenario, out)) for scenario in scenarios]
    package = out / "harbor/tasks/sum-ledger"
    makers = [subprocess.Popen(under_fire("write", out, 4, *scenarios)) for _ in range(8)]
    seen: Counter[int] = Counter()
    while any(maker.poll() is None for maker in makers):
        tree = read_through(package)
        if tree is not None:
            assert tree in known
            seen[known.index(tree)] += 1
    assert [maker.wait() for maker in makers] == [0] * 8
    assert seen.total() > 10
    assert len(seen) == 2
    assert read_tree(package) in known
    assert [path.name for path in out.iterdir()] == ["harbor"]


def read_through(package: Path) -> dict[str, tuple[bytes, bool]] | None:
    """The package; None when another took its place before all of it was read."""
    handle = os.open(package, os.O_RDONLY | os.O_DIRECTORY)
    try:
        tree = read_tree(Path(f"/proc/self/fd/{handle}/."))
        stayed = os.path.samestat(os.fstat(handle), package.stat())
    except FileNotFoundError:
        return None
    finally:
        os.close(handle)
    return tree if stayed else None
