"""What an operator hands to a review in a container beside the package: a reviewer of their own, and variables.

They come in a file that root alone may read and that is deleted when it has been read: values in an argument list or in
the environment of a process are seen by more than the one they are meant for.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Dict, Mapping, Optional

from . import strictjson
from .launch import ReviewerCommand

FILE = "HARBORSMITH_OPERATOR"  # the variable that names the file
MAX_BYTES = 16 * 1024 * 1024
OPTION, ENVIRONMENT = "option", "environment"


@dataclass(frozen=True)
class Operator:
    """What was handed over; `reviewer` has no variables yet."""

    reviewer: Optional[ReviewerCommand] = None
    env: Mapping[str, str] = field(default_factory=dict)


def read_operator(environ: Mapping[str, str]) -> Operator:
    """Read and delete the file that `environ` names; without one nothing was handed over.

    Raises:
        ValueError: The file is missing or malformed; the message says how.
    """
    path = environ.get(FILE, "")
    if not path:
        return Operator()
    try:
        value = strictjson.read_object(path, MAX_BYTES)
        os.unlink(path)
        env: Dict[str, str] = dict(value["env"])
        stated = value["reviewer"]
        reviewer = None
        if stated is not None:
            reviewer = ReviewerCommand(tuple(stated["argv"]), stated["source"], stated["sha256"], trusted=True)
    except (OSError, LookupError, TypeError, ValueError) as problem:
        raise ValueError(f"{FILE}={path}: {problem!r}") from None
    return Operator(reviewer, env)
