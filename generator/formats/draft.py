"""One scenario directory between reading and rules: everything a rule may look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from generator.diagnostics.model import Finding
from generator.formats.calibration import Calibration
from generator.formats.prompt import Prompt
from generator.scenario.names import known_id
from generator.source.document import Document, Json
from generator.source.pointer import value_at
from generator.source.tree import Entry, Tree


class Reading(NamedTuple):
    """A directory and its parsed document, before any check.

    Attributes:
        tree: The directory.
        name: Its name.
        document: None when it could not be read or parsed.
        entry: What the document's file turned out to be.
        findings: Why there is no document.
        names: What stands in the directory, in no order; nothing where it cannot be listed.
    """

    tree: Tree
    name: str
    document: Document | None = None
    entry: Entry | None = None
    findings: tuple[Finding, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The scenario directory."""
        return self.tree.root

    @property
    def id(self) -> str:
        """What it goes by (see `known_id`)."""
        return known_id(self.document.value.get("id") if self.document else None, self.name)


class Draft(NamedTuple):
    """A scenario whose document is an object, valid or not.

    Attributes:
        reading: The directory and how it was read.
        document: Its document, which there is.
        sound: The document without invalid values; an invalid item of a list is None, so that indices stay true.
        invalid: Pointers of what was taken out.
        prompt: Text and file of the prompt.
        version: The format version it was checked as.
        files: Declared path (normal form) -> what lies there.
        calibration: Which verdicts its calibration cases cover.
        findings: What reading and the schema found.
        memo: What was looked up in it already, under the name of the function that did: many rules ask for the same.
    """

    reading: Reading
    document: Document
    sound: Mapping[str, Any]
    invalid: frozenset[str]
    prompt: Prompt
    version: str
    files: Mapping[str, tuple[Entry, ...]]
    calibration: Calibration
    findings: tuple[Finding, ...]
    memo: defaultdict[str, dict[Any, Any]]

    def get(self, pointer: str) -> Json:
        """The sound value at `pointer`, or None when there is none."""
        return value_at(self.sound, pointer)

    def items(self, pointer: str) -> tuple[tuple[str, Json], ...]:
        """Pointer and value of each sound item of the list at `pointer`; none when there is no list."""
        known: dict[str, tuple[tuple[str, Json], ...]] = self.memo["items"]
        found = known.get(pointer)
        if found is None:
            items = enumerate(self.get(pointer) or ())
            found = known[pointer] = tuple([(f"{pointer}/{index}", item) for index, item in items if item is not None])
        return found

    def has(self, pointer: str) -> bool:
        """Whether the document has a value at `pointer`, be it sound or taken out."""
        return pointer in self.invalid or self.get(pointer) is not None
