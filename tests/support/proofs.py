"""Scenarios to be proven, and what `prove` keeps and says of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.runs import JUDGE, Bench, Ran
from tests.unit.schemas.shipped import wordy

RIGHT = """python3 -I -c "import json; assert json.load(open('report.json')) == {'total': 14.0}" """
REPORT = '{"total": 14.00}'
PROVE = ("prove", "--scenario", "sum-ledger")


def checked(bench: Bench, command: str = RIGHT, *, solution: Mapping[str, str] | None = None, **changes: Any) -> None:
    """Write a scenario with one check, and the reference solution that is right; `solution={}` leaves it out."""
    files = {"report.json": REPORT} if solution is None else solution
    extra: dict[str, str] = dict(changes.pop("extra", {}))
    extra |= {f"solution/{name}": text for name, text in files.items()}
    made = {"evaluation": {"mode": "checks", "checks": [{"id": "the-check", "command": command}]}, **changes}
    bench.scenario(extra, **made, **({"solution": "solution"} if files else {}))


def proof(bench: Bench) -> dict[str, Any]:
    """The kept proof, which is what its schema says."""
    document: dict[str, Any] = json.loads(proof_file(bench).read_text())
    assert [error.message for error in wordy("proof").iter_errors(document)] == []
    return document


def proof_file(bench: Bench) -> Path:
    """Where the proof of the scenario is kept."""
    return bench.folder / "generated" / "proofs" / "sum-ledger.json"


def report(ran: Ran) -> dict[str, Any]:
    """The report, which is what its schema says."""
    document: dict[str, Any] = json.loads(ran.out)
    assert [error.message for error in wordy("prove-report").iter_errors(document)] == []
    return document


def codes(ran: Ran) -> list[str]:
    """What is said against the only package, or against its being one."""
    told = report(ran)
    return [finding["code"] for entry in (*told["packages"], told) for finding in entry["findings"]]


def scores(document: Mapping[str, Any]) -> dict[str, list[int | None]]:
    """Agent -> what each of its runs scored."""
    return {entry["agent"]: [run["score"] for run in entry["runs"]] for entry in document["outcomes"]}


def runs(bench: Bench) -> int:
    """How many runs there have been."""
    return len(list((bench.folder / "generated" / "runs" / "sum-ledger").iterdir()))


def judged(bench: Bench, status: str) -> None:
    """A scenario whose reviewer says `status` about whatever has no report."""
    bench.script(JUDGE.replace('else "failed"', f'else "{status}"'), "judge.py")
    bench.scenario({"solution/report.json": REPORT}, solution="solution")
