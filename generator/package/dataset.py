"""`dataset.toml`: the tasks of an output directory as one dataset, in the form that Harbor reads and rewrites.

A file of ours says so itself, by a seal over what it was made from. Digests of tasks stand outside the seal, since
Harbor brings those up to date when it publishes; so do `files` and `metadata` that somebody added, which are kept.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from generator.package.model import DEFAULT_ORG
from generator.package.render import toml_bytes
from generator.scenario.names import is_harbor_name

DATASET: Final = "dataset.toml"
_SEAL: Final = "harborsmith"  # our table in `[metadata]`
_OURS: Final = ("dataset", "tasks", "metadata")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """What a dataset is known by.

    Attributes:
        name: `ORG/NAME`.
        version: Any text; None for none.
        description: One line.
        authors: Names.
    """

    name: str
    version: str | None = None
    description: str = ""
    authors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A task of a dataset: name (`ORG/NAME`) and Harbor's content digest (`sha256:` and hexadecimal digits)."""

    name: str
    digest: str


def dataset_name(text: str, org: str) -> str | None:
    """`text` as `ORG/NAME`, with `org` where it names none; None when Harbor would not take it as a name."""
    name = text if "/" in text else f"{org}/{text}"
    return name if all(map(is_harbor_name, name.split("/"))) and name.count("/") == 1 else None


def is_one_line(text: str) -> bool:
    """Whether `text` can be a version or a description: no control characters, which no listing shows well."""
    return not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in text)


def is_placeholder(name: str) -> bool:
    """Whether a name begins with the organisation that stands for none."""
    return name.partition("/")[0].lower() == DEFAULT_ORG


def dataset_table(dataset: Dataset, members: Iterable[Member], standing: Mapping[str, Any]) -> dict[str, Any]:
    """The whole document; what `standing` (the one to be replaced, or nothing) holds beside our parts is kept."""
    info: dict[str, Any] = {"name": dataset.name}
    if dataset.version is not None:
        info["version"] = dataset.version
    info["description"] = dataset.description
    # Harbor writes empty ones as well, so they are no difference to what it would write.
    info["authors"] = [{"name": name} for name in dataset.authors]
    info["keywords"] = []
    tasks = [{"name": member.name, "digest": member.digest} for member in sorted(members, key=lambda one: one.name)]
    others = {key: value for key, value in standing.items() if key not in _OURS}
    metadata = {**standing.get("metadata", {}), _SEAL: {"seal": _seal(info, tasks)}}
    return {"dataset": info, "tasks": tasks, **others, "metadata": metadata}


def dataset_bytes(table: Mapping[str, Any]) -> bytes:
    """The document as it is written."""
    return toml_bytes(table)


def read_dataset(data: bytes) -> dict[str, Any] | str:
    """The document in `data` when it is one of ours that nobody edited, else why it is not."""
    import tomllib

    try:
        document = tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        return "it is not TOML"
    try:
        seal = document["metadata"][_SEAL]["seal"]
    except (KeyError, TypeError):
        return "harborsmith did not write it"
    try:
        same = seal == _seal(document["dataset"], document["tasks"]) and bool(_meaning(document))
    except (KeyError, TypeError, AttributeError):  # somebody gave a part of it another shape
        same = False
    return document if same else "its dataset or its list of tasks was edited"


def same_dataset(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two documents say the same, however they are laid out."""
    return _meaning(one) == _meaning(other)


def _meaning(document: Mapping[str, Any]) -> dict[str, Any]:
    tasks = sorted((task["name"], task["digest"]) for task in document["tasks"])
    others = {key: value for key, value in document.items() if key not in ("dataset", "tasks")}
    return {"dataset": _stated(document["dataset"]), "tasks": tasks, **others}


def _stated(info: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in info.items() if value}


def _seal(info: Mapping[str, Any], tasks: Iterable[Mapping[str, Any]]) -> str:
    sealed = [_stated(info), sorted(task["name"] for task in tasks)]
    return f"sha256:{hashlib.sha256(json.dumps(sealed, sort_keys=True).encode()).hexdigest()}"
