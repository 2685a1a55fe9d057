"""Turn templates and tables into bytes. Author text never gets here: only numbers, flags and checked tokens do."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from generator.package import layout
from generator.resources import data_folder

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from generator.scenario.model import Environment

# The release is pinned; its point releases bring security fixes and no new versions. `environment.image` takes a digest
# where every byte must stay.
DEFAULT_IMAGE: Final = "debian:bookworm-slim"

# Stands for the collect script in a table that `task_bytes` writes. As long as a line, so that the writer gives the
# table that holds it lines of its own, as it does for the script.
COLLECT: Final = "@" * 100


def dockerfile(name: str, environment: Environment, workdir: str, user: str, *, workspace: bool, git: bool) -> bytes:
    """The Dockerfile `name` (`environment` or `tests`): image, packages and setup of `environment`, the rest as given.

    Every text must match its pattern (`refusals.unsafe_tokens`).
    """
    template = _templates().get_template(f"{name}/Dockerfile.j2")
    return template.render(
        image=environment.image or DEFAULT_IMAGE,
        packages=bool(environment.packages),
        setup=environment.setup is not None,
        workdir=workdir,
        user=user,
        uid=layout.AGENT_UID,
        workspace=workspace,
        git=git,
    ).encode()


def collect_script(workdir: str) -> str:
    """The shell script that ends the agent's processes and archives `workdir` (absolute path)."""
    return f"workdir={shlex.quote(workdir)}\n{constant('collect.sh').decode()}"


@cache
def constant(name: str) -> bytes:
    """A file of the task templates that is the same in every package."""
    return (data_folder("templates") / "task" / name).read_bytes()


def json_bytes(document: Mapping[str, Any]) -> bytes:
    """JSON as we write it: two spaces, keys in their given order, text as it is, a final newline."""
    return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def task_bytes(table: Mapping[str, Any], workdir: str) -> bytes:
    """`task.toml`: keys in their given order, every string on one line; `COLLECT` as a command is the collect script.

    Escaping that script takes longer than all the rest, so it is done once. No text of an author can be taken for the
    place it goes to: inside a string, a quotation mark has a backslash before it.
    """
    place, command = _command(COLLECT), _command(collect_script(workdir))
    return toml_bytes(table).replace(place, command, 1)


@cache
def _command(text: str) -> bytes:
    return toml_bytes({"command": text}).rstrip(b"\n")


def toml_bytes(document: Mapping[str, Any]) -> bytes:
    """TOML as we write it: keys in their given order, every string on one line."""
    import tomli_w

    return tomli_w.dumps(document, multiline_strings=False).encode()


@cache
def _templates() -> ImmutableSandboxedEnvironment:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(data_folder("templates") / "task"),
        undefined=StrictUndefined,
        autoescape=False,  # no HTML, and only checked tokens are printed
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )


def _printable(value: object) -> object:
    if not isinstance(value, (str, int)):
        raise TypeError(f"a template may print texts and numbers, not {value!r}")
    return value
