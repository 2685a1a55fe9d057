"""Keep the operator's secrets out of records: an agent may print what it was given, or write it down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from generator.runtime.agentresult import AgentResult
from generator.runtime.launch import Outcome
from generator.runtime.loop import Completion
from generator.runtime.redact import redacted_bytes

SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.ASCII)
# Settings of a shell session whose values are ordinary words and paths; every other variable may hold a secret.
PLAIN_NAME: Final = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|COLUMNS|LINES|TMPDIR"
    r"|EDITOR|PAGER|DEBUG|LOG_LEVEL|PYTHONPATH|PYTHONUNBUFFERED|NODE_ENV|NODE_PATH|JAVA_HOME|GOPATH|CI|MODE|VERBOSE",
    re.ASCII,
)
SHORTEST: Final = 6  # characters; a shorter value would hide ordinary words, and protects nothing


def secrets_among(variables: Mapping[str, str]) -> dict[str, str]:
    """Those variables whose values are to be kept secret: all that are long enough, without plain settings."""
    return {
        name: value
        for name, value in variables.items()
        if len(value) >= SHORTEST and not PLAIN_NAME.fullmatch(name.upper())
    }


def redacted(outcome: Outcome, secrets: Mapping[str, str]) -> Outcome:
    """The same outcome with every secret value in its output replaced by the variable's name."""
    output = redacted_bytes(outcome.output, secrets)
    return outcome if output == outcome.output else outcome._replace(output=output)


def redacted_result(result: AgentResult, secrets: Mapping[str, str]) -> AgentResult:
    """The same agent result without secret values anywhere in it; its `status` is a word for us and never recorded."""
    return replace(
        result,
        version=_redacted(result.version, secrets),
        fields=_redacted(dict(result.fields), secrets),
        errors=_redacted(result.errors, secrets),
    )


def redacted_completion(completion: Completion, secrets: Mapping[str, str]) -> Completion:
    """The same completion without secret values in what it cites of the agent."""
    return completion._replace(
        source=_redacted(completion.source, secrets), errors=_redacted(completion.errors, secrets)
    )


def _redacted(value: Any, secrets: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return redacted_bytes(value.encode("utf-8", "surrogatepass"), secrets).decode("utf-8", "surrogatepass")
    if isinstance(value, Mapping):
        return {_redacted(key, secrets): _redacted(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_redacted(item, secrets) for item in value)
    return value
