"""Take single fields out of a reviewer's answer: what is well-formed is kept, what is not is dropped and listed."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

STATUSES: Tuple[str, ...] = ("passed", "failed", "review", "infra_failed")
CONFIDENCES: Tuple[str, ...] = ("low", "medium", "high")
CRITERION_STATUSES: Tuple[str, ...] = ("passed", "failed", "partial", "not_applicable", "review")
JUDGE_KINDS: Tuple[str, ...] = ("fixture", "command", "model", "hybrid")

Json = Dict[str, Any]
Make = Callable[[Any, str], Optional[Any]]


def number(value: Any) -> Optional[float]:
    """A finite number, or None; `true` is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return value if math.isfinite(value) else None
    except OverflowError:
        return None


def clamp(value: float) -> float:
    """The value moved into [0, 1]."""
    return min(1, max(0, value))


def filled(value: Any) -> bool:
    """Whether it is a text with something in it."""
    return isinstance(value, str) and bool(value.strip())


class Fields:
    """Reads the members of one answer and remembers in `warnings` what it had to drop."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        """Read from `value`."""
        self.value = value
        self.warnings: List[str] = []

    def drop(self, where: str, why: str) -> None:
        """Remember that a part was dropped."""
        self.warnings.append(f"{where} dropped: {why}")

    def one_of(self, name: str, allowed: Sequence[str], default: str) -> str:
        """A text out of a list, else the default."""
        return self.choice(self.value, name, name, allowed, default)

    def choice(self, value: Mapping[str, Any], name: str, where: str, allowed: Sequence[str], default: str) -> str:
        """`one_of` in any object."""
        found = value.get(name)
        if found in allowed and isinstance(found, str):
            return found
        if found is not None:
            self.drop(where, f"{found!r:.60} is none of {', '.join(allowed)}; {default} is taken")
        return default

    def items(self, holder: Mapping[str, Any], name: str, where: str, make: Make) -> List[Any]:
        """The members of a list that `make` accepts."""
        found = holder.get(name)
        if found is None:
            return []
        if not isinstance(found, list):
            self.drop(where, "it is no list")
            return []
        made = [make(item, f"{where}[{index}]") for index, item in enumerate(found)]
        return [item for item in made if item is not None]

    def text(self, item: Any, where: str) -> Optional[str]:
        """A text."""
        if isinstance(item, str):
            return item
        self.drop(where, "it is no text")
        return None

    def evidence(self, item: Any, where: str) -> Optional[Json]:
        """A piece of evidence: needs `kind` and `ref`."""
        if not isinstance(item, dict) or not filled(item.get("kind")) or not filled(item.get("ref")):
            self.drop(where, "it needs the texts kind and ref")
            return None
        return {"kind": item["kind"], "ref": item["ref"], "summary": self.optional_text(item, "summary", where) or ""}

    def optional_text(self, item: Mapping[str, Any], name: str, where: str) -> Optional[str]:
        """A text that may be missing."""
        found = item.get(name)
        if found is None or isinstance(found, str):
            return found
        self.drop(f"{where}.{name}", "it is no text")
        return None

    def command(self, item: Any, where: str) -> Optional[Json]:
        """A command the reviewer ran: needs `command`; a missing exit status is 0, a malformed one drops it."""
        if not isinstance(item, dict) or not filled(item.get("command")):
            self.drop(where, "it needs the text command")
            return None
        code = number(item.get("exitCode", 0))
        if code is None:
            self.drop(where, "exitCode is no number")
            return None
        return {
            "command": item["command"],
            "exitCode": code,
            "summary": self.optional_text(item, "summary", where) or "",
        }

    def criterion(self, item: Any, where: str) -> Optional[Json]:
        """The result of one criterion; an unknown status counts as failed."""
        if not isinstance(item, dict):
            self.drop(where, "it is no object")
            return None
        fallback = f"criterion-{int(where.rsplit('[', 1)[1][:-1]) + 1}"
        name = item["id"] if filled(item.get("id")) else fallback
        description = item["description"] if filled(item.get("description")) else name
        made: Json = {
            "id": name,
            "description": description,
            "status": self.choice(item, "status", f"{where}.status", CRITERION_STATUSES, "failed"),
            "score": clamp(self.score(item, "score", where) or 0),
        }
        weight = self.score(item, "weight", where)
        notes = self.optional_text(item, "notes", where)
        evidence = self.items(item, "evidenceRefs", f"{where}.evidenceRefs", self.evidence)
        extras = {"weight": weight, "notes": notes, "evidenceRefs": evidence or None}
        return {**made, **{key: value for key, value in extras.items() if value is not None}}

    def score(self, item: Mapping[str, Any], name: str, where: str) -> Optional[float]:
        """A finite number that may be missing."""
        found = item.get(name)
        made = number(found)
        if found is not None and made is None:
            self.drop(f"{where}.{name}", "it is no number")
        return made

    def judge(self, item: Any, where: str) -> Optional[Json]:
        """Who judged; without a known kind there is none."""
        if not isinstance(item, dict) or item.get("kind") not in JUDGE_KINDS:
            self.drop(where, f"its kind is none of {', '.join(JUDGE_KINDS)}")
            return None
        made = {"kind": item["kind"]}
        made.update({name: item[name] for name in ("model", "version") if filled(item.get(name))})
        return made

    def vote(self, item: Any, where: str) -> Optional[Json]:
        """One judge's vote; without a judge there is none."""
        judge = self.judge(item.get("judge"), f"{where}.judge") if isinstance(item, dict) else None
        if judge is None:
            self.drop(where, "it has no valid judge")
            return None
        made: Json = {
            "judge": judge,
            "status": self.choice(item, "status", f"{where}.status", STATUSES, "infra_failed"),
            "confidence": self.choice(item, "confidence", f"{where}.confidence", CONFIDENCES, "medium"),
            "rationale": self.optional_text(item, "rationale", where) or "",
            "evidenceRefs": self.items(item, "evidenceRefs", f"{where}.evidenceRefs", self.evidence),
        }
        weight = self.score(item, "weight", where)
        if weight is not None and weight > 0:
            made["weight"] = weight
        return made

    def mapping(self, name: str, make: Callable[[Any], Optional[Any]], what: str) -> Json:
        """The values of an object that `make` accepts; the others are listed as not being `what`."""
        found = self.value.get(name)
        if found is None:
            return {}
        if not isinstance(found, dict):
            self.drop(name, "it is no object")
            return {}
        made = {key: make(item) for key, item in found.items()}
        for key in (key for key, item in made.items() if item is None):
            self.drop(f"{name}.{key}", f"it is no {what}")
        return {key: item for key, item in made.items() if item is not None}
