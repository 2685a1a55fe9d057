"""Providers: what is refused before Harbor is started, because Harbor would refuse it half way."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from generator.execute.taskpackage import TaskPackage, open_package
from generator.harbor.backend import run_packages
from generator.harbor.providers import NO_CHANGE, NO_HOSTS, NO_ISOLATION, unsupported
from generator.harbor.settings import HarborOptions
from tests.support.packages import written
from tests.support.scenarios import document, write_scenario


def package(tmp_path: Path, *, agent: bool = False, review: bool = False) -> TaskPackage:
    changes: dict[str, Any] = {
        "evaluation__mode": "checks",
        "evaluation__checks": [{"id": "runs", "command": ["true"]}],
        "requires__network": agent,
        "evaluation__network": review,
    }
    name = f"task-{agent}-{review}".lower()
    made = document(id=name, **changes)
    opened = open_package(written(write_scenario(tmp_path / "scenarios" / name, made), tmp_path / "out"))
    assert isinstance(opened, TaskPackage)
    return opened


def refused(tmp_path: Path, *packages: TaskPackage, **options: Any) -> list[tuple[str, str]]:
    """Code and message of a refusal for the provider; the other ones are about this machine."""
    given = HarborOptions(agent="nop", **options)
    done = run_packages(packages, given, tmp_path / "out", {**os.environ, "PYTHONPATH": ""}, lambda _: None)
    found = [(one.code, one.message) for one in done.refused]
    return [one for one in found if one[0] != "harbor_missing"]


@pytest.mark.parametrize("provider", NO_ISOLATION)
@pytest.mark.parametrize(("agent", "review"), [(False, False), (False, True), (True, False)])
def test_a_provider_that_cannot_close_a_network_is_refused(
    tmp_path: Path, provider: str, agent: bool, review: bool
) -> None:
    made = package(tmp_path, agent=agent, review=review)
    ((code, message),) = refused(tmp_path, made, harbor_env=provider)
    assert code == "harbor_env_unsuitable"
    assert provider in message
    assert made.scenario_id in message


@pytest.mark.parametrize("provider", [*NO_HOSTS, *NO_CHANGE])
def test_hosts_for_an_agent_need_a_provider_that_opens_them_while_it_runs(tmp_path: Path, provider: str) -> None:
    made = package(tmp_path)
    ((code, message),) = refused(tmp_path, made, harbor_env=provider, allow_agent_host=("api.example.org",))
    assert (code, "api.example.org" in message) == ("harbor_env_unsuitable", True)


@pytest.mark.parametrize("provider", NO_HOSTS)
def test_hosts_for_a_review_need_a_provider_that_opens_single_ones(tmp_path: Path, provider: str) -> None:
    made = package(tmp_path)
    ((code, message),) = refused(tmp_path, made, harbor_env=provider, allow_reviewer_host=("api.example.org",))
    assert (code, "api.example.org" in message) == ("harbor_env_unsuitable", True)


def test_several_packages_are_named_shortly(tmp_path: Path) -> None:
    several = [package(tmp_path)] * 5
    ((_, message),) = refused(tmp_path, *several, harbor_env="gke")
    assert "task-false-false, task-false-false, task-false-false and 2 more" in message


@pytest.mark.parametrize(
    ("provider", "agent", "review", "options"),
    [
        *((provider, True, True, {}) for provider in NO_ISOLATION),
        *((provider, False, False, {}) for provider in (*NO_HOSTS, *NO_CHANGE, "docker", "podman", "e2b", "a:B")),
        *((provider, False, False, {"allow_reviewer_host": ("x.org",)}) for provider in (*NO_CHANGE, "docker")),
        *((provider, True, False, {"allow_agent_host": ("x.org",)}) for provider in (*NO_HOSTS, *NO_CHANGE, "docker")),
        *((provider, False, True, {"allow_reviewer_host": ("x.org",)}) for provider in NO_HOSTS),
        ("docker", False, False, {"allow_agent_host": ("x.org",)}),
    ],
)
def test_what_a_provider_can_do_is_not_refused(
    tmp_path: Path, provider: str, agent: bool, review: bool, options: dict[str, Any]
) -> None:
    made = [package(tmp_path, agent=agent, review=review)]
    hosts = (options.get("allow_agent_host", ()), options.get("allow_reviewer_host", ()))
    assert unsupported(provider, made, *hosts) is None
