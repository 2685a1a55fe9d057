"""`harborsmith generate` as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.files import read_tree
from tests.support.golden import Golden
from tests.support.packages import untouched
from tests.support.scenarios import document, write_scenario

BUNDLED = Path(__file__).parents[2] / "scenarios"
BUNDLED_IDS = sorted(path.parent.name for path in BUNDLED.glob("*/scenario.json"))


def generate(*words: object, cwd: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "generator", "generate", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(BUNDLED.parent), **changes}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def report(*words: object, cwd: Path) -> tuple[int, dict[str, Any]]:
    done = generate(*words, "--json", cwd=cwd)
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A folder with `scenarios/one` and `scenarios/two`."""
    for name in ("one", "two"):
        write_scenario(tmp_path / "scenarios" / name, document(id=name))
    return tmp_path


def statuses(found: dict[str, Any]) -> dict[str, str]:
    return {package["id"]: package["status"] for package in found["packages"]}


# --- the bundled scenarios ------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of all bundled scenarios."""
    out = tmp_path_factory.mktemp("bundled") / "out"
    done = generate("--scenario-dir", BUNDLED, "--out", out, cwd=out.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.mark.parametrize("scenario_id", BUNDLED_IDS)
def test_bundled_packages_are_what_they_were(bundled: Path, golden: Golden, scenario_id: str) -> None:
    golden.check(f"{scenario_id}.txt", described(bundled / "harbor/tasks" / scenario_id))


def described(package: Path) -> str:
    """Every file with its digest, then the texts that Harborsmith made; the review code has its own tests."""
    import hashlib

    tree = read_tree(package)
    lines = [
        f"{'x' if executable else '-'} {hashlib.sha256(content).hexdigest()} {len(content):>8} {path}"
        for path, (content, executable) in tree.items()
        if not path.startswith("tests/review/") and path != "manifest.json"
    ]
    texts = [
        f"\n=== {path}\n{tree[path][0].decode()}"
        for path in ("task.toml", "environment/Dockerfile", "tests/Dockerfile", "tests/evaluation.json")
    ]
    return "\n".join([*lines, "", *texts])


def test_bundled_packages_do_not_depend_on_where_and_how_they_are_made(bundled: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    command = f"umask 077 && exec {sys.executable} -m generator generate --scenario-dir scenarios --out '{elsewhere}/o'"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONHASHSEED": "4711", "TZ": "Asia/Tokyo", "PYTHONUTF8": "0"}
    subprocess.run(["bash", "-c", command], cwd=BUNDLED.parent, env=environment, check=True, capture_output=True)
    assert read_tree(elsewhere / "o") == read_tree(bundled)


@pytest.mark.parametrize("umask", ["002", "077"])
def test_packages_that_went_through_git_are_up_to_date(bundled: Path, tmp_path: Path, umask: str) -> None:
    script = (
        f"set -e; umask {umask}; export GIT_CONFIG_GLOBAL=/dev/null\n"
        'git init -q origin; cp -R "$1"/. origin/\n'
        "cd origin; git config core.autocrlf true; git add -A; "
        "git -c user.name=a -c user.email=a@b commit -q -m x; cd ..\n"
        "git clone -q -c core.autocrlf=true origin copy\n"
    )
    subprocess.run(["bash", "-c", script, "bash", str(bundled)], cwd=tmp_path, check=True, capture_output=True)
    done = generate("--check", "--scenario-dir", BUNDLED, "--out", "copy", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


# --- one call -------------------------------------------------------------------------------------------------------


def test_everything_is_generated_by_default_and_counted(pack: Path) -> None:
    done = generate(cwd=pack)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "one: written generated/harbor/tasks/one",
        "two: written generated/harbor/tasks/two",
        "2 packages: 2 written, 0 unchanged, 0 removed, 0 failed",
    ]
    assert done.stderr == ""
    assert (pack / "generated/harbor/tasks/one/tests/evaluation.json").is_file()


def test_a_second_call_writes_nothing_at_all(pack: Path) -> None:
    generate(cwd=pack)
    before = untouched(pack / "generated")
    done = generate(cwd=pack)
    assert done.stdout == "2 packages: 0 written, 2 unchanged, 0 removed, 0 failed\n"
    assert untouched(pack / "generated") == before


def test_an_invalid_scenario_is_reported_and_blocks_no_other(pack: Path) -> None:
    write_scenario(pack / "scenarios/broken", document(id="broken", title=5))
    done = generate(cwd=pack)
    assert done.returncode == 1
    assert "scenarios/broken/scenario.json:4:" in done.stdout
    assert "3 packages: 2 written, 0 unchanged, 0 removed, 1 failed" in done.stdout
    assert not (pack / "generated/harbor/tasks/broken").exists()
    assert generate("--scenario", "one", cwd=pack).returncode == 0


def test_what_is_declared_must_be_there_and_inside(pack: Path) -> None:
    """Asset rules hold for `generate` as they do for `validate`: nothing is copied from elsewhere."""
    for name, asset in (("up", "../secret"), ("absolute", "/etc/hostname"), ("gone", "assets/none")):
        write_scenario(pack / "scenarios" / name, document(id=name, assets=[asset]))
    (pack / "scenarios/secret").write_text("secret")
    code, found = report("--scenario", "up", "--scenario", "absolute", "--scenario", "gone", cwd=pack)
    assert code == 1
    assert statuses(found) == {"up": "failed", "absolute": "failed", "gone": "failed"}
    assert not (pack / "generated").exists()


def test_a_dry_run_lists_every_file_and_writes_nothing(pack: Path) -> None:
    done = generate("--dry-run", cwd=pack)
    assert done.returncode == 0
    assert "one: would write generated/harbor/tasks/one" in done.stdout
    assert f"  {17 + 16:>10} - assets/ledger.csv" in done.stdout
    assert " x tests/test.sh" in done.stdout
    assert done.stdout.endswith("2 packages: 2 would write, 0 unchanged, 0 would remove, 0 failed\n")
    assert not (pack / "generated").exists()
    _, found = report("--dry-run", "--scenario", "one", cwd=pack)
    listed = {file["path"] for file in found["packages"][0]["files"]}
    generate("--scenario", "one", cwd=pack)
    assert listed == set(read_tree(pack / "generated/harbor/tasks/one"))


# --- drift ----------------------------------------------------------------------------------------------------------


def test_a_check_names_the_first_difference_and_the_command_that_mends_it(pack: Path) -> None:
    generate(cwd=pack)
    (pack / "scenarios/one/instruction.md").write_text("Another prompt.\n")
    before = untouched(pack / "generated")
    done = generate("--check", cwd=pack)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "one: drifted generated/harbor/tasks/one",
        "  generated/harbor/tasks/one/instruction.md error package_drifted",
        "      the package is not up to date: instruction.md has other content",
        "      write: harborsmith generate --scenario one",
        "2 packages: 1 unchanged, 1 drifted, 0 failed",
    ]
    assert untouched(pack / "generated") == before
    assert generate("--scenario", "one", cwd=pack).returncode == 0
    assert generate("--check", cwd=pack).returncode == 0


def test_the_command_that_mends_drift_says_everything_that_was_said(pack: Path) -> None:
    words = ["scenarios/one", "--out", "my out", "--org", "acme"]
    done = generate("--check", *words, cwd=pack)
    assert "there is no package" in done.stdout
    assert "write: harborsmith generate scenarios/one --scenario one --out 'my out' --org acme\n" in done.stdout
    _, found = report("--check", "--scenario-dir", "scenarios/", "--scenario", "two", cwd=pack)
    assert found["packages"][0]["firstDifference"] == "is missing"
    assert generate(*words, "--scenario", "one", cwd=pack).returncode == 0
    assert generate("--check", *words, cwd=pack).returncode == 0


def test_the_command_that_mends_an_edit_says_force(pack: Path) -> None:
    generate(cwd=pack)
    (pack / "generated/harbor/tasks/one/instruction.md").write_text("Mine.\n")
    done = generate("--check", cwd=pack)
    assert "write: harborsmith generate --scenario one --force\n" in done.stdout
    refused = generate(cwd=pack)
    assert refused.returncode == 1
    assert "generated/harbor/tasks/one/instruction.md error package_edited" in refused.stdout
    assert generate("--scenario", "one", "--force", cwd=pack).returncode == 0
    assert generate("--check", cwd=pack).returncode == 0


def test_force_replaces_a_package_that_holds_a_tree_deeper_than_any_path(pack: Path) -> None:
    generate(cwd=pack)
    fd = os.open(pack / "generated/harbor/tasks/one", os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d" * 20, dir_fd=fd)
        deeper = os.open("d" * 20, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = deeper
    os.close(fd)
    done = generate("--scenario", "one", "--force", cwd=pack)
    assert (done.returncode, done.stderr) == (0, "")
    assert generate("--check", cwd=pack).returncode == 0


# --- packages whose scenario is gone --------------------------------------------------------------------------------


@pytest.fixture
def renamed(pack: Path) -> Path:
    """`two` was generated, and is called `three` by now."""
    generate(cwd=pack)
    (pack / "scenarios/two").rename(pack / "scenarios/three")
    write_scenario(pack / "scenarios/three", document(id="three"))
    return pack


def test_everything_removes_packages_whose_scenario_is_gone(renamed: Path) -> None:
    code, found = report("--check", cwd=renamed)
    assert (code, statuses(found)) == (1, {"one": "unchanged", "three": "drifted", "two": "drifted"})
    assert [finding["code"] for finding in found["findings"]] == ["package_drifted", "package_left_over"]
    code, found = report("--dry-run", cwd=renamed)
    assert (code, statuses(found)) == (0, {"one": "unchanged", "three": "would_write", "two": "would_remove"})
    code, found = report("--all", cwd=renamed)
    assert (code, statuses(found)) == (0, {"one": "unchanged", "three": "written", "two": "removed"})
    assert sorted(path.name for path in (renamed / "generated/harbor/tasks").iterdir()) == ["one", "three"]


@pytest.mark.parametrize("words", [["--scenario", "one"], ["--tier", "smoke"], ["scenarios"]])
def test_a_part_removes_nothing(renamed: Path, words: list[str]) -> None:
    code, found = report(*words, cwd=renamed)
    assert code == 0
    assert "two" not in statuses(found)
    assert (renamed / "generated/harbor/tasks/two").is_dir()


@pytest.mark.parametrize("words", [[], ["--all"]])
def test_one_scenario_is_not_everything(renamed: Path, words: list[str]) -> None:
    code, found = report(*words, "--scenario-dir", "scenarios/one", cwd=renamed)
    assert (code, statuses(found)) == (0, {"one": "unchanged"})
    assert (renamed / "generated/harbor/tasks/two").is_dir()


def test_an_edited_left_over_is_kept_with_a_warning(renamed: Path) -> None:
    (renamed / "generated/harbor/tasks/two/instruction.md").write_text("Mine.\n")
    code, found = report(cwd=renamed)
    assert (code, statuses(found)["two"]) == (0, "unchanged")
    assert [finding["code"] for finding in found["findings"]] == ["package_kept"]


def test_directories_that_are_no_packages_are_none_of_our_business(renamed: Path) -> None:
    (renamed / "generated/harbor/tasks/notes").mkdir()
    code, found = report(cwd=renamed)
    assert (code, set(statuses(found))) == (0, {"one", "two", "three"})
    assert (renamed / "generated/harbor/tasks/notes").is_dir()


@pytest.mark.parametrize("broken", ["{", '{"id": 5}'])
def test_nothing_is_removed_while_an_id_is_unknown(renamed: Path, broken: str) -> None:
    """The package may be that of the scenario nobody can read."""
    (renamed / "scenarios/three/scenario.json").write_text(broken)
    code, found = report(cwd=renamed)
    assert (code, statuses(found)) == (1, {"one": "unchanged", next(iter(set(statuses(found)) - {"one"})): "failed"})
    assert (renamed / "generated/harbor/tasks/two").is_dir()


def test_the_package_of_a_broken_scenario_stays(pack: Path) -> None:
    generate(cwd=pack)
    write_scenario(pack / "scenarios/two", document(id="two", title=5))
    code, found = report(cwd=pack)
    assert (code, statuses(found)) == (1, {"one": "unchanged", "two": "failed"})
    assert (pack / "generated/harbor/tasks/two").is_dir()


# --- usage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--all", "--scenario", "one"], "--all selects every scenario"),
        (["--all", "scenarios/one"], "--all selects every scenario"),
        (["--check", "--dry-run"], "Only one of"),
        (["--check", "--force"], "Only one of"),
        (["--org", "../up"], "--org"),
        (["--org", "a..b"], "--org"),
    ],
)
def test_wrong_usage_is_said_and_writes_nothing(pack: Path, words: list[str], sentence: str) -> None:
    done = generate(*words, cwd=pack)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert not (pack / "generated").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--tier", "nightly"], "no scenario of tier nightly found"),
        (["--scenario", "oen"], "write: one"),
        (["--scenario-dir", "nowhere"], "nowhere"),
    ],
)
def test_selecting_nothing_is_an_error_of_its_own(pack: Path, words: list[str], sentence: str) -> None:
    done = generate(*words, cwd=pack)
    assert done.returncode == 3
    assert sentence in done.stdout
    assert not (pack / "generated").exists()


def test_an_output_that_leads_elsewhere_is_refused(pack: Path) -> None:
    (pack / "precious").mkdir()
    (pack / "generated").symlink_to("precious")
    code, found = report(cwd=pack)
    assert (code, [finding["code"] for finding in found["findings"]]) == (2, ["output_unusable"])
    assert read_tree(pack / "precious") == {}


@pytest.mark.parametrize("out", ["scenarios", "scenarios/one/out"])
def test_an_output_among_or_inside_scenarios_is_refused(pack: Path, out: str) -> None:
    before = read_tree(pack)
    code, found = report("--out", out, cwd=pack)
    assert (code, [finding["code"] for finding in found["findings"]]) == (2, ["output_overlaps"])
    assert read_tree(pack) == before


@pytest.mark.parametrize("out", ["loop/x", "file/x", "a" * 300])
def test_a_place_that_cannot_be_is_refused(pack: Path, out: str) -> None:
    (pack / "loop").symlink_to("loop")
    (pack / "file").write_text("")
    code, found = report("--out", out, cwd=pack)
    assert (code, found["packages"]) == (2, [])
    assert [finding["code"] for finding in found["findings"]] == ["output_unusable"]


@pytest.mark.parametrize("kind", ["link", "file"])
def test_what_stands_in_the_place_of_a_package_is_not_called_no_package(pack: Path, kind: str) -> None:
    tasks = pack / "generated/harbor/tasks"
    generate(cwd=pack)
    (tasks / "one").rename(pack / "away")
    (tasks / "one").symlink_to(pack / "away") if kind == "link" else (tasks / "one").write_text("")
    _, found = report("--check", cwd=pack)
    (finding,) = found["findings"]
    assert finding["message"] == "the package is not up to date: what stands in its place is not a directory"


def test_a_place_that_cannot_be_written_is_said(pack: Path) -> None:
    """`/proc` takes no directories, not even from root."""
    code, found = report("--scenario", "one", "--out", "/proc/self/generated", cwd=pack)
    assert (code, statuses(found)) == (4, {"one": "failed"})
    assert [finding["code"] for finding in found["findings"]] == ["package_not_written"]
    assert "/proc/self/generated" in found["findings"][0]["message"]


def test_reports_match_their_schema(renamed: Path) -> None:
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    schemas = {path.name: json.loads(path.read_text()) for path in (BUNDLED.parent / "schemas").glob("*.json")}
    known = Registry().with_resources((made["$id"], Resource.from_contents(made)) for made in schemas.values())
    validator = Draft202012Validator(schemas["generate-report.schema.json"], registry=known)
    for words in (["--check"], ["--dry-run"], [], ["--scenario", "nope"]):
        validator.validate(report(*words, cwd=renamed)[1])
    package = renamed / "generated/harbor/tasks/one"
    for schema, file in (("evaluation", "tests/evaluation.json"), ("package-manifest", "manifest.json")):
        document_validator = Draft202012Validator(schemas[f"{schema}.schema.json"], registry=known)
        document_validator.validate(json.loads((package / file).read_text()))
