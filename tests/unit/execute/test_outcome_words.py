"""Every word that tells how a run ended is explained."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from itertools import product
from typing import Any

from generator.execute import judging
from generator.execute import review as reviewing
from generator.execute.outcome_words import OUTCOME_WORDS
from generator.harbor import context
from generator.runtime import loop, verdict
from generator.runtime.agentresult import AgentResult
from generator.runtime.fields import STATUSES
from generator.workflows.schemas import schema_text
from tests.support.repository import ROOT, modules

_NAMES = ("failure_kind", "stopped_reason", "failureKind")
_CALLS = ("no_verdict", "Verdict", "Completion")


def spoken(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that a module gives as a failure kind or a stopped reason."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(getattr(one, "attr", None) in _NAMES for one in node.targets):
            yield node.value
        elif isinstance(node, ast.Call):
            yield from (word.value for word in node.keywords if word.arg in _NAMES)
            if getattr(node.func, "id", None) in _CALLS:
                yield from node.args[1:2]


def literals(expression: ast.expr) -> Iterator[str]:
    """The texts that the expression may be, those of its branches included."""
    if isinstance(expression, ast.BoolOp):
        branches = expression.values
    elif isinstance(expression, ast.IfExp):
        branches = [expression.body, expression.orelse]
    else:
        branches = []
    for branch in branches:
        yield from literals(branch)
    if isinstance(expression, ast.Constant) and isinstance(expression.value, str) and expression.value:
        yield expression.value


def test_every_word_that_a_module_writes_down_is_explained() -> None:
    written = {
        word
        for path in modules()
        for expression in spoken(ast.parse((ROOT / path).read_text()))
        for word in literals(expression)
    }
    assert {"infra_failed", "goal_mismatch", "infra_failure", "missing_completion_signal"} <= written
    assert written - OUTCOME_WORDS.keys() == set()


def test_every_published_failure_kind_is_explained() -> None:
    published = json.loads(schema_text("loop-result") or "{}")["$defs"]["failureKind"]["enum"]
    assert set(published) - OUTCOME_WORDS.keys() == set()


def test_every_end_of_a_turn_and_of_the_turns_is_explained() -> None:
    said = (*loop.GIVING_UP, loop.GOAL_SATISFIED, "continue", "")
    turns = [
        loop.detect_completion(exit_code=status, timed_out=late, result=AgentResult(status=word), output_text="")
        for word, status, late in product(said, (0, 1), (False, True))
    ]
    ends = {loop.next_step(turn, 1, most, left).stopped_reason for turn in turns for most in (1, 2) for left in (0, 9)}
    found = {turn.reason for turn in turns} | ends - {""}
    found |= set(map(loop.published_stop_reason, found))
    assert {"runtime_failure", "iterations_exhausted", "agent_timeout", "partial_progress"} <= found
    assert found - OUTCOME_WORDS.keys() == set()


def test_every_word_about_a_verdict_is_explained() -> None:
    results: list[Any] = [{"status": status} for status in STATUSES]
    decided = [
        verdict.decide(one, completion_required=must, completed=False) for one in results for must in (False, True)
    ]
    kinds = {one.failure_kind for one in decided}
    kinds |= {verdict.MALFORMED, verdict.CONTRADICTORY, judging.TOO_LARGE, judging.INFRA_FAILED}
    kinds |= {reviewing.UNKNOWN, context.UNKNOWN}
    assert kinds - OUTCOME_WORDS.keys() == set()
