"""Packages whose scenario is gone."""

from __future__ import annotations

import os
from collections.abc import Collection

from generator.package.manifest import read_manifest
from generator.package.output import Output
from generator.scenario.names import fold


def orphans(output: Output, known: Collection[str]) -> tuple[str, ...]:
    """Ids of the packages of ours in `output` that belong to none of the `known` ids; other directories are not ours.

    Raises:
        OSError: The output directory cannot be read.
    """
    kept = {fold(name) for name in known}
    try:
        names = sorted(os.listdir(output.tasks))
    except FileNotFoundError:
        return ()
    return tuple(
        name
        for name in names
        if fold(name) not in kept and not isinstance(read_manifest(output.package(name), name), str)
    )
