"""Read the result file an agent may leave after a turn (`ruhroh_run_agent_result_v1` and `_v2`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple

from . import strictjson

V1 = "ruhroh_run_agent_result_v1"
V2 = "ruhroh_run_agent_result_v2"
MAX_BYTES = 4 * 1024 * 1024
_TEXTS = (
    "sessionId",
    "runId",
    "threadId",
    "adapterVersion",
    "eventLogPath",
    "jobInputPath",
    "jobOutputPath",
    "finalizationStatus",
)
_OBJECTS_V1 = ("model", "usage")
_OBJECTS_V2 = ("model", "adapterManifest", "resourceBudgetOutcome")
_LISTS_V2 = ("economicsObservations", "economicTraceSpans")


@dataclass(frozen=True)
class AgentResult:
    """What an agent wrote about its turn.

    Attributes:
        version: The version it names; None without a file or a version.
        status: Its own word on the goal; empty without one.
        fields: The known, well-formed members. Its `artifacts` are extra paths and never replace one of ours.
        errors: What could not be used, as recorded in `protocolErrors`.
    """

    version: Optional[str] = None
    status: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    errors: Tuple[str, ...] = ()


def read_agent_result(path: str) -> AgentResult:
    """The result file of a turn; a missing one is empty, a broken one an entry in `errors`. Never follows links."""
    try:
        value = strictjson.read_object(path, MAX_BYTES)
    except FileNotFoundError:
        return AgentResult()
    except ValueError as problem:
        return AgentResult(errors=(f"the result file is not one JSON object: {problem}",))
    return parse_agent_result(value)


def parse_agent_result(value: Mapping[str, Any]) -> AgentResult:
    """The same from a parsed object."""
    version = value.get("version")
    if version is not None and version not in (V1, V2):
        named = version if isinstance(version, str) else None
        return AgentResult(named, errors=(f"unknown version {version!r:.60}; known are {V1} and {V2}",))
    errors = []
    objects, lists = (_OBJECTS_V2, _LISTS_V2) if version == V2 else (_OBJECTS_V1, ())
    kept: Dict[str, Any] = {}
    wanted = [
        (_TEXTS, str, "a text"),
        (objects, dict, "an object"),
        (lists, list, "a list"),
        (("artifacts",), dict, "an object"),
    ]
    for names, kind, words in wanted:
        for name in names:
            if isinstance(value.get(name), kind):
                kept[name] = value[name]
            elif value.get(name) is not None:
                errors.append(f"{name} is not {words}")
    if "finalizedPayload" in value:
        kept["finalizedPayload"] = value["finalizedPayload"]
    status = value.get("status")
    if status is not None and not isinstance(status, str):
        errors.append("status is not a text")
    return AgentResult(version, status if isinstance(status, str) else "", kept, tuple(errors))
