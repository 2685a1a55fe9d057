"""Advice about prompts: what an agent would look for in vain, or should not have been told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.keys import closest
from generator.formats.wording import quoted
from generator.rules.declared import PRIVATE, PUBLIC, REVIEWER, SOLUTION, declared, stage
from generator.rules.mentions import MOST_SHOWN, Mention, in_prompt, mentions, workspace_paths
from generator.scenario.names import is_same_or_below, normal_path, path_problem
from generator.source.tree import Kind

MOST_LOOKED_AT: Final = 200  # different paths of one prompt that are compared with the disk
MIN_QUOTE: Final = 40  # characters on one line; shorter lines are headers, keys and figures a task has to name
MOST_READ: Final = 256 * 1024  # bytes of all private assets together

_THERE: Final = frozenset({Kind.FILE, Kind.DIRECTORY})
# Folders that hold inputs by convention: a path in one is taken for an input unless the prompt asks to make it.
_INPUT_FOLDERS: Final = ("assets", "fixtures", "input", "inputs", "prompt-assets")
_MAKES: Final = (
    r"\b(?:add|build|create|export|generate|made?|make|output|produce|put|save|store|writ(?:e|ing|ten))\b[^.!?\n]*$"
)
# Leading lines that Harbor takes for a canary string (a mark against training on the task) and leaves out.
_CANARY: Final = r"(?:<!--.*canary.*-->|#.*canary.*)"
_CANARY_STARTS: Final = ("<!--", "#")


def missing_paths(draft: Draft) -> Iterator[Finding]:
    """The prompt sends the agent to an input that its workspace will not have (`prompt_path_missing`).

    Results do not exist at the start and are nobody's concern here: only what lies in the scenario directory without
    being handed out, what is staged elsewhere, and what stands in a folder of inputs is taken for an input.
    """
    if not _assets_are_sound(draft):
        return
    hidden = tuple([one.path for one in declared(draft, SOLUTION, REVIEWER)])
    inputs = _Inputs(draft, workspace_paths(draft), hidden)
    shown = 0
    for mention in _first_mentions(draft.prompt.text):
        fault = inputs.fault(mention)
        if fault and shown < MOST_SHOWN:
            shown += 1
            reason, hint = fault
            yield in_prompt(draft, "prompt_path_missing", mention.offset, f"{quoted(mention.path)} {reason}", hint)


def canary(draft: Draft) -> Iterator[Finding]:
    """A first line that Harbor strips never reaches the agent (`prompt_canary_stripped`)."""
    first = draft.prompt.text.partition("\n")[0].rstrip("\r")
    if first.startswith(_CANARY_STARTS) and re.fullmatch(_CANARY, first, re.IGNORECASE):
        message = f"Harbor leaves out the first line {quoted(first)}"
        yield in_prompt(draft, "prompt_canary_stripped", 0, message, "another first line, or one without the #")


def quotes(draft: Draft) -> Iterator[Finding]:
    """A whole line of a private asset stands in the prompt (`prompt_quotes_private`)."""
    left = MOST_READ
    for one in declared(draft, PRIVATE):
        for entry in one.entries:
            if entry.kind is not Kind.FILE or not MIN_QUOTE <= entry.size <= left:
                continue
            data = draft.reading.tree.content(entry, left)
            if not isinstance(data, bytes):
                continue
            left -= len(data)
            offset = _quoted_at(data, draft.prompt.text)
            if offset is not None:
                message = f"the prompt quotes a line of the private asset {quoted(entry.path)}"
                yield in_prompt(draft, "prompt_quotes_private", offset, message, "the task without its answer")


class _Inputs(NamedTuple):
    """What the workspace has at the start, and what only looks as if it had: enough to judge one mentioned path."""

    draft: Draft
    present: set[str]
    hidden: tuple[str, ...]

    def fault(self, mention: Mention) -> tuple[str, str] | None:
        """Why the path is an input that the agent will not have, and what to write instead; None when it is none."""
        path = mention.path
        if path in self.present:
            return None
        for asset, target in stage(self.draft).items():
            if is_same_or_below(path, asset):
                there = normal_path(f"{target}/{path.removeprefix(asset)}")
                return f"stands elsewhere in the workspace: {asset} is staged to {quoted(target)}", quoted(there)
        if "/" not in path or path_problem(path) or any(is_same_or_below(path, folder) for folder in self.hidden):
            return None
        if any(is_same_or_below(path, one.path) for one in declared(self.draft, PRIVATE)):
            return "is private, so the agent will not have it", "the task without that path"
        if self.draft.reading.tree.look(path).kind in (Kind.FILE, Kind.DIRECTORY):
            return "lies in the scenario directory but is not handed to the agent", f'{quoted(path)} in "assets"'
        if path.partition("/")[0] not in _INPUT_FOLDERS or self._is_made(mention):
            return None
        meant = closest(path, sorted(self.present))
        hint = quoted(meant) if meant else 'the path of a declared asset, or the file added and listed in "assets"'
        return "will not be in the workspace", hint

    def _is_made(self, mention: Mention) -> bool:
        """Whether the words before a path ask the agent to make it."""
        before = self.draft.prompt.text[max(0, mention.offset - 80) : mention.offset]
        return re.search(_MAKES, before, re.IGNORECASE) is not None


def _first_mentions(text: str) -> Iterator[Mention]:
    """Each path that the prompt names, where it does so first."""
    seen: set[str] = set()
    for mention in mentions(text):
        if mention.path not in seen and len(seen) < MOST_LOOKED_AT:
            seen.add(mention.path)
            yield mention


def _assets_are_sound(draft: Draft) -> bool:
    """Whether what is declared is there: else its absence has been told, and the rest follows from it."""
    if draft.invalid and any(pointer.startswith((PUBLIC, "/environment")) for pointer in draft.invalid):
        return False
    kinds = {entry.kind for one in declared(draft, PUBLIC) for entry in one.entries}
    return kinds <= _THERE


def _quoted_at(data: bytes, prompt: str) -> int | None:
    """Offset in the prompt of the first long line of `data` that it holds; None for bytes that are no text."""
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        return None
    for line in lines:
        wanted = line.strip()
        if len(wanted) >= MIN_QUOTE and any(character.isalpha() for character in wanted):
            offset = prompt.find(wanted)
            if offset >= 0:
                return offset
    return None
