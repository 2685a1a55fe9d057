"""The seven published lint rules: how good an evaluation is, never whether it is valid.

Their codes, categories and conditions are published; texts are compared as JavaScript does (white space, lengths in
UTF-16 units, ASCII word boundaries), so that the verdict is the same on every text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import member_example

MIN_CONTEXT: Final = 2
MIN_RUBRIC: Final = 3
MIN_GUIDANCE: Final = 2
MIN_CRITERION_LENGTH: Final = 40

_WHITE: Final = (
    "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_GENERIC: Final = rf"\bsatisf(?:y|ies)[{_WHITE}]+the[{_WHITE}]+user[{_WHITE}]+(?:goal|prompt|request)\b"
_PROXY: Final = rf"\bsource[{_WHITE}]+(?:text|code)[{_WHITE}]+match(?:es)?\b|\bfilenames?\b"
# Words without which the patterns find nothing; looking for a word is many times faster.
_GENERIC_WORD: Final = "satisf"
_PROXY_WORDS: Final = ("source", "filename")
_PROXY_EXCUSES: Final = ("do not require", "over source", "rather than source", "prefer evidence")


def minimums(draft: Draft) -> Iterator[Finding]:
    """The four `*_minimum` codes. Where checks alone decide, a reviewer's texts are optional and so are these.

    Where the mode was refused, nobody knows who decides.
    """
    evaluation = draft.get("/evaluation")
    if evaluation is None or evaluation.get("mode") != "agentic_goal_review":
        return
    for name, code, least, what, more in (
        ("scenarioContext", "evaluation_context_minimum", MIN_CONTEXT, "context notes", "who needs it and what for"),
        ("calibrationCases", "evaluation_calibration_cases_minimum", 1, "calibration cases", "a work and its verdict"),
        ("goalRubric", "evaluation_goal_rubric_minimum", MIN_RUBRIC, "criteria", "what must be true of the work"),
        (
            "evidenceGuidance",
            "evaluation_evidence_guidance_minimum",
            MIN_GUIDANCE,
            "evidence instructions",
            "what to run or open, and what must be seen then",
        ),
    ):
        given = evaluation.get(name)
        if given is None and name != "calibrationCases":
            continue  # the schema has asked for it
        count = len(given or ())
        if count < least:
            pointer = f"/evaluation/{name}"
            hint = member_example(pointer, draft.version) if count == 0 else f"{least - count} more: {more}"
            yield Finding(code, pointer, f"{count} of at least {least} {what}", hint)


def rubric(draft: Draft) -> Iterator[Finding]:
    """`evaluation_goal_rubric_terse` and `evaluation_goal_rubric_generic`, each with the criterion's own index."""
    for pointer, criterion in draft.items("/evaluation/goalRubric"):
        length = _length(criterion.strip(_WHITE))
        if length < MIN_CRITERION_LENGTH:
            message = (
                f"a criterion of length {length}; under {MIN_CRITERION_LENGTH} characters rarely say what to look for"
            )
            yield Finding(
                "evaluation_goal_rubric_terse", pointer, message, "what exactly must be true of the finished work"
            )
        text = criterion.lower()
        if _GENERIC_WORD in text and re.search(_GENERIC, text, re.ASCII):
            message = "the criterion only says that the user must be satisfied"
            yield Finding("evaluation_goal_rubric_generic", pointer, message, "an outcome that can be seen in the work")


def evidence(draft: Draft) -> Iterator[Finding]:
    """`evaluation_evidence_proxy_source`, once, shown at the first instruction that asks for it."""
    for pointer, instruction in draft.items("/evaluation/evidenceGuidance"):
        text = instruction.lower()
        named = any(map(text.__contains__, _PROXY_WORDS))
        if named and re.search(_PROXY, text, re.ASCII) and not any(excuse in text for excuse in _PROXY_EXCUSES):
            message = "the instruction judges by source text or file names, which says little about the outcome"
            hint = "what to run or open, and what must be seen then"
            yield Finding("evaluation_evidence_proxy_source", "/evaluation/evidenceGuidance", message, hint, at=pointer)
            return


def _length(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
