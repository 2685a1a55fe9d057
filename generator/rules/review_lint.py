"""Advice about the evaluation: what makes a reviewer judge by something else than the finished work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import quoted
from generator.rules.mentions import MOST_SHOWN, is_file_name, mentions, workspace_paths

RUN: Final = 6  # words in a row that two texts hardly share by chance
MOSTLY: Final = 0.8  # of a criterion's words

_WORD: Final = re.compile(r"\w+")
_SOURCE: Final = r"\b(?:source (?:code|text)|line \d+ of|(?:variable|function|class|method) (?:called|named))\b"
_SOURCE_WORDS: Final = frozenset({"source", "line", "variable", "function", "class", "method"})  # the first of it
# Files that a command makes for itself.
_MADE: Final = r"(?:>>?|\btee(?: -a)?|\s-o|--output[ =])\s*[\"']?([\w./-]+)"


def rubric_names_files(draft: Draft) -> Iterator[Finding]:
    """A criterion about files or source text rewards one way of doing it (`rubric_names_files`)."""
    for pointer, criterion, words in _criteria(draft):
        named = next((one.path for one in mentions(criterion) if is_file_name(one.path.rpartition("/")[2])), None)
        found = None if _SOURCE_WORDS.isdisjoint(words) else re.search(_SOURCE, criterion.lower())
        if named or found:
            what = quoted(named) if named else quoted(found.group() if found else "")
            message = f"the criterion speaks of {what} instead of what the work does"
            yield Finding("rubric_names_files", pointer, message, "what must be true for whoever uses the work")


def rubric_repeats_prompt(draft: Draft) -> Iterator[Finding]:
    """A criterion that is a sentence of the prompt adds no judgement of its own (`rubric_repeats_prompt`)."""
    prompt = draft.prompt.text.lower()
    known: set[tuple[str, ...]] = set()
    for pointer, _, words in _criteria(draft):
        if sum(map(prompt.__contains__, words)) < MOSTLY * len(words):
            continue  # so few cannot stand in shared runs either, and this is quickly seen
        known = known or set(_runs(_words(prompt)))
        shared: set[int] = set()
        for start, run in enumerate(_runs(words)):
            if run in known:
                shared.update(range(start, start + RUN))
        if words and len(shared) >= MOSTLY * len(words):
            message = "the criterion repeats the prompt almost word for word"
            yield Finding("rubric_repeats_prompt", pointer, message, "how a reviewer can see that it was done well")


def rubric_repeats_itself(draft: Draft) -> Iterator[Finding]:
    """A criterion that stands twice is judged and counted twice (`rubric_repeats_itself`)."""
    first: dict[tuple[str, ...], str] = {}
    for pointer, criterion, words in _criteria(draft):
        said = tuple(words) or (criterion,)
        if said in first:
            message = f"the criterion says the same as another one ({first[said]})"
            yield Finding("rubric_repeats_itself", pointer, message, "each criterion once")
        first.setdefault(said, pointer)


def calibration_statuses(draft: Draft) -> Iterator[Finding]:
    """Calibration cases that do not show every verdict leave a border untested (`calibration_status_missing`)."""
    pointer = "/evaluation/calibrationCases"
    found = draft.calibration
    if found.total and found.missing:
        message = f"no calibration case expects {' or '.join(found.missing)}"
        yield Finding(
            "calibration_status_missing", pointer, message, f'a case with "expectedStatus": {quoted(found.missing[0])}'
        )


def check_paths(draft: Draft) -> Iterator[Finding]:
    """A check looks at a file that the agent was never told about (`check_path_unmentioned`)."""
    if not draft.prompt.text.strip():
        return  # it could not be read, which has been told
    checks = tuple(draft.items("/evaluation/checks"))
    present = workspace_paths(draft) if checks else set()
    prompt = draft.prompt.text
    for pointer, check in checks:
        command = check.get("command", "")
        text = command if isinstance(command, str) else "\n".join(word for word in command if word is not None)
        made = {path.removeprefix("./") for path in re.findall(_MADE, text)}
        named = dict.fromkeys(one.path for one in mentions(text) if is_file_name(one.path.rpartition("/")[2]))
        unknown = (path for path in named if path not in present and path not in made and not _told(path, prompt))
        for path in islice(unknown, MOST_SHOWN):
            message = f"the check needs {quoted(path)}, which the prompt does not name"
            yield Finding("check_path_unmentioned", f"{pointer}/command", message, "a path that the prompt asks for")


def _criteria(draft: Draft) -> list[tuple[str, str, list[str]]]:
    """Pointer, text and words of each criterion."""
    known: dict[str, list[tuple[str, str, list[str]]]] = draft.memo["criteria"]
    if "" not in known:
        criteria = draft.items("/evaluation/goalRubric")
        known[""] = [(pointer, criterion, _words(criterion)) for pointer, criterion in criteria]
    return known[""]


def _told(path: str, prompt: str) -> bool:
    return path in prompt or path.rpartition("/")[2] in prompt


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1))
