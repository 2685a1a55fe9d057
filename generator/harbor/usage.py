"""What an agent says its turns have used, added up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.runtime.fields import filled, number


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and US dollars of one or more turns; None where nobody stated them."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


def usage_of(fields: Mapping[str, Any]) -> Usage:
    """The `usage` that a result file of version 1 states; what is no number counts as unsaid."""
    stated = fields.get("usage")
    values = stated if isinstance(stated, dict) else {}

    def count(name: str) -> int | None:
        found = number(values.get(name))
        return None if found is None or found < 0 else int(found)

    cost = number(values.get("costUsd"))
    return Usage(count("inputTokens"), count("outputTokens"), None if cost is None or cost < 0 else float(cost))


def total(parts: Sequence[Usage]) -> Usage:
    """The sum; a part that does not state a figure adds nothing to it."""
    tokens = [(part.input_tokens, part.output_tokens) for part in parts]
    inputs = [given for given, _ in tokens if given is not None]
    outputs = [made for _, made in tokens if made is not None]
    costs = [part.cost_usd for part in parts if part.cost_usd is not None]
    return Usage(sum(inputs) if inputs else None, sum(outputs) if outputs else None, sum(costs) if costs else None)


def model_of(fields: Mapping[str, Any]) -> str | None:
    """The model that a result file names, as `provider/model` when it names both."""
    stated = fields.get("model")
    values = stated if isinstance(stated, dict) else {}
    named = [values[key] for key in ("provider", "model") if filled(values.get(key))]
    return "/".join(named) if filled(values.get("model")) else None
