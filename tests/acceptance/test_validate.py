"""`harborsmith validate` and `explain` as a user runs them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.formats.schemas import V2, schema
from generator.resources import data_folder
from tests.support.files import write_tree
from tests.support.scenarios import document, write_scenario
from tests.unit.formats.test_checked import PLACES, VALUES, full, place

Done = subprocess.CompletedProcess[str]


def harborsmith(*args: str | Path, cwd: Path, **env: str) -> Done:
    command = [sys.executable, "-m", "generator", *map(str, args)]
    here = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": here, **env}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    write_scenario(tmp_path / "scenarios/clean")
    write_scenario(tmp_path / "scenarios/open", document(id="open", requires__network=True))
    made = document(id="wrong", tier="smok", metadata={"scenarioVersion": "1.0.0", "visibility": "public"})
    write_scenario(tmp_path / "scenarios/wrong", made)
    write_tree(tmp_path, {"scenarios/zbroken/scenario.json": '{"id": "zbroken",}'})
    return tmp_path


def test_the_text_says_place_code_reason_and_what_to_write(pack: Path) -> None:
    done = harborsmith("validate", "--scenario", "wrong", cwd=pack)
    lines = done.stdout.splitlines()
    assert lines[:4] == [
        "wrong: failed",
        "  scenarios/wrong/scenario.json:5:11 error field_value /tier",
        '      "smok" is not one of: smoke, nightly, release',
        '      write: "smoke"',
    ]
    assert "  calibration: cases=3 covered=passed,failed,review missing=none" in lines
    assert lines[-1] == "1 scenario: 0 ok, 1 failed; 11 errors"
    assert (done.returncode, done.stderr) == (1, "")


def test_every_scenario_is_reported_whatever_the_others_are_like(pack: Path) -> None:
    done = harborsmith("validate", cwd=pack)
    heads = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert heads == [
        "sum-ledger: ok",
        "open: ok",
        "wrong: failed",
        "zbroken: failed",
        "4 scenarios: 2 ok, 2 failed; 12 errors, 1 warning",
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--scenario", "sum-ledger"], 0),
        (["--scenario", "open"], 0),
        (["--scenario", "open", "--fail-on", "warning"], 1),
        (["--scenario", "open", "--fail-on", "network_public"], 1),
        (["--scenario", "open", "--fail-on", "network"], 1),
        (["--scenario", "open", "--fail-on", "rubric", "--fail-on", "calibration"], 0),
        (["--scenario", "wrong"], 1),
        (["--scenario", "wrng"], 3),
        (["--scenario", "wrng", "--scenario", "wrong"], 3),
        (["--tier", "release"], 1),
        (["--tier", "weekly"], 2),
        (["--fail-on", "rubrik"], 2),
        (["--nonsense"], 2),
        (["--scenario-dir", "gone"], 3),
        (["scenarios/clean/scenario.json"], 0),
        (["scenarios/clean", "scenarios/wrong"], 1),
    ],
)
def test_the_exit_code_says_what_happened(pack: Path, arguments: list[str], code: int) -> None:
    done = harborsmith("validate", *arguments, cwd=pack)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_misspelt_value_is_met_with_the_closest_one(pack: Path) -> None:
    assert "Did you mean 'rubric'?" in harborsmith("validate", "--fail-on", "rubrik", cwd=pack).stderr
    assert "write: wrong" in harborsmith("validate", "--scenario", "wrng", cwd=pack).stdout


def report(done: Done) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def test_the_json_report_has_the_published_shape(pack: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    done = harborsmith("validate", "--json", cwd=pack)
    made = report(done)
    rules = json.loads((data_folder("schemas") / "validation-report.schema.json").read_text())
    jsonschema.Draft202012Validator(rules).validate(made)
    clean, warned, wrong, broken = made["results"]
    assert clean["source"] == {
        "scenarioDir": str(pack / "scenarios/clean"),
        "scenarioPath": str(pack / "scenarios/clean/scenario.json"),
        "instructionPath": str(pack / "scenarios/clean/instruction.md"),
        "assetsDir": str(pack / "scenarios/clean/assets"),
    }
    assert clean["scenario"]["userPrompt"].startswith("Sum the amounts")
    assert clean["calibration"]["byExpectedStatus"] == {"passed": 1, "failed": 1, "review": 1}
    assert warned["warningDetails"][0]["code"] == "network_public"
    assert warned["warnings"][0].startswith("requires.network: ")
    assert "scenario" in warned
    assert "scenario" not in wrong
    assert wrong["errorDetails"][0]["location"] == {
        "file": "scenarios/wrong/scenario.json",
        "line": 5,
        "column": 11,
        "pointer": "/tier",
    }
    assert "calibration" not in broken
    assert made["problems"] == made["suiteResults"] == []
    assert (done.returncode, done.stderr) == (1, "")


def test_budgets_and_unknown_keys_survive_in_the_reported_scenario(tmp_path: Path) -> None:
    made = full()
    made["metadata"].pop("visibility")
    made.pop("solution", None)
    made["later"] = {"x": 1}
    write_scenario(tmp_path / "a", made, {"p": "p", "r": "r"})
    (found,) = report(harborsmith("validate", "a", "--json", cwd=tmp_path))["results"]
    assert found["scenario"]["run"] == made["run"]
    assert found["scenario"]["later"] == {"x": 1}


def test_names_and_values_of_strangers_cannot_steer_the_terminal_or_the_json(tmp_path: Path) -> None:
    evil = "\x1b[2Jx\n\u202e\x9b31m"
    write_scenario(tmp_path / "scenarios/a", document(id=evil, tier=evil), {f"assets/{evil}": "", "assets/\udcff": ""})
    write_scenario(
        tmp_path / "scenarios" / evil, document(assets=["assets"]), {f"assets/{evil}": "", "assets/\udcff": ""}
    )
    text = harborsmith("validate", cwd=tmp_path)
    assert "\x1b" not in text.stdout
    assert "\u202e" not in text.stdout
    assert text.returncode == 1
    printed = harborsmith("validate", "--json", cwd=tmp_path)
    assert report(printed)["results"]
    assert not {"\x1b", "\u202e", "\x9b"}.intersection(printed.stdout)


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8", "de_DE.ISO-8859-1"])
def test_the_report_is_the_same_in_every_locale(pack: Path, locale: str) -> None:
    write_scenario(pack / "scenarios/é", document(id="umlaut", title=" ", tier="ü"))
    plain = harborsmith("validate", "--json", cwd=pack, PYTHONUTF8="1").stdout
    assert harborsmith("validate", "--json", cwd=pack, LC_ALL=locale).stdout == plain


def test_an_output_that_cannot_hold_a_character_gets_its_escape(pack: Path) -> None:
    write_scenario(pack / "scenarios/odd", document(id="odd", tier="😀"))
    done = harborsmith("validate", "--scenario", "odd", cwd=pack, PYTHONIOENCODING="latin-1")
    assert '"\\U0001f600" is not one of' in done.stdout
    assert (done.returncode, done.stderr) == (1, "")


def test_colour_is_for_terminals_that_want_it(pack: Path) -> None:
    def on_a_terminal(**env: str) -> bytes:
        leader, follower = pty.openpty()
        command = [sys.executable, "-m", "generator", "validate", "--scenario", "wrong"]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **env}
        with subprocess.Popen(command, cwd=pack, env=environment, stdout=follower, stdin=subprocess.DEVNULL) as process:
            os.close(follower)
            shown = b""
            while part := _read(leader):
                shown += part
            process.wait()
        os.close(leader)
        return shown

    assert b"\x1b[31m" in on_a_terminal(NO_COLOR="")
    assert b"\x1b" not in on_a_terminal(NO_COLOR="1")
    assert "\x1b" not in harborsmith("validate", cwd=pack).stdout


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.parametrize("arguments", [["validate", "scenarios/clean"], ["--help"], ["validate", "--help"]])
def test_what_only_faults_need_is_not_imported_without_them(pack: Path, arguments: list[str]) -> None:
    code = (
        "import sys; from generator.cli.main import main\n"
        f"try: main({arguments!r})\n"
        "finally: sys.stderr.write(' '.join(sys.modules))"
    )
    command = [sys.executable, "-c", code]
    # A measuring of coverage that follows into the child would import things of its own.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    environment = {**kept, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, cwd=pack, env=environment, capture_output=True, text=True, timeout=60, check=True)
    faulty = {"jsonschema", "referencing", "tomllib", "difflib", "generator.source.scan", "generator.formats.config"}
    compiling = {"jinja2", "yaml", "asyncio", "generator.scenario.model", "generator.formats.build"}
    assert not (faulty | compiling) & set(done.stderr.split())


def test_the_example_of_the_schema_is_valid(tmp_path: Path) -> None:
    made = schema(V2)["examples"][0]
    write_scenario(tmp_path / "a", made)
    assert report(harborsmith("validate", "a", "--json", cwd=tmp_path))["results"][0]["errors"] == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(PLACES[:-6]), VALUES)
def test_any_value_in_any_field_is_reported_and_never_a_traceback(tmp_path: Path, pointer: str, value: Any) -> None:
    from generator.workflows.select import select
    from generator.workflows.validate import json_report, text_report, validate

    write_scenario(tmp_path / "a", place(full(), pointer, value), {"p": "p", "r": "r"})
    found = validate(select(tmp_path / "a"))
    assert list(text_report(found))
    json.dumps(json_report(found), allow_nan=False)


def test_explain_shows_a_code_with_its_fault_and_mend(tmp_path: Path) -> None:
    done = harborsmith("explain", "private_exposed", cwd=tmp_path)
    assert done.stdout.startswith("private_exposed (error, privacy, since 0.1.0)\n")
    assert "The fault:" in done.stdout
    assert "Mended:" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize("word", ["goal_mismatch", "iterations_exhausted", "verdict_contradictory"])
def test_explain_tells_what_a_word_of_a_run_means(tmp_path: Path, word: str) -> None:
    done = harborsmith("explain", word, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{word} (how a run ended)\n")
    assert done.stdout.endswith("See docs/explanation/verdicts.md.\n")
    made = json.loads(harborsmith("explain", word, "--json", cwd=tmp_path).stdout)
    assert made["word"] == word
    assert f"Did you mean {word}" in harborsmith("explain", word[:-2], cwd=tmp_path).stderr


def test_explain_without_a_code_lists_all_by_category(tmp_path: Path) -> None:
    done = harborsmith("explain", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert "rubric" in lines
    assert any(line.startswith("  evaluation_goal_rubric_terse ") for line in lines)
    listed = json.loads(harborsmith("explain", "--json", cwd=tmp_path).stdout)
    assert len(listed) == len([line for line in lines if line.startswith("  ")])


def test_explain_as_json_is_one_object_and_an_unknown_code_is_wrong_usage(tmp_path: Path) -> None:
    made = json.loads(harborsmith("explain", "field_type", "--json", cwd=tmp_path).stdout)
    assert made["severity"] == "error"
    done = harborsmith("explain", "field_typ", cwd=tmp_path)
    assert done.returncode == 2
    assert "Did you mean field_type" in done.stderr
    assert "lists them" in harborsmith("explain", "zzzz", cwd=tmp_path).stderr


def test_a_path_that_is_too_long_is_reported(pack: Path) -> None:
    done = harborsmith("validate", "--json", "a" * 5000 + "/scenario.json", cwd=pack)
    (result,) = json.loads(done.stdout)["results"]
    assert (done.returncode, done.stderr) == (1, "")
    assert [found["code"] for found in result["errorDetails"]] == ["document_unreadable"]


@pytest.mark.parametrize("words", [["pack/clean"], ["pack/clean/scenario.json"], ["--scenario-dir", "pack/clean"]])
def test_a_closed_directory_is_a_finding_and_no_wrong_usage(words: list[str]) -> None:
    code = (
        "import os, sys\n"
        "from generator.cli.main import main\n"
        "import generator.cli.validate, generator.diagnostics.catalogue, generator.workflows.select\n"
        "generator.diagnostics.catalogue.catalogue()\n"
        "if os.geteuid() == 0: os.setegid(65534); os.seteuid(65534)\n"
        "main(['validate', '--json', *sys.argv[1:]])"
    )
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        write_scenario(Path(folder, "pack/clean"))
        Path(folder, "pack/clean").chmod(0)
        # Line counting would write where this account may not.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        environment["PYTHONPATH"] = str(Path(__file__).parents[2])
        done = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=folder, env=environment, capture_output=True, check=False
        )
        Path(folder, "pack/clean").chmod(0o755)
    found = json.loads(done.stdout)
    said = [*found["problems"], *(one for result in found["results"] for one in result["errorDetails"])]
    assert done.stderr == b""
    assert done.returncode in (1, 3)
    assert {one["code"] for one in said} <= {"document_unreadable", "directory_unreadable"}
    assert said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("words", [["validate"], ["validate", "--json"], ["explain"], ["schema", "scenario-v2"]])
def test_output_that_finds_no_room_is_no_verdict(pack: Path, words: list[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "generator", *words]
        done = subprocess.run(command, cwd=pack, env=environment, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 4
    assert done.stderr == b"Error: the output could not be written: No space left on device\n"


@pytest.mark.parametrize("words", [["validate"], ["validate", "--json"]])
def test_without_an_output_there_is_still_a_verdict(pack: Path, words: list[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "generator", *words, "--scenario", "wrong"]
    done = subprocess.run(
        ["bash", "-c", 'exec "$@" >&-', "bash", *command], cwd=pack, env=environment, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_name_without_end_is_cut(tmp_path: Path) -> None:
    write_scenario(tmp_path / "scenarios/one", document(id="a" * 100_000))
    done = harborsmith("validate", cwd=tmp_path)
    assert max(map(len, done.stdout.splitlines())) < 300
