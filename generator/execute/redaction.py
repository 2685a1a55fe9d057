"""Keep the operator's secrets out of records: an agent may print what it was given, or write it down."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from generator.runtime.agentresult import AgentResult
from generator.runtime.launch import Outcome
from generator.runtime.loop import Completion
from generator.runtime.trees import FILE, open_file, walk

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
    return outcome if output == outcome.output else replace(outcome, output=output)


def redacted_bytes(data: bytes, secrets: Mapping[str, str]) -> bytes:
    """The same bytes without secret values, also as JSON writes them; longer values go first."""
    for name, value in sorted(secrets.items(), key=lambda item: -len(item[1])):
        for form in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]):
            data = data.replace(form.encode("utf-8", "surrogateescape"), f"[value of {name}]".encode())
    return data


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
    return replace(
        completion, source=_redacted(completion.source, secrets), errors=_redacted(completion.errors, secrets)
    )


def redact_files(folder: str, secrets: Mapping[str, str]) -> None:
    """Rewrite the regular files below `folder`, which nobody else uses any more, without secret values.

    Raises:
        OSError: A file that holds one cannot be rewritten.
    """
    for entry in walk(folder, mend=True) if secrets else ():
        if entry.kind == FILE:
            _redact_file(os.path.join(folder, entry.path), entry.mode, secrets)


def _redact_file(path: str, mode: int, secrets: Mapping[str, str]) -> None:
    try:
        with open(open_file(path, mend=True), "rb") as stream:
            data = stream.read()
    except OSError:
        return  # what cannot be read is not kept
    kept = redacted_bytes(data, secrets)
    if kept != data:
        os.chmod(path, mode | 0o600)
        with open(path, "wb") as stream:
            stream.write(kept)


def _redacted(value: Any, secrets: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return redacted_bytes(value.encode("utf-8", "surrogatepass"), secrets).decode("utf-8", "surrogatepass")
    if isinstance(value, Mapping):
        return {_redacted(key, secrets): _redacted(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_redacted(item, secrets) for item in value)
    return value
