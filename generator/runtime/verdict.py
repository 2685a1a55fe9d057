"""What a reviewer's answer means: read it, put it into one form, and decide. The only place that does.

Published form: `ruhroh_eval_result_v1`. A score needs an answer that says what it claims without contradiction;
everything less is `infra_failed`, which has no score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import strictjson
from .fields import CONFIDENCES, STATUSES, Fields, Json, clamp, filled, number

VERSION = "ruhroh_eval_result_v1"
MALFORMED = "verdict_malformed"
CONTRADICTORY = "verdict_contradictory"
_SUMMARIES = {
    "passed": "The reviewer passed the work.",
    "failed": "The reviewer failed the work.",
    "review": "The reviewer leaves the decision to a person.",
    "infra_failed": "The review could not be completed.",
}


@dataclass(frozen=True)
class Reading:
    """What a reviewer gave: `value` from its output file or its output (`source`), or the `problem` with it."""

    value: Optional[Json] = None
    source: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Normalised:
    """A verdict in its one form.

    Attributes:
        result: As `eval-result.schema.json` describes it; a synthetic `infra_failed` one when there is a problem.
        warnings: Malformed optional parts that were dropped; also in `result` as `reviewerWarnings`.
        problem: `verdict_malformed`, `verdict_contradictory`, or None.
        detail: What the problem is, in one sentence.
    """

    result: Json
    warnings: Tuple[str, ...] = ()
    problem: Optional[str] = None
    detail: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a run is worth: `completed` or `failed`, the published failure kind, and 1, 0 or no score at all."""

    status: str
    failure_kind: str
    score: Optional[int]


def read_verdict(output_file: str, output_text: str) -> Reading:
    """Find the answer: the output file, else the last line of the output that is a JSON object.

    A file that is there must hold exactly one JSON object of at most 1 MiB: a broken file is never passed over for
    what the reviewer printed.
    """
    try:
        return Reading(strictjson.read_object(output_file), "file")
    except FileNotFoundError:
        pass
    except ValueError as problem:
        return Reading(problem=f"the reviewer's output file is not one JSON object: {problem}")
    for line in reversed(output_text.split("\n")):
        value = _object_in(line)
        if value is not None:
            return Reading(value, "stdout")
    return Reading(problem="the reviewer wrote no output file and printed no line that is a JSON object")


def _object_in(line: str) -> Optional[Json]:
    if not line.strip().startswith("{") or len(line) > strictjson.MAX_BYTES:
        return None
    try:
        value = strictjson.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def normalise(value: Any) -> Normalised:
    """Bring an answer into its one form, or say why it is no verdict.

    Required: an object with a known `status` and, if it names a `version`, the right one. A pass says `goalMet: true`
    itself and has nothing in `unmetCriteria`. Everything else is optional: malformed parts are dropped and listed.
    """
    detail = _malformed(value)
    if detail:
        return _refused(MALFORMED, detail)
    detail = _contradiction(value)
    if detail:
        return _refused(CONTRADICTORY, detail)
    fields = Fields(value)
    result = _required(fields)
    result.update(_optional(fields))
    result["reviewerWarnings"] = list(fields.warnings)
    return Normalised(result, tuple(fields.warnings))


def _malformed(value: Any) -> str:
    if not isinstance(value, dict):
        return "the verdict is no JSON object"
    if "version" in value and value["version"] != VERSION:
        return f"the verdict's version is {value['version']!r:.60}; it is {VERSION!r}"
    if value.get("status") not in STATUSES:
        return f"the verdict's status is {value.get('status')!r:.60}; it is one of {', '.join(STATUSES)}"
    if value["status"] == "passed" and not isinstance(value.get("goalMet"), bool):
        return "a verdict of passed says goalMet: true itself"
    return ""


def _contradiction(value: Mapping[str, Any]) -> str:
    if value["status"] != "passed":
        return ""
    if value["goalMet"] is False:
        return "the verdict is passed with goalMet false"
    if value.get("unmetCriteria"):
        return "the verdict is passed with unmet criteria"
    return ""


def _refused(problem: str, detail: str) -> Normalised:
    return Normalised(infra_failed(detail), problem=problem, detail=detail)


def _required(fields: Fields) -> Json:
    status = str(fields.value["status"])
    met = fields.value.get("goalMet")
    if met is not None and not isinstance(met, bool):
        fields.drop("goalMet", "it is neither true nor false")
    summary = fields.value.get("finalSummary")
    return {
        "version": VERSION,
        "status": status,
        "goalMet": met is True,
        "confidence": fields.one_of("confidence", CONFIDENCES, "medium"),
        "reasons": fields.items(fields.value, "reasons", "reasons", fields.text),
        "unmetCriteria": fields.items(fields.value, "unmetCriteria", "unmetCriteria", fields.text),
        "evidenceRefs": fields.items(fields.value, "evidenceRefs", "evidenceRefs", fields.evidence),
        "commandsRun": fields.items(fields.value, "commandsRun", "commandsRun", fields.command),
        "artifacts": fields.mapping("artifacts", lambda item: item if isinstance(item, str) else None, "text"),
        "finalSummary": summary if filled(summary) else _SUMMARIES[status],
    }


def _optional(fields: Fields) -> Json:
    value = fields.value
    made: Json = {
        "repairBrief": fields.optional_text(value, "repairBrief", "verdict"),
        "criteriaResults": fields.items(value, "criteriaResults", "criteriaResults", fields.criterion),
        "subscores": fields.mapping("subscores", _subscore, "number"),
        "judge": fields.judge(value["judge"], "judge") if value.get("judge") is not None else None,
        "judgeVotes": fields.items(value, "judgeVotes", "judgeVotes", fields.vote),
    }
    if made["judgeVotes"]:
        made["judgeAgreement"] = judge_agreement(made["judgeVotes"])
    return {name: item for name, item in made.items() if item}


def _subscore(item: Any) -> Optional[float]:
    found = number(item)
    return None if found is None else clamp(found)


def judge_agreement(votes: Sequence[Mapping[str, Any]]) -> Json:
    """How far the judges agree: counts by status, the strict plurality if there is one, and who dissents from it.

    Without a plurality every judge is listed. Weights are not used.
    """
    counts = {status: sum(vote["status"] == status for vote in votes) for status in STATUSES}
    most = max(counts.values())
    leaders = [status for status in STATUSES if counts[status] == most]
    majority = leaders[0] if len(leaders) == 1 else None
    made: Json = {
        "votes": len(votes),
        "unanimous": most == len(votes),
        "statusCounts": counts,
        "dissentingJudges": [judge_label(vote["judge"]) for vote in votes if vote["status"] != majority],
    }
    if majority is not None:
        made["majorityStatus"] = majority
    return made


def judge_label(judge: Mapping[str, str]) -> str:
    """`kind[/model][@version]`."""
    label = judge["kind"]
    if "model" in judge:
        label += f"/{judge['model']}"
    if "version" in judge:
        label += f"@{judge['version']}"
    return label


def infra_failed(reason: str, evidence: str = "", artifacts: Optional[Mapping[str, str]] = None) -> Json:
    """The result that stands where a reviewer's should: why there is none, and its last output as evidence."""
    return {
        "version": VERSION,
        "status": "infra_failed",
        "goalMet": False,
        "confidence": "high",
        "reasons": [reason],
        "unmetCriteria": ["The review itself could not be completed."],
        "evidenceRefs": [{"kind": "environment", "ref": "reviewer", "summary": evidence}],
        "commandsRun": [],
        "artifacts": dict(artifacts or {}),
        "finalSummary": f"No verdict: {reason}",
        "reviewerWarnings": [],
    }


def from_checks(checks: Sequence[Mapping[str, Any]]) -> Json:
    """The verdict when checks alone decide, or when one of them failed: they all have to pass."""
    failed = [check for check in checks if not check["passed"]]
    results: List[Json] = [_check_result(check) for check in checks]
    # A check that passed by exiting with another status than 0 would read as a command that failed.
    plain = [check for check in checks if check["exitCode"] is not None and not (check["passed"] and check["exitCode"])]
    return {
        "version": VERSION,
        "status": "failed" if failed else "passed",
        "goalMet": not failed,
        "confidence": "high",
        "reasons": [f"{check['id']}: {check['reason']}" for check in failed] or ["Every check passed."],
        "unmetCriteria": [f"check {check['id']}" for check in failed],
        "evidenceRefs": [_check_evidence(check) for check in (failed or checks)],
        "commandsRun": [
            {"command": check["command"], "exitCode": check["exitCode"], "summary": check["reason"]} for check in plain
        ],
        "artifacts": {},
        "finalSummary": f"{len(checks) - len(failed)} of {len(checks)} checks passed.",
        "criteriaResults": results,
        "judge": {"kind": "command"},
        "reviewerWarnings": [],
    }


def _check_result(check: Mapping[str, Any]) -> Json:
    return {
        "id": f"check-{check['id']}",
        "description": f"Check {check['id']}",
        "status": "passed" if check["passed"] else "failed",
        "score": 1 if check["passed"] else 0,
        "evidenceRefs": [_check_evidence(check)],
    }


def _check_evidence(check: Mapping[str, Any]) -> Dict[str, str]:
    return {"kind": "command", "ref": f"check {check['id']}", "summary": check["reason"]}


def decide(
    result: Mapping[str, Any], *, completion_required: bool = False, completed: bool = True, stopped: str = ""
) -> Verdict:
    """What a normalised result is worth.

    Args:
        result: A normalised result.
        completion_required: The scenario asks that the agent itself said it was done.
        completed: Whether it did.
        stopped: Why its turns ended; the failure kind where it should have completed and did not.
    """
    status = result["status"]
    if status == "review":
        return Verdict("failed", "review_required", None)
    if status not in ("passed", "failed"):
        return Verdict("failed", "infra_failed", None)
    if completion_required and not completed:
        return Verdict("failed", stopped or "missing_completion_signal", 0)
    if status == "passed":
        return Verdict("completed", "none", 1)
    return Verdict("failed", "goal_mismatch", 0)
