"""Where the data that ships with Harborsmith lies: schemas, templates, bundled scenarios, the runtime's own sources.

A wheel carries the data inside the package (`generator/_data`); a checkout and an editable install have it at the top.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, Literal

RUNTIME: Final = Path(__file__).with_name("runtime")


@cache
def data_folder(name: Literal["schemas", "templates", "scenarios"]) -> Path:
    """The folder `name` of the shipped data."""
    package = Path(__file__).parent
    shipped = package / "_data" / name
    return shipped if shipped.is_dir() else package.parent / name
