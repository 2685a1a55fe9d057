"""What reading one scenario directory gives, whether or not the scenario is valid."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from generator.diagnostics.model import Finding
from generator.formats.calibration import Calibration
from generator.scenario.names import known_id
from generator.source.document import Document
from generator.source.tree import Entry, Tree

if TYPE_CHECKING:
    from generator.scenario.model import Scenario


class LoadedScenario(NamedTuple):
    """One scenario directory after reading, schema check, building and rules.

    Attributes:
        tree: The scenario directory.
        name: Name of the directory, for when the document gives no id.
        document: The parsed document with positions; None when it could not be read or parsed.
        raw: The published loaded form (document plus `run` defaults and `userPrompt`); None without a document.
        scenario: The model; None when there is any error finding, and where nobody asked for models.
        findings: Everything that is wrong with it, in the order it was found.
        calibration: Which verdicts its calibration cases cover; None without a document.
        files: Declared path (asset, private asset, solution, reviewer, setup; in normal form: no empty or `.` parts) ->
            what lies there, as `Tree.walk` gives it.
    """

    tree: Tree
    name: str
    document: Document | None = None
    raw: Mapping[str, Any] | None = None
    scenario: Scenario | None = None
    findings: tuple[Finding, ...] = ()
    calibration: Calibration | None = None
    files: Mapping[str, tuple[Entry, ...]] = MappingProxyType({})

    @property
    def directory(self) -> Path:
        """The scenario directory."""
        return self.tree.root

    @property
    def id(self) -> str:
        """What it goes by (see `known_id`)."""
        return known_id(self.raw.get("id") if self.raw else None, self.name)
