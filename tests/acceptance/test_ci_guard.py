"""What a repository needs to guard its scenarios: hooks, the action, and the workflows of the guide."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.acceptance.test_validate import harborsmith
from tests.support.files import write_tree
from tests.support.git import git
from tests.support.pages import blocks
from tests.support.repository import ROOT
from tests.support.scenarios import document, write_scenario

GUIDE = ROOT / "docs/how-to/ci.md"


def load(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


HOOKS: dict[str, dict[str, Any]] = {hook["id"]: hook for hook in load(".pre-commit-hooks.yaml")}


def workflows() -> dict[str, Any]:
    """The workflows of the guide, by the file that each belongs into."""
    return {block.name: yaml.safe_load(block.text) for block in blocks(GUIDE) if block.kind == "file"}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A repository of its own: one commit, which is also what `origin/main` names."""
    folder = tmp_path / "pack"
    write_scenario(folder / "scenarios/sum-ledger")
    assert harborsmith("generate", cwd=folder).returncode == 0
    git(tmp_path, "init", "pack")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "A pack")
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """What a runner gives to a step, with Harborsmith installed where the action puts it and in the PATH."""
    program = f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m generator "$@"\n'
    folder = write_tree(tmp_path / "temp", {"harborsmith/bin/harborsmith": program}) / "harborsmith/bin"
    (folder / "harborsmith").chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_BASE_REF": "main",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }


def run(script: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A step as GitHub's runner starts it."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("hook", "path", "starts"),
    [
        ("harborsmith-validate", "scenarios/a/scenario.json", True),
        ("harborsmith-validate", "scenarios/a/assets/deep/x.csv", True),
        ("harborsmith-validate", "packs/one/scenarios/a/instruction.md", True),
        ("harborsmith-validate", "harborsmith.toml", True),
        ("harborsmith-validate", "scenarios/README.md", False),
        ("harborsmith-validate", "docs/scenarios.md", False),
        ("harborsmith-validate", "my-scenarios/a/x", False),
        ("harborsmith-validate-documents", "scenario.json", True),
        ("harborsmith-validate-documents", "anything/a/scenario.yaml", True),
        ("harborsmith-validate-documents", "a/my-scenario.json", False),
        ("harborsmith-validate-documents", "a/scenario.json5", False),
        ("harborsmith-validate-documents", "a/scenarioXjson", False),
        ("harborsmith-generate-check", "generated/harbor/tasks/a/task.toml", True),
        ("harborsmith-generate-check", "scenarios/a/solution/x", True),
        ("harborsmith-generate-check", "harbor/tasks/README.md", False),
    ],
)
def test_a_hook_starts_for_the_files_it_is_about(hook: str, path: str, starts: bool) -> None:
    assert bool(re.search(HOOKS[hook]["files"], path)) is starts


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_is_good_for_a_good_pack_and_fails_for_a_bad_one(hook: str, pack: Path) -> None:
    name, *arguments = HOOKS[hook]["entry"].split()
    files = ["scenarios/sum-ledger/scenario.json"] if HOOKS[hook].get("pass_filenames", True) else []
    assert (name, HOOKS[hook]["language"]) == ("harborsmith", "python")
    assert harborsmith(*arguments, *files, cwd=pack).returncode == 0
    write_scenario(pack / "scenarios/sum-ledger", document(tier="smok"))
    assert harborsmith(*arguments, *files, cwd=pack).returncode == 1


def action_step() -> dict[str, Any]:
    """The step of the action that does the work."""
    step: dict[str, Any] = load("action.yml")["runs"]["steps"][-1]
    return step


def act(pack: Path, environment: dict[str, str], **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the action's last step as the runner would, with these inputs."""
    known = load("action.yml")["inputs"]
    given = {name.replace("_", "-"): value for name, value in inputs.items()}
    assert set(given) <= set(known)
    values = {name: given.get(name, described["default"]) for name, described in known.items()}
    filled = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], template)
        for name, template in action_step()["env"].items()
    }
    return run(action_step()["run"], pack, {**environment, **filled})


def test_the_action_annotates_and_writes_the_reports_that_are_asked_for(
    pack: Path, environment: dict[str, str]
) -> None:
    assert act(pack, environment).returncode == 0
    write_scenario(pack / "scenarios/open", document(id="open", requires__network=True))
    assert act(pack, environment).returncode == 0
    done = act(pack, environment, fail_on="rubric network_public", reports="sarif=a.sarif junit=b.xml")
    assert done.returncode == 1
    assert done.stdout.startswith("::warning file=scenarios/open/scenario.json,line=")
    assert json.loads((pack / "a.sarif").read_text())["runs"][0]["results"][0]["ruleId"] == "network_public"
    assert (pack / "b.xml").is_file()
    assert "network\\_public" in Path(environment["GITHUB_STEP_SUMMARY"]).read_text()


def test_the_action_narrows_to_folder_and_changes(pack: Path, environment: dict[str, str]) -> None:
    write_scenario(pack / "other/bad", document(id="bad", tier="smok"))
    assert act(pack, environment, scenario_dir="other").returncode == 1
    assert act(pack, environment, changed_since="origin/main").returncode == 0
    (pack / "scenarios/sum-ledger/scenario.json").write_text("{}")
    assert act(pack, environment, changed_since="origin/main").returncode == 1


@pytest.mark.parametrize("name", ["scenario_dir", "fail_on", "changed_since", "reports"])
def test_an_input_of_the_action_is_never_a_command(pack: Path, environment: dict[str, str], name: str) -> None:
    for evil in ('"; touch caught; "', "$(touch caught)", "`touch caught`", "--help", "-x; touch caught", "*"):
        done = act(pack, environment, **{name: evil})
        assert done.returncode != 0, done.stdout
        assert not (pack / "caught").exists()


def test_no_step_of_the_action_puts_an_expression_into_a_script() -> None:
    for step in load("action.yml")["runs"]["steps"]:
        assert "${{" not in step["run"]


def steps(workflow: Any) -> list[str]:
    """The commands of a workflow that are Harborsmith's."""
    found = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    return [script for script in found if script.startswith("harborsmith ")]


@pytest.mark.parametrize("file", workflows())
def test_the_workflows_of_the_guide_do_what_they_say(file: str, pack: Path, environment: dict[str, str]) -> None:
    scripts = steps(workflows()[file])
    assert len(scripts) == 2
    for script in scripts:
        done = run(script, pack, environment)
        assert done.returncode == 0, script + done.stdout + done.stderr
    write_scenario(pack / "scenarios/sum-ledger", document(tier="smok"))
    for script in scripts:
        assert run(script, pack, environment).returncode == 1, script


ANNOTATION = re.compile(r"::(?P<weight>\w+) (?P<places>[^:]*)::(?P<message>.*)")


def annotated(log: str) -> list[dict[str, str]]:
    """The annotations of a log, as their reader sees them: places, code, and the two lines of the message."""
    found = []
    for match in map(ANNOTATION.fullmatch, log.splitlines()):
        assert match is not None, log
        entry = dict(pair.split("=", 1) for pair in match["places"].split(","))
        message, _, write = match["message"].partition("%0Awrite: ")
        found.append({**entry, "weight": match["weight"], "message": message, "write": write})
    return found


def test_the_annotated_log_of_a_pull_request_is_enough_to_mend_it(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "new"
    git(tmp_path, "init", "new")
    assert harborsmith("init", cwd=folder).returncode == 0
    (folder / ".gitignore").write_text("")  # a pack that commits its packages
    for template in ("judge", "checks", "hybrid"):
        assert harborsmith("new", "scenario", f"a-{template}", "--template", template, cwd=folder).returncode == 0
    assert harborsmith("generate", cwd=folder).returncode == 0
    git(folder, "add", ".")
    git(folder, "commit", "-m", "A pack")
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")

    def change(file: str, old: str, new: str) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")

    change("scenarios/a-judge/scenario.json", '"tier": "smoke"', '"tier": "smok"')
    change("scenarios/a-checks/scenario.json", '["assets/orders.csv"]', '["assets/orders.csv", "solution"]')
    task = "generated/harbor/tasks/a-hybrid/task.toml"
    (folder / task).write_text((folder / task).read_text() + "# touched\n")

    scripts = steps(workflows()[".github/workflows/pull-requests.yml"])
    found = {one["title"]: one for script in scripts for one in annotated(run(script, folder, environment).stdout)}
    assert {code: (one["file"], one.get("line")) for code, one in found.items()} == {
        "field_value": ("scenarios/a-judge/scenario.json", "6"),
        "private_exposed": ("scenarios/a-checks/scenario.json", "14"),
        "package_drifted": (task, None),
    }

    change("scenarios/a-judge/scenario.json", '"smok"', found["field_value"]["write"])
    assert '"solution"' in found["private_exposed"]["message"]
    change("scenarios/a-checks/scenario.json", ', "solution"]', "]")
    program, *words = shlex.split(found["package_drifted"]["write"])
    assert program == "harborsmith"
    assert harborsmith(*words, cwd=folder).returncode == 0
    for script in scripts:
        done = run(script, folder, environment)
        assert (done.returncode, done.stdout) == (0, ""), script + done.stdout


def test_strangers_get_no_secret_and_may_write_nothing() -> None:
    workflow = workflows()[".github/workflows/pull-requests.yml"]
    assert workflow["permissions"] == {"contents": "read"}
    assert list(workflow[True]) == ["pull_request"]  # YAML 1.1 reads the key `on` so
    text = yaml.safe_dump(workflow)
    assert "secrets" not in text
    checkouts = [
        step for job in workflow["jobs"].values() for step in job["steps"] if "checkout" in step.get("uses", "")
    ]
    assert [step["with"]["persist-credentials"] for step in checkouts] == [False]
    assert not [script for script in steps(workflow) if script.startswith(("harborsmith run", "harborsmith review"))]


def test_the_guide_names_every_hook_and_input() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for name in (*HOOKS, *load("action.yml")["inputs"]):
        assert f"`{name}`" in text or f"{name}:" in text, name
