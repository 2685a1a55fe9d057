"""The pages for users say what is: examples are run, tables and links are compared with the code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from generator.cli.exits import Exit
from generator.cli.main import COMMANDS
from generator.workflows.schemas import schema_text
from tests.support import pages as reading
from tests.support.files import Script, write_tree
from tests.support.golden import Golden
from tests.support.pages import agrees, anchors, blocks, first_column, links, pages, reader, succeed, transcript
from tests.support.reference import help_text, objects, remade
from tests.support.repository import ROOT
from tests.support.variables import variables

REFERENCE = ROOT / "docs" / "reference"
CODES = REFERENCE / "codes"
CONFINED = re.compile(
    r"^\$ (?:.*&& )?harborsmith (?:run|review|demo|prove)\b|^harborsmith (?:run|review|demo|prove)\b", re.MULTILINE
)


def shown(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def examples() -> list[Any]:
    """Every page that can be followed; those with runs need the sandbox."""
    found = []
    for page in pages():
        if page.parent == CODES:
            continue  # test_code_pages.py plays these
        run = [block for block in blocks(page) if block.language in {"sh", "console"} and block.kind != "excerpt"]
        confined = any(CONFINED.search(block.text) for block in run)
        marks = [pytest.mark.sandbox] if confined else []
        if run:
            found.append(pytest.param(page, marks=marks, id=shown(page)))
    return found


@pytest.fixture
def commands(tmp_path: Path) -> dict[str, str]:
    """The variables of a reader who has installed Harborsmith."""
    return reader(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a reader follows a page: an empty directory."""
    made = tmp_path / "reader"
    made.mkdir()
    return made


@pytest.mark.parametrize("page", examples())
def test_the_examples_of_a_page_do_what_it_says(
    page: Path, folder: Path, commands: dict[str, str], refresh_golden: bool
) -> None:
    if "checkout" in page.read_text(encoding="utf-8"):
        for name in ("scenarios", "templates"):
            shutil.copytree(ROOT / name, folder / name)
    fresh = {}
    for block in blocks(page):
        if block.kind == "excerpt":
            continue
        if block.kind == "file":
            write(folder / block.name, block.text)
        elif block.language == "sh":
            succeed(block, folder, commands)
        elif block.language == "console":
            seen = list(zip(reading.commands(block), transcript(block, folder, commands), strict=True))
            fresh[block.text] = reading.console(seen)
            for wanted, real in seen:
                said = f"line {block.line}: $ {real.text}\n{real.output}"
                assert refresh_golden or agrees(wanted.output, real.output), f"{said}'make golden' accepts this"
    if refresh_golden:
        page.write_text(reading.with_outputs(page.read_text(encoding="utf-8"), fresh), encoding="utf-8")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_json_on_a_page_is_what_it_is_said_to_be(page: Path) -> None:
    for block in blocks(page):
        if block.language != "json":
            continue
        assert block.kind, f"line {block.line}: a comment says which file or schema this is, or that it is an excerpt"
        value = json.loads(block.text)
        if block.kind == "schema":
            schema = json.loads(schema_text(block.name) or "null")
            problems = [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(value)]
            assert problems == [], f"line {block.line}"


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    wrong = []
    for target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists() or (anchor and anchor not in anchors(place)):
            wrong.append(target)

    assert wrong == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached = {ROOT / "README.md"}
    waiting = list(reached)
    while waiting:
        page = waiting.pop()
        for target in links(page):
            place = (page.parent / target.partition("#")[0]).resolve()
            if place.suffix == ".md" and place.exists() and place not in reached:
                reached.add(place)
                waiting.append(place)

    assert set(pages()) - reached == set()


@pytest.mark.parametrize("page", [page for page in pages() if "<!-- made: " in page.read_text()], ids=shown)
def test_the_parts_made_from_the_code_are_up_to_date(page: Path, refresh_golden: bool) -> None:
    Golden(ROOT, refresh=refresh_golden).check(shown(page), remade(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_every_command_and_option_that_a_page_shows_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    known = {name: help_text(name) for name in COMMANDS}
    wrong = []
    for line in re.findall(r"\bharborsmith ([a-z].*?)(?:`|&&|$)", text, re.MULTILINE):
        name, _, rest = line.partition(" ")
        if name not in known:
            wrong.append(line)
            continue
        options = re.findall(r"(?<![\w-])--[a-z][a-z-]+", rest)
        wrong += [f"{name} {option}" for option in options if not re.search(rf"{option}\b", known[name])]
    every = "".join(known.values())
    # An option named alone in running text: `--out`.
    wrong += [option for option in re.findall(r"`(--[a-z][a-z-]+)", text) if not re.search(rf"{option}\b", every)]

    assert wrong == []


def test_the_exit_codes_of_the_pages_are_those_of_the_code() -> None:
    expected = sorted(str(int(code)) for code in Exit)

    assert sorted(first_column(REFERENCE / "exit-codes.md", "Exit codes")) == expected
    assert sorted(first_column(ROOT / "README.md", "Exit codes")) == expected


@pytest.mark.parametrize("name", COMMANDS)
def test_help_that_tells_of_interruptions_names_every_code_of_them(name: str) -> None:
    for told in re.findall(r"(\d+(?:(?:, | and )\d+)*)\s+interrupted", help_text(name)):
        assert [int(code) for code in re.findall(r"\d+", told)] == [Exit.HUNG_UP, Exit.INTERRUPTED, Exit.TERMINATED]


def test_the_page_of_variables_has_every_group_of_the_catalogue() -> None:
    page = (REFERENCE / "variables.md").read_text(encoding="utf-8")

    assert re.findall("<!-- made: variables-([a-z]+) -->", page) == list(variables())


def test_the_extensions_that_the_reference_lists_are_members_and_cover_every_object_of_ours() -> None:
    text = (REFERENCE / "scenario.md").read_text(encoding="utf-8").partition("## Extensions")[2].partition("\n\nA ")[0]
    listed = {
        name for bullet in re.findall("^- (.+?): ", text, re.MULTILINE) for name in re.findall("`([A-Za-z.]+)", bullet)
    }
    places = {title.replace("[]", ""): place for title, place in objects(json.loads(schema_text("scenario-v2") or ""))}
    members = {
        name if title == "scenario" else f"{title}.{name}"
        for title, place in places.items()
        for name in place["properties"]
    }
    ours = {title for title, place in places.items() if place.get("additionalProperties") is False}

    assert len(listed) > len(ours)
    assert listed - members == set()
    assert ours - listed == set()


@pytest.fixture
def complete() -> dict[str, Any]:
    """The complete example of the scenario reference."""
    (block,) = [block for block in blocks(REFERENCE / "scenario.md") if block.name.endswith("/scenario.json")]
    example: dict[str, Any] = json.loads(block.text)
    return example


def harborsmith(*words: str, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["harborsmith", *words], cwd=cwd, env=env, capture_output=True, text=True, check=False)


def test_the_complete_example_without_provenance_has_exactly_one_error_at_its_visibility(
    complete: dict[str, Any], folder: Path, commands: dict[str, str]
) -> None:
    del complete["metadata"]["provenance"]
    write_tree(folder, {"scenarios/tidy-notes/scenario.json": complete})

    done = harborsmith("validate", "--json", cwd=folder, env=commands)

    assert done.returncode == Exit.FINDINGS
    (result,) = json.loads(done.stdout)["results"]
    (error,) = result["errorDetails"]
    assert error["code"] == "publication_provenance_missing"
    lines = (folder / "scenarios/tidy-notes/scenario.json").read_text().splitlines()
    assert '"visibility": "public"' in lines[error["location"]["line"] - 1]


@pytest.mark.sandbox
def test_the_complete_example_validates_compiles_and_runs(
    complete: dict[str, Any], folder: Path, commands: dict[str, str]
) -> None:
    assert complete["assets"] == complete["evaluation"]["privateAssets"] == []
    agent = "#!/bin/sh\nprintf '# Meeting\\n\\n- budget\\n- hiring\\n- summer party\\n' > notes.md\n"
    reviewer = '#!/bin/sh\ngrep -q hiring notes.md && echo \'{"status": "passed", "goalMet": true}\'\n'
    write_tree(folder, {"scenarios/tidy-notes/scenario.json": complete})
    write_tree(folder, {"agent": Script(agent), "reviewer": Script(reviewer)})

    validated = harborsmith("validate", "--fail-on", "warning", cwd=folder, env=commands)
    generated = harborsmith("generate", cwd=folder, env=commands)
    package = "generated/harbor/tasks/tidy-notes"
    ran = harborsmith("run", package, "--agent", "./agent", "--reviewer", "./reviewer", cwd=folder, env=commands)

    assert (validated.returncode, generated.returncode) == (Exit.GOOD, Exit.GOOD), validated.stdout
    assert ran.returncode == Exit.GOOD, ran.stdout + ran.stderr
    assert ran.stdout.startswith("tidy-notes 1.0.0 PASSED: ")


@pytest.mark.sandbox
def test_the_readme_names_every_file_of_a_package_and_of_a_run(folder: Path, commands: dict[str, str]) -> None:
    demo = ROOT / "templates" / "demo"
    chosen = ["--scenario-dir", str(ROOT / "scenarios"), "--scenario", "market-ledger-clean-up"]
    fixtures = ["--agent", str(demo / "agent.py"), "--reviewer", f"{sys.executable} {demo / 'reviewer.py'}"]

    ran = harborsmith("run", *chosen, *fixtures, cwd=folder, env=commands)

    assert ran.returncode == Exit.FINDINGS, ran.stderr
    (package,) = folder.glob("generated/harbor/tasks/*")
    (run,) = folder.glob("generated/runs/*/*")
    there = {path.name for place in (package, run) for path in place.iterdir() if not path.name.startswith(".")}
    assert {name.split("/")[0] for name in first_column(ROOT / "README.md", "Files")} == there
