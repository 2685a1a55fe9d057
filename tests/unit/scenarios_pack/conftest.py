"""The bundled scenarios as packages, compiled once for all tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.scenarios_pack.workbench import SCENARIOS


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that holds one package a scenario."""
    out = tmp_path_factory.mktemp("pack")
    command = [sys.executable, "-m", "generator", "generate", "--scenario-dir", str(SCENARIOS), "--out", str(out)]
    subprocess.run(command, cwd=SCENARIOS.parent, stdout=subprocess.DEVNULL, check=True)
    return out / "harbor" / "tasks"
