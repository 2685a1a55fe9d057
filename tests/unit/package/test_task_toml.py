"""`task.toml`: read back by a TOML parser, it says what the scenario says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from generator.package.layout import task_slug
from generator.package.model import PackagePlan
from generator.scenario.names import is_harbor_name
from tests.support.packages import planned
from tests.support.scenarios import document, write_scenario

METADATA: dict[str, Any] = {
    "scenarioVersion": "1.2.0",
    "createdAt": "2026-01-02",
    "updatedAt": "2026-02-03",
    "difficulty": "hard",
    "tags": ["csv", "csv", " two  words ", "tab\there"],
    "visibility": "private",
    "expectedRuntimeSeconds": 90,
    "provenance": "Written for this pack.",
    "maintainers": ["Ada <ada@example.org>", "Bo"],
    "changelog": ["1.2.0: first."],
    "lifecycle": {"status": "deprecated", "replacementId": "sum-ledger-2"},
}

HOSTILE = [
    'quotes " and \\ backslash',
    'line\nbreak\n[agent]\nuser = "root"',
    "''' and \"\"\"",
    "{{ 7 * 7 }} {% raw %} {# x #}",
    "$(touch /tmp/pwned) `id` ${HOME}",
    "bell \x07 escape \x1b[31m delete \x7f",
    "emoji \U0001f680 nul-like \u2028 \u202e",
]


def text(made: PackagePlan) -> str:
    (file,) = [file for file in made.files if file.path == "task.toml"]
    assert isinstance(file.content, bytes)
    return file.content.decode()


def table(folder: Path, **changes: Any) -> dict[str, Any]:
    return tomllib.loads(text(planned(write_scenario(folder / "sum-ledger", document(**changes)))))


def test_a_plain_scenario_has_a_plain_table(tmp_path: Path) -> None:
    made = table(tmp_path)
    collect = made["verifier"].pop("collect")
    machine = {
        "network_mode": "no-network",
        "build_timeout_sec": 600.0,
        "os": "linux",
        "cpus": 1,
        "memory_mb": 2048,
    }
    assert made == {
        "schema_version": "1.4",
        "artifacts": [],
        "task": {"name": "local/sum-ledger", "description": "Sum the ledger", "keywords": ["smoke", "real_user"]},
        "metadata": {
            "scenario_id": "sum-ledger",
            "run_mode": "build",
            "run_timeout_sec": 120.0,
            "max_iterations": 3,
            "continuity": "workspace_only",
            "tools": ["filesystem", "shell"],
            "package_format": "harborsmith_package_v1",
        },
        "agent": {"user": "agent", "timeout_sec": 150.0},
        "verifier": {
            "user": "root",
            "timeout_sec": 420.0,
            "environment_mode": "separate",
            "environment": machine,
        },
        "environment": machine,
    }
    assert [(hook["user"], hook["timeout_sec"]) for hook in collect] == [("root", 600.0)]


def test_metadata_is_published_under_its_published_names(tmp_path: Path) -> None:
    made = table(tmp_path, metadata=METADATA)
    assert made["task"]["version"] == "1.2.0"
    assert made["task"]["authors"] == [{"name": "Ada <ada@example.org>"}, {"name": "Bo"}]
    assert made["task"]["keywords"] == ["smoke", "real_user", "csv", "two words", "tab here"]
    assert list(made["metadata"].items())[:12] == [
        ("scenario_id", "sum-ledger"),
        ("scenario_version", "1.2.0"),
        ("difficulty", "hard"),
        ("created_at", "2026-01-02"),
        ("updated_at", "2026-02-03"),
        ("provenance", "Written for this pack."),
        ("expected_runtime_sec", 90.0),
        ("visibility", "private"),
        ("lifecycle_status", "deprecated"),
        ("lifecycle_replacement_id", "sum-ledger-2"),
        ("tags", METADATA["tags"]),
        ("run_mode", "build"),
    ]


@pytest.mark.parametrize("title", HOSTILE)
def test_author_text_survives_and_stays_text(tmp_path: Path, title: str) -> None:
    scenario = write_scenario(
        tmp_path / "sum-ledger", document(title=title, metadata={**METADATA, "provenance": title, "tags": [title]})
    )
    made = planned(scenario)
    read = tomllib.loads(text(made))
    assert read["task"]["description"] == title
    assert read["metadata"]["provenance"] == title
    assert read["agent"] == {"user": "agent", "timeout_sec": 150.0}
    scripts = [file for file in made.files if file.path.endswith((".sh", "Dockerfile"))]
    plain = planned(write_scenario(tmp_path / "plain", document(metadata=METADATA)))
    assert scripts == [file for file in plain.files if file.path.endswith((".sh", "Dockerfile"))]


def test_every_string_is_on_one_line(tmp_path: Path) -> None:
    """A text that spans lines is read by some tools only; the hook is the longest there is."""
    made = text(planned(write_scenario(tmp_path / "sum-ledger", document(title="two\nlines"))))
    assert '"""' not in made
    assert made.endswith("\n")
    assert "\r" not in made


def test_networks_of_agent_and_reviewer_are_apart(tmp_path: Path) -> None:
    agent = table(tmp_path / "a", requires__network=True)
    assert agent["environment"]["network_mode"] == "public"
    assert agent["verifier"]["environment"]["network_mode"] == "no-network"
    judge = table(tmp_path / "b", evaluation__network=True)
    assert judge["environment"]["network_mode"] == "no-network"
    assert judge["verifier"]["environment"]["network_mode"] == "public"


def test_machines_are_as_large_as_asked(tmp_path: Path) -> None:
    made = table(tmp_path, environment={"cpus": 2.5, "memoryMb": 512}, evaluation__environment={"cpus": 4})
    assert (made["environment"]["cpus"], made["environment"]["memory_mb"]) == (2.5, 512)
    assert (made["verifier"]["environment"]["cpus"], made["verifier"]["environment"]["memory_mb"]) == (4, 2048)


def test_the_reviewer_has_time_for_every_check_and_for_itself(tmp_path: Path) -> None:
    checks = [
        {"id": "one", "command": "true", "timeoutSeconds": 100},
        {"id": "two", "command": "true", "timeoutSeconds": 200},
    ]
    made = table(tmp_path, evaluation__checks=checks, evaluation__timeoutSeconds=1000)
    assert made["verifier"]["timeout_sec"] == 100 + 200 + 2 * 15 + 1000 + 120


def test_no_variable_is_asked_for_so_that_plain_harbor_never_stops_and_asks(tmp_path: Path) -> None:
    scenario = write_scenario(
        tmp_path / "b",
        document(
            evaluation__env=["JUDGE_KEY", "JUDGE_URL"],
            evaluation__reviewer={"path": "judge.py", "command": ["python3", "{reviewer}/judge.py"]},
        ),
        {"judge.py": ""},
    )
    made = tomllib.loads(text(planned(scenario)))
    del made["verifier"]["collect"]  # a script, in which Harbor fills nothing in
    assert "JUDGE" not in str(made)
    assert "$" not in str(made)


@pytest.mark.parametrize("scenario_id", ["sum-ledger", "_hidden", "A.b_c", "x.y", "X.y", "a" * 64, "_a-b.c", "0"])
def test_every_id_has_a_name_that_harbor_takes(scenario_id: str) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9._-]*", task_slug(scenario_id))
    assert is_harbor_name(task_slug(scenario_id))


def test_most_ids_are_their_own_name() -> None:
    assert task_slug("csv-clean-up_2.0") == "csv-clean-up_2.0"


def test_two_ids_never_share_a_name_even_where_case_does_not_count() -> None:
    parts = ["", "_", ".", "-", "--", "-d", "..", "x", "X", "x.", "d"]
    ids = {a + b + c for a in ("_", "x.", "X.", "a", "x", "") for b in parts for c in ("a", "_", "-d", ".b")}
    names: dict[str, str] = {}
    for scenario_id in sorted(ids):
        before = names.setdefault(task_slug(scenario_id).lower(), scenario_id.lower())
        assert before == scenario_id.lower()


@pytest.mark.parametrize("name", ["", "-a", ".a", "a..b", "a/b", "a b", "a\n", "\u00e9"])
def test_what_harbor_refuses_as_a_name_is_known(name: str) -> None:
    assert not is_harbor_name(name)
