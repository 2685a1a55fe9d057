"""Dockerfiles, scripts and documents as text."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from generator.package.refusals import TOKENS
from generator.package.render import DEFAULT_IMAGE, _printable, collect_script, constant, dockerfile, json_bytes
from generator.resources import data_folder
from generator.scenario.model import Environment

INSTRUCTIONS = {"FROM", "RUN", "COPY", "WORKDIR", "STOPSIGNAL"}

FULL = Environment(packages=("jq",), setup="setup.sh", git=True)


def instructions(content: bytes) -> list[str]:
    """The instructions, continued lines joined, comments left out."""
    lines = [line for line in content.decode().splitlines() if not line.startswith("#")]
    return "\n".join(lines).replace("\\\n", " ").splitlines()


def agent(environment: Environment = FULL, **changes: Any) -> bytes:
    given: dict[str, Any] = {"workspace": True, "git": environment.git, **changes}
    return dockerfile("environment", environment, environment.workdir, environment.user, **given)


def judge(environment: Environment = FULL) -> bytes:
    return dockerfile("tests", environment, "/app", "agent", workspace=False, git=False)


@pytest.mark.parametrize("content", [agent(), agent(Environment()), judge(), judge(Environment())])
def test_dockerfiles_hold_only_instructions_that_build(content: bytes) -> None:
    """No USER: an agent that owns the container's first process could end it."""
    lines = instructions(content)
    assert {line.split()[0] for line in lines} <= INSTRUCTIONS
    assert lines[0] == f"FROM {DEFAULT_IMAGE}"
    assert lines[-1] == "STOPSIGNAL SIGKILL"
    assert content.endswith(b"\n")
    assert not content.endswith(b"\n\n")


def test_the_agent_image_copies_the_workspace_and_what_builds_it_and_nothing_else() -> None:
    copies = [line.split()[1:] for line in instructions(agent()) if line.startswith("COPY")]
    assert copies == [
        ["packages.txt", "/opt/harborsmith/"],
        ["setup.sh", "/opt/harborsmith/"],
        ["--chown=10001:10001", "workspace/", "/app/"],
    ]


def test_answers_come_last_into_the_reviewer_image_and_are_closed_before_anything_runs() -> None:
    lines = instructions(judge(Environment()))
    assert lines[-2:] == ["COPY . /tests/", "STOPSIGNAL SIGKILL"]

    commands = [line for line in constant("tests/test.sh").decode().splitlines() if not line.startswith("#")]
    assert commands == ["chmod 700 /tests", "exec python3 -I -B /tests/review"]


def test_what_is_not_asked_for_is_not_built() -> None:
    plain = agent(Environment(), workspace=False).decode()
    assert not any(word in plain for word in ("packages.txt", "setup.sh", "COPY", "git init"))


def test_account_and_working_directory_are_as_asked() -> None:
    made = agent(Environment(user="dev", workdir="/srv/work", image="python:3.12-slim")).decode()
    assert made.startswith("FROM python:3.12-slim\n")
    assert "echo 'dev:x:10001:10001::/home/dev:/bin/bash' >>/etc/passwd" in made
    assert "mkdir -p /home/dev /srv/work" in made
    assert "WORKDIR /srv/work\n" in made
    assert "COPY --chown=10001:10001 workspace/ /srv/work/\n" in made


@pytest.mark.parametrize("content", [agent(), judge(), agent(Environment())])
def test_every_run_line_is_valid_shell(content: bytes) -> None:
    for line in instructions(content):
        if line.startswith("RUN "):
            subprocess.run(["bash", "-n", "-c", line.removeprefix("RUN ")], check=True)


def test_the_account_replaces_one_of_the_same_name(tmp_path: Path) -> None:
    """Images bring accounts of their own; two lines of one name would leave it open which of them counts."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\nagent:x:77:77::/:/bin/false\n")
    (tmp_path / "etc/group").write_text("root:x:0:\nagent:x:77:\nagents:x:78:\n")
    (line,) = [line for line in instructions(agent(Environment())) if "/etc/passwd" in line]
    for folder in ("/etc/", "/home/", "/app"):
        line = line.replace(folder, f"{tmp_path}{folder}")
    edited = line.removeprefix("RUN ").partition("&& chown")[0]
    subprocess.run(["sh", "-c", edited], check=True)
    assert (tmp_path / "etc/passwd").read_text().splitlines()[1:] == [
        f"agent:x:10001:10001::{tmp_path}/home/agent:{'/bin/bash'}"
    ]
    assert (tmp_path / "etc/group").read_text().splitlines() == ["root:x:0:", "agents:x:78:", "agent:x:10001:"]


def test_the_patterns_of_tokens_agree_with_the_schema() -> None:
    """What the schema lets through must be printable; what it refuses of these kinds must be refused here as well."""
    import jsonschema_rs

    definitions = json.loads((data_folder("schemas") / "scenario-v2.schema.json").read_text())["$defs"]
    kinds = {
        "absolutePath": "workdir",
        "userName": "user",
        "packageName": "package",
        "environmentName": "environment variable",
    }
    samples = [
        "/app",
        "/",
        "/a/../b",
        "/a/./b",
        "/..a/b",
        "/a b",
        "/a\n",
        "app",
        "/srv/work",
        "agent",
        "root",
        "nobody",
        "_x",
        "9a",
        "a" * 33,
        "jq",
        "jq=1.0-2",
        "libc++1",
        "-o",
        "jq=1;id",
        "A",
        "A_B",
        "A=B",
        "1A",
        "a\nb",
        "",
        "/a//b",
        "/é",
        "jq\n",
    ]
    for name, kind in kinds.items():
        validator = jsonschema_rs.validator_for(definitions[name])
        for sample in samples:
            assert (TOKENS[kind].fullmatch(sample) is not None) == validator.is_valid(sample), (kind, sample)
    image = jsonschema_rs.validator_for(definitions["imageReference"])
    for sample in ["debian", "debian:12", "ghcr.io/a/b:1.2@sha256:" + "0" * 64, "localhost:5000/a/b"]:
        assert image.is_valid(sample)
        assert TOKENS["image"].fullmatch(sample)


@pytest.mark.parametrize("value", [None, 1.5, ["a"], {"a": 1}, b"x"])
def test_a_template_prints_nothing_but_texts_and_numbers(value: object) -> None:
    with pytest.raises(TypeError, match="may print texts and numbers"):
        _printable(value)


def test_json_keeps_text_and_refuses_what_json_cannot_say() -> None:
    assert json_bytes({"b": "\u00e9\U0001f680", "a": [1.0]}) == '{\n  "b": "é🚀",\n  "a": [\n    1.0\n  ]\n}\n'.encode()
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_bytes({"a": float("nan")})


@pytest.mark.parametrize("name", ["tests/test.sh", "solution/solve.sh", "collect.sh"])
def test_scripts_are_valid_shell_with_unix_line_ends(name: str) -> None:
    assert b"\r" not in constant(name)
    subprocess.run(["bash", "-n"], input=constant(name), check=True)


def test_the_hook_knows_the_workspace_by_its_first_line() -> None:
    first, rest = collect_script("/srv/my-work").split("\n", 1)
    assert first == "workdir=/srv/my-work"
    assert rest == constant("collect.sh").decode()
