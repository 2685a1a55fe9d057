"""`prove --backend harbor`: the adversary gets nothing for its forgeries, but from a check that believes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harbor.machine import ENVIRONMENT, Machine
from tests.support.scenarios import document, write_scenario
from tests.unit.schemas.shipped import wordy

pytestmark = pytest.mark.harbor

HONEST = "python3 -I -c \"import json; assert json.load(open('report.json')) == {'total': 14.0}\""
CARELESS = "grep -q passed result.json"


def test_what_is_proven_in_containers_and_what_is_not(machine: Machine, tmp_path: Path) -> None:
    reference = {"solution": "solution"}
    for name, command, more in (("honest", HONEST, reference), ("careless", CARELESS, {})):
        checks = {"mode": "checks", "checks": [{"id": "only", "command": command}]}
        made = document(id=name, evaluation=checks, **more)
        write_scenario(tmp_path / "scenarios" / name, made, {"solution/report.json": '{"total": 14.0}'})
    here = machine.at(tmp_path)
    ran = here.harborsmith("prove", "--all", "--backend", "harbor", "--harbor-env", ENVIRONMENT)

    assert ran.code == 1, ran.err
    assert "careless  0    -       1          not proven (no reference" in ran.out, ran.err
    assert "honest    0    1       0          proven\n" in ran.out, ran.err
    kept = json.loads((tmp_path / "generated" / "proofs" / "honest.json").read_text())
    assert [error.message for error in wordy("proof").iter_errors(kept)] == []
    assert (kept["backend"], kept["isolation"]["level"]) == ("harbor", "container")
    assert kept["versions"]["harbor"]
    assert [limit["name"] for limit in kept["limits"]] == ["run.timeoutSeconds", "timeoutSeconds of check only"]
    checked = here.harborsmith("prove", "--scenario", "honest", "--check", "--backend", "harbor")
    assert checked.code == 0, checked.out
