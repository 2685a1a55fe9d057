"""A scenario directory to a draft: read, parse, check against the schema, build, look at its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from generator.diagnostics.model import Finding
from generator.formats.build import build, loaded_run
from generator.formats.checked import check
from generator.formats.discovery import DOCUMENT
from generator.formats.draft import Draft, Reading
from generator.formats.files import look_at_files
from generator.formats.prompt import Prompt, read_prompt
from generator.source.document import MAX_BYTES, read_document
from generator.source.tree import Kind, Refusal, Tree

_REFUSALS: Final[Mapping[Kind, tuple[str, str]]] = {
    Kind.MISSING: ("document_missing", "there is no scenario.json"),
    Kind.TOO_LARGE: ("document_too_large", "scenario.json is larger than 1 MiB"),
    Kind.UNREADABLE: ("document_unreadable", "scenario.json cannot be read"),
    Kind.OUTSIDE: ("document_unreadable", "scenario.json is a link that leads out of the scenario directory"),
}


def read(directory: Path) -> Reading:
    """Read and parse the document of a scenario directory."""
    tree = Tree(directory)
    name = directory.name or directory.resolve().name
    data = tree.read(DOCUMENT, MAX_BYTES)
    if isinstance(data, Refusal):
        return Reading(tree=tree, name=name, findings=(_refused(data),))
    document = read_document(data, DOCUMENT)
    if isinstance(document, tuple):
        return Reading(tree=tree, name=name, findings=document)
    return Reading(tree=tree, name=name, document=document)


def draft(reading: Reading) -> Draft | None:
    """Check and build what was read; None when there is no document."""
    document = reading.document
    if document is None:
        return None
    checked = check(document.value)
    prompt = read_prompt(reading.tree, checked.sound, checked.invalid)
    scenario = build(checked.sound, checked.version, document.file, prompt.text, prompt.file)
    return Draft(
        reading=reading,
        document=document,
        sound=checked.sound,
        invalid=checked.invalid,
        prompt=prompt,
        scenario=scenario,
        files=look_at_files(reading.tree, scenario),
        findings=(*checked.findings, *prompt.findings),
    )


def loaded_form(document: Mapping[str, Any], prompt: Prompt) -> Mapping[str, Any]:
    """The published loaded form: `run` completed in its place, and `userPrompt` last when it came from a file."""
    raw = dict(document)
    raw["run"] = loaded_run(document)
    if prompt.file is not None or "userPrompt" not in raw:
        raw["userPrompt"] = prompt.text
    return raw


def _refused(refusal: Refusal) -> Finding:
    code, message = _REFUSALS.get(
        refusal.kind, ("document_unreadable", f"scenario.json cannot be read ({refusal.kind})")
    )
    detail = f": {refusal.detail}" if refusal.detail and refusal.kind not in (Kind.MISSING, Kind.TOO_LARGE) else ""
    hint = "a regular file with one JSON object, at most 1 MiB"
    if refusal.kind is Kind.UNREADABLE:
        hint = "a file you may read"
    return Finding(code, "", message + detail, hint)
