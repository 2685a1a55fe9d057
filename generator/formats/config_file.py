"""Where the settings of a pack stand: found without importing what understands them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

CONFIG_FILE: Final = "harborsmith.toml"


def find_config(start: Path) -> Path | None:
    """The nearest `harborsmith.toml` in `start` or above it."""
    for folder in (start, *start.parents):
        if (folder / CONFIG_FILE).is_file() or (folder / CONFIG_FILE).is_symlink():
            return folder / CONFIG_FILE
    return None
