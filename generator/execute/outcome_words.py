"""What the words of a run mean that are no diagnostic codes: why it is no pass, and how the agent ended."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

PAGE: Final = "docs/explanation/verdicts.md"
_FOREIGN: Final = "A published word that records of other tools may hold; no run of Harborsmith ends so."

# Failure kinds (`loop-result.schema.json`), words about a verdict, and stopped reasons, each with what it means.
OUTCOME_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "none": "Nothing failed: the run passed, or the turn ended by itself.",
        "goal_mismatch": "The work was reviewed and failed: a check or a criterion is not met. The score is 0.",
        "review_required": "The reviewer leaves the decision to a person. There is no score until somebody decides.",
        "infra_failed": "The review, or the machine under it, broke, so there is no verdict and no score. "
        "That is no failure of the agent; the reason stands beside it.",
        "verdict_malformed": "The reviewer's answer has not the form of a verdict, so there is none. "
        "The reviewer has to be mended; the sentence beside it says where.",
        "verdict_contradictory": "The reviewer passed the work and said itself that the goal is not met, so there is "
        "no verdict. A pass says `goalMet: true` and has no unmet criteria.",
        "workspace_too_large": "What the agent left is larger than a reviewer can be handed, so there is no verdict.",
        "goal_satisfied": "The agent said that it is done. That is no verdict: the review decides.",
        "partial_progress": "The agent said that it needs another turn.",
        "missing_completion_signal": "The agent's turn ended without a word about whether the goal is met. "
        "It counts against the work only where the scenario sets `loop.completion.required`.",
        "iterations_exhausted": "The agent had all its turns and never said that it is done; the work is reviewed as "
        "it stands. The scenario's `loop.defaultMaxIterations` says how many turns there are.",
        "max_iterations": "The published word for `iterations_exhausted`: the agent had all its turns and never said "
        "that it is done.",
        "agent_timeout": "The agent ran out of time and was ended; the work is reviewed as it stands.",
        "runtime_failure": "The agent's program ended with an error, or said so itself; its transcript tells more. "
        "The work is reviewed as it stands.",
        "custom_shell_failed": "The agent's command ended this turn with an error; the transcript tells more.",
        "cannot_satisfy": "The agent gave up: it says that the goal cannot be met.",
        "policy_blocked": "The agent gave up: it says that a rule forbids it to do the task.",
        "out_of_scope": "The agent gave up: it says that the task is none of its own.",
        "infra_failure": "The machine or a service kept the agent from working.",
        "cancelled": "The run was interrupted before it was over.",
        "unknown": "How the agent ended is not recorded, as where finished work is reviewed.",
        "resource_budget_exhausted": _FOREIGN,
        "resource_budget_unobservable": _FOREIGN,
        "cli_command_failed": _FOREIGN,
    }
)
