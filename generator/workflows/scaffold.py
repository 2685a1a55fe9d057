"""First files of a pack, a scenario, an agent or a reviewer: complete, valid at once, and never over what is there.

Templates hold `@NAME@`-like marks, which are replaced as they stand: no engine, and nothing a template could execute.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from generator import __version__
from generator.formats.discovery import DOCUMENT
from generator.resources import data_folder
from generator.scenario.names import id_problem
from generator.workflows.schemas import schema_text
from generator.workflows.suggest import BUILT_IN, Usual
from generator.workflows.trying import judges_itself, try_agent, try_reviewer

# Kind -> templates, the first of them when none is named.
TEMPLATES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "scenario": ("judge", "checks", "hybrid"),
        "agent": ("generic", "claude-code", "codex", "gemini", "aider"),
        "reviewer": ("command", "model", "human"),
    }
)
# Where each file of `templates/new/pack` goes.
_PACK: Final = {
    "harborsmith.toml": "harborsmith.toml",
    "gitignore": ".gitignore",
    "vscode.json": ".vscode/settings.json",
    "workflow.yml": ".github/workflows/scenarios.yml",
}
_SCHEMAS: Final = ("scenario-v2", "config")
_CACHE: Final = "__pycache__"


@dataclass(frozen=True, slots=True)
class Planned:
    """One file to make: its bytes, and whether it may be executed."""

    content: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What came of it.

    Attributes:
        folder: Where everything lies.
        files: Files that were written, relative to `folder`, sorted.
        kept: Files that were there and stay as they are.
        next_commands: What to type next.
    """

    folder: Path
    files: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    next_commands: tuple[str, ...] = ()


def init(folder: Path) -> Made | str:
    """Make a pack in `folder`; files that are there already are kept.

    Returns:
        What was made, or why not: the folder is a pack already, or cannot be written to.
    """
    if os.path.lexists(folder / "harborsmith.toml"):
        return f"{folder / 'harborsmith.toml'} is there already: this is a pack"
    source = data_folder("templates") / "new/pack"
    marks = {"VERSION": __version__}
    planned = {target: Planned(_filled(source / name, marks)) for name, target in _PACK.items()}
    for name in _SCHEMAS:
        planned[f"schemas/{name}.schema.json"] = Planned((schema_text(name) or "").encode())
    planned["scenarios/.gitkeep"] = Planned(b"")
    kept = tuple(sorted(name for name in planned if os.path.lexists(folder / name)))
    fault = _write(folder, {name: file for name, file in planned.items() if name not in kept})
    if fault:
        return fault
    enter = () if folder.absolute() == Path.cwd() else (f"cd {shlex.quote(str(folder))}",)
    commands = (*enter, "harborsmith new scenario my-task", "harborsmith validate", "harborsmith generate")
    files = tuple(sorted(planned.keys() - set(kept)))
    return Made(folder=folder, files=files, kept=kept, next_commands=commands[:3])


def new_scenario(
    name: str,
    template: str,
    parent: Path,
    bundled: str | None = None,
    *,
    today: date | None = None,
    usual: Usual = BUILT_IN,
) -> Made | str:
    """Make a scenario from a template, or from one that ships with Harborsmith."""
    source = data_folder("templates") / "new/scenario" / template
    if bundled is not None:
        source = data_folder("scenarios") / bundled
    day = (today or datetime.now(UTC).date()).isoformat()
    planned = _template(source, {"NAME": name, "TITLE": name.replace("-", " ").capitalize(), "DATE": day})
    if bundled is not None:
        planned[DOCUMENT] = Planned(_renamed(planned[DOCUMENT].content, name, bundled, day))
    folder = parent / name
    place = "" if parent == usual.scenario_dir else f" --scenario-dir {shlex.quote(str(parent))}"
    judged = judges_itself(json.loads(planned[DOCUMENT].content))
    commands = (
        f"harborsmith validate{place} --scenario {name}",
        f"harborsmith generate{place} --scenario {name}",
        f"harborsmith run{place} --scenario {name} --agent oracle" if judged else "harborsmith new reviewer my-judge",
    )
    return _new(name, folder, planned, commands)


def new_agent(name: str, template: str, parent: Path, usual: Usual = BUILT_IN) -> Made | str:
    """Make an agent from a template."""
    planned = _template(data_folder("templates") / "new/agent" / template, {"NAME": name})
    given: dict[str, Any] = json.loads(planned["agent.json"].content)
    folder = parent / name
    options = [f"--agent {_program(folder)}"]
    options += [f"--allow-agent-host {host}" for host in given["hosts"]]
    options += [f"--agent-env {variable}" for variable in given["env"]]
    commands = (
        f"${{EDITOR:-vi}} {_program(folder)}/run",
        f"${{EDITOR:-vi}} {_program(folder)}/agent.json",
        *try_agent(options, usual),
    )
    return _new(name, folder, planned, commands)


def new_reviewer(name: str, template: str, parent: Path, usual: Usual = BUILT_IN) -> Made | str:
    """Make a reviewer from a template."""
    planned = _template(data_folder("templates") / "new/reviewer" / template, {"NAME": name})
    folder = parent / name
    commands = (
        f"${{EDITOR:-vi}} {_program(folder)}/run",
        *try_reviewer(_program(folder), usual),
    )
    return _new(name, folder, planned, commands)


def bundled_scenarios() -> tuple[str, ...]:
    """Names of the scenarios that ship with Harborsmith, sorted."""
    return tuple(sorted(file.parent.name for file in data_folder("scenarios").glob(f"*/{DOCUMENT}")))


def _new(name: str, folder: Path, planned: Mapping[str, Planned], commands: tuple[str, ...]) -> Made | str:
    if reason := id_problem(name):
        return f"{name!r} does not fit: {reason}"
    if os.path.lexists(folder):
        return f"{folder} is there already; write another name, or remove it"
    fault = _write(folder, planned)
    return fault or Made(folder=folder, files=tuple(sorted(planned)), next_commands=commands)


def _template(source: Path, marks: Mapping[str, str]) -> dict[str, Planned]:
    """The files below `source`, with their marks replaced; a `run` is a program, however it was installed."""
    return {
        file.relative_to(source).as_posix(): Planned(
            _filled(file, marks), executable=file.name == "run" or os.access(file, os.X_OK)
        )
        for file in _files(source)
    }


def _files(source: Path) -> Iterator[Path]:
    return (file for file in sorted(source.rglob("*")) if file.is_file() and _CACHE not in file.parts)


def _filled(file: Path, marks: Mapping[str, str]) -> bytes:
    content = file.read_bytes()
    for name, value in marks.items():
        content = content.replace(f"@{name}@".encode(), value.encode())
    return content


def _renamed(content: bytes, name: str, bundled: str, day: str) -> bytes:
    """The document of a bundled scenario as one of the author's own, which nobody has published yet."""
    made: dict[str, Any] = json.loads(content)
    made["id"] = name
    made["title"] = f"{made['title']} ({name})"
    made["metadata"] |= {
        "scenarioVersion": "0.1.0",
        "createdAt": day,
        "updatedAt": day,
        "visibility": "private",
        "provenance": f"Started from the scenario {bundled} that ships with Harborsmith {__version__}.",
        "changelog": [f"0.1.0: copied from {bundled}."],
    }
    return (json.dumps(made, indent=2, ensure_ascii=False) + "\n").encode()


def _write(folder: Path, planned: Mapping[str, Planned]) -> str | None:
    """Write files that are not there yet, and give the system's complaint when it does not let us."""
    try:
        for name, file in sorted(planned.items()):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as handle:
                handle.write(file.content)
            path.chmod(0o755 if file.executable else 0o644)
    except OSError as error:
        return f"{error.filename or folder}: {error.strerror or error}"
    return None


def _program(folder: Path) -> str:
    """A path that a shell takes for a program, not for a word."""
    shown = str(folder)
    return shlex.quote(shown if os.path.isabs(shown) or shown.startswith("..") else f"./{shown}")  # noqa: PTH117
