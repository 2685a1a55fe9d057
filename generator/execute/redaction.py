"""Keep the operator's secrets out of records: an agent may print what it was given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from generator.runtime.launch import Outcome

SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.ASCII)
SHORTEST: Final = 6  # characters; a shorter value would hide ordinary words, and protects nothing


def secrets_among(variables: Mapping[str, str]) -> dict[str, str]:
    """Those variables whose names say that their values are secret."""
    return {
        name: value for name, value in variables.items() if SECRET_NAME.search(name.upper()) and len(value) >= SHORTEST
    }


def redacted(outcome: Outcome, secrets: Mapping[str, str]) -> Outcome:
    """The same outcome with every secret value in its output replaced by the variable's name."""
    output = outcome.output
    for name, value in sorted(secrets.items(), key=lambda item: -len(item[1])):
        output = output.replace(value.encode("utf-8", "surrogateescape"), f"[value of {name}]".encode())
    return outcome if output == outcome.output else replace(outcome, output=output)
