"""The published loaded form of a document: what other tools get to see of a scenario, valid or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.formats.prompt import Prompt
from generator.scenario import defaults


def loaded_form(document: Mapping[str, Any], prompt: Prompt) -> Mapping[str, Any]:
    """The published loaded form: `run` completed in its place, and `userPrompt` last when it came from a file."""
    raw = dict(document)
    raw["run"] = loaded_run(document)
    if prompt.file is not None or "userPrompt" not in raw:
        raw["userPrompt"] = prompt.text
    return raw


def loaded_run(raw: Mapping[str, Any]) -> dict[str, Any]:
    """`run` as published: the mode when it is a text, the limit when it is a number (else 600), then the rest of it.

    A document without `run` (version 1) takes both from `driver`.
    """
    given, driver = raw.get("run"), raw.get("driver")
    source = given if isinstance(given, dict) else driver if isinstance(driver, dict) else {}
    seconds = source.get("timeoutSeconds")
    usable = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    run: dict[str, Any] = {}
    if isinstance(source.get("mode"), str):
        run["mode"] = source["mode"]
    run["timeoutSeconds"] = seconds if usable else int(defaults.TIMEOUT_SECONDS)
    if source is given:
        run.update((key, value) for key, value in source.items() if key not in ("mode", "timeoutSeconds"))
    return run
