"""The repository itself, for tests that hold its rules."""

from __future__ import annotations

import ast
import os
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_CACHES = {".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"}
_NOT_OURS = {*_CACHES, ".git", "dist", "generated", "site"}


@cache
def files() -> tuple[Path, ...]:
    """Every file people wrote, relative to the top: no environments, caches or outputs."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        top = Path(folder) == ROOT
        folders[:] = [name for name in folders if not (name in _NOT_OURS or (top and name.startswith(".venv")))]
        # In a worktree `.git` is a file.
        ours = (name for name in names if name not in _NOT_OURS and not (top and name.startswith(".coverage")))
        found += [Path(folder, name).relative_to(ROOT) for name in ours]
    return tuple(sorted(path for path in found if not (ROOT / path).is_symlink()))


@cache
def modules() -> tuple[Path, ...]:
    """Every module of the product, relative to the top."""
    return tuple(path for path in files() if path.parts[0] == "generator" and path.suffix == ".py")


@cache
def parsed(module: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse((ROOT / module).read_text(encoding="utf-8"), str(module))
