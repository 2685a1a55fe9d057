"""Write and read whole file trees as dictionaries."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Link:
    """A symbolic link to `target`, written as given."""

    target: str


@dataclass(frozen=True)
class Script:
    """An executable file."""

    text: str


@dataclass(frozen=True)
class Pipe:
    """A named pipe."""


@dataclass(frozen=True)
class Folder:
    """An empty directory."""


Tree = Mapping[str, "str | bytes | Link | Script | Pipe | Folder | Mapping[str, Any]"]


def write_tree(root: Path, tree: Tree) -> Path:
    """Create `tree` below `root`: text, bytes, a class above, or a mapping (a directory; JSON for `*.json`)."""
    import json

    root.mkdir(parents=True, exist_ok=True)
    for name, content in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Mapping):
            if name.endswith(".json"):
                path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            else:
                write_tree(path, content)
        elif isinstance(content, Link):
            path.symlink_to(content.target)
        elif isinstance(content, Pipe):
            os.mkfifo(path)
        elif isinstance(content, Folder):
            path.mkdir()
        elif isinstance(content, Script):
            path.write_text(content.text, encoding="utf-8")
            path.chmod(0o755)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")
    return root


def read_tree(root: Path) -> dict[str, tuple[bytes, bool]]:
    """Every file below `root`: relative path -> (bytes, executable). A link is `(b"-> target", False)`."""
    found: dict[str, tuple[bytes, bool]] = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            key = path.relative_to(root).as_posix()
            if path.is_symlink():
                found[key] = (b"-> " + os.fsencode(os.readlink(path)), False)
            else:
                found[key] = (path.read_bytes(), os.access(path, os.X_OK))
    return dict(sorted(found.items()))
