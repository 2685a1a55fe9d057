"""`harborsmith review`: finished work is judged as after a run, without an agent."""

from __future__ import annotations

import json
import os

import pytest

from tests.support.files import Link, write_tree
from tests.support.runs import JUDGE, Bench, Ran, alive, archived, check_evidence, until

pytestmark = pytest.mark.sandbox


def review(bench: Bench, *more: str, text: str = '{"total": 14.00}') -> Ran:
    """Generate, lay out finished work, and review it."""
    bench.script(JUDGE, "judge.py")
    write_tree(bench.folder, {"done/report.json.txt": ""})
    (bench.folder / "done" / "report.json").write_text(text)
    made = bench.run("generate")
    assert made.code == 0, made.err
    return bench.run("review", str(bench.package), "--workspace", "done", "--reviewer", "./judge.py", "--json", *more)


@pytest.mark.parametrize(("text", "code", "status"), [('{"total": 14.00}', 0, "passed"), ("{}", 1, "failed")])
def test_finished_work_gets_a_verdict_and_evidence(everyone: Bench, text: str, code: int, status: str) -> None:
    everyone.scenario(evaluation__checks=[{"id": "there", "command": "test -f report.json"}])
    ran = review(everyone, text=text)
    assert (ran.code, ran.report["status"]) == (code, status), ran.out + ran.err
    assert (ran.report["turns"], ran.report["checks"]) == (0, {"passed": 1, "total": 1})
    assert archived(everyone.evidence / "ruhroh-workspace.tar.gz")["report.json"] == text.encode()
    assert json.loads((everyone.evidence / "reward.json").read_text()) == {"reward": 1 - code}


def test_the_work_itself_is_not_touched(bench: Bench) -> None:
    bench.scenario(evaluation__checks=[{"id": "rough", "command": "rm -rf * .[a-z]*; exit 0"}])
    ran = review(bench)
    after = sorted(os.listdir(bench.folder / "done"))
    assert after == ["report.json", "report.json.txt"]
    assert ran.code == 0, ran.out


def test_a_link_to_the_answers_is_left_out(bench: Bench) -> None:
    bench.scenario({"private/key.json": '{"total": 14.00}'}, evaluation__privateAssets=["private/key.json"])
    bench.script(JUDGE, "judge.py")
    bench.run("generate")
    key = bench.package / "private-eval-assets" / "private" / "key.json"
    write_tree(bench.folder / "done", {"report.json": Link(str(key))})
    ran = bench.run("review", str(bench.package), "--workspace", "done", "--reviewer", "./judge.py", "--json")
    assert (ran.code, ran.report["status"]) == (1, "failed")
    (left_out,) = bench.kept("ruhroh-loop-eval-input.json")["leavingLinks"]
    assert left_out["path"] == "report.json"


def test_the_text_report_speaks_of_no_agent(bench: Bench) -> None:
    bench.scenario()
    review(bench)
    ran = bench.run("review", str(bench.package), "--workspace", "done", "--reviewer", "./judge.py")
    assert ran.out.startswith("sum-ledger PASSED: ")
    assert "turn" not in ran.out
    assert "agent" not in ran.out


def test_records_are_what_their_schemas_say(bench: Bench) -> None:
    bench.scenario()
    review(bench)
    (bench.evidence / "ruhroh-loop-transcripts.tar.gz").touch()
    (bench.evidence / "ruhroh-loop-events.tar.gz").touch()
    check_evidence(bench.evidence)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["{package}", "--workspace", "nowhere", "--reviewer", "./judge.py"], 2, "workspace_missing"),
        (["{package}", "--workspace", "done"], 2, "reviewer_missing"),
        (["nowhere", "--workspace", "done", "--reviewer", "./judge.py"], 2, "package_missing"),
        (["{package}", "--workspace", "done", "--reviewer", "./nobody"], 2, "reviewer_not_found"),
        (["{package}", "--workspace", ".", "--reviewer", "./judge.py"], 2, "workspace_overlaps"),
        (["{package}", "--workspace", "/", "--reviewer", "./judge.py"], 2, "workspace_overlaps"),
        (["{package}", "--workspace", "{package}/tests", "--reviewer", "./judge.py"], 2, "workspace_overlaps"),
    ],
)
def test_what_cannot_be_reviewed_is_said(bench: Bench, arguments: list[str], code: int, said: str) -> None:
    bench.scenario()
    review(bench)
    words = [word.format(package=bench.package) for word in arguments]
    ran = bench.run("review", *words, "--json")
    assert (ran.code, ran.refused) == (code, [said])


def test_a_work_over_the_limit_is_no_verdict_and_not_copied(bench: Bench) -> None:
    bench.scenario()
    ran = review(bench, "--max-workspace-bytes", "10")
    assert (ran.code, ran.report["failureKind"], ran.report["score"]) == (5, "workspace_too_large", None)
    assert ran.report["reasons"] == ["the workspace holds more than 10 bytes of data"]
    assert not (bench.evidence / "ruhroh-workspace.tar.gz").exists()


def test_an_interrupted_review_leaves_nothing_alive(everyone: Bench) -> None:
    import secrets
    import signal

    everyone.scenario()
    review(everyone)
    tag = f"cut-{secrets.token_hex(6)}"
    everyone.script(f"#!/bin/bash\nexec -a {tag} sleep 600\n", "slow.sh")
    process = everyone.start(
        "review", str(everyone.package), "--workspace", "done", "--reviewer", "./slow.sh", "--json"
    )
    until(lambda: alive(tag))
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, alive(tag)) == (143, [])
    assert json.loads(out)["runs"][0]["failureKind"] == "cancelled"
