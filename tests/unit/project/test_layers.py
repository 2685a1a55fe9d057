"""The shape of the code: imports go one way, and modules and functions stay small."""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.repository import ROOT, modules, parsed

LAYERS = (
    "cli",
    "workflows",
    "harbor",
    "execute",
    "package",
    "rules",
    "formats",
    "scenario",
    "source",
    "diagnostics",
)
FOR_ANYONE = {"runtime", "resources", "__version__"}
MAX_MODULE_LINES = 400
MAX_P90_FUNCTION_LINES = 30


def imported(tree: ast.AST) -> Iterator[str]:
    """Full names of what a module imports, at its top and inside functions; relative ones begin with dots."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (f"{node.module}." if node.module else "")
            yield from (start + alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            target = node.args[0] if node.args else None
            if isinstance(target, ast.Constant):
                yield str(target.value)
            elif isinstance(target, ast.JoinedStr) and isinstance(target.values[0], ast.Constant):
                yield str(target.values[0].value)


def forbidden(layer: str, names: Iterator[str]) -> list[str]:
    """Those of the imported `names` that code of `layer` may not import."""
    below = set(LAYERS[LAYERS.index(layer) :]) | FOR_ANYONE
    ours = [name for name in names if name.split(".")[0] == "generator" or name.startswith(".")]
    return [name for name in ours if name.startswith(".") or name.split(".")[1] not in below]


def layer_of(module: Path) -> str:
    return module.parts[1]


def in_layers() -> list[Path]:
    return [module for module in modules() if layer_of(module) in LAYERS]


def named(module: Path) -> str:
    return module.as_posix()


@pytest.mark.parametrize("module", in_layers(), ids=named)
def test_a_module_imports_only_from_its_own_layer_and_those_below(module: Path) -> None:
    assert forbidden(layer_of(module), imported(parsed(module))) == []


@pytest.mark.parametrize("module", [m for m in modules() if layer_of(m) == "runtime"], ids=named)
def test_the_runtime_imports_only_the_standard_library_and_itself(module: Path) -> None:
    outside = []
    for name in imported(parsed(module)):
        # One dot is the runtime itself; two would lead out of it.
        alone = name.startswith(".") and not name.startswith("..")
        if not alone and name.split(".")[0] not in sys.stdlib_module_names:
            outside.append(name)

    assert outside == []


def test_every_module_belongs_to_a_layer_or_is_known_to_stand_beside_them() -> None:
    beside = {layer_of(module) for module in modules()} - set(LAYERS)

    assert beside <= {"__init__.py", "__main__.py", "resources.py", "runtime"}


@pytest.mark.parametrize(
    ("layer", "code", "wrong"),
    [
        ("rules", "from generator.source.tree import Tree", []),
        ("rules", "from generator.rules.ids import check", []),
        ("rules", "from generator import __version__, resources", []),
        ("rules", "import generator.runtime.launch", []),
        ("rules", "import json, click", []),
        ("rules", "from generator.package.plan import plan", ["generator.package.plan.plan"]),
        ("source", "def f():\n    from generator import cli", ["generator.cli"]),
        ("source", "if TYPE_CHECKING:\n    import generator.rules.ids", ["generator.rules.ids"]),
        ("source", "importlib.import_module(f'generator.cli.{name}')", ["generator.cli."]),
        ("source", "__import__('generator.cli')", ["generator.cli"]),
        ("cli", "from . import main", [".main"]),
    ],
)
def test_the_check_of_layers_sees_every_kind_of_import(layer: str, code: str, wrong: list[str]) -> None:
    assert forbidden(layer, imported(ast.parse(code))) == wrong


@pytest.mark.parametrize("module", modules(), ids=named)
def test_a_module_is_short_enough_to_read_at_once(module: Path) -> None:
    lines = (ROOT / module).read_text(encoding="utf-8").count("\n")

    assert lines <= MAX_MODULE_LINES


def test_nine_functions_of_ten_are_short() -> None:
    lengths = [
        (node.end_lineno or 0) - node.lineno + 1
        for module in modules()
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]

    assert statistics.quantiles(lengths, n=10)[-1] <= MAX_P90_FUNCTION_LINES
