"""Where a file lies for tools that know a repository: relative to its top, with `/`, or as an address outside it."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import quote

_KEPT: Final = "/-._~!$&'()*+,;=:@"  # what RFC 3986 lets stand in a path


def relative_to(file: str, root: Path) -> str:
    """A file as a user reads it (relative to the working directory, or absolute), seen from `root`."""
    path = Path(file).absolute()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def uri(file: str, root: Path) -> str:
    """The same as a URI reference; what lies outside `root` gets the scheme `file`."""
    path = relative_to(file, root)
    encoded = quote(path.encode("utf-8", "surrogateescape"), safe=_KEPT)
    if path.startswith("/"):
        return f"file://{encoded}"
    # A colon in the first part would be read as the end of a scheme.
    return f"./{encoded}" if ":" in encoded.partition("/")[0] else encoded
