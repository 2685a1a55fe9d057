"""Run real Harbor trials in real containers where the machine can; say loudly where it cannot."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.harbor.machine import Machine, NoMachine, bring_up, running

REQUIRE = "HARBORSMITH_REQUIRE_HARBOR"
PLACE = "HARBORSMITH_HARBOR_DIR"
# Read now: every test starts without the caller's settings.
REQUIRED = os.environ.get(REQUIRE) == "1"
SPREAD = "PYTEST_XDIST_WORKER" in os.environ
DIRECTORY = Path(os.environ.get(PLACE, "/var/tmp/harborsmith-harbor"))
HARBOR_PYTHON = os.environ.get("HARBOR_PYTHON")
NO_HARBOR = "no trials of Harbor's"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"harbor: needs a container engine; skipped with the reason, or {REQUIRE}=1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("harbor"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """The engine, brought up where the run demands it."""
    if SPREAD and not REQUIRED:
        pytest.skip(f"{NO_HARBOR}: tests of a file share their jobs, so `make containers` runs them file by file")
    found = bring_up(DIRECTORY) if REQUIRED else running(DIRECTORY)
    if isinstance(found, NoMachine):
        if REQUIRED:
            pytest.fail(f"{NO_HARBOR}: {found.reason} ({REQUIRE}=1 forbids the skip)", pytrace=False)
        pytest.skip(f"{NO_HARBOR}: {found.reason}")
    return found.at(tmp_path_factory.mktemp("harbor"))


@pytest.fixture(scope="session")
def harbor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """Harbor alone, for what needs no engine: that of the variable HARBOR_PYTHON, else that of the machine."""
    if HARBOR_PYTHON is None:
        found: Machine = request.getfixturevalue("machine")
        return found
    return Machine({"HARBOR_PYTHON": HARBOR_PYTHON}, tmp_path_factory.mktemp("harbor"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = [report for report in terminalreporter.stats.get("skipped", ()) if NO_HARBOR in str(report.longrepr)]
    if skipped:
        terminalreporter.write_line(
            f"{len(skipped)} tests in containers did NOT run: {skipped[0].longrepr[2]}", yellow=True, bold=True
        )
