"""Making packages, against a plain copy of the finished ones."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measure import Command, in_turn, once, peak_memory
from benchmarks.packs import make_large_pack, make_pack
from benchmarks.place import Place, ours, removed
from benchmarks.rows import Row, ratio

MANY = 1000
FRESH = 4.0
UNCHANGED = 1.0
ALL_PROCESSORS = 0.8  # of one process's time; what reads the scenarios is one process all the same
LARGE_MEGABYTES = 1000
LARGE = 2.0
LARGE_ROUNDS = 9  # a virtual machine that gave memory back gets it again slowly, whoever asks first
SAME_MEMORY = 1.1


def rows(place: Place) -> Iterator[Row]:
    """A thousand packages, then one with an asset of 1 GB."""
    yield from _many(place)
    yield from _large(place)


def _many(place: Place) -> Iterator[Row]:
    pack = make_pack(place.folder("generate") / "scenarios", MANY).parent
    out, shared = pack / "generated", pack / "shared"
    commands = {
        "fresh": Command(ours("generate", "--jobs", "1"), pack, partial(removed, out)),
        "unchanged": Command(ours("generate", "--jobs", "1"), pack),
        "copy": _copy(out, pack / "copy"),
        "shared": Command(ours("generate", "--out", "shared"), pack, partial(removed, shared)),
    }
    figures = in_turn(commands, max(3, place.rounds // 2))
    name = f"`generate`, {MANY} packages"
    yield ratio(f"{name}, into nothing", figures["fresh"], figures["copy"], "`cp -r` of them", FRESH)
    yield ratio(f"{name}, nothing changed", figures["unchanged"], figures["fresh"], "into nothing", UNCHANGED)
    before = _touched(out)
    once(commands["unchanged"])
    changed = len(before.items() ^ _touched(out).items())
    yield Row(name=f"{name}, nothing changed: writes", figure=str(changed), value=changed, bar=0, unit="")
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if count > 1:
        what = f"{name}, on {count} processors"
        yield ratio(what, figures["shared"], figures["fresh"], "in one process", ALL_PROCESSORS)
    shutil.rmtree(pack)


def _large(place: Place) -> Iterator[Row]:
    small = make_large_pack(place.folder("small") / "scenarios", 1).parent
    pack = make_large_pack(place.folder("large") / "scenarios", LARGE_MEGABYTES).parent
    commands = {
        "large": Command(ours("generate"), pack, partial(removed, pack / "generated")),
        "copy": _copy(pack / "generated", pack / "copy"),
    }
    figures = in_turn(commands, max(LARGE_ROUNDS, place.rounds))
    commands["small"] = Command(ours("generate"), small, partial(removed, small / "generated"))
    yield ratio("`generate`, an asset of 1 GB", figures["large"], figures["copy"], "`cp -r` of the package", LARGE)
    peaks = [peak_memory(commands[name]) / 2**20 for name in ("large", "small")]
    yield Row(
        name="`generate`, an asset of 1 GB, peak memory",
        figure=f"{peaks[0]:.0f} MiB",
        against=f"an asset of 1 MB: {peaks[1]:.0f} MiB",
        value=peaks[0] / peaks[1],
        bar=SAME_MEMORY,
    )
    shutil.rmtree(pack)


def _copy(tree: Path, target: Path) -> Command:
    return Command(["cp", "-r", str(tree), str(target)], tree.parent, partial(removed, target))


def _touched(root: Path) -> dict[str, tuple[int, int]]:
    """Inode and change time of everything below `root`: no write leaves both as they are."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in (".", *folders, *files):
            status = os.lstat(os.path.join(folder, name))
            found[os.path.join(folder, name)] = (status.st_ino, status.st_ctime_ns)
    return found
