"""What no package may hold, whatever the rules let through before: the last look before anything is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from generator.diagnostics.model import Finding
from generator.package.model import PlannedFile
from generator.scenario.names import fold
from generator.source.tree import Kind

if TYPE_CHECKING:
    from generator.formats.loaded import LoadedScenario
    from generator.scenario.model import Environment, Scenario

# A Dockerfile line gets nothing but these. They are the published patterns; a test holds them to the schema's.
TOKENS: Final = {
    "image": re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]*", re.ASCII),
    "workdir": re.compile(r"(?:/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._-]+)+", re.ASCII),
    "user": re.compile(r"(?!(?:root|nobody)\Z)[a-z_][a-z0-9_-]{0,31}", re.ASCII),
    "package": re.compile(r"[a-z0-9][a-z0-9+.-]*[a-z0-9+.](?:=[A-Za-z0-9.+~:-]+)?", re.ASCII),
    "environment variable": re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII),
}

# git never stores the first; the second would make Harbor leave files out of what it uploads and publishes.
_NEVER: Final = frozenset({".git", ".harborignore"})


def unusable_entries(loaded: LoadedScenario) -> Iterator[Finding]:
    """Declared paths where something other than files and directories lies."""
    for entries in loaded.files.values():
        for entry in entries:
            if entry.kind not in (Kind.FILE, Kind.DIRECTORY):
                detail = f" ({entry.detail})" if entry.detail else ""
                yield Finding(
                    "package_asset_unusable",
                    "",
                    f"{entry.path!r} cannot be packaged: {entry.kind.value}{detail}",
                    "declare regular files and directories that lie in the scenario directory",
                )


def unsafe_tokens(scenario: Scenario) -> Iterator[Finding]:
    """Values that would enter a Dockerfile or a script without matching their pattern in full."""
    environment = scenario.workspace.environment
    yield from _tokens("environment", environment)
    if scenario.review.environment is not None:
        yield from _tokens("evaluation/environment", scenario.review.environment)
    for name in scenario.review.env:
        yield from _token("environment variable", name, "/evaluation/env")


def _tokens(place: str, environment: Environment) -> Iterator[Finding]:
    if environment.image is not None:
        yield from _token("image", environment.image, f"/{place}/image")
    for name in environment.packages:
        yield from _token("package", name, f"/{place}/packages")
    yield from _token("workdir", environment.workdir, f"/{place}/workdir")
    yield from _token("user", environment.user, f"/{place}/user")


def _token(kind: str, value: str, pointer: str) -> Iterator[Finding]:
    if TOKENS[kind].fullmatch(value) is None:
        yield Finding("package_token_unsafe", pointer, f"{value!r} is no {kind} that may stand in a Dockerfile")


def clashes(files: Iterable[PlannedFile]) -> Iterator[Finding]:
    """Paths that would be one where case or Unicode form do not count; names that are never kept."""
    seen: dict[str, tuple[str, bool]] = {}
    for file in files:
        if not _NEVER.isdisjoint(file.path.split("/")):
            yield Finding(
                "package_name_reserved",
                "",
                f"{file.path!r} would change what git or Harbor keeps of the package",
                "leave .git and .harborignore out of what the scenario declares",
            )
        for path in _with_parents(file.path):
            now = (path, path == file.path)
            before = seen.setdefault(fold(path), now)
            if before != now:
                yield Finding(
                    "package_path_clash",
                    "",
                    f"{before[0]!r} and {path!r} cannot both stand in one package",
                    "rename one of them",
                )
            elif before is not now:  # the directory has been seen, and with it all that are above it
                break


def _with_parents(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition("/")[0]
