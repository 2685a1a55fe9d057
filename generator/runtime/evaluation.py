"""What a package's review is about: `tests/evaluation.json` as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Tuple, Type, TypeVar, Union

from . import strictjson

VERSION = "harborsmith_evaluation_v1"
AGENTIC, CHECKS_ONLY = "agentic_goal_review", "checks"
MAX_BYTES = 16 * 1024 * 1024

T = TypeVar("T")


class Check(NamedTuple):
    """A command that must exit with `expect_exit` within `seconds`; `restore` paths get their original back first."""

    id: str
    command: Union[str, Tuple[str, ...]]
    expect_exit: int
    seconds: float
    restore: Tuple[str, ...]


class PackagedReviewer(NamedTuple):
    """The reviewer that ships with the package; `{reviewer}` in its command stands for `tests/reviewer`."""

    command: Tuple[str, ...]
    sha256: str


@dataclass(frozen=True)
class Evaluation:
    """The whole document; `private_assets` are paths relative to `tests/`."""

    scenario_id: str
    scenario_title: str
    scenario_version: Optional[str]
    user_prompt: str
    mode: str
    workdir: str
    git: bool
    context: Tuple[str, ...]
    rubric: Tuple[str, ...]
    criteria: Tuple[Mapping[str, str], ...]
    guidance: Tuple[str, ...]
    calibration: Tuple[Mapping[str, Any], ...]
    private_assets: Tuple[str, ...]
    checks: Tuple[Check, ...]
    reviewer: Optional[PackagedReviewer]
    reviewer_seconds: float
    reviewer_env: Tuple[str, ...]
    completion_required: bool
    completion_promise: Optional[str]


def read_evaluation(path: str) -> Evaluation:
    """Read the file.

    Raises:
        ValueError: It is missing or not what its schema says; the message names the member.
    """
    try:
        value = strictjson.read_object(path, MAX_BYTES)
    except FileNotFoundError:
        raise ValueError(f"{path} is missing: this is no tests directory of a package") from None
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}") from None
    return parse_evaluation(value)


def parse_evaluation(value: Mapping[str, Any]) -> Evaluation:
    """The same from a parsed object. Raises ValueError."""
    if value.get("version") != VERSION:
        raise ValueError(f"version is {value.get('version')!r:.60}; this runner reads {VERSION!r}")
    mode = _take(value, "mode", str)
    if mode not in (AGENTIC, CHECKS_ONLY):
        raise ValueError(f"mode is {mode!r:.60}; it is {AGENTIC} or {CHECKS_ONLY}")
    workdir = _take(value, "workdir", str)
    if not workdir.startswith("/") or not workdir.strip("/"):
        raise ValueError(f"workdir is {workdir!r:.60}; it is an absolute path below /")
    checks = _list(value, "checks", _check)
    if mode == CHECKS_ONLY and not checks:
        raise ValueError(f"checks is empty; mode {CHECKS_ONLY} needs at least one")
    completion = _take(value, "completion", dict)
    return Evaluation(
        scenario_id=_take(value, "scenarioId", str),
        scenario_title=_take(value, "scenarioTitle", str),
        scenario_version=_optional(value, "scenarioVersion", str),
        user_prompt=_take(value, "userPrompt", str),
        mode=mode,
        workdir=workdir,
        git=_take(value, "git", bool),
        context=_texts(value, "scenarioContext"),
        rubric=_texts(value, "goalRubric"),
        criteria=_list(value, "criteria", _criterion),
        guidance=_texts(value, "evidenceGuidance"),
        calibration=_list(value, "calibrationCases", _of(dict, "an object")),
        private_assets=_list(value, "privateAssets", _inside),
        checks=checks,
        reviewer=_reviewer(_optional(value, "reviewer", dict)),
        reviewer_seconds=_seconds(value, "reviewerTimeoutSeconds"),
        reviewer_env=_texts(value, "reviewerEnv"),
        completion_required=_take(completion, "required", bool),
        completion_promise=_optional(completion, "promise", str),
    )


_WORDS = {str: "a text", bool: "true or false", dict: "an object", list: "a list", int: "an integer"}


def _take(value: Mapping[str, Any], name: str, kind: Type[T]) -> T:
    found = value.get(name)
    if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        raise ValueError(f"{name} is {'missing' if name not in value else 'malformed'}; it is {_WORDS[kind]}")
    return found


def _optional(value: Mapping[str, Any], name: str, kind: Type[T]) -> Optional[T]:
    return None if value.get(name) is None else _take(value, name, kind)


def _seconds(value: Mapping[str, Any], name: str) -> float:
    found = value.get(name)
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not found > 0:
        raise ValueError(f"{name} is malformed; it is a number of seconds above 0")
    return found


def _list(value: Mapping[str, Any], name: str, make: Callable[[Any], T]) -> Tuple[T, ...]:
    made = []
    for index, item in enumerate(_take(value, name, list)):
        try:
            made.append(make(item))
        except ValueError as problem:
            raise ValueError(f"{name}[{index}]: {problem}") from None
    return tuple(made)


def _of(kind: Type[T], words: str) -> Callable[[Any], T]:
    def make(item: Any) -> T:
        if not isinstance(item, kind):
            raise ValueError(f"it is {words}")
        return item

    return make


def _texts(value: Mapping[str, Any], name: str) -> Tuple[str, ...]:
    return _list(value, name, _of(str, "a text"))


def _inside(item: Any) -> str:
    """A relative path that stays below its directory."""
    if not isinstance(item, str) or not item or item.startswith("/") or ".." in item.split("/"):
        raise ValueError(f"{item!r:.60} is no relative path that stays inside")
    return item


def _criterion(item: Any) -> Dict[str, str]:
    held = _of(dict, "an object")(item)
    return {"id": _take(held, "id", str), "text": _take(held, "text", str)}


def _check(item: Any) -> Check:
    held = _of(dict, "an object")(item)
    command = held.get("command")
    return Check(
        id=_take(held, "id", str),
        command=command if isinstance(command, str) else _texts(held, "command"),
        expect_exit=_take(held, "expectExit", int),
        seconds=_seconds(held, "timeoutSeconds"),
        restore=_list(held, "restore", _inside),
    )


def _reviewer(value: Optional[Mapping[str, Any]]) -> Optional[PackagedReviewer]:
    if value is None:
        return None
    command = _texts(value, "command")
    if not command:
        raise ValueError("reviewer.command is empty; it is a list that begins with a program")
    return PackagedReviewer(command, _take(value, "sha256", str))
