"""What holds for the files of the repository, whoever wrote them."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.support.repository import ROOT, files, modules

# Put together from parts, so that this file does not hold what it forbids.
MACHINE_PATHS = re.compile(rb"/work" + rb"/(?:main|shared|\.)|/root" + rb"/\.")
REGISTRIES = re.compile(
    rb"\b(?:"
    + rb"|".join([rb"pypi\." + rb"org", rb"pythonhosted\." + rb"org", rb"npmjs\.", rb"deb\.debian\." + rb"org"])
    + rb")"
)


def named(path: Path) -> str:
    return path.as_posix()


def shell_scripts() -> list[Path]:
    return [
        path
        for path in files()
        if path.suffix == ".sh" or _first_line(path).endswith((b"/sh", b"/bash", b" bash", b" sh"))
    ]


def _first_line(path: Path) -> bytes:
    with open(ROOT / path, "rb") as handle:
        line = handle.readline(200).strip()
    return line if line.startswith(b"#!") else b""


@pytest.mark.parametrize(
    ("pattern", "what"), [(MACHINE_PATHS, "a path of one machine"), (REGISTRIES, "the address of a package registry")]
)
def test_no_file_names_somebody_s_machine_or_a_registry(pattern: re.Pattern[bytes], what: str) -> None:
    found = {}
    for path in files():
        match = pattern.search((ROOT / path).read_bytes())
        if match:
            found[path.as_posix()] = match.group()

    assert found == {}, what


@pytest.mark.parametrize(
    ("text", "hit"),
    [
        (b"see /wor" + b"k/main", True),
        (b"'/roo" + b"t/.cache'", True),
        (b"/workspace/main", False),
        (b"/root is not shown", False),
    ],
)
def test_the_check_of_machine_paths_tells_them_from_other_paths(text: bytes, hit: bool) -> None:
    assert bool(MACHINE_PATHS.search(text)) is hit


@pytest.mark.parametrize("script", shell_scripts(), ids=named)
def test_a_shell_script_parses(script: Path) -> None:
    # What has no first line of its own is given to bash.
    shell = "sh" if _first_line(script).endswith((b"/sh", b" sh")) else "bash"
    parsed = subprocess.run([shell, "-n", str(ROOT / script)], capture_output=True, text=True, check=False)

    assert (parsed.returncode, parsed.stderr) == (0, "")


def test_the_scripts_that_are_started_by_name_are_executable() -> None:
    for path in files():
        if _first_line(path) and path.parts[0] in {".ci", "tools"}:
            assert os.access(ROOT / path, os.X_OK), path
    assert os.access(ROOT / ".ci/run", os.X_OK)


@pytest.mark.parametrize("module", [path for path in modules() if path.parts[1] == "runtime"], ids=named)
def test_the_runtime_is_python_3_9(module: Path) -> None:
    ast.parse((ROOT / module).read_text(encoding="utf-8"), feature_version=(3, 9))


def test_text_files_end_their_lines_as_unix_does() -> None:
    ours = [
        path for path in files() if path.suffix in {".py", ".sh", ".md", ".toml", ".j2"} and "cases" not in path.parts
    ]
    wrong = []
    for path in ours:
        data = (ROOT / path).read_bytes()
        if b"\r\n" in data or (data and not data.endswith(b"\n")):
            wrong.append(path.as_posix())

    assert wrong == []


def test_every_pinned_dependency_has_hashes_and_every_direct_one_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {
        re.match(r"[A-Za-z0-9-]+", line)[0].lower()  # type: ignore[index]
        for line in [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    }
    entries = re.split(r"\n(?=[a-z])", (ROOT / "requirements-dev.txt").read_text(encoding="utf-8"))
    pinned = {entry.split("==")[0] for entry in entries if "==" in entry}

    assert wanted <= pinned
    assert [entry for entry in entries if "==" in entry and "--hash=sha256:" not in entry] == []


def test_the_changelog_tells_about_the_version_of_the_code() -> None:
    from generator import __version__

    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
