"""The command `tests/test.sh` runs: review the work that was handed over and write the reward.

Exit status: 0 a reward was written, 1 there is none (the verdict is owed, or something broke), 2 usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from typing import Any, Dict, List, Mapping, Optional, Sequence

from . import strictjson
from .container import ContainerLauncher, named_user, nobody
from .evalinput import RunContext
from .evaluation import Evaluation, read_evaluation
from .launch import ReviewerCommand, ReviewPlace
from .operators import FILE as OPERATOR_FILE
from .operators import read_operator
from .process import User
from .redact import secrets_among
from .review import ReviewReport, run_review
from .reviewers import choose_reviewer, environment_reviewer
from .trees import SPECIAL_FILE, LeftOut

VERDICT, NO_VERDICT, USAGE = 0, 1, 2
SOCKETS = "sockets"
MAX_SOCKETS_BYTES = 16 * 1024 * 1024


def main(arguments: Sequence[str]) -> int:
    """Run the review; returns the exit status and prints one line."""
    chosen = _parser().parse_args(arguments)
    try:
        evaluation = read_evaluation(os.path.join(chosen.tests, "evaluation.json"))
        reviewer = asked_reviewer(evaluation, os.environ)
        user = nobody() if chosen.user is None else named_user(chosen.user)
    except ValueError as problem:
        sys.stderr.write(f"review: {problem}\n")
        return USAGE
    try:
        report = _review(chosen, evaluation, reviewer, user)
    except OSError as problem:
        sys.stderr.write(f"review: no verdict: {problem}\n")
        return NO_VERDICT
    sys.stdout.write(_line(report) + "\n")
    return NO_VERDICT if report.verdict.score is None else VERDICT


def asked_reviewer(evaluation: Evaluation, environ: Mapping[str, str]) -> Optional[ReviewerCommand]:
    """Who is asked here, where an operator hands over a file, or the environment names a command; None for nobody.

    Raises:
        ValueError: The operator's file or the environment's command cannot be read.
    """
    operator = read_operator(environ)
    env = {name: value for name, value in environ.items() if name != OPERATOR_FILE}
    env.update(operator.env)
    theirs = operator.reviewer and replace(operator.reviewer, env=env, secrets=secrets_among(operator.env))
    return choose_reviewer(evaluation, theirs or environment_reviewer(env), env)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="review", description="Review a finished work and write its reward.")
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--tests", default=here, metavar="DIR", help="the package's tests directory")
    parser.add_argument("--handover", default="/logs/artifacts/workspace.tar", metavar="TAR", help="the finished work")
    parser.add_argument(
        "--context", default="/logs/artifacts/agent/context.json", metavar="FILE", help="how it was made"
    )
    parser.add_argument("--out", default="/logs/verifier", metavar="DIR", help="where the reward goes")
    parser.add_argument("--room", default="/review", metavar="DIR", help="where the review takes place")
    parser.add_argument("--user", help="name or id of whom the agent's program runs as, ours alone; default: nobody")
    parser.add_argument("--workdir", metavar="DIR", help="where the work stands; default: as the package says")
    return parser


def _review(
    chosen: argparse.Namespace, evaluation: Evaluation, reviewer: Optional[ReviewerCommand], user: User
) -> ReviewReport:
    os.makedirs(chosen.out, exist_ok=True)
    os.makedirs(chosen.room, exist_ok=True)
    os.chmod(chosen.out, 0o700)
    os.chmod(chosen.room, 0o700)
    workdir = chosen.workdir or evaluation.workdir
    place = ReviewPlace(chosen.tests, chosen.room, workdir, os.path.join(chosen.room, "submission.socket"))
    return run_review(
        evaluation,
        place=place,
        handover=chosen.handover,
        context=_with_sockets(read_context(chosen.context), chosen.handover),
        reviewer=reviewer,
        launcher=ContainerLauncher(workdir, user, (chosen.tests, chosen.out, chosen.room)),
        out_dir=chosen.out,
        environ=os.environ,
    )


def read_context(path: str) -> RunContext:
    """What is recorded of the run beside its archive; nothing when there is no record or it is malformed.

    The transcripts lie in `transcripts/` beside the file.
    """
    try:
        value = strictjson.read_object(path, 64 * 1024 * 1024)
    except (FileNotFoundError, ValueError):
        return RunContext()
    return RunContext(
        run_id=_of(value, "runId", str, ""),
        journey=_of(value, "journey", dict, None),
        transcripts=os.path.join(os.path.dirname(path), "transcripts"),
        stopped_reason=_of(value, "implementationStoppedReason", str, ""),
        iterations_used=_of(value, "iterationsUsed", int, None),
        completed=_of(value, "completed", bool, None),
        left_out=_left_out(_of(value, "leftOut", list, [])),
    )


def _with_sockets(context: RunContext, handover: str) -> RunContext:
    """The same with the sockets of the work, which its archive cannot hold; a list of them lies beside it."""
    try:
        with open(os.path.join(os.path.dirname(handover), SOCKETS), "rb") as stream:
            names = stream.read(MAX_SOCKETS_BYTES).split(b"\0")
    except OSError:
        return context
    found = tuple(LeftOut(os.path.normpath(os.fsdecode(name)), SPECIAL_FILE) for name in names if name)
    return replace(context, left_out=context.left_out + found)


def _of(value: Dict[str, Any], name: str, kind: type, default: Any) -> Any:
    found = value.get(name)
    return found if isinstance(found, kind) else default


def _left_out(items: List[Any]) -> "tuple[LeftOut, ...]":
    return tuple(
        LeftOut(_of(item, "path", str, ""), _of(item, "reason", str, ""), _of(item, "target", str, ""))
        for item in items
        if isinstance(item, dict)
    )


def _line(report: ReviewReport) -> str:
    words = {1: "passed", 0: "failed", None: "no verdict"}
    passed = sum(check.passed for check in report.checks)
    checks = f", checks {passed}/{len(report.checks)}" if report.checks else ""
    kind = "" if report.verdict.failure_kind == "none" else f" ({report.verdict.failure_kind})"
    why = f": {report.problem}" if report.problem else ""
    return f"review: {words[report.verdict.score]}{kind}{checks}{why}"
