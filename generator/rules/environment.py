"""The machine of the agent and what reaches the reviewer's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import quoted
from generator.scenario.names import is_same_or_below

# Folders that the system, Harbor, a reviewer or an agent is at home in: a workspace there hides or mixes with theirs.
_TAKEN: Final = (
    *("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "run", "sbin", "sys", "tmp", "usr"),
    *("agent", "installed-agent", "logs", "opt/harborsmith", "review", "root", "solution", "tests"),
    *("var/cache", "var/lib/apt", "var/lib/dpkg", "var/lock", "var/log", "var/run", "var/tmp"),
)
# Folders that may hold a workspace but cannot be one.
_TOO_BROAD: Final = ("home", "media", "mnt", "opt", "srv", "var", "var/lib")
_RESERVED: Final = r"PATH|HOME|LD_.*|RUHROH_.*|HARBORSMITH_.*"


# Of an evaluation by checks alone, what only a reviewer would heed.
_FOR_A_REVIEWER: Final = ("reviewer", "env", "network", "timeoutSeconds")


def workdir(draft: Draft) -> Iterator[Finding]:
    """A workspace needs a folder of its own (`workdir_unsuitable`)."""
    pointer = "/environment/workdir"
    place = draft.get(pointer)
    if place is None:
        return
    inner = place.strip("/")
    if inner in _TOO_BROAD or any(is_same_or_below(inner, folder) for folder in _TAKEN):
        message = f"{quoted(place)} does not fit: the folder belongs to the system or to the review"
        yield Finding("workdir_unsuitable", pointer, message, '"/app"')


def reserved_names(draft: Draft) -> Iterator[Finding]:
    """Some variables are set by whoever starts the reviewer, never by the operator (`environment_name_reserved`)."""
    for pointer, name in draft.items("/evaluation/env"):
        if re.fullmatch(_RESERVED, name):
            message = f"the variable {name} is set by Harborsmith itself"
            yield Finding(
                "environment_name_reserved", pointer, message, "the name of another variable, such as a model's key"
            )


def budgets(draft: Draft) -> Iterator[Finding]:
    """Resource budgets are carried along, but runs do not hold anybody to them (`resource_budgets_not_enforced`)."""
    pointer = "/run/resourceBudgets"
    if draft.get(pointer) is not None:
        message = "runs do not enforce resource budgets; they are only carried along with the scenario"
        hint = "run.timeoutSeconds and loop.defaultMaxIterations, the limits that are enforced"
        yield Finding("resource_budgets_not_enforced", pointer, message, hint, on_name=True)


def effective(draft: Draft) -> Iterator[Finding]:
    """What only a reviewer heeds needs one (`field_without_effect`)."""
    names: tuple[str, ...]
    if draft.get("/evaluation/mode") == "checks":
        because, names = 'with mode "checks" no reviewer is asked', _FOR_A_REVIEWER
    elif not draft.has("/evaluation/reviewer"):
        because, names = "it names what a reviewer of the scenario gets, and there is none", ("env",)
    else:
        return
    for name in names:
        given = draft.get(f"/evaluation/{name}")
        if any(given) if isinstance(given, list) else given:
            message = f'"{name}" has no effect: {because}'
            hint = f"{name} left out, or an evaluation with a reviewer"
            yield Finding("field_without_effect", f"/evaluation/{name}", message, hint, on_name=True)
