"""`agent.json` beside an agent: what it calls itself, what it can keep between turns, what it needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from generator.execute.refusal import Refused
from generator.resources import data_folder
from generator.source.tree import Kind, Refusal, Tree

FILE_NAME: Final = "agent.json"
MAX_BYTES: Final = 64 * 1024
# What an agent keeps from one turn to the next, weakest first (the published enumeration).
CONTINUITY: Final = ("workspace_only", "workspace_plus_transcript", "native_session")


class AgentFile(NamedTuple):
    """The stated facts. `env` holds names of variables it wants from the operator, `hosts` hosts it talks to."""

    id: str | None = None
    version: str | None = None
    continuity: str = CONTINUITY[0]
    tools: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read_agent_file(folder: Path) -> AgentFile | Refused:
    """Read `agent.json` in `folder`; without one the defaults hold. Unknown members become warnings."""
    data = Tree(folder).read(FILE_NAME, MAX_BYTES)
    if isinstance(data, Refusal):
        if data.kind is Kind.MISSING:
            return AgentFile()
        return _refused(folder, f"it cannot be read: {data.kind.value}{data.detail and ', ' + data.detail}")
    # Most agents are a file without one; they need no reader of documents.
    from generator.source.document import Document, read_document

    document = read_document(data, FILE_NAME)
    if not isinstance(document, Document):
        return _refused(folder, document[0].message)
    value = document.value
    problem = _problem(value)
    if problem is not None:
        return _refused(folder, problem)
    known = ("id", "version", "continuity", "tools", "hosts", "env")
    unknown = [name for name in value if name not in (*known, "$schema")]
    return AgentFile(
        id=value["id"],
        version=value.get("version"),
        continuity=value.get("continuity", CONTINUITY[0]),
        tools=tuple(value.get("tools", ())),
        hosts=tuple(value.get("hosts", ())),
        env=tuple(value.get("env", ())),
        warnings=tuple(
            f"{folder / FILE_NAME}: unknown member {name!r}; known are {', '.join(known)}" for name in unknown
        ),
    )


def _problem(value: Mapping[str, Any]) -> str | None:
    """What the schema says against it, as one sentence."""
    import jsonschema
    from jsonschema.exceptions import best_match
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    from generator.formats.schemas import V2, schema

    own = json.loads((data_folder("schemas") / "agent.schema.json").read_bytes())
    shared = schema(V2)
    registry: Any = Registry().with_resource(shared["$id"], DRAFT202012.create_resource(shared))
    error = best_match(jsonschema.Draft202012Validator(own, registry=registry).iter_errors(value))
    if error is None:
        return None
    place = "/".join(str(part) for part in error.absolute_path)
    return f"/{place}: {error.message}"


def _refused(folder: Path, why: str) -> Refused:
    return Refused("agent_file_invalid", f"{folder / FILE_NAME}: {why}", "`harborsmith schema agent` prints its schema")
