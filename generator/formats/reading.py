"""A scenario directory to a draft: read, parse, check against the schema, look at its files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.calibration import calibration
from generator.formats.checked import check
from generator.formats.discovery import DOCUMENT, DOCUMENTS, YAML_DOCUMENT, documents
from generator.formats.draft import Draft, Reading
from generator.formats.files import look_at_files
from generator.formats.prompt import read_prompt
from generator.source.document import MAX_BYTES, Document, read_document
from generator.source.tree import Entry, Kind, Refusal, Tree

_REFUSALS: Final[Mapping[Kind, tuple[str, str]]] = {
    Kind.MISSING: ("document_missing", "there is no {file}"),
    Kind.TOO_LARGE: ("document_too_large", "{file} is larger than 1 MiB"),
    Kind.UNREADABLE: ("document_unreadable", "{file} cannot be read"),
    Kind.OUTSIDE: ("document_unreadable", "{file} is a link that leads out of the scenario directory"),
}

_HINTS: Final[Mapping[Kind, str]] = {
    Kind.TOO_LARGE: "at most 1 MiB; texts as files, data in assets",
    Kind.UNREADABLE: "a file you may read",
    Kind.OUTSIDE: "the file itself, in the scenario directory",
}


def read(directory: Path) -> Reading:
    """Read and parse the document of a scenario directory."""
    tree = Tree(directory)
    name = directory.name or directory.resolve().name
    entry = tree.look(DOCUMENT)
    there = tree.names()
    names: tuple[str, ...]
    if entry.kind is Kind.FILE and there:  # the usual case, in which the listing tells
        names = DOCUMENTS if YAML_DOCUMENT in there else (DOCUMENT,)
    else:
        names = documents(directory)
    if len(names) > 1:
        message = f"{' and '.join(names)} stand side by side, and only one can be the scenario"
        return Reading(
            tree=tree, name=name, findings=(Finding("document_twice", "", message, "one of the two", file=names[-1]),)
        )
    file = names[0] if names else DOCUMENT
    entry = entry if file == DOCUMENT else tree.look(file)
    document = _document(tree, entry)
    if isinstance(document, tuple):
        # Without a document, nobody else knows which of the two names the findings are about.
        return Reading(tree=tree, name=name, findings=tuple(one._replace(file=file) for one in document), entry=entry)
    return Reading(tree=tree, name=name, document=document, entry=entry, names=there)


def draft(reading: Reading) -> Draft | None:
    """Check what was read; None when there is no document."""
    document = reading.document
    if document is None:
        return None
    checked = check(document.value)
    prompt = read_prompt(reading.tree, checked.sound, checked.invalid)
    return Draft(
        reading=reading,
        document=document,
        sound=checked.sound,
        invalid=checked.invalid,
        prompt=prompt,
        version=checked.version,
        files=look_at_files(reading.tree, checked.sound),
        calibration=calibration(document.value),
        findings=(*checked.findings, *prompt.findings),
        memo=defaultdict(dict),
    )


def _document(tree: Tree, entry: Entry) -> Document | tuple[Finding, ...]:
    data = tree.content(entry, MAX_BYTES)
    if isinstance(data, Refusal):
        return (_refused(data, entry.path),)
    return _parse(data, entry.path)


def _parse(data: bytes, file: str) -> Document | tuple[Finding, ...]:
    if file == YAML_DOCUMENT:
        from generator.source.yaml_document import read_yaml

        return read_yaml(data, file)
    return read_document(data, file)


def _refused(refusal: Refusal, file: str) -> Finding:
    code, message = _REFUSALS.get(refusal.kind, ("document_unreadable", f"{{file}} cannot be read ({refusal.kind})"))
    hidden = refusal.kind in (Kind.MISSING, Kind.TOO_LARGE) or refusal.detail in message
    detail = "" if hidden else f": {refusal.detail}"
    hint = _HINTS.get(refusal.kind, "a regular file with one object, at most 1 MiB")
    return Finding(code, "", message.format(file=file) + detail, hint, file=file)
