"""The catalogue of environment variables, and what the code reads of its environment."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support.repository import modules, parsed

# Names that nobody but Harborsmith gives a meaning.
OURS = re.compile(r"(?:RUHROH|HARBORSMITH)_[A-Z0-9_]*[A-Z0-9](?:_\*)?")


class Line(NamedTuple):
    """One line of the catalogue."""

    names: tuple[str, ...]
    meaning: str


class Read(NamedTuple):
    """A place in the code that looks for a variable; `names` is empty where only an operator knows which."""

    module: Path
    function: str
    names: tuple[str, ...]


@cache
def variables() -> dict[str, list[Line]]:
    """Who meets variables -> the catalogue's lines about them."""
    groups = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {group: [Line(tuple(line["names"]), line["meaning"]) for line in lines] for group, lines in groups.items()}


def names_of(*groups: str) -> set[str]:
    """The names in these groups; in all of them when none is named."""
    return {name for group in groups or variables() for line in variables()[group] for name in line.names}


def table(group: str) -> str:
    """A group as a table of a page."""
    rows = "".join(
        f"| {', '.join(f'`{name}`' for name in line.names)} | {line.meaning} |\n" for line in variables()[group]
    )
    return f"| Variable | Meaning |\n|---|---|\n{rows}"


def named_in_code() -> set[str]:
    """Every name of ours that is a text of its own in a module; `PREFIX_` is `PREFIX_*`."""
    texts = {
        f"{node.value}*" if node.value.endswith("_") else node.value
        for module in modules()
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {text for text in texts if OURS.fullmatch(text)}


def reads() -> list[Read]:
    """Every place where a module takes a variable from its environment or the operator's."""
    return [
        Read(module, function.name, tuple(_values(module, function, key)))
        for module in modules()
        for function in ast.walk(parsed(module))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for key in _keys(function)
    ]


def _keys(function: ast.AST) -> Iterator[ast.expr]:
    """What stands between the brackets of `environ[…]` and `environ.get(…)`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and _is_environment(node.value):
            yield node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asks = node.func.attr in {"get", "pop", "setdefault"} and _is_environment(node.func.value)
            if asks or ast.unparse(node.func) == "os.getenv":
                yield node.args[0]


def _is_environment(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2].strip("_") == "environ"


def _values(module: Path, function: ast.AST, key: ast.expr) -> Iterable[str]:
    """The texts that `key` can be; none where they come from outside."""
    loops = [node for node in ast.walk(function) if isinstance(node, ast.comprehension | ast.For)]
    over = [loop.iter for loop in loops if ast.unparse(loop.target) == ast.unparse(key)]
    found = [_constant(module, node) for node in over or [key]]
    return [value for values in found for value in values]


def _constant(module: Path, node: ast.expr) -> tuple[str, ...]:
    """The texts of an expression: a literal, or a name of the module's top or of another module's."""
    if isinstance(node, ast.Constant):
        return (str(node.value),)
    if isinstance(node, ast.Tuple):
        return tuple(value for element in node.elts for value in _constant(module, element))
    for statement in parsed(module).body:
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                if (alias.asname or alias.name) == ast.unparse(node):
                    return _constant(_file(module, statement), ast.Name(alias.name))
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            if isinstance(statement, ast.Assign | ast.AnnAssign) and ast.unparse(node) in map(ast.unparse, names):
                return _constant(module, statement.value) if statement.value is not None else ()
    return ()


def _file(module: Path, statement: ast.ImportFrom) -> Path:
    if statement.level:
        return module.parent / f"{statement.module}.py"
    return Path(*(statement.module or "").split(".")).with_suffix(".py")
