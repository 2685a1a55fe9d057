"""`harborsmith run` as an operator meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.runs import JUDGE, SOLVE, Bench, archived, check_evidence

pytestmark = pytest.mark.sandbox


def test_a_scenario_is_generated_run_reviewed_and_recorded(everyone: Bench) -> None:
    everyone.scenario()
    ran = everyone.attempt(everyone.script(SOLVE))
    assert ran.code == 0, ran.err
    report = ran.report
    assert (report["status"], report["score"], report["failureKind"]) == ("passed", 1, "none")
    assert (report["turns"], report["isolation"], report["stoppedReason"]) == (1, "bubblewrap", "goal_satisfied")
    check_evidence(everyone.evidence)
    assert archived(everyone.evidence / "ruhroh-workspace.tar.gz")["report.json"] == b'{"total": 14.00}'


def test_the_last_lines_say_what_became_of_it_and_where_the_evidence_lies(bench: Bench) -> None:
    bench.scenario(
        metadata={"scenarioVersion": "1.2.0"}, evaluation__checks=[{"id": "present", "command": "test -s report.json"}]
    )
    bench.script(JUDGE, "judge.py")
    agent = bench.script('#!/bin/bash\necho \'{"total": 13}\' > report.json\necho \'{"status": "goal_satisfied"}\'\n')
    ran = bench.run("run", "--scenario", "sum-ledger", "--agent", agent, "--reviewer", "./judge.py")
    assert ran.code == 1
    first, *lines = ran.out.splitlines()
    assert first.startswith("sum-ledger 1.2.0 FAILED goal_mismatch: checks 1/1, criteria 2/3, 1 turn, ")
    assert first.endswith(", isolation bubblewrap")
    assert "  the total is not right" in lines
    assert "  not met: The report holds the correct total of all the amounts in the ledger." in lines
    assert "  agent: goal_satisfied" in lines
    assert f"  evidence: generated/runs/sum-ledger/{bench.evidence.name}" in lines
    assert "turn 1 started" in ran.err


def test_a_run_of_a_package_imports_nothing_that_it_does_not_need(bench: Bench) -> None:
    bench.scenario()
    bench.run("generate")
    judge = bench.script(JUDGE, "judge.py")
    arguments = ["run", "generated/harbor/tasks/sum-ledger", "--agent", bench.script(SOLVE), "--reviewer", judge]
    code = (
        "import sys; from generator.cli.main import main\n"
        f"try: main({arguments!r})\n"
        "finally: sys.stderr.write(' '.join(sys.modules))"
    )
    # A measuring of coverage that follows into the child would import things of its own.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    environment = {**kept, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=bench.folder, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    imported = set(done.stderr.split())
    assert "generator.execute.ending" in imported
    assert not {"jsonschema", "jsonschema_rs", "jinja2", "yaml", "asyncio", "ssl", "pickle", "difflib"} & imported
    ours = ("harbor.backend", "formats.loaded", "workflows.making", "execute.workers", "execute.doorway")
    assert not {f"generator.{name}" for name in ours} & imported


def test_what_comes_after_the_agent_is_not_imported_before_it_works() -> None:
    code = (
        "import sys, generator.workflows.run, generator.execute.run; print('generator.runtime.review' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_failed_check_fails_the_run_and_the_reviewer_is_not_asked(bench: Bench) -> None:
    bench.scenario(
        evaluation__checks=[
            {"id": "fine", "command": ["test", "-f", "report.json"]},
            {"id": "total", "command": "echo looked at it; grep -q 15 report.json"},
        ]
    )
    reviewer = bench.script("#!/bin/bash\ntouch asked\n", "asked.sh")
    ran = bench.attempt(bench.script(SOLVE), "--reviewer", reviewer)
    assert ran.code == 1
    report = ran.report
    assert (report["checks"], report["failureKind"]) == ({"passed": 1, "total": 2}, "goal_mismatch")
    assert [(check["id"], check["output"]) for check in report["failedChecks"]] == [("total", "looked at it\n")]
    assert [warning for warning in report["warnings"] if "exited with" in warning] == []
    assert not (bench.evidence / "reviewer.log").exists()
    check_evidence(bench.evidence)


def test_checks_alone_decide_where_the_scenario_says_so(bench: Bench) -> None:
    bench.scenario(evaluation={"mode": "checks", "checks": [{"id": "total", "command": "grep -q 14 report.json"}]})
    ran = bench.run("run", "--scenario", "sum-ledger", "--agent", bench.script(SOLVE), "--json")
    assert (ran.code, ran.report["score"]) == (0, 1), ran.err


def test_a_packaged_reviewer_runs_confined_beside_its_answers(everyone: Bench) -> None:
    judge = f"""{JUDGE}
print(sorted(os.listdir('/')), os.getuid(), sorted(os.environ))
print(open('/tests/private-eval-assets/private/answer.json').read())
"""
    everyone.scenario(
        {"reviewer/judge.py": judge, "private/answer.json": "14.00"},
        evaluation__reviewer={"path": "reviewer", "command": ["python3", "{reviewer}/judge.py"]},
        evaluation__privateAssets=["private/answer.json"],
        evaluation__env=["MODEL_NAME", "CLOUD_SECRET_KEY"],
    )
    ran = everyone.run(
        "run", "--scenario", "sum-ledger", "--agent", everyone.script(SOLVE), "--json", "--reviewer-env", "MODEL_NAME",
        "--reviewer-env", "UNASKED=u-1", env={"MODEL_NAME": "m-1", "CLOUD_SECRET_KEY": "c-1", "OTHER_SECRET": "s-1"},
    )  # fmt: skip
    assert ran.code == 0, ran.out + ran.err
    log = (everyone.evidence / "reviewer.log").read_text()
    assert "10001" in log
    assert "14.00" in log
    assert "'MODEL_NAME'" in log
    assert not [name for name in ("OTHER_SECRET", "CLOUD_SECRET_KEY", "UNASKED") if name in log]
    assert "'work'" not in log
    manifest = everyone.kept("ruhroh-loop-result.json")["runManifest"]
    assert manifest["evaluator"]["source"] == "package"
    assert manifest["env"]["reviewerForwardedKeys"] == ["MODEL_NAME"]
    told = [warning for warning in ran.report["warnings"] if "variable" in warning]
    assert told == [
        "the package's reviewer asks for the variable CLOUD_SECRET_KEY; pass it with --reviewer-env CLOUD_SECRET_KEY",
        "--reviewer-env UNASKED has no effect: the package's reviewer does not declare that variable",
    ]
    assert f"warning: {told[0]}" in ran.err
    check_evidence(everyone.evidence)


@pytest.mark.parametrize("source", ["package", "option"])
@pytest.mark.parametrize("verdict", ["in a file", "printed", "broken"])
def test_no_record_holds_a_secret_that_a_reviewer_was_given(bench: Bench, source: str, verdict: str) -> None:
    judge = f"""#!/usr/bin/env python3
import json, os, sys
key = os.environ['MODEL_KEY']
document = {{'status': 'failed', 'reasons': ['with ' + key], 'evidenceRefs': [{{'kind': 'x', 'summary': key}}], key: 1}}
print('asked with', key)
if {verdict!r} == 'in a file':
    json.dump(document, open(os.environ['RUHROH_EVAL_OUTPUT_PATH'], 'w'))
print(json.dumps(document) if {verdict!r} == 'printed' else key)
sys.exit(3 if {verdict!r} == 'broken' else 0)
"""
    changes: dict[str, Any] = {"evaluation__env": ["MODEL_KEY"]}
    if source == "package":
        changes["evaluation__reviewer"] = {"path": "reviewer", "command": ["python3", "{reviewer}/judge.py"]}
    bench.scenario({"reviewer/judge.py": judge} if source == "package" else {}, **changes)
    (bench.folder / "judge.py").write_text(judge)
    given = ["--reviewer", "python3 judge.py"] if source == "option" else []
    ran = bench.run(
        "run", "--scenario", "sum-ledger", "--agent", "nop", *given, "--reviewer-env", "MODEL_KEY", "--json",
        env={"MODEL_KEY": 'sk-"quoted"-0123456789'},
    )  # fmt: skip
    assert "[value of MODEL_KEY]" in (bench.evidence / "reviewer.log").read_text()
    files = [path for path in bench.evidence.rglob("*") if path.is_file()]
    assert [path for path in files if b"0123456789" in path.read_bytes()] == []
    assert "0123456789" not in ran.out + ran.err
    check_evidence(bench.evidence)


@pytest.mark.parametrize("command", ["run", "review"])
def test_an_operators_reviewer_has_what_it_is_given_beside_the_operators_own(bench: Bench, command: str) -> None:
    bench.scenario()
    bench.script('#!/bin/bash\necho "$MINE $GIVEN"\nexit 3\n', "judge.sh")
    given = ["--reviewer", "./judge.sh", "--reviewer-env", "GIVEN=token-1", "--json"]
    (bench.folder / "work").mkdir()
    assert bench.run("generate").code == 0
    work = ["--workspace", "work"] if command == "review" else ["--agent", "nop"]
    ran = bench.run(command, str(bench.package), *work, *given, env={"MINE": "mine"})
    assert "last output: mine [value of GIVEN]" in ran.report["reasons"]
    manifest = bench.kept("ruhroh-run-manifest.json")
    assert manifest["env"]["reviewerForwardedKeys"] == ["GIVEN"]
    assert "token-1" not in json.dumps(manifest)


@pytest.mark.parametrize("command", ["run", "review"])
def test_a_reviewer_that_nobody_will_ask_is_told(bench: Bench, command: str) -> None:
    bench.scenario(evaluation={"mode": "checks", "checks": [{"id": "fine", "command": "true"}]})
    bench.script("#!/bin/bash\n", "judge.sh")
    (bench.folder / "work").mkdir()
    assert bench.run("generate").code == 0
    work = ["--workspace", "work"] if command == "review" else ["--agent", "nop"]
    given = ["--reviewer", "./judge.sh", "--reviewer-env", "KEY=x", "--json"]
    ran = bench.run(command, str(bench.package), *work, *given)
    assert (ran.code, ran.report["checks"]) == (0, {"passed": 1, "total": 1})
    told = [
        "--reviewer has no effect: checks alone decide, and no reviewer is asked",
        "--reviewer-env KEY has no effect: checks alone decide, and no reviewer is asked",
    ]
    assert [warning for warning in ran.report["warnings"] if "no effect" in warning] == told
    assert all(f"warning: {line}" in ran.err for line in told)
    assert bench.kept("ruhroh-run-manifest.json")["env"]["reviewerForwardedKeys"] == []


def test_a_reviewer_can_run_the_agents_program_as_checks_are_run(everyone: Bench) -> None:
    judge = """#!/bin/bash
said=$(python3 "$HARBORSMITH_SUBMISSION" -- bash ./program.sh)
case $said in
    *forty-two*) met=true status=passed ;;
    *) met=false status=failed ;;
esac
echo "{\\"status\\": \\"$status\\", \\"goalMet\\": $met, \\"reasons\\": [\\"$said\\"]}"
"""
    everyone.scenario(
        {"reviewer/judge.sh": judge},
        evaluation__reviewer={"path": "reviewer", "command": ["bash", "{reviewer}/judge.sh"]},
    )
    agent = everyone.script(
        "#!/bin/bash\necho 'echo forty-two $(id -u) $(ls -d /tests /review 2>/dev/null)' > program.sh\n"
    )
    ran = everyone.run("run", "--scenario", "sum-ledger", "--agent", agent, "--iterations", "1", "--json")
    assert ran.code == 0, ran.out + ran.err
    assert ran.report["reasons"] == ["forty-two 10001"]


def test_the_operators_reviewer_runs_with_the_operators_rights(bench: Bench) -> None:
    bench.scenario()
    judge = bench.script(
        "#!/bin/bash\n"
        'test "$OPERATOR_KEY" = k-1 && test -w "$HOME" && echo \'{"status": "passed", "goalMet": true}\'\n',
        "mine.sh",
    )
    ran = bench.attempt(bench.script(SOLVE), "--reviewer", judge, env={"OPERATOR_KEY": "k-1"})
    assert ran.code == 0, ran.out


def test_the_environment_names_a_reviewer_where_no_other_is_given(bench: Bench) -> None:
    bench.scenario()
    bench.script(JUDGE, "judge.py")
    arguments = ("run", "--scenario", "sum-ledger", "--agent", bench.script(SOLVE), "--json")
    ran = bench.run(
        *arguments, env={"RUHROH_EVAL_COMMAND": "cd . && ./../judge.py; true", "RUHROH_EVAL_COMMAND_SHELL": "on"}
    )
    assert ran.report["status"] == "no_verdict"
    ran = bench.run(*arguments, env={"RUHROH_EVAL_COMMAND": "./judge.py"})
    assert ran.code == 0, ran.out
    bench.script(JUDGE, "judges/run")
    ran = bench.run(*arguments, env={"RUHROH_EVAL_COMMAND": "./judges"})
    assert ran.code == 0, ran.out


def test_a_reviewer_named_by_a_relative_path_is_the_operators_and_not_the_agents(bench: Bench) -> None:
    bench.scenario()
    planted = '#!/bin/bash\necho \'print(\\\'{"status":"passed","goalMet":true}\\\')\' > judge.py\n'
    ran = bench.attempt(bench.script(planted), "--iterations", "1", "--reviewer", "python3 judge.py")
    assert (ran.code, ran.report["status"]) == (1, "failed"), ran.out


@pytest.mark.parametrize("agent", ["oracle", "nop"])
def test_built_in_agents_bound_what_a_scenario_can_give(everyone: Bench, agent: str) -> None:
    everyone.scenario({"solution/solve.sh": "printf '{\"total\": 14.00}' > report.json\n"}, solution="solution")
    ran = everyone.attempt(agent)
    assert (ran.code, ran.report["status"], ran.report["turns"]) == (
        (0, "passed", 1) if agent == "oracle" else (1, "failed", 1)
    )
    check_evidence(everyone.evidence)


@pytest.mark.parametrize("agent", ["oracle", "nop"])
def test_a_built_in_agent_did_not_run_out_of_turns(bench: Bench, agent: str) -> None:
    bench.scenario({"solution/solve.sh": "true\n"}, solution="solution")
    bench.script(JUDGE, "judge.py")
    ran = bench.run("run", "--scenario", "sum-ledger", "--agent", agent, "--reviewer", "./judge.py")
    assert f"  agent: {agent}, which is built in, made its one turn" in ran.out.splitlines()


def test_a_finished_oracle_is_a_completed_run_where_a_pass_needs_the_agents_own_word(bench: Bench) -> None:
    bench.scenario(
        {"solution/solve.sh": "printf '{\"total\": 14.00}' > report.json\n"},
        solution="solution",
        loop={"defaultMaxIterations": 1, "stopPolicy": "goal_satisfied_or_max", "completion": {"required": True}},
    )
    ran = bench.attempt("oracle")
    assert (ran.code, ran.report["stoppedReason"]) == (0, "goal_satisfied"), ran.out


def test_the_oracle_needs_a_solution(bench: Bench) -> None:
    bench.scenario()
    ran = bench.attempt("oracle")
    assert (ran.code, ran.refused) == (1, ["solution_missing"])
    assert [one["hint"] for one in json.loads(ran.out)["refused"]] == ["another --agent"]


def test_the_oracle_tells_of_a_solution_that_its_scenario_does_not_name(bench: Bench) -> None:
    bench.scenario({"solution/solve.sh": "echo 14.00 > report.json\n"})
    ran = bench.attempt("oracle", "--runs", "2")
    (refused,) = json.loads(ran.out)["refused"]
    assert (ran.code, refused["code"]) == (1, "solution_missing")
    assert refused["message"].endswith(': the folder "solution" stands beside its scenario, and nothing declares it')
    assert refused["hint"] == '"solution": "solution" in scenarios/sum-ledger/scenario.json'
    place = str(bench.package.relative_to(bench.folder))
    named = bench.run("run", place, "--agent", "oracle", "--reviewer", "./judge.py", "--json")
    assert [(one["code"], one["hint"]) for one in json.loads(named.out)["refused"]] == [
        ("solution_missing", "another --agent")
    ]


def test_turns_go_on_until_the_agent_says_it_is_done(bench: Bench) -> None:
    bench.scenario()
    agent = bench.script("""#!/bin/bash
echo "turn $RUHROH_ITERATION" >> seen.txt
cat "$RUHROH_GOAL_PATH" >> seen.txt
echo "home $(cat ~/note 2>/dev/null)" >> seen.txt
echo "$RUHROH_ITERATION" > ~/note
if [ "$RUHROH_ITERATION" = 2 ]; then
    printf '{"total": 14.00}' > report.json
    echo '{"version": "ruhroh_run_agent_result_v1", "status": "goal_satisfied"}' > "$RUHROH_RESULT_PATH"
fi
""")
    ran = bench.attempt(agent)
    assert (ran.code, ran.report["turns"]) == (0, 2)
    seen = archived(bench.evidence / "ruhroh-workspace.tar.gz")["seen.txt"].decode()
    prompt = "Sum the amounts in `assets/ledger.csv` and write the total to `report.json`.\n"
    assert seen.startswith(f"turn 1\n{prompt}home \nturn 2\n")
    assert "continuation 1" in seen
    assert seen.endswith("home 1\n")
    records = [json.loads(line) for line in (bench.evidence / "ruhroh-loop-iterations.jsonl").read_text().splitlines()]
    assert [record["completionStatus"]["reason"] for record in records] == [
        "missing_completion_signal",
        "goal_satisfied",
    ]


@pytest.mark.parametrize(("given", "turns"), [([], 3), (["--iterations", "2"], 2)])
def test_turns_are_bounded_by_the_scenario_or_the_operator(bench: Bench, given: list[str], turns: int) -> None:
    bench.scenario()
    ran = bench.attempt(bench.script("#!/bin/bash\ntrue\n"), *given)
    assert (ran.report["turns"], ran.report["stoppedReason"]) == (turns, "iterations_exhausted")
    result = bench.kept("ruhroh-loop-result.json")
    assert (result["stoppedReason"], result["runManifest"]["loop"]["maxIterations"]) == ("max_iterations", turns)
    check_evidence(bench.evidence)


def test_a_turn_past_its_limit_ends_with_124_and_is_its_own_kind_of_failure(bench: Bench) -> None:
    bench.scenario()
    agent = bench.script("#!/bin/bash\nprintf '{\"total\": 14.00}' > report.json\nsleep 600\n")
    ran = bench.attempt(agent, env={"RUHROH_ITERATION_TIMEOUT_SEC": "1"})
    assert (ran.report["stoppedReason"], ran.report["turns"]) == ("agent_timeout", 1)
    (record,) = [
        json.loads(line) for line in (bench.evidence / "ruhroh-loop-iterations.jsonl").read_text().splitlines()
    ]
    assert (record["returnCode"], record["failureKind"]) == (124, "agent_timeout")
    assert record["termination"]["reason"] == "iteration_timeout"
    assert ran.report["status"] == "passed", "what the agent had done by then is judged"
    check_evidence(bench.evidence)


def test_the_scenarios_limit_bounds_all_turns_together(bench: Bench) -> None:
    bench.scenario(run={"mode": "build", "timeoutSeconds": 1})
    ran = bench.attempt(bench.script("#!/bin/bash\nsleep 600\n"))
    assert (ran.report["stoppedReason"], ran.report["turns"]) == ("agent_timeout", 1)
    (record,) = [
        json.loads(line) for line in (bench.evidence / "ruhroh-loop-iterations.jsonl").read_text().splitlines()
    ]
    assert record["termination"]["reason"] == "wall_time_limit"


def test_a_pass_needs_the_agents_own_word_where_the_scenario_says_so(bench: Bench) -> None:
    bench.scenario(
        loop={
            "defaultMaxIterations": 1,
            "stopPolicy": "goal_satisfied_or_max",
            "completion": {"required": True, "promise": "ALL DONE"},
        }
    )
    silent = bench.attempt(bench.script("#!/bin/bash\nprintf '{\"total\": 14.00}' > report.json\n"))
    assert (silent.code, silent.report["score"], silent.report["failureKind"]) == (1, 0, "iterations_exhausted")
    kept = bench.attempt(bench.script("#!/bin/bash\nprintf '{\"total\": 14.00}' > report.json\necho ALL DONE\n"))
    assert (kept.code, kept.report["score"]) == (0, 1), kept.out


def test_an_agents_own_reason_for_giving_up_is_recorded(bench: Bench) -> None:
    bench.scenario()
    ran = bench.attempt(bench.script('#!/bin/bash\necho \'{"status": "cannot_satisfy"}\'\nexit 3\n'))
    assert (ran.report["stoppedReason"], ran.report["turns"]) == ("cannot_satisfy", 1)


def test_an_agent_that_fails_is_reviewed_all_the_same(bench: Bench) -> None:
    bench.scenario()
    ran = bench.attempt(bench.script("#!/bin/bash\nprintf '{\"total\": 14.00}' > report.json\nexit 3\n"))
    assert (ran.code, ran.report["stoppedReason"]) == (0, "runtime_failure")


def test_a_git_workspace_starts_with_one_commit_that_is_always_the_same(everyone: Bench) -> None:
    everyone.scenario(environment={"git": True})
    agent = everyone.script("#!/bin/bash\ngit log --format='%H %an %ad' | tee log.txt; git status --short\n")
    hashes = set()
    for _ in range(2):
        ran = everyone.attempt(agent, "--iterations", "1")
        runs = everyone.folder / "generated" / "runs" / "sum-ledger"
        (latest,) = runs.iterdir()
        hashes.add(archived(latest / "ruhroh-workspace.tar.gz")["log.txt"])
        assert ran.report["turns"] == 1
        latest.rename(everyone.folder / f"kept-{len(list(everyone.folder.iterdir()))}")
    (line,) = hashes
    assert line.endswith(b"Harborsmith Sat Jan 1 00:00:00 2000 +0000\n")


def test_a_package_alone_says_what_it_asks_of_an_agent(bench: Bench) -> None:
    bench.scenario(requires__continuity="native_session", requires__tools=["shell", "browser"])
    bench.run("generate")
    bench.script(JUDGE, "judge.py")
    agent = bench.script("#!/bin/bash\ntrue\n", "mine/run")
    (bench.folder / "mine" / "agent.json").write_text('{"id": "mine", "tools": ["shell"]}')
    arguments = ("--agent", str(Path(agent).parent), "--reviewer", "./judge.py", "--iterations", "1", "--json")
    ran = bench.run("run", str(bench.package), *arguments)
    assert ran.report["warnings"][:2] == [
        "the scenario asks for continuity native_session; the agent states workspace_only",
        "the scenario asks for the tools browser, which the agent does not state",
    ]
    assert "warning: the scenario asks for continuity" in ran.err


@pytest.mark.parametrize("closed", ["0<&- 1>&-", "0<&- 1>&- 2>&-", "2>&-"])
def test_a_run_needs_no_standard_streams(everyone: Bench, closed: str) -> None:
    everyone.scenario()
    everyone.script(JUDGE, "judge.py")
    everyone.script(SOLVE)
    everyone.who.give(everyone.folder)
    command = "-m generator run --scenario sum-ledger --agent ./solver.sh --reviewer ./judge.py"
    done = subprocess.run(
        ["/bin/bash", "-c", f"exec {everyone.who.python} {command} {closed}"],
        cwd=everyone.folder, env=everyone.who.environment(), capture_output=True, check=False, **everyone.who.ids,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert everyone.kept("ruhroh-loop-result.json")["score"] == 1


def test_a_reader_that_is_gone_changes_neither_the_run_nor_its_exit_code(everyone: Bench) -> None:
    everyone.scenario()
    everyone.script(JUDGE, "judge.py")
    process = everyone.start("run", "--scenario", "sum-ledger", "--agent", "nop", "--reviewer", "./judge.py")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stderr.close()
    assert process.wait(timeout=60) == 1
    assert everyone.kept("ruhroh-loop-result.json")["failure_kind"] == "goal_mismatch"
    check_evidence(everyone.evidence)


def test_several_packages_run_one_after_another_and_the_highest_exit_code_counts(bench: Bench) -> None:
    checks = {"mode": "checks", "checks": [{"id": "total", "command": "grep -q 14 report.json"}]}
    bench.scenario(evaluation=checks, title="Another")
    bench.run("generate", "--out", "other")
    bench.scenario(evaluation=checks)
    bench.run("generate")
    folder, other = bench.package, bench.folder / "other/harbor/tasks/sum-ledger"
    ran = bench.run("run", str(folder), str(other), "--agent", bench.script(SOLVE), "--json")
    assert ran.code == 0
    assert [run["status"] for run in json.loads(ran.out)["runs"]] == ["passed", "passed"]
    (other / "instruction.md").write_text("Do nothing.\n")
    ran = bench.run("run", str(other), str(folder), "--agent", bench.script(SOLVE), "--json")
    assert (ran.code, ran.refused, ran.report["status"]) == (1, ["package_edited"], "passed")
