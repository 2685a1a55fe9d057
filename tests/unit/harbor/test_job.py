"""The job that Harbor is given: who works on what, and no value of any variable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.execute.refusal import Refused
from generator.harbor.commands import AGENT, command_of, digest
from generator.harbor.job import AgentChoice, Job, ReviewerChoice, job_config
from generator.harbor.reviewer import review_variables, ship
from generator.harbor.settings import HarborOptions, HarborSettings, choose_reviewer, understand
from tests.support.files import Script, write_tree
from tests.support.packages import written
from tests.support.scenarios import document, write_scenario


def job(**changes: Any) -> Job:
    base: dict[str, Any] = {
        "name": "nightly",
        "jobs": Path("/out/harbor/jobs"),
        "packages": (Path("/out/harbor/tasks/a"), Path("/out/harbor/tasks/b")),
        "runs": 3,
        "concurrency": 2,
        "environment": "docker",
        "agent": AgentChoice(command="./agent.sh", turn_seconds=60.0, protocol="json-final-line"),
        "reviewer": ReviewerChoice(),
    }
    return Job(**{**base, **changes})


def understood(tmp_path: Path, environ: dict[str, str] | None = None, **options: Any) -> HarborSettings | Refused:
    return understand(HarborOptions(**options), tmp_path / "room", environ or {})


def settings(tmp_path: Path, environ: dict[str, str] | None = None, **options: Any) -> HarborSettings:
    found = understood(tmp_path, environ, **{"agent": "claude", **options})
    assert isinstance(found, HarborSettings), found
    return found


def test_a_job_runs_every_package_as_often_as_asked() -> None:
    config = job_config(job())

    assert [task["path"] for task in config["tasks"]] == ["/out/harbor/tasks/a", "/out/harbor/tasks/b"]
    assert (config["n_attempts"], config["n_concurrent_trials"]) == (3, 2)


@pytest.mark.parametrize(
    ("environment", "said"), [("podman", {"type": "podman"}), ("mine:Docker", {"import_path": "mine:Docker"})]
)
def test_containers_run_where_harbor_or_a_class_runs_them(environment: str, said: dict[str, str]) -> None:
    assert job_config(job(environment=environment))["environment"] == said


def test_a_command_is_run_by_our_agent_class() -> None:
    (agent,) = job_config(job())["agents"]

    assert agent["import_path"] == "generator.harbor.agent:CommandAgent"
    assert agent["kwargs"] == {
        "command_sha256": digest("./agent.sh"),
        "turn_timeout": 60.0,
        "protocol": "json-final-line",
        "env_names": "",
    }


def test_a_command_that_a_reviewer_is_not_to_know_is_renamed_in_the_container(tmp_path: Path) -> None:
    path = tmp_path / "adversary.sh"
    path.write_text("#!/bin/bash\n")
    path.chmod(0o755)
    found = settings(tmp_path, agent=str(path), known_as="unknown")
    (agent,) = job_config(job(agent=found.choice))["agents"]

    assert agent["kwargs"]["known_as"] == "unknown"
    assert found.agent is not None
    assert (found.agent.id, found.agent.told_id) == ("adversary", "unknown")


def test_one_of_harbors_agents_gets_model_hosts_and_variables_by_name() -> None:
    choice = AgentChoice(name="claude-code", model="some/model", env_names=("KEY",), hosts=("api.example.com",))

    (agent,) = job_config(job(agent=choice))["agents"]

    assert agent == {
        "name": "claude-code",
        "model_name": "some/model",
        "env": {"KEY": "${HARBORSMITH_AGENT_ENV_KEY}"},
        "extra_allowed_hosts": ["api.example.com"],
    }


def test_the_work_of_an_agent_whose_container_failed_is_not_graded() -> None:
    assert job_config(job())["override_error_policy"]["SupervisorError"]["should_grade"] is False


def test_hosts_for_the_reviewer_are_the_reviewers_alone() -> None:
    config = job_config(job(reviewer=ReviewerChoice(hosts=("judge.example.com",))))

    assert config["verifier"]["extra_allowed_hosts"] == ["judge.example.com"]
    assert "extra_allowed_hosts" not in config["agents"][0]


def test_no_value_of_a_variable_stands_in_a_job(tmp_path: Path) -> None:
    found = settings(
        tmp_path, {"JUDGE_KEY": "value-two"}, agent_env=("KEY=value-one",), reviewer_env=("JUDGE_KEY",), reviewer="true"
    )

    text = json.dumps(job_config(job(agent=found.choice, reviewer=found.review)))

    assert "value-one" not in text
    assert "value-two" not in text
    assert '"env_names": "KEY"' in text
    assert '"env_names": "JUDGE_KEY"' in text


def test_no_text_of_a_command_stands_in_a_job(tmp_path: Path) -> None:
    found = settings(tmp_path, agent="claude --token one", reviewer="judge --token two")

    text = json.dumps(job_config(job(agent=found.choice, reviewer=found.review)))

    assert "--token" not in text
    assert digest("claude --token one") in text
    assert digest("judge --token two") in text


@pytest.mark.parametrize(
    ("stated", "sha256", "environ", "command"),
    [
        ("mine", "", {AGENT: "other"}, "mine"),
        ("", digest("told"), {AGENT: "told"}, "told"),
        ("", "", {AGENT: "other"}, ""),
    ],
)
def test_a_command_comes_from_where_the_job_says(
    stated: str, sha256: str, environ: dict[str, str], command: str
) -> None:
    assert command_of(stated, sha256, AGENT, environ) == command


@pytest.mark.parametrize("environ", [{}, {AGENT: "other"}])
def test_another_command_than_the_jobs_is_refused(environ: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="carry it on with `harborsmith run --job`"):
        command_of("", digest("told"), AGENT, environ)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "harbor_option_mismatch"),
        ({"agent": "nop", "harbor_agent": "claude-code"}, "harbor_option_mismatch"),
        ({"agent": "nop", "model": "some/model"}, "harbor_option_mismatch"),
        ({"agent": "nop", "job": "../elsewhere"}, "harbor_option_mismatch"),
        ({"agent": "'"}, "agent_command_invalid"),
        ({"agent": "nop", "agent_env": ("UNSET",)}, "agent_env_unset"),
        ({"agent": "nop", "reviewer_env": ("UNSET",)}, "agent_env_unset"),
        ({"agent": "nop", "allow_agent_host": ("http://x",)}, "allowed_host_invalid"),
        ({"agent": "nop", "allow_reviewer_host": ("a b",)}, "allowed_host_invalid"),
        ({"agent": "nop", "reviewer": "'"}, "reviewer_command_invalid"),
        ({"agent": "nop", "reviewer": " "}, "reviewer_command_invalid"),
        ({"agent": "nop", "reviewer": "./no-such-judge.py"}, "reviewer_not_found"),
        ({"agent": "nop", "reviewer": "/usr"}, "reviewer_not_found"),
        ({"agent": "nop", "reviewer": "/var --strict"}, "reviewer_not_found"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(tmp_path: Path, options: dict[str, Any], code: str) -> None:
    refused = understood(tmp_path, **options)

    assert isinstance(refused, Refused)
    assert refused.code == code


@pytest.mark.parametrize(
    ("environ", "code"),
    [
        ({"RUHROH_EVAL_RESULT_FIXTURE": "{}"}, "review_fixture_configured"),
        ({"RUHROH_ITERATION_TIMEOUT_SEC": "soon"}, "turn_limit_invalid"),
        ({"RUHROH_EVAL_COMMAND": "'"}, "reviewer_command_invalid"),
    ],
)
def test_variables_that_cannot_be_meant_are_refused(tmp_path: Path, environ: dict[str, str], code: str) -> None:
    refused = understood(tmp_path, environ, agent="nop")

    assert isinstance(refused, Refused)
    assert refused.code == code


@pytest.mark.parametrize(
    ("packaged", "option", "variable", "source"),
    [
        (True, "true", "false", "option"),
        (True, None, "false", "package"),
        (False, None, "false", "environment"),
        (True, None, None, "package"),
    ],
)
def test_the_operators_reviewer_comes_before_the_packages_and_that_before_the_environments(
    tmp_path: Path, packaged: bool, option: str | None, variable: str | None, source: str
) -> None:
    changes: dict[str, Any] = {"evaluation__reviewer": {"path": "judge", "command": ["sh", "{reviewer}/judge.sh"]}}
    made = document(**(changes if packaged else {}))
    package = _package(tmp_path, made)
    environ = {"RUHROH_EVAL_COMMAND": variable} if variable else {}

    chosen = choose_reviewer(package, settings(tmp_path, environ, reviewer=option))

    assert chosen is not None
    assert not isinstance(chosen, Refused)
    assert chosen.source == source


def test_nobody_is_asked_where_checks_decide_and_somebody_must_be_named_elsewhere(tmp_path: Path) -> None:
    checks = document(evaluation__mode="checks", evaluation__checks=[{"id": "runs", "command": ["true"]}])
    alone = _package(tmp_path / "checks", checks)
    judged = _package(tmp_path / "judged", document())

    refused = choose_reviewer(judged, settings(tmp_path))

    assert choose_reviewer(alone, settings(tmp_path)) is None
    assert isinstance(refused, Refused)
    assert refused.code == "reviewer_missing"


def _package(tmp_path: Path, made: dict[str, Any]) -> Any:
    from generator.execute.taskpackage import open_package

    folder = write_scenario(tmp_path / "scenarios" / made["id"], made, {"judge/judge.sh": "exit 0\n"})
    return open_package(written(folder, tmp_path / "out"))


def test_files_of_a_reviewers_command_travel_and_programs_of_the_image_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "judge.py").write_text("pass")
    (tmp_path / "rules.txt").write_text("none")
    monkeypatch.chdir(tmp_path)

    shipment = ship("python3 ./judge.py rules.txt /usr/bin/env other", source="option", shell=False)

    assert shipment.stated["argv"] == [
        "python3",
        "/reviewer/1-judge.py",
        "/reviewer/2-rules.txt",
        "/usr/bin/env",
        "other",
    ]
    assert [here for here, _ in shipment.files] == [str(tmp_path / "judge.py"), str(tmp_path / "rules.txt")]


def test_a_reviewer_that_is_one_file_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text("pass")

    shipment = ship(str(tmp_path / "judge.py"), source="option", shell=False)

    assert shipment.stated["argv"] == ["/reviewer/0-judge.py"]


def test_of_a_reviewers_directory_the_program_travels(tmp_path: Path) -> None:
    write_tree(tmp_path, {"my judge/run": Script("exit 0\n"), "my judge/notes": ""})

    shipment = ship(str(tmp_path / "my judge"), source="option", shell=False)

    assert shipment.stated["argv"] == ["/reviewer/0-run"]
    assert shipment.files == ((str(tmp_path / "my judge/run"), "/reviewer/0-run"),)
    made = understood(tmp_path, agent="nop", reviewer=str(tmp_path / "my judge"))
    assert isinstance(made, HarborSettings)
    assert made.review.command == str(tmp_path / "my judge")


def test_a_shells_reviewer_travels_as_text_alone() -> None:
    shipment = ship("python3 /etc/hostname | cat", source="environment", shell=True)  # noqa: S604 -- nothing is started

    assert (shipment.stated["argv"], shipment.files) == (["/bin/sh", "-c", "python3 /etc/hostname | cat"], ())


def test_variables_for_the_review_come_from_the_backend_before_harbors_own() -> None:
    environ = {"A": "harbors", "HARBORSMITH_REVIEW_ENV_A": "operators", "B": "harbors"}

    assert review_variables(" A, B,C", environ) == {"A": "operators", "B": "harbors"}
