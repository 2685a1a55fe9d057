"""Expected outputs kept as files."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Golden:
    """The files below `root`; with `refresh`, checking rewrites them."""

    root: Path
    refresh: bool = False

    def check(self, name: str, actual: str) -> None:
        """Fail with the differences unless the file `name` holds exactly the text `actual`."""
        path = self.root / name
        if self.refresh:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(actual.encode())
            return
        expected = path.read_bytes().decode() if path.exists() else None
        if actual == expected:
            return
        difference = difflib.unified_diff(
            (expected or "").splitlines(keepends=True),
            actual.splitlines(keepends=True),
            f"tests/golden/{name}",
            "actual",
        )
        pytest.fail(f"'make golden' accepts this change:\n{''.join(difference)}", pytrace=False)
