"""The runtime travels into images we do not control: what it may use is fixed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from generator.resources import RUNTIME
from tests.unit.runtime.support import PATH, python_39

MODULES = sorted(RUNTIME.glob("*.py"))
IMPORT_ALL = """
import importlib, importlib.util, os, sys
folder = sys.argv[1]
spec = importlib.util.spec_from_file_location("r", folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules["r"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["r"])
for name in sorted(os.listdir(folder)):
    if name.endswith(".py") and not name.startswith("__"):
        importlib.import_module("r." + name[:-3])
"""


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_a_module_uses_the_grammar_and_the_library_of_python_39_and_its_siblings(module: Path) -> None:
    tree = ast.parse(module.read_text(encoding="utf-8"), feature_version=(3, 9))
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level in {0, 1}
            if node.level == 0:
                imported.add(str(node.module).partition(".")[0])
    assert imported <= sys.stdlib_module_names
    assert "tomllib" not in imported


def test_every_module_can_be_imported_on_python_39() -> None:
    command = [python_39(), "-I", "-B", "-W", "error", "-c", IMPORT_ALL, str(RUNTIME)]
    told = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": PATH})
    assert told.returncode == 0, told.stderr


def test_no_name_of_a_module_hides_one_of_the_library() -> None:
    assert not {path.stem for path in MODULES if path.stem != "__init__"} & set(sys.stdlib_module_names) - {"__main__"}
