"""What keeps a package from being proven, and what is wrong with a kept proof."""

from __future__ import annotations

from typing import Any, Final

from tests.support.examples import Example, State, scenario
from tests.support.files import Script

_SOLUTION: Final = {"solution/report.json": '{"total": "14.00"}\n'}
_GOOD: Final = "grep -q 14.00 report.json"
_PROVE: Final = "harborsmith prove --scenario sum-ledger"
_CHECK: Final = "harborsmith prove --all --check"
_TRIED: Final = f"{_PROVE} > tried.txt"
_DECIDES: Final = """if grep -qs 14.00 report.json; then
  echo '{"status": "passed", "goalMet": true}'
else
  echo '{"status": "failed", "goalMet": false}'
fi
"""
_PROOF: Final = "generated/proofs/sum-ledger.json"


def _checked(command: str, files: dict[str, Any] | None = None, **changes: Any) -> State:
    """The pack in which a check alone decides."""
    evaluation = {"mode": "checks", "checks": [{"id": "report", "command": command}]}
    return scenario({**_SOLUTION, **(files or {})}, evaluation=evaluation, solution="solution", **changes)


_SOUND: Final = _checked(_GOOD)


def _judged(judge: str) -> State:
    """The pack with a reviewer of the operator's."""
    files = scenario(_SOLUTION, solution="solution").files
    return State({**files, "judge.sh": Script(f"#!/bin/sh\n{judge}")})


def _weak(fault: State) -> Example:
    return Example(fault, _SOUND, command=_PROVE)


def _kept(before: str) -> Example:
    """A proof that was kept is the fault, and proving anew mends it."""
    return Example(_SOUND, _SOUND, before=before, command=_CHECK, instead=_PROVE, clean=False)


EXAMPLES: Final = {
    "proof_nop_passes": _weak(_checked("test -d assets")),
    "proof_reference_fails": _weak(_checked(_GOOD, {"solution/report.json": '{"total": "13.00"}\n'})),
    "proof_adversary_passes": _weak(_checked("test -s report.json")),
    "proof_no_verdict": Example(
        _judged("exit 1\n"),
        _judged(_DECIDES),
        command=f"{_PROVE} --reviewer ./judge.sh",
        clean=False,
    ),
    "proof_missing": Example(_SOUND, _SOUND, command=_CHECK, instead=f"{_PROVE}", clean=False),
    "proof_stale": Example(
        _SOUND,
        _SOUND,
        before=f"{_TRIED}\nsed -i 's/14.00/14[.]00/' scenarios/sum-ledger/scenario.json",
        command=_CHECK,
        instead=_PROVE,
        clean=False,
    ),
    "proof_negative": Example(_checked("test -d assets"), _SOUND, before=_TRIED, command=_CHECK, clean=False),
    "proof_invalid": _kept(f"{_TRIED}\nsed -i 's/sum-ledger/sum-total/' {_PROOF}"),
    "proof_not_written": Example(
        State(_SOUND.files, note="generated/proofs lies on a file system that is mounted read-only"),
        _SOUND,
        hidden="mkdir -p generated/proofs",
        around='bwrap --dev-bind / / --ro-bind "$PWD/generated/proofs" "$PWD/generated/proofs"',
        command=_PROVE,
    ),
}
