"""The words of commands that messages suggest: only what is not the usual value of an option."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from generator.package.model import DEFAULT_ORG, Settings


def package_words(scenario_dir: Path | None, scenario_id: str | None, out: Path, settings: Settings) -> list[str]:
    """The options by which every command makes the same packages, or the one of `scenario_id`."""
    options = {
        "--scenario-dir": None if scenario_dir == Path("scenarios") else scenario_dir,
        "--scenario": scenario_id,
        "--out": None if out == Path("generated") else out,
        "--org": None if settings.org == DEFAULT_ORG else settings.org,
    }
    return [*option_words(options), *(word for author in settings.authors for word in ("--author", author))]


def option_words(options: Mapping[str, object]) -> list[str]:
    """Options with their values, without those whose value is None."""
    return [str(word) for option, value in options.items() if value is not None for word in (option, value)]
