"""Keep the operator's secrets out of records: an agent may print what it was given, or write it down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from generator.runtime.agentresult import AgentResult
from generator.runtime.launch import Outcome
from generator.runtime.loop import Completion
from generator.runtime.redact import redacted_bytes, redacted_value

SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.ASCII)


def redacted(outcome: Outcome, secrets: Mapping[str, str]) -> Outcome:
    """The same outcome with every secret value in its output replaced by the variable's name."""
    output = redacted_bytes(outcome.output, secrets)
    return outcome if output == outcome.output else outcome._replace(output=output)


def redacted_result(result: AgentResult, secrets: Mapping[str, str]) -> AgentResult:
    """The same agent result without secret values anywhere in it; its `status` is a word for us and never recorded."""
    return replace(
        result,
        version=redacted_value(result.version, secrets),
        fields=redacted_value(dict(result.fields), secrets),
        errors=redacted_value(result.errors, secrets),
    )


def redacted_completion(completion: Completion, secrets: Mapping[str, str]) -> Completion:
    """The same completion without secret values in what it cites of the agent."""
    return completion._replace(
        source=redacted_value(completion.source, secrets), errors=redacted_value(completion.errors, secrets)
    )
