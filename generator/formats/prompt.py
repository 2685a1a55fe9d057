"""The prompt: inline text, or a text file inside the scenario directory, kept byte for byte."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from generator.diagnostics.model import Finding
from generator.formats.keys import closest
from generator.formats.wording import quoted
from generator.source.tree import Entry, Kind, Refusal, Tree

MAX_PROMPT_BYTES: Final = 96 * 1024  # below the 128 KiB Linux allows one argument or environment variable
DEFAULT_PROMPT_FILE: Final = "instruction.md"

_REFUSALS: Final[Mapping[Kind, tuple[str, str]]] = {
    Kind.MISSING: ("prompt_missing", "there is no file"),
    Kind.OUTSIDE: ("prompt_outside", "it leads out of the scenario directory:"),
    Kind.TOO_LARGE: ("prompt_too_large", "it is too large:"),
    Kind.DIRECTORY: ("prompt_not_a_file", "a directory is no text file:"),
    Kind.SPECIAL: ("prompt_not_a_file", "only a regular file can be a prompt:"),
    Kind.LOOP: ("prompt_not_a_file", "its links lead in a circle:"),
    Kind.UNREADABLE: ("prompt_not_a_file", "the system refuses it:"),
}
_ANY_PROMPT: Final = f"a UTF-8 text file of at most {MAX_PROMPT_BYTES // 1024} KiB inside the scenario directory"
_HINTS: Final[Mapping[Kind, str]] = {
    Kind.OUTSIDE: "a copy of the file inside the scenario directory",
    Kind.TOO_LARGE: f"at most {MAX_PROMPT_BYTES // 1024} KiB; the rest as an asset that the prompt names",
}
_TEXTS: Final = (".md", ".txt")
_MOST_COMPARED: Final = 200  # names that a missing one is compared with


class Prompt(NamedTuple):
    """What the agent is told.

    Attributes:
        text: Empty when it could not be read.
        file: Relative to the scenario directory; None when it stands in the document.
        findings: What is wrong with it.
        entry: What the file turned out to be.
    """

    text: str = ""
    file: str | None = None
    findings: tuple[Finding, ...] = ()
    entry: Entry | None = None


def read_prompt(tree: Tree, sound: Mapping[str, Any], invalid: frozenset[str]) -> Prompt:
    """The prompt of a document whose invalid members are taken out.

    An inline `userPrompt` wins; else the file at `userPromptPath`, else `instruction.md`. Where the member that decides
    is itself invalid, nothing more is said.
    """
    if invalid and invalid & {"/userPrompt", "/userPromptPath"}:
        return Prompt()
    if "userPrompt" in sound:
        text: str = sound["userPrompt"]
        return Prompt(text, None, tuple(_inline(text)))
    file: str = sound.get("userPromptPath", DEFAULT_PROMPT_FILE)
    at = "/userPromptPath" if "userPromptPath" in sound else ""
    entry = tree.look(file)
    data = tree.content(entry, MAX_PROMPT_BYTES)
    if isinstance(data, Refusal):
        code, reason = _REFUSALS[data.kind]
        detail = f" ({data.detail})" if data.detail and data.detail not in reason else ""
        hint = _meant(tree, file, bool(at)) if data.kind is Kind.MISSING else _HINTS.get(data.kind, _ANY_PROMPT)
        refused = Finding(code, at, f"the prompt cannot be read: {reason} {file}{detail}", hint)
        return Prompt("", file, (refused,), entry)
    return _decoded(data, file, entry)


def _meant(tree: Tree, file: str, declared: bool) -> str:
    """The file that a missing one was probably meant to be, as the document would name it; else what a prompt is."""
    there = [name for name in tree.sample(_MOST_COMPARED) if tree.look(name).kind is Kind.FILE]
    beside = [name for name in there if "/" not in name and name.lower().endswith(_TEXTS) and not _is_readme(name)]
    meant = closest(file, there) or (beside[0] if len(beside) == 1 else None)
    if meant is None:
        return _ANY_PROMPT
    return quoted(meant) if declared else f'"userPromptPath": {quoted(meant)}'


def _is_readme(name: str) -> bool:
    return name.lower().startswith("readme")


def _inline(text: str) -> list[Finding]:
    size = len(text.encode())
    if size <= MAX_PROMPT_BYTES:
        return []
    message = f"the prompt is too large: {size} bytes"
    return [
        Finding("prompt_too_large", "/userPrompt", message, f"at most {MAX_PROMPT_BYTES} bytes; the rest as an asset")
    ]


def _decoded(data: bytes, file: str, entry: Entry) -> Prompt:
    findings: list[Finding] = []
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
        message = "a byte order mark stands before the first character; it is left out"
        findings.append(
            Finding("prompt_bom", "", message, "the file saved as UTF-8 without BOM", file=file, position=(1, 1))
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = _place(data[: error.start].decode("utf-8"))
        message = f"the prompt is not UTF-8: byte 0x{data[error.start]:02x}"
        refused = Finding("prompt_encoding", "", message, "the file saved as UTF-8", file=file, position=place)
        return Prompt("", file, (*findings, refused), entry)
    if "\0" in text:
        place = _place(text[: text.index("\0")])
        findings.append(
            Finding("prompt_nul", "", "a NUL character in the prompt", "the text without it", file=file, position=place)
        )
    if not text or text.isspace():
        findings.append(
            Finding("prompt_blank", "", "the prompt is blank", "what the agent is to do", file=file, position=(1, 1))
        )
    return Prompt(text, file, tuple(findings), entry)


def _place(before: str) -> tuple[int, int]:
    """Line and column, 1-based, of the character after `before`."""
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
