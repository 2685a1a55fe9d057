"""Many scenarios, many runs, some at the same time: what fails stops nothing, and the end is an honest table."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from generator.execute.report import SPEAK
from generator.execute.settings import Options
from generator.runtime.loop import GIVING_UP
from generator.workflows.run import RunOutcome, RunRequest, run
from tests.support.files import Script
from tests.support.runs import JUDGE, SOLVE, Bench, Ran, alive, check_evidence, until
from tests.support.scenarios import document, write_scenario
from tests.unit.schemas.shipped import wordy

pytestmark = pytest.mark.sandbox

# Passes the first work it is shown, fails the second, breaks over the third, and leaves the fourth to a person.
MOODY = """#!/bin/bash
n=1
until mkdir "$(dirname "$0")/asked-$n" 2>/dev/null; do n=$((n + 1)); done
case $n in
    1) echo '{"status": "passed", "goalMet": true, "reasons": ["fine"]}' ;;
    2) echo '{"status": "failed", "goalMet": false, "reasons": ["not fine"], "unmetCriteria": ["all of it"]}' ;;
    3) echo lost my glasses; exit 3 ;;
    *) echo '{"status": "review", "goalMet": false, "reasons": ["who knows"]}' ;;
esac
"""


def checked(bench: Bench, name: str, command: str) -> None:
    """A scenario that a check alone decides."""
    evaluation = {"mode": "checks", "checks": [{"id": "only", "command": command}]}
    write_scenario(bench.folder / "scenarios" / name, document(id=name, evaluation=evaluation))


def runs_of(bench: Bench) -> list[Path]:
    return sorted((bench.folder / "generated" / "runs").glob("*/*"))


def children(process: subprocess.Popen[str]) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    return []


def without_times(text: str) -> str:
    text = re.sub(r"-[0-9a-f]{12}\b", "-ID", text)
    return re.sub(r"\b\d+(\.\d)?s\b", "0s", text)


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_every_scenario_is_run_however_others_end_and_a_table_says_how(everyone: Bench, jobs: str) -> None:
    checked(everyone, "good", "true")
    checked(everyone, "bad", "false")
    checked(everyone, "broken", "kill -9 0; true")
    write_scenario(everyone.folder / "scenarios" / "wrong", document(id="wrong", tier="smok"))
    ran = everyone.run("run", "--all", "--agent", "nop", "--runs", "2", "--jobs", jobs, "--keep-going")
    assert ran.code == 1, ran.err
    lines = without_times(ran.out).splitlines()
    reports, table = lines[:6], lines[6:]
    assert [line.split()[:2] for line in reports] == [
        ["bad", "FAILED"], ["broken", "FAILED"], ["good", "PASSED:"],
        ["bad", "FAILED"], ["broken", "FAILED"], ["good", "PASSED:"],
    ]  # fmt: skip
    assert reports[0] == (
        "bad FAILED goal_mismatch: checks 0/1, 1 turn, 0s, isolation bubblewrap; "
        "check only: exited with 1 instead of 0; generated/runs/bad/bad-ID"
    )
    assert [re.split(r"  +", line) for line in table[:-1]] == [
        ["scenario", "runs", "passed", "failed", "no verdict", "not run", "pass rate", "median", "exit"],
        ["wrong", "2", "0", "0", "0", "2", "-", "-", "1"],
        ["bad", "2", "0", "2", "0", "0", "0/2 (0-66 %)", "0s", "1"],
        ["broken", "2", "0", "2", "0", "0", "0/2 (0-66 %)", "0s", "1"],
        ["good", "2", "2", "0", "0", "0", "2/2 (34-100 %)", "0s", "0"],
        ["all", "8", "2", "4", "0", "2", "2/6", "0s", "1"],
    ]
    assert table[-1] == "6 of 8 runs scored, pass rate 2/6; 1 of 4 scenarios passed every time"
    assert "error field_value" in ran.err
    for folder in runs_of(everyone):
        check_evidence(folder)


@pytest.mark.parametrize(
    "file", ["tests/evaluation.json", "tests/new.py", "solution/solve.sh", "environment/workspace/assets/ledger.csv"]
)
def test_a_package_that_changes_between_runs_is_not_run_under_its_old_digest(bench: Bench, file: str) -> None:
    bench.scenario({"solution/report.json": "{}"}, solution="solution")
    assert bench.run("generate").code == 0
    touch = f"#!/bin/bash\necho >> {bench.package}/{file}\nexec {bench.folder}/judge.py\n"
    bench.script(touch, "touch.sh")
    ran = bench.run("run", str(bench.package), "--agent", "nop", "--reviewer", "./touch.sh", "--runs", "2", "--json")
    report = json.loads(ran.out)
    (row,) = report["summary"]["scenarios"]
    assert (row["runs"], len(report["runs"]), row["notRun"]) == (2, 1, 1)
    (told,) = report["refused"]
    assert told["code"] == "package_edited"
    assert f"changed while it was used: {file} " in told["message"]


def test_a_run_without_a_verdict_is_counted_apart(bench: Bench) -> None:
    bench.scenario()
    bench.script(MOODY, "moody.sh")
    ran = bench.run(
        "run", "--scenario", "sum-ledger", "--agent", "nop", "--reviewer", "./moody.sh", "--runs", "4", "--json"
    )
    assert ran.code == 5
    report = json.loads(ran.out)
    assert not list(wordy("run-report").iter_errors(report))
    assert [run["status"] for run in report["runs"]] == ["passed", "failed", "no_verdict", "review_owed"]
    (row,) = report["summary"]["scenarios"]
    times = sorted(run["durationMs"] for run in report["runs"][:2])
    assert row == {
        "scenarioId": "sum-ledger",
        "scenarioVersion": None,
        "packageDigest": report["runs"][0]["packageDigest"],
        "path": "generated/harbor/tasks/sum-ledger",
        "runs": 4,
        "passed": 1,
        "failed": 1,
        "noVerdict": 2,
        "notRun": 0,
        "agentBroke": 0,
        "scored": 2,
        "passRate": 0.5,
        "passRateInterval": [0.0945, 0.9055],
        "medianDurationMs": round(sum(times) / 2),
        "exitCode": 5,
    }
    assert report["summary"]["total"]["scenariosAlwaysPassed"] == 0
    assert len({run["runId"] for run in report["runs"]}) == 4


def test_progress_is_one_whole_line_for_each_step(bench: Bench) -> None:
    bench.scenario()
    bench.script(MOODY, "moody.sh")
    ran = bench.run(
        "run", "--scenario", "sum-ledger", "--agent", bench.script(SOLVE), "--reviewer", "./moody.sh", "--runs", "3",
        "--jobs", "3",
    )  # fmt: skip
    assert ran.code == 5
    step = re.compile(r"sum-ledger run-[123]: (turn 1 started|turn 1 ended: .*|review started)")
    end = re.compile(r"\[([123])/3\] sum-ledger run-[123]: (passed|failed|no verdict), \d+(\.\d)?s")
    ends = [match for line in ran.err.splitlines() if (match := end.fullmatch(line))]
    assert [match[1] for match in ends] == ["1", "2", "3"]
    assert sorted(match[2] for match in ends) == ["failed", "no verdict", "passed"]
    others = [line for line in ran.err.splitlines() if not end.fullmatch(line)]
    assert len(others) == 9
    assert [line for line in others if not step.fullmatch(line)] == []
    said = next(line for line in ran.out.splitlines() if "NO VERDICT" in line)
    assert "; the reviewer" in said


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_runs_whose_agent_broke_say_so_and_are_counted(bench: Bench, jobs: str) -> None:
    checked(bench, "bad", "false")
    given = ("run", "--all", "--agent", bench.script("#!/bin/sh\nexit 7\n", "bad.sh"), "--runs", "2", "--jobs", jobs)
    lines = bench.run(*given).out.splitlines()
    assert all("; agent: runtime_failure (exited with 7); " in line for line in lines[:2]), lines
    assert lines[-1] == "the agent broke in 2 of 2 runs (runtime_failure)"
    report = json.loads(bench.run(*given, "--json").out)
    assert [error.message for error in wordy("run-report").iter_errors(report)] == []
    assert (report["summary"]["total"]["agentBroke"], report["summary"]["total"]["failed"]) == (2, 2)
    well = bench.run("run", "--all", "--agent", "nop", "--runs", "2").out
    assert "agent" not in well


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("all done", "iterations_exhausted (no status in the last line of its output)"),
        ('{"status": "done"}', "iterations_exhausted (unknown status 'done' in the last line of the output)"),
    ],
)
def test_an_agent_that_says_no_known_status_is_told_what_its_last_line_has_to_be(
    bench: Bench, printed: str, told: str
) -> None:
    checked(bench, "bad", "false")
    agent = bench.script(f"#!/bin/sh\necho '{printed}'\n", "quiet.sh")
    given = ("run", "--all", "--agent", agent, "--iterations", "1")
    one, many = bench.run(*given).out, bench.run(*given, "--runs", "2").out
    assert f"  agent: {told}\n  {SPEAK}\n" in one
    assert (many.count(f"; agent: {told}; "), many.count(SPEAK)) == (2, 1)
    assert all(status in SPEAK for status in ("goal_satisfied", "continue", *GIVING_UP))


def test_jobs_are_at_work_at_the_same_time(bench: Bench) -> None:
    meet = """#!/bin/bash
cd "$(dirname "$0")" && mkdir -p met && touch met/$$
until [ "$(ls met | wc -l)" = 3 ]; do sleep 0.05; done
echo '{"status": "passed", "goalMet": true, "reasons": ["all were there"]}'
"""
    bench.scenario(evaluation__timeoutSeconds=60)
    bench.script(meet, "meet.sh")
    given = ("--agent", "nop", "--reviewer", "./meet.sh", "--runs", "3", "--concurrency", "3")
    ran = bench.run("run", "--scenario", "sum-ledger", *given)
    assert ran.code == 0, ran.out


@pytest.mark.parametrize(("jobs", "made"), [("1", 1), ("2", 2)])
def test_fail_fast_starts_nothing_after_a_run_that_did_not_pass(bench: Bench, jobs: str, made: int) -> None:
    checked(bench, "bad", "false")
    ran = bench.run("run", "--all", "--agent", "nop", "--runs", "5", "--jobs", jobs, "--fail-fast", "--json")
    report = json.loads(ran.out)
    total = report["summary"]["total"]
    assert (ran.code, len(report["runs"])) == (1, made)
    assert (total["runs"], total["failed"], total["notRun"]) == (5, made, 5 - made)


def test_fail_fast_starts_nothing_at_all_where_something_cannot_be_run(bench: Bench) -> None:
    checked(bench, "good", "true")
    write_scenario(bench.folder / "scenarios" / "wrong", document(id="wrong", tier="smok"))
    ran = bench.run("run", "--all", "--agent", "nop", "--fail-fast", "--json")
    report = json.loads(ran.out)
    assert (ran.code, report["runs"]) == (1, [])
    assert [(row["scenarioId"], row["notRun"], row["exitCode"]) for row in report["summary"]["scenarios"]] == [
        ("wrong", 1, 1),
        ("good", 1, 0),
    ]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_cannot_be_run_here_is_a_row_and_said_once(bench: Bench, jobs: str) -> None:
    checked(bench, "good", "true")
    write_scenario(bench.folder / "scenarios" / "boxed", document(id="boxed", environment={"packages": ["jq"]}))
    solved = {"mode": "checks", "checks": [{"id": "only", "command": "true"}]}
    write_scenario(
        bench.folder / "scenarios" / "solved",
        document(id="solved", evaluation=solved, solution="solution"),
        {"solution/report.json": "{}"},
    )
    (bench.folder / "empty").mkdir()
    ran = bench.run("run", "empty", "--all", "--agent", "oracle", "--runs", "2", "--jobs", jobs, "--json")
    report = json.loads(ran.out)
    assert ran.code == 4
    rows = {row["scenarioId"]: row for row in report["summary"]["scenarios"]}
    assert {name: (row["runs"], row["notRun"], row["exitCode"]) for name, row in rows.items()} == {
        "empty": (2, 2, 1),
        "boxed": (2, 2, 4),
        "good": (2, 2, 1),
        "solved": (2, 0, 0),
    }
    assert sorted(one["code"] for one in report["refused"]) == [
        "container_needed",
        "package_invalid",
        "solution_missing",
    ]


def test_a_wrong_command_is_said_once_and_starts_no_more(bench: Bench) -> None:
    checked(bench, "good", "true")
    checked(bench, "too", "true")
    ran = bench.run("run", "--all", "--agent", "./gone", "--runs", "3", "--json")
    assert (ran.code, ran.refused) == (2, ["agent_not_found"])
    assert exits(ran) == {"good": 2, "too": 2}
    assert bench.run("run", "--all", "--agent", "./gone", "--runs", "3").err.count("not run, agent_not_found") == 1


def exits(ran: Ran) -> dict[str, int]:
    """Scenario -> exit code of its row."""
    return {row["scenarioId"]: row["exitCode"] for row in json.loads(ran.out)["summary"]["scenarios"]}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_scenario_without_a_reviewer_keeps_no_other_from_being_run(bench: Bench, jobs: str) -> None:
    checked(bench, "good", "true")
    checked(bench, "too", "true")
    bench.scenario()
    ran = bench.run("run", "nowhere", "--all", "--agent", "nop", "--jobs", jobs, "--json")
    assert (ran.code, ran.refused) == (2, ["package_missing", "reviewer_missing"])
    assert exits(ran) == {"nowhere": 2, "good": 0, "too": 0, "sum-ledger": 2}
    assert json.loads(ran.out)["summary"]["total"]["passed"] == 2


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_agents_folder_that_suits_one_package_badly_keeps_no_other_from_being_run(bench: Bench, jobs: str) -> None:
    place = packaged(bench, "elsewhere", "false")
    shutil.move(bench.folder / place, bench.folder / "tools" / "good")
    checked(bench, "also", "true")
    given = ("--agent", "nop", "--agent-path", "tools", "--jobs", jobs, "--json")
    ran = bench.run("run", "tools/good", "--scenario", "also", *given)
    assert (ran.code, ran.refused) == (2, ["agent_path_leaks"])
    assert exits(ran) == {"good": 2, "also": 0}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--agent", "nop"], "--all"),
        (["--all", "--scenario", "x", "--agent", "nop"], "leave out --all"),
        (["--all", "--agent", "nop", "--runs", "0"], "--runs"),
        (["--all", "--agent", "nop", "--backend", "harbor", "--fail-fast"], "--fail-fast means nothing"),
        (["--all", "--agent", "nop", "--org", "a b"], "--org"),
    ],
)
def test_what_has_no_meaning_is_wrong_usage(bench: Bench, arguments: list[str], told: str) -> None:
    ran = bench.run("run", *arguments)
    assert (ran.code, told in ran.err) == (2, True), ran.err


def test_an_empty_directory_of_scenarios_is_nothing_selected(bench: Bench) -> None:
    (bench.folder / "scenarios").mkdir()
    ran = bench.run("run", "--all", "--agent", "nop", "--json")
    assert (ran.code, json.loads(ran.out)["runs"]) == (3, [])


def test_a_folder_that_is_named_like_ours_is_not_imported(bench: Bench) -> None:
    checked(bench, "good", "true")
    (bench.folder / "generator").mkdir()
    (bench.folder / "generator" / "__init__.py").write_text("raise SystemExit('caught')\n")
    ran = bench.run("run", "--all", "--agent", "nop", "--runs", "2", "--jobs", "2")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_ends_every_run_and_each_is_recorded(everyone: Bench, number: int, code: int) -> None:
    everyone.scenario()
    everyone.script("#!/bin/bash\ntrue\n", "judge.sh")
    tag = f"cut-{secrets.token_hex(6)}"
    agent = everyone.script(
        f"#!/bin/bash\n(setsid bash -c \"trap '' TERM INT; exec -a {tag} sleep 600\" &)\nexec -a {tag} sleep 600\n"
    )
    given = ("--agent", agent, "--reviewer", "./judge.sh", "--runs", "3", "--jobs", "2", "--json")
    process = everyone.start("run", "--scenario", "sum-ledger", *given)
    until(lambda: len(alive(tag)) >= 4)
    for _ in range(3):
        process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == code
    assert alive(tag) == []
    report = json.loads(out)
    assert [run["failureKind"] for run in report["runs"]] == ["cancelled", "cancelled"]
    assert (report["summary"]["total"]["noVerdict"], report["summary"]["total"]["notRun"]) == (2, 1)
    assert len(runs_of(everyone)) == 2
    for folder in runs_of(everyone):
        check_evidence(folder, reviewed=False)
    assert os.listdir(everyone.folder / "tmp") == []


def test_runs_whose_command_was_killed_end_and_are_recorded(bench: Bench) -> None:
    bench.scenario()
    bench.script("#!/bin/bash\ntrue\n", "judge.sh")
    tag = f"cut-{secrets.token_hex(6)}"
    agent = bench.script(f"#!/bin/bash\nexec -a {tag} sleep 600\n")
    given = ("--agent", agent, "--reviewer", "./judge.sh", "--runs", "2", "--jobs", "2")
    process = bench.start("run", "--scenario", "sum-ledger", *given)
    until(lambda: len(alive(tag)) >= 2)
    process.kill()
    process.communicate(timeout=60)
    until(lambda: all((folder / "ruhroh-loop-result.json").exists() for folder in runs_of(bench)))
    until(lambda: os.listdir(bench.folder / "tmp") == [])
    assert alive(tag) == []
    for folder in runs_of(bench):
        assert json.loads((folder / "ruhroh-loop-result.json").read_text())["failure_kind"] == "cancelled"
        check_evidence(folder, reviewed=False)


def test_an_error_while_runs_are_at_work_leaves_none_of_them_behind(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.scenario()
    bench.script("#!/bin/bash\ntrue\n", "judge.sh")
    tag = f"cut-{secrets.token_hex(6)}"
    agent = bench.script(f"#!/bin/bash\nexec -a {tag} sleep 600\n")
    monkeypatch.chdir(bench.folder)
    options = Options(agent=agent, reviewer="./judge.sh")
    request = RunRequest(ids=("sum-ledger",), options=options, runs=2, jobs=2)

    def break_off(_: str) -> None:
        until(lambda: len(alive(tag)) == 2)
        raise ValueError("a fault of the caller")

    with pytest.raises(ValueError, match="a fault of the caller"):
        run(request, {"PATH": "/usr/bin:/bin"}, break_off)
    assert alive(tag) == []
    assert len(runs_of(bench)) == 2
    for folder in runs_of(bench):
        check_evidence(folder, reviewed=False)


def test_a_process_that_cannot_be_started_is_a_run_that_was_not_made(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked(bench, "good", "true")
    monkeypatch.chdir(bench.folder)
    request = RunRequest(everything=True, options=Options(), runs=2, jobs=2)
    # Linux starts no program with a variable of over 128 KiB (execve(2)).
    outcome = run(request, {"PATH": "/usr/bin:/bin", "LONG": "x" * 200_000}, lambda _: None)
    (refused,) = outcome.refused
    assert (refused.code, outcome.exit_code, outcome.rows[0].not_run) == ("run_not_possible", 4, 2)
    assert "Argument list too long" in refused.message


def test_a_run_whose_process_was_killed_is_cut_off_with_its_evidence_and_others_go_on(bench: Bench) -> None:
    bench.scenario()
    bench.script(JUDGE, "judge.py")
    go, met = bench.folder / "go", bench.folder / "met"
    met.mkdir()
    wait = f"#!/bin/bash\ntouch {met}/$$\nuntil [ -e {go} ]; do sleep 0.05; done\nexec {bench.folder}/judge.py\n"
    bench.script(wait, "wait.sh")
    given = ("--agent", bench.script(SOLVE), "--reviewer", "./wait.sh", "--runs", "3", "--jobs", "2", "--json")
    process = bench.start("run", "--scenario", "sum-ledger", *given)
    until(lambda: len(os.listdir(met)) == 2)
    os.kill(children(process)[0], signal.SIGKILL)
    go.touch()
    out, err = process.communicate(timeout=60)
    report: dict[str, Any] = json.loads(out)
    assert process.returncode == 5, err
    assert [error.message for error in wordy("run-report").iter_errors(report)] == []
    total = report["summary"]["total"]
    assert (total["passed"], total["noVerdict"], total["notRun"], total["passRate"]) == (2, 1, 0, 1.0)
    assert report["refused"] == []
    (cut,) = (one for one in report["runs"] if one["status"] == "no_verdict")
    assert cut["reasons"] == [
        "the run was cut off: its process was ended by signal 9, as a machine does that has no memory left"
    ]
    evidence = bench.folder / cut["evidence"]
    assert (evidence.name, cut["failureKind"]) == (cut["runId"], "infra_failed")
    assert (evidence / "ruhroh-loop-iterations.jsonl").read_text().count("\n") == 1


def run_by_workers(bench: Bench, program: str, monkeypatch: pytest.MonkeyPatch) -> RunOutcome:
    """Two runs at the same time by worker processes that run `program` instead."""
    popen = subprocess.Popen
    checked(bench, "good", "true")
    monkeypatch.chdir(bench.folder)
    monkeypatch.setattr(
        subprocess,
        "Popen",
        lambda command, **given: popen([*command[:2], "-c", program] if "-m" in command else command, **given),
    )
    request = RunRequest(everything=True, options=Options(agent="nop"), runs=2, jobs=2)
    return run(request, {"PATH": "/usr/bin:/bin"}, lambda _: None)


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("os.kill(os.getpid(), 9)", "was ended by signal 9, as a machine does that has no memory left"),
        ("os.kill(os.getpid(), 6)", "was ended by signal 6"),
        ("raise RuntimeError('a fault')", "ended with exit code 1: RuntimeError: a fault"),
    ],
)
def test_a_verdict_that_a_run_did_not_get_to_report_is_none(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, end: str, told: str
) -> None:
    """The process ends where nothing is left to do but to say what came of it."""
    program = f"""
import os
from generator.execute import conclusion, worker
def ended(*given, **named):
    {end}
conclusion.Judgement.report = ended
worker.main()
"""
    outcome = run_by_workers(bench, program, monkeypatch)

    assert (outcome.exit_code, outcome.rows[0].no_verdict, outcome.rows[0].passed) == (5, 2, 0)
    for one in outcome.runs:
        assert one.reasons == (f"the run was cut off: its process {told}",)
        kept = os.listdir(bench.folder / str(one.evidence))
        assert "ruhroh-run-manifest.json" in kept
        assert not {"reward.json", "reward-details.json", "ruhroh-loop-result.json", "ruhroh-loop-eval.json"} & {*kept}


def test_a_run_whose_process_ended_before_it_began_was_not_made(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = run_by_workers(bench, "raise SystemExit(3)", monkeypatch)

    (refused,) = outcome.refused
    assert (refused.code, outcome.exit_code, outcome.rows[0].not_run) == ("run_not_possible", 4, 2)
    assert refused.message == "the process of the run gave no report: it ended with exit code 3"


def packaged(bench: Bench, out: str, command: str) -> str:
    """A package of a scenario that has the same id and version whatever its check is."""
    checked(bench, "good", command)
    assert bench.run("generate", "--out", out).code == 0
    return f"{out}/harbor/tasks/good"


def test_what_is_named_twice_is_run_once_whatever_its_names(bench: Bench) -> None:
    place = packaged(bench, "generated", "true")
    (bench.folder / "link").symlink_to(place)
    shutil.copytree(bench.folder / place, bench.folder / "copy")
    names = (place, f"./{place}/", str(bench.folder / place), "link", "copy", "none", "./none", "--scenario", "good")
    ran = bench.run("run", *names, "--agent", "nop")

    assert ran.code == 2
    assert len(runs_of(bench)) == 1
    assert ran.err.count("package_missing") == 1
    there = (name for name in names if "none" not in name)
    ran = bench.run("run", *there, "--scenario", "good", "--agent", "nop", "--runs", "2")
    assert (ran.code, len(runs_of(bench))) == (0, 3)
    assert f"copy is the same package as {place}, which is run\n" in ran.err
    assert "2 of 2 runs scored, pass rate 2/2; 1 of 1 scenario passed every time\n" in ran.out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_packages_that_differ_in_what_is_executable_alone_are_both_run(bench: Bench, jobs: str) -> None:
    evaluation = {"mode": "checks", "checks": [{"id": "only", "command": "./tool.sh"}]}
    made = document(id="good", evaluation=evaluation, assets=["tool.sh"])
    for out, text in (("one", Script("#!/bin/sh\n")), ("two", "#!/bin/sh\n")):
        shutil.rmtree(bench.folder / "scenarios", ignore_errors=True)
        write_scenario(bench.folder / "scenarios" / "good", made, {"tool.sh": text})
        assert bench.run("generate", "--out", out).code == 0
    places = [f"{out}/harbor/tasks/good" for out in ("one", "two")]
    ran = bench.run("run", *places, "--agent", "nop", "--jobs", jobs)

    assert (ran.code, len(runs_of(bench))) == (1, 2)
    assert "is the same package" not in ran.err
    cells = {line.split()[1]: line.split()[2:5] for line in ran.out.splitlines() if line.startswith("good (")}
    assert cells == {f"({places[0]})": ["1", "1", "0"], f"({places[1]})": ["1", "0", "1"]}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_packages_that_only_share_id_and_version_have_rows_of_their_own(bench: Bench, jobs: str) -> None:
    one, two = packaged(bench, "one", "true"), packaged(bench, "two", "false")
    how = ("--agent", "nop", "--runs", "2", "--jobs", jobs)
    ran = bench.run("run", one, two, *how)
    report = json.loads(bench.run("run", one, two, *how, "--json").out)

    assert [error.message for error in wordy("run-report").iter_errors(report)] == []
    rows = [line.split() for line in ran.out.splitlines() if line.startswith("good (")]
    assert [row[1:6] for row in rows] == [[f"({one})", "2", "2", "0", "0"], [f"({two})", "2", "0", "2", "0"]]
    assert f"good ({one}) run-2: " in ran.err
    told = report["summary"]["scenarios"]
    assert [(entry["path"], entry["passed"], entry["failed"]) for entry in told] == [(one, 2, 0), (two, 0, 2)]
    first, second = (entry["packageDigest"] for entry in told)
    assert first != second
    assert {run["packageDigest"]: run["status"] for run in report["runs"]} == {first: "passed", second: "failed"}
