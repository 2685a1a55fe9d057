"""How the operator's reviewer is understood: `--reviewer`, or what the environment names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import replace

from generator.execute.refusal import Refused
from generator.runtime.evaluation import CHECKS_ONLY, Evaluation
from generator.runtime.launch import ReviewerCommand
from generator.runtime.operators import OPTION
from generator.runtime.redact import secrets_among
from generator.runtime.reviewers import (
    PROGRAM,
    choose_reviewer,
    command_reviewer,
    environment_reviewer,
    fixture_refusal,
)


def operators_reviewer(
    option: str | None, environ: Mapping[str, str], given: Mapping[str, str]
) -> ReviewerCommand | Refused | None:
    """The reviewer of `--reviewer`, with the operator's variables and those `given` to it; None without one."""
    if option is None:
        return None
    env = {**environ, **given}
    try:
        return _anchored(replace(command_reviewer(option, source=OPTION, env=env), secrets=secrets_among(given)), env)
    except ValueError as error:
        return _invalid(error)


def environments_reviewer(environ: Mapping[str, str], given: Mapping[str, str]) -> ReviewerCommand | Refused | None:
    """The same for the reviewer of `RUHROH_EVAL_COMMAND`; None when it is not set."""
    env = {**environ, **given}
    try:
        reviewer = environment_reviewer(env)
    except ValueError as error:
        return _invalid(error)
    return None if reviewer is None else _anchored(replace(reviewer, secrets=secrets_among(given)), env)


def find_reviewer(
    evaluation: Evaluation, theirs: ReviewerCommand | None, environ: Mapping[str, str]
) -> ReviewerCommand | Refused | None:
    """Who judges a package's work (see `choose_reviewer`); refused where a reviewer is needed and nobody is there."""
    chosen = choose_reviewer(evaluation, theirs, environ)
    if chosen is not None or evaluation.mode == CHECKS_ONLY:
        return chosen
    message = f"{evaluation.scenario_id} needs a reviewer: nobody would judge the work"
    return Refused("reviewer_missing", message, "--reviewer COMMAND, or RUHROH_EVAL_COMMAND")


def configured_fixture(environ: Mapping[str, str]) -> Refused | None:
    """The refusal when a canned verdict is configured: it would pass any work."""
    problem = fixture_refusal(environ)
    return Refused("review_fixture_configured", problem, "name a reviewer with --reviewer") if problem else None


def _anchored(reviewer: ReviewerCommand, environ: Mapping[str, str]) -> ReviewerCommand | Refused:
    """The same command with every file it names made absolute, once its program is known to be there.

    A reviewer starts in a copy of the work. A relative name would be looked for there, where the agent may have put a
    file of that name to be run with the operator's rights.
    """
    program, *rest = reviewer.argv
    found = os.path.abspath(program) if os.path.isfile(program) else None
    if found is None and "/" not in program:
        found = shutil.which(program, path=environ.get("PATH"))
    if found is None:
        return not_found(program)
    if not os.access(found, os.X_OK):
        return Refused("reviewer_not_executable", f"the reviewer {program} is not executable", f"chmod +x {program}")
    return replace(reviewer, argv=(found, *(os.path.abspath(word) if os.path.isfile(word) else word for word in rest)))


def not_found(program: str) -> Refused:
    """The refusal of a reviewer whose program is not there; of a directory, that is its `run`."""
    folder, _, name = program.rpartition("/")
    if name == PROGRAM and os.path.isdir(folder):
        message = f"the reviewer {folder} is a directory without a file `{PROGRAM}`"
        return Refused(
            "reviewer_not_found", message, f"an executable file {program}, or the path of the program itself"
        )
    message = f"the reviewer {program} is neither a file here nor a program on PATH"
    hint = f"the path of an executable file or of a directory with `{PROGRAM}` in it, or a program on PATH"
    return Refused("reviewer_not_found", message, hint)


def _invalid(error: ValueError) -> Refused:
    return Refused("reviewer_command_invalid", str(error), "the path of a program, or a program and its arguments")
