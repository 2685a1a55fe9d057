"""Look again whenever a file is saved: by polling, which works on every file system, at a small share of one core."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

from generator.diagnostics.report import plural
from generator.source.tree import MAX_DEPTH, MAX_ENTRIES

INTERVAL_SECONDS: Final = 0.1  # so that a save shows within 0.2 s
SHARE: Final = 10  # a look may take a tenth of the time between two looks; huge packs are looked at less often
_NOT_SOURCES: Final = frozenset({".git", "__pycache__", "node_modules"})

# Path -> what changes when it is saved, replaced or edited.
Snapshot = Mapping[str, tuple[int, int, int]]


def watch(
    roots: Sequence[Path], check: Callable[[Collection[str]], None], sleep: Callable[[float], None] = time.sleep
) -> NoReturn:
    """Check now, and again after every change below `roots`, until interrupted.

    Args:
        roots: Directories and files; what does not exist yet is waited for.
        check: Looks again and shows the result; it is told the paths that changed since it last did.
        sleep: Waits so many seconds.

    Raises:
        KeyboardInterrupt: Whoever watches has seen enough.
    """
    before: Snapshot = {}
    checked = False
    while True:
        begun = time.monotonic()
        now = snapshot(roots)
        looked = time.monotonic() - begun
        changed = {path for path, _ in before.items() ^ now.items()}
        if changed or not checked:
            before, checked = now, True
            check(changed)
        sleep(max(INTERVAL_SECONDS, looked * SHARE))


def snapshot(roots: Sequence[Path]) -> Snapshot:
    """Modification time (ns), size and inode of every file and directory below `roots`; links are not followed."""
    found: dict[str, tuple[int, int, int]] = {}
    for path, status in _everything([str(root) for root in roots]):
        found[path] = (status.st_mtime_ns, status.st_size, status.st_ino)
        if len(found) == MAX_ENTRIES:
            break
    return found


def fitted(lines: Sequence[str], height: int) -> list[str]:
    """Lines for a screen of `height` rows; the last one, the sum, is always among them."""
    if len(lines) <= height:
        return list(lines)
    kept = max(0, height - 2)
    return [*lines[:kept], f"… {plural(len(lines) - kept - 1, 'more line')}", lines[-1]]


def redraw(lines: Sequence[str]) -> str:
    """What makes a terminal show exactly these lines, over the old ones and without ever being blank in between."""
    body = "".join(f"{line}\x1b[K\n" for line in lines)
    return f"\x1b[?7l\x1b[H{body}\x1b[J\x1b[?7h"


def _everything(ahead: list[str]) -> Iterator[tuple[str, os.stat_result]]:
    depths = dict.fromkeys(ahead, 0)
    while ahead:
        path = ahead.pop()
        depth = depths.pop(path, 0)
        try:
            # What is asked for may itself be a link; what is found below is not followed.
            status = os.stat(path, follow_symlinks=depth == 0)  # noqa: PTH116 - called thousands of times a second
            yield path, status
            with os.scandir(path) as entries:
                below = [entry for entry in entries if entry.name not in _NOT_SOURCES]
        except OSError:  # gone meanwhile, closed to us, or no directory
            continue
        for entry in below:
            try:
                if depth < MAX_DEPTH and entry.is_dir(follow_symlinks=False):
                    depths[entry.path] = depth + 1
                    ahead.append(entry.path)
                else:
                    yield entry.path, entry.stat(follow_symlinks=False)
            except OSError:
                continue
