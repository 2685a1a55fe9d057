"""What users get: wheel and sdist are built, looked into, and the wheel is used from an environment of its own."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from email.parser import Parser
from pathlib import Path

import pytest

from generator import __version__
from tests.support.files import read_tree
from tests.support.repository import ROOT
from tests.support.scenarios import write_scenario

# One worker builds for all of them.
pytestmark = pytest.mark.xdist_group("packaging")

DATA = ("schemas", "templates", "scenarios")


def run(*command: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=dict(env) if env is not None else None,
        capture_output=True,
        text=True,
        check=False,
    )


def build(out: Path, *options: str) -> Path:
    """Build into `out` with the back end that is installed here, so that no network is needed."""
    built = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, *options, ROOT, cwd=out.parent)
    assert built.returncode == 0, built.stdout + built.stderr
    return out


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel built from that sdist."""
    return build(tmp_path_factory.mktemp("packaging") / "dist")


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (found,) = dist.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment that holds the wheel alone; its dependencies are those of this one."""
    folder = tmp_path_factory.mktemp("installed")
    made = run(sys.executable, "-m", "venv", folder, cwd=folder)
    assert made.returncode == 0, made.stderr
    python = folder / "bin" / "python"
    options = ["--disable-pip-version-check", "--no-index", "--no-deps"]
    done = run(python, "-I", "-m", "pip", "install", *options, wheel, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (packages,) = folder.glob("lib/python*/site-packages")
    # Later on the path than what was installed, and .pth files there (an editable install) are not followed.
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A directory that has nothing to do with the repository."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


def test_wheel_and_sdist_hold_what_they_must_and_nothing_else(dist: Path) -> None:
    checked = run(sys.executable, ROOT / "tools" / "check_dist.py", dist, cwd=dist)

    assert (checked.returncode, checked.stdout) == (0, "wheel and sdist hold what they must and nothing else\n")


def test_the_wheel_puts_one_package_and_no_tests_into_an_environment(wheel: Path) -> None:
    assert {name.split("/")[0] for name in contents(wheel)} == {"generator", f"harborsmith-{__version__}.dist-info"}
    assert [name for name in contents(wheel) if name.startswith("generator/tests")] == []


def test_the_wheel_asks_for_the_runtime_dependencies_and_no_others(wheel: Path) -> None:
    metadata = Parser().parsestr(contents(wheel)[f"harborsmith-{__version__}.dist-info/METADATA"].decode())
    required = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]

    names = sorted(line.partition(">=")[0] for line in required)
    assert names == ["click", "jinja2", "jsonschema", "jsonschema-rs", "pyyaml", "tomli-w"]
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"


def test_a_wheel_built_from_the_checkout_is_the_one_built_from_the_sdist(wheel: Path, tmp_path: Path) -> None:
    (direct,) = build(tmp_path / "direct", "--wheel").glob("*.whl")

    assert contents(direct) == contents(wheel)


def test_the_check_of_distributions_names_what_is_missing_and_what_is_too_much(dist: Path, tmp_path: Path) -> None:
    for built in dist.iterdir():
        (tmp_path / built.name).write_bytes(built.read_bytes())
    (damaged,) = tmp_path.glob("*.whl")
    held = contents(damaged)
    del held["generator/resources.py"]
    held["generator/__pycache__/x.pyc"] = b""
    with zipfile.ZipFile(damaged, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)

    checked = run(sys.executable, ROOT / "tools" / "check_dist.py", tmp_path, cwd=tmp_path)

    assert checked.returncode == 1
    assert "wheel: generator/resources.py is missing" in checked.stdout
    assert "wheel: generator/__pycache__/x.pyc must not be shipped" in checked.stdout


@pytest.mark.parametrize("name", DATA)
def test_the_data_is_installed_byte_for_byte_with_its_executable_bits(installed: Path, name: str) -> None:
    (package,) = installed.glob("lib/python*/site-packages/generator")

    assert without_caches(package / "_data" / name) == without_caches(ROOT / name)


def without_caches(folder: Path) -> dict[str, tuple[bytes, bool]]:
    return {path: held for path, held in read_tree(folder).items() if "__pycache__" not in path}


def test_the_installed_command_tells_its_version(installed: Path, elsewhere: Path) -> None:
    told = run(installed / "bin" / "harborsmith", "--version", cwd=elsewhere)

    assert (told.returncode, told.stdout, told.stderr) == (0, f"harborsmith, version {__version__}\n", "")


def test_the_installed_code_is_the_one_that_runs(installed: Path, elsewhere: Path) -> None:
    asked = run(installed / "bin" / "python", "-c", "import generator; print(generator.__file__)", cwd=elsewhere)

    assert asked.stdout.startswith(f"{installed}{os.sep}")


def test_the_installed_command_prints_a_schema(installed: Path, elsewhere: Path) -> None:
    printed = run(installed / "bin" / "harborsmith", "schema", "scenario-v2", cwd=elsewhere)

    assert (printed.returncode, printed.stderr) == (0, "")
    assert json.loads(printed.stdout) == json.loads((ROOT / "schemas/scenario-v2.schema.json").read_bytes())


def test_the_installed_command_validates_and_compiles(installed: Path, elsewhere: Path) -> None:
    write_scenario(elsewhere / "scenarios" / "sum-ledger")

    validated = run(installed / "bin" / "harborsmith", "validate", cwd=elsewhere)
    generated = run(installed / "bin" / "harborsmith", "generate", cwd=elsewhere)

    assert (validated.returncode, validated.stderr) == (0, "")
    assert generated.returncode == 0, generated.stderr
    task = elsewhere / "generated" / "harbor" / "tasks" / "sum-ledger"
    assert (task / "task.toml").is_file()
    assert (task / "tests" / "review" / "__main__.py").is_file()
