"""Ctrl-C and SIGTERM end a run at any moment: nothing is alive afterwards, and what is known is kept."""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import subprocess
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.support.runs import SOLVE, Bench, alive, check_evidence, until

pytestmark = pytest.mark.sandbox


def read_line(process: subprocess.Popen[str], words: str) -> None:
    """Read stderr up to a line that holds `words`."""
    assert process.stderr is not None
    while True:
        ready, _, _ = select.select([process.stderr], [], [], 60)
        assert ready, "nothing was said"
        line = process.stderr.readline()
        assert line, f"it ended before it said {words!r}"
        if words in line:
            return


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_turn_leaves_no_process_and_its_evidence(everyone: Bench, number: int, code: int) -> None:
    everyone.scenario()
    everyone.script("#!/bin/bash\ntrue\n", "judge.sh")
    tag = f"cut-{secrets.token_hex(6)}"
    agent = everyone.script(
        "#!/bin/bash\n"
        'if [ "$RUHROH_ITERATION" = 1 ]; then echo first turn; exit; fi\necho half of the second\n'
        f"trap '' TERM INT; (setsid bash -c \"trap '' TERM INT; exec -a {tag} sleep 600\" &)\nexec -a {tag} sleep 600\n"
    )
    process = everyone.start("run", "--scenario", "sum-ledger", "--agent", agent, "--reviewer", "./judge.sh", "--json")
    until(lambda: len(alive(tag)) >= 2)
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == code
    assert alive(tag) == []
    (run,) = json.loads(out)["runs"]
    assert (run["failureKind"], run["score"], run["turns"], run["stoppedReason"]) == ("cancelled", None, 2, "cancelled")
    result = everyone.kept("ruhroh-loop-result.json")
    assert (result["failure_kind"], result["score"], result["stoppedReason"]) == ("cancelled", None, "cancelled")
    logs = [everyone.evidence / "transcripts" / f"iteration-{number}.log" for number in (1, 2)]
    assert [log.read_text() for log in logs] == ["first turn\n", "half of the second\n"]
    _, cut = (
        json.loads(line) for line in (everyone.evidence / "ruhroh-loop-iterations.jsonl").read_text().splitlines()
    )
    assert (cut["status"], cut["failureKind"], cut["stopReason"]) == ("failed", "cancelled", "cancelled")
    check_evidence(everyone.evidence, reviewed=False)
    assert os.listdir(everyone.folder / "tmp") == []


def test_an_interrupted_reviewer_is_dead_and_there_is_no_score(everyone: Bench) -> None:
    everyone.scenario()
    tag = f"cut-{secrets.token_hex(6)}"
    everyone.script(f"#!/bin/bash\n(setsid bash -c 'exec -a {tag} sleep 600' &)\nexec -a {tag} sleep 600\n", "judge.sh")
    agent = everyone.script(SOLVE)
    process = everyone.start("run", "--scenario", "sum-ledger", "--agent", agent, "--reviewer", "./judge.sh", "--json")
    until(lambda: len(alive(tag)) >= 2)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert alive(tag) == []
    (run,) = json.loads(out)["runs"]
    assert (run["failureKind"], run["score"], run["stoppedReason"]) == ("cancelled", None, "goal_satisfied")
    assert not (everyone.evidence / "reward.json").exists()


@pytest.mark.parametrize("where", ["check", "program of a reviewer"])
def test_what_the_agent_made_is_ended_at_once_and_not_waited_for(everyone: Bench, where: str) -> None:
    tag = f"cut-{secrets.token_hex(6)}"
    deaf = f"trap '' TERM INT HUP; exec -a {tag} sleep 600"
    judge = f'#!/bin/bash\nexec python3 "$HARBORSMITH_SUBMISSION" --timeout 500 -- bash -c "{deaf}"\n'
    slow = [{"id": "slow", "command": deaf, "timeoutSeconds": 500}]
    everyone.scenario(evaluation__checks=slow if where == "check" else [])
    everyone.script(judge, "judge.sh")
    agent = everyone.script(SOLVE)
    process = everyone.start("run", "--scenario", "sum-ledger", "--agent", agent, "--reviewer", "./judge.sh", "--json")
    until(lambda: alive(tag))
    process.send_signal(signal.SIGHUP)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, alive(tag)) == (129, [])
    assert json.loads(out)["runs"][0]["failureKind"] == "cancelled"
    check_evidence(everyone.evidence, reviewed=False)


def test_an_interruption_before_the_first_run_is_a_report_without_runs(capsys: pytest.CaptureFixture[str]) -> None:
    from generator.cli.options import painter, print_json
    from generator.cli.running import report

    def work() -> NoReturn:
        os.kill(os.getpid(), signal.SIGTERM)
        raise AssertionError("it went on")

    assert report(work, print_json, painter()) == 143
    said = capsys.readouterr()
    assert (json.loads(said.out)["runs"], said.err) == ([], "interrupted\n")


def test_a_run_that_is_over_is_reported_although_the_next_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from generator.execute.run import run_package as first
    from generator.workflows import batch as workflow

    bench = Bench(tmp_path)
    bench.scenario()
    bench.script("#!/bin/bash\ntrue\n", "judge.sh")
    bench.run("generate")

    def only_once(*arguments: Any) -> Any:
        monkeypatch.setattr(workflow, "run_package", lambda *_: os.kill(os.getpid(), signal.SIGINT))
        return first(*arguments)

    monkeypatch.setattr(workflow, "run_package", only_once)
    ran = bench.run("run", str(bench.package), "--runs", "2", "--agent", "nop", "--reviewer", "./judge.sh", "--json")
    assert (ran.code, ran.report["status"]) == (130, "no_verdict")


def test_a_review_that_is_cut_off_at_its_very_end_leaves_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from generator.execute import ending
    from generator.execute.judging import judge

    def cut(*arguments: Any, **more: Any) -> Any:
        judge(*arguments, **more)
        os.kill(os.getpid(), signal.SIGINT)

    bench = Bench(tmp_path)
    bench.scenario(evaluation={"mode": "checks", "checks": [{"id": "fine", "command": "true"}]})
    monkeypatch.setattr(ending, "judge", cut)
    ran = bench.run("run", "--scenario", "sum-ledger", "--agent", "nop", "--json")
    assert (ran.code, ran.report["status"], ran.report["failureKind"]) == (130, "no_verdict", "cancelled")
    assert bench.kept("ruhroh-loop-eval.json")["status"] == "infra_failed"
    check_evidence(bench.evidence)


def test_a_second_interrupt_still_leaves_nothing_alive(everyone: Bench) -> None:
    everyone.scenario()
    everyone.script("#!/bin/bash\ntrue\n", "judge.sh")
    tag = f"cut-{secrets.token_hex(6)}"
    agent = everyone.script(f"#!/bin/bash\ntrap '' TERM INT\nexec -a {tag} sleep 600\n")
    process = everyone.start("run", "--scenario", "sum-ledger", "--agent", agent, "--reviewer", "./judge.sh")
    until(lambda: alive(tag))
    for _ in range(5):
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)
    assert alive(tag) == []
    assert os.listdir(everyone.folder / "tmp") == []


def test_a_killed_run_takes_its_agent_with_it(everyone: Bench) -> None:
    everyone.scenario()
    everyone.script("#!/bin/bash\ntrue\n", "judge.sh")
    tag = f"cut-{secrets.token_hex(6)}"
    agent = everyone.script(
        f"#!/bin/bash\n(setsid bash -c \"trap '' TERM; exec -a {tag} sleep 600\" &)\nexec -a {tag} sleep 600\n"
    )
    process = everyone.start("run", "--scenario", "sum-ledger", "--agent", agent, "--reviewer", "./judge.sh")
    until(lambda: len(alive(tag)) >= 2)
    process.kill()
    process.communicate(timeout=60)
    until(lambda: alive(tag) == [])
    assert not (everyone.evidence / "ruhroh-loop-result.json").exists()
    assert len(os.listdir(everyone.folder / "tmp")) == 1
    again = everyone.start("run", "--scenario", "sum-ledger", "--agent", "nop", "--reviewer", "./judge.sh")
    again.communicate(timeout=60)
    assert os.listdir(everyone.folder / "tmp") == []


def test_no_private_directory_is_left_behind(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.scenario()
    (tmp_path / "tmp").mkdir()
    agent = bench.script("#!/bin/bash\nmkdir -p a/b ~/x; chmod 0 a/b a ~/x; mkfifo q\n")
    bench.attempt(agent, "--iterations", "1", env={"TMPDIR": str(tmp_path / "tmp")})
    assert os.listdir(tmp_path / "tmp") == []


def test_a_full_disk_is_a_run_without_a_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from generator.execute import evidence
    from generator.execute.settings import Options
    from generator.workflows.run import RunRequest, run

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "/x")

    bench = Bench(tmp_path)
    bench.scenario()
    bench.script("#!/bin/bash\ntrue\n", "judge.sh")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(evidence, "archive", full)
    request = RunRequest(ids=("sum-ledger",), options=Options(agent="nop", reviewer="./judge.sh"))
    outcome = run(request, {"PATH": "/usr/bin:/bin"}, lambda _: None)
    (report,) = outcome.runs
    assert (outcome.exit_code, report.failure_kind, report.score) == (5, "infra_failed", None)
    assert "No space left on device" in report.reasons[0]
    result = bench.kept("ruhroh-loop-result.json")
    assert "No space left on device" in result["failure_details"]["message"]
