"""`prove` cut off: nothing keeps running, and the proofs there were stay."""

from __future__ import annotations

import json
import os
import secrets
import signal
from typing import Any

import pytest

from tests.support.proofs import PROVE, RIGHT, checked, proof, proof_file, report, runs
from tests.support.runs import Bench, alive, until
from tests.support.scenarios import document, write_scenario

pytestmark = pytest.mark.sandbox


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_leaves_no_process_and_the_proofs_there_were(bench: Bench, number: int, code: int) -> None:
    tag = f"cut-{secrets.token_hex(6)}"
    checked(bench, f"if test -e hang.txt; then exec -a {tag} sleep 600; fi; {RIGHT}")
    assert bench.run(*PROVE).code == 0
    good = proof_file(bench).read_bytes()
    checked(bench, f"exec -a {tag} sleep 600")
    process = bench.start(*PROVE, "--json")
    until(lambda: alive(tag))
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)

    assert (process.returncode, alive(tag)) == (code, [])
    (entry,) = json.loads(out)["packages"]
    assert (entry["status"], entry["outcomes"]) == ("interrupted", [])
    assert proof_file(bench).read_bytes() == good


def test_an_interruption_before_there_is_a_package_is_a_report_without_packages(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from generator.workflows import prove

    checked(bench)
    monkeypatch.setattr(prove, "packages_to_run", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    ran = bench.run(*PROVE, "--json")

    assert (ran.code, report(ran)["packages"], ran.err) == (143, [], "interrupted\n")


def test_packages_that_are_through_keep_their_proofs_when_a_later_one_is_cut_off(bench: Bench) -> None:
    tag = f"cut-{secrets.token_hex(6)}"
    slow = {"mode": "checks", "checks": [{"id": "slow", "command": f"exec -a {tag} sleep 600"}]}
    checked(bench)
    write_scenario(bench.folder / "scenarios" / "z-slow", document(id="z-slow", evaluation=slow))
    write_scenario(bench.folder / "scenarios" / "zz-last", document(id="zz-last", evaluation=slow))
    process = bench.start("prove", "--all")
    until(lambda: alive(tag))
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)

    assert (process.returncode, alive(tag)) == (130, [])
    assert "sum-ledger  0    1       0          proven\n" in out
    assert "3 packages: 1 proven, 1 not tried, 1 interrupted\n" in out
    assert proof(bench)["proven"] is True


def test_an_interruption_between_two_runs_of_an_agent_is_one_of_the_proof(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from generator.execute.run import run_package
    from generator.workflows import batch

    def signalled_before_the_second(*arguments: Any) -> Any:
        started.append(arguments)
        if len(started) == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        return run_package(*arguments)

    started: list[Any] = []
    checked(bench)
    monkeypatch.setattr(batch, "run_package", signalled_before_the_second)
    ran = bench.run(*PROVE, "--repeat", "2", "--json")

    assert (ran.code, [entry["status"] for entry in report(ran)["packages"]]) == (143, ["interrupted"])
    assert (runs(bench), proof_file(bench).exists()) == (1, False)


def test_a_reader_that_goes_away_changes_no_exit_code(bench: Bench) -> None:
    checked(bench)
    process = bench.start(*PROVE, "--check")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait(60) == 1
    assert process.stderr.read() == ""
    process.stderr.close()
