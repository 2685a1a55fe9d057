"""Prove packages: nothing scores 0, the reference scores 1, forged results score 0; and keep the proof."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from generator import __version__
from generator.diagnostics.locate import locate
from generator.diagnostics.model import Diagnostic, Finding
from generator.execute.interrupt import Interrupted, raising
from generator.execute.notify import Notify
from generator.execute.refusal import Blame, Refused
from generator.execute.reviewers import configured_fixture, environments_reviewer, operators_reviewer
from generator.harbor.launch import installed_version
from generator.harbor.settings import operators_reviewer as shipped_reviewer
from generator.package.layout import PACKAGE_FORMAT
from generator.rules.undeclared import CODE as FOLDER_UNDECLARED
from generator.runtime.evaluation import CHECKS_ONLY
from generator.runtime.launch import ReviewerCommand
from generator.runtime.reviewers import choose_reviewer
from generator.workflows.making import regenerate
from generator.workflows.missing_solution import UNDECLARED, undeclared
from generator.workflows.proof import (
    ORACLE,
    VERSION,
    Limit,
    Outcome,
    adversary_digest,
    faults,
    is_evidence,
    limits_json,
    outcomes_json,
    reasons,
    sealed,
    stored_outcomes,
    tight,
)
from generator.workflows.proof_evidence import circumstances, is_of, limits
from generator.workflows.proof_store import NOT_WRITTEN, Wanted, keep_proof, proof_path, read_proof, shortfall
from generator.workflows.proof_subjects import Subject, Subjects, Unfit, packages_to_check, packages_to_run
from generator.workflows.proof_trials import HARBOR, LOCALLY, Manner, Tried, harbor_options, try_agents
from generator.workflows.run import exit_of
from generator.workflows.suggest import option_words, package_words
from generator.workflows.targets import Choice


class Status(StrEnum):
    """What is known of a package in the end."""

    PROVEN = "proven"
    ALREADY = "proven_already"
    NOT_PROVEN = "not_proven"
    NOT_TRIED = "not_tried"
    INTERRUPTED = "interrupted"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveRequest(Choice):
    """What is asked of `prove`.

    Attributes:
        manner: How the agents are run, or were run for a kept proof to hold.
        stale: Leave packages alone whose kept proof holds.
        any_backend: A kept proof holds whichever backend it was made with.
    """

    manner: Manner = LOCALLY
    stale: bool = False
    any_backend: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """What came of one package.

    Attributes:
        subject: The package, or what is none.
        status: What is known of it.
        outcomes: What the agents scored; empty where none was tried.
        limits: Time limits, and what the reference needed of them.
        diagnostics: Why it is not proven, and what weakens its proof, placed at the package or its scenario.
        refused: Why it could not be tried.
        proof: Where its proof is kept; None for what is no package, and where another's is kept there.
        exit_code: What it means to a script.
    """

    subject: Subject | Unfit
    status: Status
    outcomes: tuple[Outcome, ...] = ()
    limits: tuple[Limit, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    refused: tuple[Refused, ...] = ()
    proof: Path | None
    exit_code: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveOutcome:
    """What `prove` did.

    Attributes:
        packages: One entry for everything that was asked for, what could be no package last.
        refused: Why nothing was done at all.
        diagnostics: What is wrong with the selection, and advice about scenarios.
        exit_code: The highest of all.
    """

    packages: tuple[Proved, ...] = ()
    refused: tuple[Refused, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    exit_code: int = 0

    @property
    def complaints(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the asking and with what was asked for: nothing that was found out about a package."""
        unfit = (one for one in self.packages if one.status is Status.INVALID)
        return (*self.diagnostics, *(complaint for one in unfit for complaint in one.diagnostics))


def prove(request: ProveRequest, environ: Mapping[str, str], notify: Notify) -> ProveOutcome:
    """Try every package with the agents and keep a proof of each; one that is not proven keeps no other from it.

    An interruption ends it and is part of the outcome; it costs the proof of the package at hand, and no other.

    Raises:
        Interrupted: Before all packages were there.
    """
    reviewer = _reviewer(request, environ) if request.stale else None
    if isinstance(reviewer, Refused):
        return ProveOutcome(refused=(reviewer,), exit_code=exit_of(reviewer))
    with raising():
        subjects = packages_to_run(request)
        done: list[Proved] = []
        code = subjects.exit_code
        kept: dict[Path, Subject] = {}
        try:
            for subject in subjects.found:
                first = kept.setdefault(proof_path(request.out, subject.scenario_id), subject)
                alone = first is subject
                done.append(
                    _prove(subject, request, reviewer, environ, notify)
                    if alone
                    else _placeless(subject, request, first)
                )
                if done[-1].status is Status.INTERRUPTED:
                    break
        except Interrupted as interruption:
            code = max(code, interruption.exit_code)
            at_hand = subjects.found[len(done) : len(done) + 1]
            done += [_cut(subject, request, interruption.exit_code) for subject in at_hand]
        unreached = subjects.found[len(done) :]
        done += [
            Proved(subject=subject, status=Status.NOT_TRIED, proof=proof_path(request.out, subject.scenario_id))
            for subject in unreached
        ]
    return _outcome(subjects, done, code)


def _outcome(subjects: Subjects, done: list[Proved], code: int) -> ProveOutcome:
    unfit = [
        Proved(
            subject=one,
            status=Status.INVALID,
            diagnostics=one.diagnostics,
            refused=one.refused,
            proof=None,
            exit_code=one.exit_code,
        )
        for one in subjects.unfit
    ]
    return ProveOutcome(
        packages=(*done, *unfit),
        diagnostics=subjects.diagnostics,
        exit_code=max([code, *(one.exit_code for one in (*done, *unfit))]),
    )


def check_proofs(request: ProveRequest, environ: Mapping[str, str]) -> ProveOutcome:
    """Say of every package whether its kept proof holds. Runs and writes nothing."""
    reviewer = _reviewer(request, environ)
    if isinstance(reviewer, Refused):
        return ProveOutcome(refused=(reviewer,), exit_code=exit_of(reviewer))
    subjects = packages_to_check(request)
    checked = [_checked(subject, request, reviewer) for subject in subjects.found]
    return _outcome(subjects, checked, subjects.exit_code)


def _placeless(subject: Subject, request: ProveRequest, first: Subject) -> Proved:
    """A package that is not tried: its proof would take the place of one that was just made."""
    path = proof_path(request.out, subject.scenario_id)
    message = f"{path} is for the proof of {first.place}, another package of the same scenario"
    hint = f"{subject.place} in a command of its own, with another --out"
    refused = Refused(NOT_WRITTEN, message, hint, Blame.USAGE)
    return Proved(subject=subject, status=Status.NOT_TRIED, refused=(refused,), proof=None, exit_code=exit_of(refused))


def _cut(subject: Subject, request: ProveRequest, exit_code: int) -> Proved:
    path = proof_path(request.out, subject.scenario_id)
    return Proved(subject=subject, status=Status.INTERRUPTED, proof=path, exit_code=exit_code)


def _reviewer(request: ProveRequest, environ: Mapping[str, str]) -> ReviewerCommand | Refused | None:
    """The operator's reviewer, with which proofs have to have been made; None where there is none."""
    fixture = configured_fixture(environ)
    if fixture is not None:
        return fixture
    if request.manner.backend == HARBOR:
        return shipped_reviewer(harbor_options(request.manner, ORACLE), environ)
    return operators_reviewer(request.manner.reviewer, environ, {}) or environments_reviewer(environ, {})


def _checked(subject: Subject, request: ProveRequest, reviewer: ReviewerCommand | None) -> Proved:
    path = proof_path(request.out, subject.scenario_id)
    kept = read_proof(path)
    if isinstance(kept, Finding):
        return _without_proof(subject, request, kept, path)
    wanted = Wanted(
        scenario_id=subject.scenario_id,
        digest=subject.digest,
        modes=subject.modes,
        reference=subject.reference,
        backend=None if request.any_backend else request.manner.backend,
        repeat=request.manner.repeat,
        judged=subject.evaluation.mode != CHECKS_ONLY,
        reviewer=choose_reviewer(subject.evaluation, reviewer, {}),
    )
    lacking = shortfall(kept, wanted)
    if lacking is not None:
        return _without_proof(subject, request, lacking, path)
    return Proved(subject=subject, status=Status.PROVEN, outcomes=stored_outcomes(kept), proof=path)


def _without_proof(subject: Subject, request: ProveRequest, why: Finding, path: Path) -> Proved:
    found = _placed((why._replace(hint=_again(subject, request)),), subject)
    return Proved(subject=subject, status=Status.NOT_PROVEN, diagnostics=found, proof=path, exit_code=1)


def _again(subject: Subject, request: ProveRequest) -> str:
    """The command that makes the proof that is lacking, of this package alone."""
    if subject.package is not None:
        which = [str(subject.place), *package_words(None, None, request.out, None, request.usual)]
    else:
        folder, settings = request.scenario_dir, request.settings
        which = package_words(folder, subject.scenario_id, request.out, settings, request.usual)
    manner = request.manner
    how = {
        "--backend": None if manner.backend == LOCALLY.backend else manner.backend,
        "--repeat": None if manner.repeat == LOCALLY.repeat else manner.repeat,
        "--reviewer": manner.reviewer,
    }
    return shlex.join(["harborsmith", "prove", *which, *option_words(how)])


def _prove(
    subject: Subject,
    request: ProveRequest,
    reviewer: ReviewerCommand | None,
    environ: Mapping[str, str],
    notify: Notify,
) -> Proved:
    """Raises Interrupted."""
    path = proof_path(request.out, subject.scenario_id)
    if request.stale and (known := _checked(subject, request, reviewer)).status is Status.PROVEN:
        notify(f"{subject.scenario_id}: proven already")
        return replace(known, status=Status.ALREADY)
    tried = try_agents(subject, request, request.manner, environ, notify)
    if tried.interrupted is not None:
        return _cut(subject, request, tried.interrupted)
    refused = tried.refused
    if not all(is_of(report, subject.digest, subject.modes) for report in tried.reports):
        message = f"{subject.place} was tried as another package than it is: it changed meanwhile"
        hint = regenerate(subject.scenario_id, request)
        refused = (*refused, Refused("package_edited", message, hint, Blame.PACKAGE))
    if refused:
        code = max(map(exit_of, refused))
        return Proved(subject=subject, status=Status.NOT_TRIED, refused=refused, proof=path, exit_code=code)
    return _concluded(subject, request, tried, path)


def _concluded(subject: Subject, request: ProveRequest, tried: Tried, path: Path) -> Proved:
    """What the outcomes come to, with the proof kept."""
    found = faults(tried.outcomes)
    trials = next((outcome.trials for outcome in tried.outcomes if outcome.agent == ORACLE), ())
    measured = limits(subject.package, trials) if subject.package is not None else ()
    narrow = tight(measured)
    document = _document(subject, request, tried, measured, [warning.message for warning in narrow])
    unkept = keep_proof(path, document, evidence=is_evidence(found))
    code = int(bool(found or unkept))
    return Proved(
        subject=subject,
        status=Status.NOT_PROVEN if found or unkept else Status.PROVEN,
        outcomes=tried.outcomes,
        limits=measured,
        diagnostics=_placed((*found, *narrow, *_forgotten(subject, request), *([unkept] if unkept else [])), subject),
        proof=path,
        exit_code=4 if unkept and unkept.code == NOT_WRITTEN else code,
    )


def _forgotten(subject: Subject, request: ProveRequest) -> Iterator[Finding]:
    """A note where a reference solution was not tried because its scenario does not name it."""
    hint = None if subject.reference else undeclared(subject.scenario_id, request)
    if hint is not None:
        message = f"{subject.scenario_id} ships no reference solution that could be tried: {UNDECLARED}"
        yield Finding(FOLDER_UNDECLARED, "", message, hint)


def _document(
    subject: Subject, request: ProveRequest, tried: Tried, measured: tuple[Limit, ...], warnings: list[str]
) -> dict[str, Any]:
    """The proof as it is kept: no path of this machine, no word of a reviewer, no value of a variable."""
    found = faults(tried.outcomes)
    made = circumstances(tried.reports[-1])
    backend = request.manner.backend
    return sealed(
        {
            "version": VERSION,
            "proven": not found,
            "reasons": reasons(found),
            "scenario": {"id": subject.scenario_id, "version": subject.version},
            "package": {"format": PACKAGE_FORMAT, "digest": subject.digest, "modes": subject.modes},
            "backend": backend,
            "isolation": dict(made.isolation),
            "versions": {
                "harborsmith": __version__,
                "harbor": installed_version() if backend == HARBOR else None,
                "python": platform.python_version(),
                "adversary": adversary_digest(),
            },
            "reviewer": dict(made.reviewer) if made.reviewer is not None else None,
            "repeat": request.manner.repeat,
            "reference": subject.reference,
            "outcomes": outcomes_json(tried.outcomes),
            "limits": limits_json(measured),
            "warnings": warnings,
            "provenAt": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
    )


def _placed(found: tuple[Finding, ...], subject: Subject) -> tuple[Diagnostic, ...]:
    return tuple(
        placed
        for finding in found
        for placed in locate((finding,), None, subject.place, subject.scenario_id, document_file="")
    )
