"""The variables an operator passes to an agent or to a reviewer, and those nobody may."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from generator.execute.refusal import Refused
from generator.execute.view import SYSTEM_PATH

# Read by the loader and the C library of the programs that build the sandbox, before they give up their rights.
LOADER_NAMES: Final = re.compile(r"LD_.*|GCONV_PATH|GLIBC_TUNABLES|LOCPATH|MALLOC_.*", re.ASCII)
# Names with a meaning of the run's own. PATH may be given: what it shows still has to be shown.
OWN_NAMES: Final = re.compile(r"RUHROH_.*|HARBORSMITH_.*|HOME|USER|LOGNAME", re.ASCII)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def agent_variables(
    given: Iterable[str], environ: Mapping[str, str], option: str = "--agent-env"
) -> dict[str, str] | Refused:
    """Read `NAME=VALUE` and `NAME`, whose value is the operator's own, of `option`. Of one name the last counts."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        refused = _refusal(name, option)
        if refused is not None:
            return refused
        if not equals and name not in environ:
            return Refused("agent_env_unset", f"{option} {name}: that variable is not set", f"{name}=VALUE")
        found[name] = value if equals else environ[name]
    return found


def base_variables(home: str, user: str) -> dict[str, str]:
    """What every agent has, the same on every machine."""
    return {
        "PATH": SYSTEM_PATH,
        "HOME": home,
        "USER": user,
        "LOGNAME": user,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
    }


def _refusal(name: str, option: str) -> Refused | None:
    if not _NAME.fullmatch(name):
        return Refused("agent_env_invalid", f"{option} {name!r} is no name of a variable", "NAME or NAME=VALUE")
    if LOADER_NAMES.fullmatch(name):
        hint = "set it in a start script of the program's own"
        return Refused("agent_env_reserved", f"{option} {name} would change the programs of the sandbox", hint)
    if OWN_NAMES.fullmatch(name):
        return Refused("agent_env_reserved", f"{option} {name}: the run itself sets that variable", "another name")
    return None
