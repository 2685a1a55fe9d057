"""Write a report where its reader wants it."""

from __future__ import annotations

from pathlib import Path


def write_file(path: Path, text: str, *, append: bool = False) -> str | None:
    """Write a report to a file, and give the system's complaint when it does not let us."""
    try:
        with path.open("a" if append else "w", encoding="utf-8", errors="backslashreplace", newline="\n") as handle:
            handle.write(text)
    except OSError as error:
        return f"{path}: {error.strerror or error}"
    return None
