from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def in_memory(tmp_path: Path) -> Iterator[Path]:
    """A directory that costs no disk where the system has one; creating many files is slow on some disks."""
    if not os.path.isdir("/dev/shm"):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="runtime-test-", dir="/dev/shm") as made:
        yield Path(made)
