"""A scenario directory whose document is YAML instead of JSON, and says the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

YAML_NAME = "scenario.yaml"


class _Quoting(yaml.SafeDumper):
    """Writes texts in quotes and repeats values in full: what is tested is the reader, not this writer's guesses."""

    def ignore_aliases(self, data: object) -> bool:
        return True


_Quoting.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


def as_yaml(document: Any) -> str:
    """A JSON document as YAML with the same members in the same order."""
    return yaml.dump(document, Dumper=_Quoting, allow_unicode=True, sort_keys=False, width=10_000)


def write_twin(scenario: Path, target: Path) -> Path:
    """Copy the scenario directory, its document as YAML."""
    shutil.copytree(scenario, target, symlinks=True)
    text = (target / "scenario.json").read_text(encoding="utf-8").replace("scenario.json", YAML_NAME)
    (target / "scenario.json").unlink()
    (target / YAML_NAME).write_text(as_yaml(json.loads(text)), encoding="utf-8")
    return target
