"""Formats, reports, harborsmith.toml and --changed-since, as a maintainer and a CI service use them."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from generator.resources import data_folder
from tests.acceptance.test_validate import Done, harborsmith
from tests.support.files import write_tree
from tests.support.git import git
from tests.support.packages import untouched
from tests.support.scenarios import document, write_scenario

REASON = "The task is about a public API."
SETTINGS = f"""\
scenario-dir = "pack"
out = "made"
org = "acme"
authors = ["Ada Example"]
fail-on = ["warning"]

[[ignore]]
code = "network_public"
scenario = "open"
reason = "{REASON}"
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Three scenarios: a clean one, one with an ignored warning, one with an error."""
    write_scenario(tmp_path / "pack/clean")
    write_scenario(tmp_path / "pack/open", document(id="open", requires__network=True))
    write_scenario(tmp_path / "pack/wrong", document(id="wrong", tier="smok"))
    write_tree(tmp_path, {"harborsmith.toml": SETTINGS})
    return tmp_path


def report(done: Done) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def test_settings_are_found_upward_and_the_command_line_wins(pack: Path) -> None:
    write_scenario(pack / "other/one", document(id="one"))
    done = harborsmith("validate", cwd=pack / "pack/clean")
    assert "wrong: failed" in done.stdout
    done = harborsmith("validate", "--scenario-dir", "../../other", cwd=pack / "pack/clean")
    assert done.stdout.splitlines()[0] == "one: ok"


def test_the_pack_decides_what_fails_and_what_is_ignored(pack: Path) -> None:
    done = harborsmith("validate", "--scenario", "open", cwd=pack)
    assert "network_public" not in done.stdout
    assert done.stdout.splitlines()[-1] == "1 scenario: 1 ok, 0 failed; no complaints; 1 ignored"
    assert done.returncode == 0
    (pack / "harborsmith.toml").write_text('scenario-dir = "pack"\nfail-on = ["network"]\n')
    assert harborsmith("validate", "--scenario", "open", cwd=pack).returncode == 1


def test_what_is_ignored_stays_in_json_with_its_reason(pack: Path) -> None:
    done = harborsmith("validate", "--scenario", "open", "--json", cwd=pack)
    rules = json.loads((data_folder("schemas") / "validation-report.schema.json").read_text())
    jsonschema.Draft202012Validator(rules).validate(report(done))
    (result,) = report(done)["results"]
    assert result["warnings"] == []
    assert [(one["code"], one["ignored"]) for one in result["warningDetails"]] == [("network_public", REASON)]


@pytest.mark.parametrize(
    ("ignore", "arguments", "told"),
    [
        ('code = "asset_directory_empty"', [], True),
        ('code = "asset_directory_empty"', ["--scenario", "open"], False),
        ('code = "asset_directory_empty"\nscenario = "clean"', ["--scenario", "open"], False),
        ('code = "asset_directory_empty"\nscenario = "open"', ["--scenario", "open"], True),
        ('code = "network_public"\nscenario = "gone"', [], True),
        ('code = "network_public"', [], False),
    ],
)
def test_an_ignore_that_excuses_nothing_is_told_where_that_can_be_known(
    pack: Path, ignore: str, arguments: list[str], told: bool
) -> None:
    (pack / "harborsmith.toml").write_text(f'scenario-dir = "pack"\n[[ignore]]\n{ignore}\nreason = "x"\n')
    done = harborsmith("validate", *arguments, cwd=pack)
    assert ("harborsmith.toml:2:1 warning config_ignore_unused" in done.stdout) is told


def test_wrong_settings_are_wrong_usage_with_a_place_and_other_commands_still_work(pack: Path) -> None:
    (pack / "harborsmith.toml").write_text('[[ignore]]\ncode = "network_public"\n')
    for command in ("validate", "generate"):
        done = harborsmith(command, cwd=pack)
        assert done.returncode == 2
        assert done.stderr.startswith("harborsmith.toml:1:1 error config_reason_missing")
        assert done.stdout == ""
    assert harborsmith("explain", "config_reason_missing", cwd=pack).returncode == 0


def test_generate_takes_folders_organisation_and_authors_from_the_pack(pack: Path) -> None:
    done = harborsmith("generate", "--scenario", "sum-ledger", cwd=pack)
    assert done.returncode == 0, done.stdout + done.stderr
    table = tomllib.loads((pack / "made/harbor/tasks/sum-ledger/task.toml").read_text())["task"]
    assert (table["name"], table["authors"]) == ("acme/sum-ledger", [{"name": "Ada Example"}])
    assert harborsmith("generate", "--scenario", "sum-ledger", "--check", cwd=pack).returncode == 0
    (pack / "harborsmith.toml").write_text('scenario-dir = "pack"\nout = "made"\norg = "acme"\n')
    drifted = harborsmith("generate", "--scenario", "sum-ledger", "--check", "--author", "Bob", cwd=pack)
    assert drifted.returncode == 1
    assert "--author Bob" in drifted.stdout


@pytest.mark.sandbox
def test_run_leaves_a_package_of_generate_as_it_is(pack: Path) -> None:
    assert harborsmith("generate", "--scenario", "sum-ledger", cwd=pack).returncode == 0
    package = pack / "made/harbor/tasks/sum-ledger"
    before = untouched(package)
    ran = harborsmith("run", "--scenario", "sum-ledger", "--agent", "nop", "--reviewer", "true", cwd=pack)
    assert ran.returncode == 5, ran.stderr
    assert untouched(package) == before
    assert harborsmith("generate", "--scenario", "sum-ledger", "--check", cwd=pack).returncode == 0


@pytest.mark.sandbox
def test_run_makes_the_package_that_generate_would(pack: Path) -> None:
    ran = harborsmith(
        "run", "--scenario", "sum-ledger", "--agent", "nop", "--reviewer", "true", "--author", "Bob", cwd=pack
    )
    assert ran.returncode == 5, ran.stderr
    table = tomllib.loads((pack / "made/harbor/tasks/sum-ledger/task.toml").read_text())["task"]
    assert (table["name"], table["authors"]) == ("acme/sum-ledger", [{"name": "Bob"}])


def test_the_command_that_replaces_an_edited_package_makes_it_as_the_pack_says(pack: Path) -> None:
    assert harborsmith("generate", "--scenario", "sum-ledger", cwd=pack).returncode == 0
    (pack / "made/harbor/tasks/sum-ledger/instruction.md").write_text("Do nothing.\n")
    ran = harborsmith("run", "--scenario", "sum-ledger", "--agent", "nop", cwd=pack)
    assert "`harborsmith generate --scenario sum-ledger --force`" in ran.stderr
    assert harborsmith("generate", "--scenario", "sum-ledger", "--force", cwd=pack).returncode == 0
    table = tomllib.loads((pack / "made/harbor/tasks/sum-ledger/task.toml").read_text())["task"]
    assert (table["name"], table["authors"]) == ("acme/sum-ledger", [{"name": "Ada Example"}])


def test_maintainers_of_a_scenario_come_before_the_authors_of_the_pack(pack: Path) -> None:
    made = document(id="kept", metadata={"scenarioVersion": "1.0.0", "maintainers": ["Cy"]})
    write_scenario(pack / "pack/kept", made)
    assert harborsmith("generate", "--scenario", "kept", cwd=pack).returncode == 0
    table = tomllib.loads((pack / "made/harbor/tasks/kept/task.toml").read_text())["task"]
    assert table["authors"] == [{"name": "Cy"}]


def test_github_gets_annotations_relative_to_the_repository_and_a_summary_page(pack: Path) -> None:
    page = pack / "page.md"
    page.write_text("before\n")
    done = harborsmith(
        "validate", "--format", "github", cwd=pack / "pack", GITHUB_WORKSPACE=str(pack), GITHUB_STEP_SUMMARY=str(page)
    )
    place = "file=pack/wrong/scenario.json,line=5,col=11,title=field_value"
    words = '"smok" is not one of: smoke, nightly, release%0Awrite: "smoke"'
    assert done.stdout == f"::error {place}::{words}\n"
    assert page.read_text().startswith("before\n### Scenarios: 2 ok, 1 failed; 1 error\n")
    assert "pack/wrong/scenario.json:5" in page.read_text()
    assert done.returncode == 1


def test_reports_are_written_beside_what_is_printed(pack: Path) -> None:
    files = {form: pack / f"report.{form}" for form in ("text", "json", "github", "sarif", "junit")}
    wanted = [word for form, file in files.items() for word in ("--report", f"{form}={file}")]
    done = harborsmith("validate", *wanted, cwd=pack)
    assert done.stdout == files["text"].read_text()
    assert done.returncode == 1
    assert files["json"].read_text() == harborsmith("validate", "--format", "json", cwd=pack).stdout
    assert files["json"].read_text() == harborsmith("validate", "--json", cwd=pack).stdout
    assert files["sarif"].read_text() == harborsmith("validate", "--format", "sarif", cwd=pack).stdout
    (run,) = json.loads(files["sarif"].read_text())["runs"]
    assert [(one["ruleId"], "suppressions" in one) for one in run["results"]] == [
        ("field_value", False),
        ("network_public", True),
    ]
    assert 'tests="3" failures="1"' in files["junit"].read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--report", "sarif"], 2, "write sarif=out.sarif"),
        (["--report", "pdf=x"], 2, "text, json, github, sarif, junit"),
        (["--format", "pdf"], 2, "pdf"),
        (["--json", "--format", "sarif"], 2, "--json is --format json"),
        (["--report", "sarif=gone/x.sarif"], 4, "gone/x.sarif: No such file or directory"),
        (["--changed-since", "main"], 4, "not in a git repository"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(pack: Path, arguments: list[str], code: int, told: str) -> None:
    done = harborsmith("validate", *arguments, cwd=pack)
    assert (done.returncode, told in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def repository(pack: Path) -> Path:
    """The pack as a repository with one commit and nothing changed since."""
    git(pack, "init")
    git(pack, "add", ".")
    git(pack, "commit", "-m", "A pack")
    return pack


def changed(repository: Path, *arguments: str, cwd: Path | None = None) -> tuple[list[str], str, int]:
    done = harborsmith("validate", "--changed-since", "main", "--json", *arguments, cwd=cwd or repository)
    names = [Path(one["source"]["scenarioDir"]).name for one in report(done)["results"]]
    return names, done.stderr, done.returncode


def test_a_scenario_that_became_a_link_to_itself_is_no_reason_to_give_up(repository: Path) -> None:
    shutil.rmtree(repository / "pack/open")
    (repository / "pack/open").symlink_to("open")
    write_tree(repository, {"pack/clean/new.txt": "new"})
    assert changed(repository)[0] == ["clean"]


def test_nothing_changed_is_good_and_said(repository: Path) -> None:
    assert changed(repository) == ([], "no scenario differs from main\n", 0)
    (repository / "notes.md").write_text("x")
    assert changed(repository) == ([], "no scenario differs from main\n", 0)


@pytest.mark.parametrize(
    "change",
    [
        {"pack/clean/instruction.md": "Sum `assets/ledger.csv`.\n"},
        {"pack/clean/assets/ledger.csv": "item,amount\n"},
        {"pack/clean/new file é.txt": "new"},
        {"pack/clean/scenario.json": document(title="Other")},
    ],
)
def test_a_changed_or_new_file_selects_its_scenario_alone(repository: Path, change: dict[str, Any]) -> None:
    write_tree(repository, change)
    assert changed(repository)[0] == ["clean"]
    assert changed(repository, cwd=repository / "pack/open")[0] == ["clean"]
    done = harborsmith("generate", "--changed-since", "main", cwd=repository)
    assert done.stdout.splitlines()[-1] == "1 package: 1 written, 0 unchanged, 0 removed, 0 failed"


def test_a_removed_file_and_a_later_commit_count_and_an_ignored_file_does_not(repository: Path) -> None:
    write_tree(repository, {".gitignore": "*.tmp\n", "pack/open/x.tmp": ""})
    assert changed(repository)[0] == []
    git(repository, "checkout", "-b", "topic")
    (repository / "pack/clean/assets/ledger.csv").unlink()
    assert changed(repository)[0] == ["clean"]
    git(repository, "commit", "-a", "-m", "Remove")
    assert changed(repository)[0] == ["clean"]


def test_changed_settings_concern_every_scenario(repository: Path) -> None:
    (repository / "harborsmith.toml").write_text(SETTINGS + "# more\n")
    assert changed(repository)[0] == ["clean", "open", "wrong"]


def test_a_clash_with_an_unchanged_scenario_is_seen(repository: Path) -> None:
    write_scenario(repository / "pack/copy", document(id="open", requires__network=True))
    done = harborsmith("validate", "--changed-since", "main", cwd=repository)
    assert "error id_clash /id" in done.stdout
    assert "wrong" not in done.stdout


@pytest.mark.parametrize("reference", ["gone", "--output=x", "main:harborsmith.toml", "HEAD~7", ""])
def test_what_is_no_commit_is_said_and_starts_nothing(repository: Path, reference: str) -> None:
    done = harborsmith("validate", f"--changed-since={reference}", cwd=repository)
    assert done.returncode == 4
    assert "commit" in done.stderr
    assert not (repository / "x").exists()


def test_without_git_that_is_said(repository: Path) -> None:
    done = harborsmith("validate", "--changed-since", "main", cwd=repository, PATH="/nonexistent")
    assert done.returncode == 4
    assert "git cannot be started" in done.stderr


def test_a_repository_s_own_programs_are_not_started(repository: Path) -> None:
    trap = write_tree(repository, {".git/trap": "#!/bin/sh\ntouch caught\n"}) / ".git/trap"
    trap.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(trap))
    git(repository, "config", "diff.external", str(trap))
    git(repository, "config", "core.pager", str(trap))
    (repository / "pack/clean/instruction.md").write_text("Sum `assets/ledger.csv`.\n")
    assert changed(repository)[0] == ["clean"]
    assert not [path for path in (repository, Path.cwd()) if os.path.lexists(path / "caught")]
