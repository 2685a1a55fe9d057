"""A proof: what came of trying a package with agents whose scores are known beforehand, and whether that proves it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import Any, Final

from generator.diagnostics.model import Finding
from generator.resources import data_folder
from generator.runtime.loop import AGENT_TIMEOUT, GIVING_UP, RUNTIME_FAILURE

VERSION: Final = "harborsmith_proof_v1"
NOP, ORACLE, ADVERSARY = "nop", "oracle", "adversary"
# What each agent has to score, in the order in which they are tried.
EXPECTED: Final[Mapping[str, int]] = {NOP: 0, ORACLE: 1, ADVERSARY: 0}
MARGIN: Final = 3  # how often a time limit has to hold what the reference needed

NO_VERDICT: Final = "proof_no_verdict"
_NEXT: Final[Mapping[str, str]] = {
    AGENT_TIMEOUT: "a longer run.timeoutSeconds, and no RUHROH_ITERATION_TIMEOUT_SEC",
    RUNTIME_FAILURE: "an environment in which it runs: the adversary needs bash and the usual programs",
    "review_required": "a reviewer that decides between passed and failed by itself, also about work that is not there",
}
CUT_OFF: Final = (AGENT_TIMEOUT, *GIVING_UP)  # ends of an agent that had not done what it was to do
_WRONG: Final[Mapping[str, tuple[str, str, str]]] = {
    NOP: (
        "proof_nop_passes",
        "nop, which does nothing, scored 1",
        "a check or criterion that the workspace does not meet as it is handed out",
    ),
    ORACLE: (
        "proof_reference_fails",
        "oracle, which applies the reference solution, scored 0",
        "a solution that passes, or checks that it can pass",
    ),
    ADVERSARY: (
        "proof_adversary_passes",
        "adversary, which does none of the work and forges results, scored 1",
        "checks of what the work does, not of files that claim a result; `restore` for tests the agent can reach",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run of one of the agents.

    Attributes:
        run_id: Id of the run.
        status: `passed`, `failed`, `review_owed` or `no_verdict`.
        score: 1, 0, or None without a verdict.
        failure_kind: Published failure kind.
        seconds: Of the whole run.
        reason: Why, in the reviewer's words or ours; not part of a proof.
        used: Seconds that each phase with a limit took, by its name in `Limit`; not part of a proof.
        told_in: Path of the evidence that tells most about why there is no verdict; not part of a proof.
        evidence: Path of the run directory; not part of a proof.
    """

    run_id: str
    status: str
    score: int | None
    failure_kind: str
    seconds: float
    reason: str = ""
    used: Mapping[str, float] = field(default_factory=dict)
    told_in: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All runs of one agent."""

    agent: str
    trials: tuple[Trial, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A time limit and the most that the reference used of it, in seconds; `name` is the member that sets it."""

    name: str
    limit: float
    used: float


def adversary_file() -> Path:
    """The program of the adversary."""
    return data_folder("templates") / "prove" / "adversary.sh"


def adversary_digest() -> str:
    """SHA-256 of the adversary: what an older one could not do, a newer one may."""
    return hashlib.sha256(adversary_file().read_bytes()).hexdigest()


def counted(agent: str, trial: Trial, stopped_reason: str) -> Trial:
    """The run as it counts: an agent that did not end by itself shows nothing.

    Two things it does show: that it was paid for doing no work, and that a reference solution breaks.
    """
    shown = stopped_reason == RUNTIME_FAILURE if agent == ORACLE else trial.score == 1
    if stopped_reason not in CUT_OFF or trial.score is None or shown:
        return trial
    reason = "the agent did not end by itself"
    return replace(trial, status="no_verdict", score=None, failure_kind=stopped_reason, reason=reason)


def faults(outcomes: Iterable[Outcome]) -> tuple[Finding, ...]:
    """Everything in the outcomes that keeps a package from being proven."""
    return tuple(fault for outcome in outcomes for fault in _faults(outcome))


def _faults(outcome: Outcome) -> Iterator[Finding]:
    agent, trials = outcome.agent, outcome.trials
    decided = Counter(trial.status for trial in trials if trial.status != "no_verdict")
    if len(decided) > 1:
        counts = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in sorted(decided.items()))
        firsts = [next(trial.run_id for trial in trials if trial.status == status) for status in sorted(decided)]
        message = f"{agent} had different outcomes in {len(trials)} runs: {counts}; see the runs {' and '.join(firsts)}"
        yield Finding("proof_flaky", "", message, "checks and a reviewer that decide alike about the same work")
    elif wrong := [trial for trial in trials if trial.score not in (None, EXPECTED[agent])]:
        code, message, hint = _WRONG[agent]
        yield Finding(code, "", f"{message}; see {wrong[0].evidence or f'the run {wrong[0].run_id}'}", hint)
    without = [trial for trial in trials if trial.score is None]
    if without:
        kinds = ", ".join(sorted({trial.failure_kind for trial in without}))
        message = f"{agent} got no verdict in {len(without)} of {len(trials)} runs ({kinds})"
        message += f"; see the run {without[0].run_id}: {without[0].reason}".removesuffix(": ")
        yield Finding(NO_VERDICT, "", message, _next(without[0]))


def _next(trial: Trial) -> str:
    """What to do about a run without a verdict."""
    first = f"read {trial.told_in}, mend what it tells of, then " if trial.told_in else ""
    return _NEXT.get(trial.failure_kind, f"{first}run the same command again")


def is_evidence(found: Iterable[Finding]) -> bool:
    """Whether the faults say something about the package: that nobody judged it says nothing."""
    return any(fault.code != NO_VERDICT for fault in found)


def tight(limits: Iterable[Limit]) -> tuple[Finding, ...]:
    """A warning for every time limit that leaves too little room."""
    return tuple(
        Finding(
            "proof_time_limit_tight",
            "",
            f"the reference needed {limit.used:.1f} s of the {limit.limit:g} s of {limit.name}, which should be at "
            f"least {MARGIN} times as long",
            f"{limit.name}: {ceil(limit.used * MARGIN)} or more",
        )
        for limit in limits
        if limit.used * MARGIN > limit.limit
    )


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with its own digest, which shows that it was edited or damaged; whoever wants to can renew it."""
    return {**document, "sha256": _digest(document)}


def _digest(document: Mapping[str, Any]) -> str:
    bare = {name: value for name, value in document.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(bare, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def contradiction(document: Mapping[str, Any]) -> str:
    """What in a document that fits the schema does not belong together; empty when it does."""
    if document["sha256"] != _digest(document):
        return "it was edited: its digest is another"
    outcomes = stored_outcomes(document)
    agents = [NOP, *([ORACLE] if document["reference"] else []), ADVERSARY]
    if [outcome.agent for outcome in outcomes] != agents:
        return f"its outcomes are not those of {', '.join(agents)}"
    if any(len(outcome.trials) != document["repeat"] for outcome in outcomes):
        return f"it has not {document['repeat']} runs of every agent"
    if document["proven"] is bool(faults(outcomes)) or document["reasons"] != reasons(faults(outcomes)):
        return "it says something else than its outcomes"
    if any(entry["expected"] != EXPECTED[entry["agent"]] for entry in document["outcomes"]):
        return "it expects another score than an agent has to have"
    if any(isinstance(run["score"], float) for entry in document["outcomes"] for run in entry["runs"]):
        return "a score is written as no whole number"
    if document["isolation"]["level"] == "none":
        return "nothing kept its agents apart"
    return _contradictory_runs(outcomes)


def _contradictory_runs(outcomes: Sequence[Outcome]) -> str:
    trials = [(outcome.agent, trial) for outcome in outcomes for trial in outcome.trials]
    if len({trial.run_id for _, trial in trials}) < len(trials):
        return "it names a run twice"
    for agent, trial in trials:
        odd = (trial.score == 1) is not (trial.failure_kind == "none")
        if odd or (agent != ORACLE and trial.score == 0 and trial.failure_kind in CUT_OFF):
            return f"the score of the run {trial.run_id} does not go with how it ended"
    return ""


def reasons(found: Iterable[Finding]) -> list[str]:
    """The codes of faults, each once."""
    return list(dict.fromkeys(fault.code for fault in found))


def stored_outcomes(document: Mapping[str, Any]) -> tuple[Outcome, ...]:
    """The outcomes of a document that fits the schema."""
    return tuple(Outcome(entry["agent"], tuple(map(_stored, entry["runs"]))) for entry in document["outcomes"])


def _stored(entry: Mapping[str, Any]) -> Trial:
    score = entry["score"]
    decided = {1: "passed", 0: "failed"}.get(score)
    return Trial(
        run_id=entry["runId"],
        status=decided or ("review_owed" if entry["failureKind"] == "review_required" else "no_verdict"),
        score=score,
        failure_kind=entry["failureKind"],
        seconds=entry["seconds"],
    )


def scores_text(trials: Iterable[Trial]) -> str:
    """`0`, or `1 1 none`."""
    return " ".join("none" if trial.score is None else str(trial.score) for trial in trials)


def limits_json(limits: Iterable[Limit]) -> list[dict[str, Any]]:
    """The time limits as a proof holds them."""
    return [{"name": limit.name, "limitSeconds": limit.limit, "usedSeconds": round(limit.used, 1)} for limit in limits]


def outcomes_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """The outcomes as a proof holds them."""
    return [
        {
            "agent": outcome.agent,
            "expected": EXPECTED[outcome.agent],
            "runs": [
                {
                    "runId": trial.run_id,
                    "score": trial.score,
                    "failureKind": trial.failure_kind,
                    "seconds": trial.seconds,
                }
                for trial in outcome.trials
            ],
        }
        for outcome in outcomes
    ]
