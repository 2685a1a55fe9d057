"""Where the data that ships with Harborsmith lies: schemas, templates, bundled scenarios, the runtime's own sources.

A wheel carries the data inside the package (`generator/_data`); a checkout and an editable install have it at the top.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
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


def python_path(environ: Mapping[str, str]) -> str:
    """The `PYTHONPATH` with which a child process finds this code: where it is, then as the operator has it."""
    return os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [environ.get("PYTHONPATH")])])
