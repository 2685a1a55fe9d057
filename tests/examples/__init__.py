"""An executed example for every code of the catalogue, by subject: each module has a table `EXAMPLES`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Final

from tests.support.examples import Example

_REFUSED_BEFORE: Final = "validation refuses such a scenario first; unit tests give `generate` what cannot get there"

# Why some examples are not run, and so have no output on their page.
NOT_RUN: Final[Mapping[str, str]] = {
    "package_asset_unusable": _REFUSED_BEFORE,
    "package_token_unsafe": _REFUSED_BEFORE,
    "package_name_reserved": _REFUSED_BEFORE,
    "package_path_clash": _REFUSED_BEFORE,
    "package_source_changed": "the file has to change in the milliseconds between reading and writing",
    "proof_flaky": "luck decides whether the same agent has different outcomes",
    "proof_time_limit_tight": "the times in what is said are other ones in every run",
    "harbor_env_unsuitable": "it needs Harbor, which is an extra and needs Python 3.12",
    "forwarder_python_missing": "it needs a machine without `/usr/bin/python3`, which may be what runs the examples",
    "harbor_missing": "what is said depends on the Python that runs the examples",
    "harbor_job_differs": "it needs Harbor, which is an extra and needs Python 3.12",
    "harbor_failed": "it needs Harbor, which is an extra and needs Python 3.12",
}


@cache
def examples() -> Mapping[str, Example]:
    """Code -> its example, from every module of this folder."""
    found: dict[str, Example] = {}
    for module in sorted(one.name for one in pkgutil.iter_modules(__path__)):
        found |= importlib.import_module(f"{__name__}.{module}").EXAMPLES
    return found
