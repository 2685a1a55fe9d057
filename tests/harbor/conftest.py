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
DIRECTORY = Path(os.environ.get(PLACE, "/var/tmp/harborsmith-harbor"))
NO_HARBOR = "no container engine for Harbor"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"harbor: needs a container engine; skipped with the reason, or {REQUIRE}=1")


@pytest.hookimpl(tryfirst=True)  # before the markers are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The trials of a module on one worker: jobs that several tests look at run once, and two jobs at the same time."""
    for item in items:
        if item.get_closest_marker("harbor"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """The engine, brought up where the run demands it."""
    found = bring_up(DIRECTORY) if REQUIRED else running(DIRECTORY)
    if isinstance(found, NoMachine):
        if REQUIRED:
            pytest.fail(f"{NO_HARBOR}: {found.reason} ({REQUIRE}=1 forbids the skip)", pytrace=False)
        pytest.skip(f"{NO_HARBOR}: {found.reason}")
    return found.at(tmp_path_factory.mktemp("harbor"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = [report for report in terminalreporter.stats.get("skipped", ()) if NO_HARBOR in str(report.longrepr)]
    if skipped:
        terminalreporter.write_line(
            f"{len(skipped)} tests in containers did NOT run: {skipped[0].longrepr[2]}", yellow=True, bold=True
        )
