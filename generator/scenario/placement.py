"""Where assets stand in the workspace."""

from __future__ import annotations

from collections.abc import Mapping

from generator.scenario.names import normal_path


def workspace_path(path: str, asset: str, stage: Mapping[str, str]) -> str:
    """Where what lies at `path`, at or below the declared `asset`, stands in the workspace; `.` is its top.

    It stands at its own path, or below where `stage` maps the asset. All paths are in normal form.
    """
    if asset not in stage:
        return path
    return normal_path(f"{stage[asset]}/{path.removeprefix(asset)}")
