"""One review from a finished work to a verdict, with its evidence; the same code in a container and on a machine.

The order is the point: evidence of the agent's tree is taken before anything runs, checks come before the reviewer, a
verdict is read when the reviewer's processes are dead, and the reward is the last file written, only with a verdict.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from . import strictjson
from .audit import audit_warnings
from .checks import CheckResult, files_below, run_checks, submission_job
from .evalinput import INPUT_NAME, JOURNEY_NAME, RESULT_NAME, RoomPaths, RunContext, eval_input, reviewer_environment
from .evaluation import CHECKS_ONLY, Evaluation
from .handover import DEFAULT_LIMITS, HandoverLimits, archive, digest
from .interrupts import HeldBack
from .launch import Job, Launcher, Limits, Outcome, ReviewerCommand, ReviewPlace
from .links import LEAVING, copy_tree
from .proctree import kill_commands_of
from .records import journey
from .redact import redacted_bytes, redacted_value
from .reviewers import fixture_refusal
from .submission import Broker
from .summary import summarise
from .trees import LeftOut, clone_file, clone_tree, create_directory, empty_directory, remove_tree
from .unpack import unpack
from .verdict import Verdict, decide, from_checks, infra_failed, normalise, read_verdict

ARCHIVE_NAME = "ruhroh-workspace.tar.gz"
SUMMARY_NAME = "ruhroh-workspace-summary.json"
DETAILS_NAME = "reward-details.json"
REWARD_NAME = "reward.json"
LOG_NAME = "reviewer.log"
_REWARDS = (REWARD_NAME, "reward.txt", DETAILS_NAME, RESULT_NAME)
_OUTPUTS = (*_REWARDS, LOG_NAME, INPUT_NAME, JOURNEY_NAME, ARCHIVE_NAME, SUMMARY_NAME)
LAST_OUTPUT = 4000  # characters of a broken reviewer's output kept in the verdict that stands for its own


@dataclass(frozen=True)
class ReviewReport:
    """What a review came to.

    Attributes:
        result: The normalised verdict, also written to `ruhroh-loop-eval.json`.
        verdict: What it is worth.
        checks: Results of the checks, in order.
        problem: Why there is no verdict; empty with one.
        warnings: What a person should know before believing it.
        reviewer: Which reviewer was asked (`source`, `sha256`); None when none was.
        left_out: What the reviewed tree lacks of the work.
    """

    result: Dict[str, Any]
    verdict: Verdict
    checks: Tuple[CheckResult, ...] = ()
    problem: str = ""
    warnings: Tuple[str, ...] = ()
    reviewer: Optional[Dict[str, Any]] = None
    left_out: Tuple[LeftOut, ...] = ()


def run_review(  # noqa: PLR0913 -- by keyword only
    evaluation: Evaluation,
    *,
    place: ReviewPlace,
    handover: str,
    context: RunContext,
    reviewer: Optional[ReviewerCommand],
    launcher: Launcher,
    out_dir: str,
    environ: Mapping[str, str],
    now: Callable[[], str] = lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    limits: HandoverLimits = DEFAULT_LIMITS,
) -> ReviewReport:
    """Review a finished work.

    Args:
        evaluation: What the package asks.
        place: Where; `place.room` is emptied first.
        handover: The archive of the work, or a directory that holds it (a copy of it is reviewed).
        context: What is known of the run.
        reviewer: Who is asked when no check fails; not needed in mode `checks`.
        launcher: Runs the programs.
        out_dir: Where evidence and verdict are written; what an earlier review left there is removed first.
        environ: PATH for submissions; also searched for ready-made verdicts, which are refused.
        now: Time stamp for the summary.
        limits: What the archive may hold.

    Returns:
        The report. Whatever goes wrong is in it (`infra_failed`, no score); only an `out_dir` that cannot be written
        raises OSError.
    """
    os.makedirs(out_dir, exist_ok=True)
    _remove(out_dir, _OUTPUTS)
    review = _Review(evaluation, place, context, reviewer, launcher, out_dir, environ)
    try:
        result = review.judge(handover, now, limits)
    except OSError as problem:
        result = review.broken(f"this machine could not carry out the review: {problem}")
    return review.conclude(result)


def _remove(folder: str, names: Sequence[str]) -> None:
    for name in names:
        remove_tree(os.path.join(folder, name))


class _Review:
    """The state of one review while it runs."""

    def __init__(
        self,
        evaluation: Evaluation,
        place: ReviewPlace,
        context: RunContext,
        reviewer: Optional[ReviewerCommand],
        launcher: Launcher,
        out_dir: str,
        environ: Mapping[str, str],
    ) -> None:
        self._evaluation = evaluation
        self._place = place
        self._paths = RoomPaths(place.room)
        self._context = context
        self._reviewer = reviewer
        self._launcher = launcher
        self._out = out_dir
        self._environ = environ
        self._checks: Tuple[CheckResult, ...] = ()
        self._left_out: Tuple[LeftOut, ...] = context.left_out
        self._sha256: Optional[str] = None
        self._asked: Optional[Dict[str, Any]] = None
        self._problem = ""

    def judge(self, handover: str, now: Callable[[], str], limits: HandoverLimits) -> Dict[str, Any]:
        """Everything up to the normalised result. Raises OSError when the machine fails."""
        refusal = fixture_refusal(self._environ)
        if refusal:
            return self.broken(refusal)
        problem = self._receive(handover, limits)
        self._keep_evidence(now())
        if problem:
            self._tell()
            return self.broken(problem)
        self._checks = run_checks(
            self._evaluation.checks,
            original=self._paths.original,
            originals=os.path.join(self._place.tests, "originals"),
            work=self._paths.work,
            launcher=self._launcher,
            environ=self._environ,
        )
        told = self._tell()
        return self._weigh(told)

    def _receive(self, handover: str, limits: HandoverLimits) -> str:
        """Put the work into the room; returns why it cannot be reviewed."""
        os.makedirs(self._place.room, exist_ok=True)
        empty_directory(self._place.room)
        homes = (self._evaluation.workdir,)
        if os.path.isdir(handover):
            self._left_out += copy_tree(handover, self._paths.original, homes, self._context.hidden)
            return ""
        if not os.path.isfile(handover) or os.path.islink(handover):
            return f"the finished work did not arrive: there is no archive {handover}"
        self._sha256 = digest(handover)
        unpacked = unpack(handover, self._paths.original, limits, homes, self._context.hidden)
        self._left_out += unpacked.left_out
        if unpacked.problem:
            remove_tree(self._paths.original)
        return unpacked.problem

    def _keep_evidence(self, generated_at: str) -> None:
        if os.path.isdir(self._paths.original):
            archive(self._paths.original, os.path.join(self._out, ARCHIVE_NAME))
        summary = summarise(
            self._paths.original,
            workspace_root=self._evaluation.workdir,
            generated_at=generated_at,
            left_out=self._left_out,
        )
        strictjson.write(os.path.join(self._out, SUMMARY_NAME), summary)

    def _tell(self) -> Dict[str, Any]:
        """Write journey, transcripts and eval input for the reviewer, the last also as evidence."""
        names = self._transcripts()
        told = self._context.journey or self._empty_journey()
        made = eval_input(
            self._evaluation,
            place=self._place,
            seen=self._seen,
            context=self._context,
            checks=[check.as_json() for check in self._checks],
            transcripts=names,
            leaving_links=[item for item in self._left_out if item.reason == LEAVING],
            workspace_sha256=self._sha256,
        )
        for folder in (self._place.room, self._out):
            strictjson.write(os.path.join(folder, JOURNEY_NAME), dict(told))
            strictjson.write(os.path.join(folder, INPUT_NAME), made)
        return made

    def _transcripts(self) -> List[str]:
        create_directory(self._paths.transcripts)
        copied = []
        for name in files_below(self._context.transcripts):
            source, target = (os.path.join(top, name) for top in (self._context.transcripts, self._paths.transcripts))
            if "/" not in name and clone_file(source, target, executable=False) is None:
                copied.append(name)
        return copied

    def _empty_journey(self) -> Dict[str, Any]:
        return journey(
            scenario_id=self._evaluation.scenario_id,
            user_prompt=self._evaluation.user_prompt,
            stopped_reason=self._context.stopped_reason or "unknown",
            adapter_id="unknown",
            continuity="workspace_only",
            session="unknown",
            workspace=self._evaluation.workdir,
            runs=[],
        )

    def _seen(self, path: str) -> str:
        trusted = self._reviewer is not None and self._reviewer.trusted
        return self._launcher.seen(path, self._place, trusted)

    def _weigh(self, told: Mapping[str, Any]) -> Dict[str, Any]:
        """The verdict of the checks where it is final, else the reviewer's."""
        for check in self._checks:
            if check.error:
                return self.broken(f"check {check.check.id} {check.reason}")
        by_checks = from_checks([check.as_json() for check in self._checks])
        if by_checks["status"] == "failed" or self._evaluation.mode == CHECKS_ONLY:
            return by_checks
        if self._reviewer is None:
            return self.broken("no reviewer: the package has none and none was given")
        return self._read(self._ask(self._reviewer, told), self._reviewer.secrets)

    def _ask(self, reviewer: ReviewerCommand, told: Mapping[str, Any]) -> Outcome:
        """Run the reviewer to its end, with its output kept as evidence."""
        clone_tree(self._paths.original, self._paths.workspace)
        create_directory(self._paths.output)
        folder = self._seen(os.path.join(self._place.tests, "reviewer"))
        argv = tuple(word.replace("{reviewer}", folder) for word in reviewer.argv)
        if reviewer.source != "package":
            argv = reviewer.argv
        self._asked = {"source": reviewer.source, "sha256": reviewer.sha256}  # its words may hold a token
        env = {**reviewer.env, **reviewer_environment(told, self._place, self._seen)}
        if not reviewer.trusted:
            env = {**submission_job("", "", 1, self._environ).env, **env}
        seconds = self._evaluation.reviewer_seconds
        job = Job(argv, env, self._paths.workspace, Limits(seconds))
        with Broker(self._place.socket, self._submissions(time.monotonic() + seconds), kill_commands_of):
            outcome = self._launcher.run_reviewer(job, self._place, reviewer.trusted)
        self._asked.update(
            exitCode=outcome.exit_code, timedOut=outcome.timed_out, durationMs=round(outcome.seconds * 1000)
        )
        if reviewer.secrets:
            outcome = outcome._replace(output=redacted_bytes(outcome.output, reviewer.secrets))
        with open(os.path.join(self._out, LOG_NAME), "wb") as stream:
            stream.write(outcome.output)
        return outcome

    def _submissions(self, deadline: float) -> Callable[[Sequence[str], float, bool], Dict[str, Any]]:
        """What answers the reviewer's wish to run the agent's program; none outlives the reviewer's own time."""

        def answer(argv: Sequence[str], seconds: float, keep: bool) -> Dict[str, Any]:
            work = self._paths.kept if keep else self._paths.work
            if not os.path.isdir(work):
                clone_tree(self._paths.original, work)
            limit = max(0.1, min(seconds, deadline - time.monotonic()))
            outcome = self._launcher.run_submission(submission_job(argv, work, limit, self._environ), work)
            if not keep:
                remove_tree(work)
            return {
                "exitCode": outcome.exit_code,
                "timedOut": outcome.timed_out,
                "output": outcome.output.decode("utf-8", "surrogateescape"),
                "outputBytes": outcome.output_bytes,
                "omittedBytes": outcome.omitted_bytes,
                "seconds": round(outcome.seconds, 3),
                "error": outcome.error,
            }

        return answer

    def _read(self, outcome: Outcome, secrets: Mapping[str, str]) -> Dict[str, Any]:
        """The reviewer's verdict, or the reason why it gave none."""
        reason = ""
        if not outcome.started:
            reason = f"the reviewer could not be started: {outcome.error}"
        elif outcome.timed_out:
            reason = f"the reviewer ran past its limit of {self._evaluation.reviewer_seconds:g} s"
        elif outcome.exit_code != 0:
            reason = f"the reviewer exited with {outcome.exit_code}"
        if reason:
            return self.broken(reason, outcome.text)
        reading = read_verdict(self._paths.result, outcome.text)
        if reading.value is None:
            return self.broken(reading.problem, outcome.text)
        normalised = normalise(redacted_value(reading.value, secrets))
        if normalised.problem is not None:
            return self.broken(f"{normalised.problem}: {normalised.detail}", outcome.text)
        if normalised.result["status"] == "infra_failed":
            self._problem = "the reviewer itself reports infra_failed"
        return normalised.result

    def broken(self, reason: str, output: str = "") -> Dict[str, Any]:
        """The result that says why there is no verdict."""
        self._problem = reason
        shown = {"workspacePath": self._seen(self._paths.workspace), "evalOutputPath": self._seen(self._paths.result)}
        return infra_failed(reason, output[-LAST_OUTPUT:], shown)

    def conclude(self, result: Dict[str, Any]) -> ReviewReport:
        """Decide and write; the reward comes last and only with a score."""
        context = self._context
        enforced = self._evaluation.completion_required and context.completed is not None
        verdict = decide(
            result, completion_required=enforced, completed=context.completed is True, stopped=context.stopped_reason
        )
        warnings = audit_warnings(result, by_checks=self._asked is None)
        if self._evaluation.completion_required and context.completed is None:
            warnings += ("nobody recorded whether the agent said it was done, so the score does not depend on it",)
        report = ReviewReport(result, verdict, self._checks, self._problem, warnings, self._asked, self._left_out)
        with HeldBack():  # all of it or nothing
            _remove(self._out, _REWARDS)  # a reviewer with the run of the machine may have left some
            strictjson.write(os.path.join(self._out, RESULT_NAME), result)
            strictjson.write(os.path.join(self._out, DETAILS_NAME), details(report))
            if verdict.score is not None:
                strictjson.write(os.path.join(self._out, REWARD_NAME), {"reward": verdict.score})
        return report


def details(report: ReviewReport) -> Dict[str, Any]:
    """What `reward-details.json` holds."""
    return {
        "version": "harborsmith_reward_details_v1",
        "status": report.verdict.status,
        "failureKind": report.verdict.failure_kind,
        "score": report.verdict.score,
        "problem": report.problem,
        "evalResult": report.result,
        "checks": [check.as_json() for check in report.checks],
        "criteria": report.result.get("criteriaResults", []),
        "reviewer": report.reviewer,
        "warnings": list(report.warnings),
        "leftOut": [item.as_json() for item in report.left_out],
    }
