"""Agents and reviewers that misbehave: each has its outcome, and the evidence is complete every time."""

from __future__ import annotations

import json
import os
import shutil
from typing import Any

import pytest

from tests.support.runs import ROOT, SOLVE, Bench, archived, check_evidence

pytestmark = pytest.mark.sandbox

ADVERSARIES = ROOT / "tests" / "adversaries"
PASSED = '{"version": "ruhroh_eval_result_v1", "status": "passed", "goalMet": true, "reasons": ["fine"]}'


def test_a_workspace_full_of_odd_things_is_reviewed_and_kept(everyone: Bench) -> None:
    everyone.scenario()
    shutil.copy(ADVERSARIES / "litter.py", everyone.folder)
    ran = everyone.attempt("./litter.py")
    assert (ran.code, ran.report["status"]) == (0, "passed"), ran.out + ran.err
    check_evidence(everyone.evidence)
    summary = everyone.kept("ruhroh-workspace-summary.json")
    assert summary["specialFiles"] == ["door", "queue"]
    assert (everyone.evidence / "ruhroh-workspace.tar.gz").stat().st_size < 20_000_000
    kept = {"outside"} & {item["path"] for item in summary["leftOut"]}
    assert kept == {"outside"}
    assert "dist/build/node_modules/app.js" in [file["path"] for file in summary["sampleFiles"]]


def test_twenty_thousand_files_are_handed_over(bench: Bench) -> None:
    bench.scenario()
    agent = bench.script("""#!/usr/bin/python3
import os
os.mkdir('many')
for n in range(20000):
    open(f'many/{n}', 'w').close()
open('report.json', 'w').write('{"total": 14.0}')
""")
    ran = bench.attempt(agent, "--iterations", "1")
    assert ran.report["status"] == "passed", ran.out
    assert bench.kept("ruhroh-workspace-summary.json")["totalFiles"] == 20_002


def test_a_workspace_over_the_limit_is_no_verdict_and_never_cut(bench: Bench) -> None:
    bench.scenario()
    agent = bench.script("#!/bin/bash\nhead -c 3000000 /dev/zero | tr '\\0' x > big\n")
    ran = bench.attempt(agent, "--iterations", "1", "--max-workspace-bytes", "1000000")
    assert (ran.code, ran.report["failureKind"], ran.report["score"]) == (5, "workspace_too_large", None)
    check_evidence(bench.evidence, reviewed=False)


def test_a_flood_of_output_is_counted_and_cut(bench: Bench) -> None:
    bench.scenario()
    agent = bench.script("""#!/bin/bash
echo first
head -c 100000000 /dev/zero | tr '\\0' x
echo
echo '{"status": "goal_satisfied"}'
""")
    ran = bench.attempt(agent)
    assert ran.report["stoppedReason"] == "goal_satisfied"
    log = (bench.evidence / "transcripts" / "iteration-1.log").read_bytes()
    assert log.startswith(b"first\n")
    assert b"bytes left out" in log
    assert len(log) < 3_000_000


def test_output_that_is_no_text_is_kept_as_it_is(bench: Bench) -> None:
    bench.scenario()
    agent = bench.script("#!/bin/bash\nprintf '\\xff\\xfe\\033[31mred\\n'\n")
    bench.attempt(agent, "--iterations", "1")
    assert (bench.evidence / "transcripts" / "iteration-1.log").read_bytes() == b"\xff\xfe\033[31mred\n"
    check_evidence(bench.evidence)


def test_a_fork_bomb_ends_with_its_turn(bench: Bench) -> None:
    bench.scenario()
    agent = bench.script("""#!/usr/bin/python3
import os, time
while True:
    try:
        if not os.fork():
            time.sleep(60)
    except OSError:
        time.sleep(0.01)
""")
    ran = bench.attempt(agent, env={"RUHROH_ITERATION_TIMEOUT_SEC": "2"})
    assert ran.report["stoppedReason"] == "agent_timeout"
    check_evidence(bench.evidence)


@pytest.mark.parametrize(
    "script",
    [
        "mkfifo $RUHROH_RESULT_PATH",
        "ln -s /etc/passwd $RUHROH_RESULT_PATH",
        "mkdir $RUHROH_RESULT_PATH",
        "head -c 9000000 /dev/zero > $RUHROH_RESULT_PATH",
        "echo '{\"status\": 5' > $RUHROH_RESULT_PATH",
        "ln -s /etc/passwd $RUHROH_ECONOMIC_TRACE_PATH; mkfifo $RUHROH_RUN_ROOT/x",
        "rm -rf $(dirname $RUHROH_RESULT_PATH) $RUHROH_RUN_ROOT 2>/dev/null; chmod 0 $RUHROH_RUN_ROOT",
    ],
)
def test_odd_result_files_are_recorded_and_harm_nothing(bench: Bench, script: str) -> None:
    bench.scenario()
    ran = bench.attempt(
        bench.script(f"#!/bin/bash\n{script}\nprintf '{{\"total\": 14.00}}' > report.json\n"), "--iterations", "1"
    )
    assert (ran.report["status"], ran.report["stoppedReason"]) == ("passed", "iterations_exhausted"), ran.out
    check_evidence(bench.evidence)


def test_an_economic_trace_is_kept_where_the_agent_wrote_one(bench: Bench) -> None:
    bench.scenario()
    bench.attempt(
        bench.script("#!/bin/bash\necho '{\"tokens\": 5}' > $RUHROH_ECONOMIC_TRACE_PATH\n"), "--iterations", "1"
    )
    assert bench.kept("ruhroh-economic-trace.jsonl") == {"tokens": 5}
    assert bench.kept("ruhroh-loop-result.json")["artifactPaths"]["economicTrace"] == "ruhroh-economic-trace.jsonl"


def test_secrets_that_an_agent_prints_are_not_recorded(bench: Bench) -> None:
    bench.scenario()
    agent = bench.script('#!/bin/bash\necho "key $MODEL_API_KEY mode $MODE"\n')
    more = ("--agent-env", "MODEL_API_KEY", "--agent-env", "MODE=verbose")
    ran = bench.attempt(agent, "--iterations", "1", *more, env={"MODEL_API_KEY": "sk-very-secret"})
    everything = b"".join(path.read_bytes() for path in bench.evidence.rglob("*") if path.is_file())
    assert b"sk-very-secret" not in everything + ran.out.encode() + ran.err.encode()
    log = (bench.evidence / "transcripts" / "iteration-1.log").read_text()
    assert log == "key [value of MODEL_API_KEY] mode verbose\n"
    env = bench.kept("ruhroh-run-manifest.json")["env"]
    assert env == {
        "forwardedKeys": ["MODE", "MODEL_API_KEY"],
        "reviewerForwardedKeys": [],
        "secretKeysPresent": ["MODEL_API_KEY"],
    }


NO_VERDICT = {
    "says nothing": "true",
    "exits with 3 after a pass": f"echo '{PASSED}' > $RUHROH_EVAL_OUTPUT_PATH; exit 3",
    "is killed after a pass": f"echo '{PASSED}' > $RUHROH_EVAL_OUTPUT_PATH; kill -9 $$",
    "floods": "head -c 50000000 /dev/zero | tr '\\0' x",
    "writes half a document": f"echo '{PASSED}'; echo '{PASSED[:40]}' > $RUHROH_EVAL_OUTPUT_PATH",
    "says passed alone": 'echo \'{"status": "passed"}\'',
    "contradicts itself": 'echo \'{"status": "passed", "goalMet": true, "unmetCriteria": ["x"]}\'',
    "has another version": f"echo '{PASSED.replace('_v1', '_v9')}'",
    "has an unknown status": f"echo '{PASSED.replace('passed', 'splendid')}'",
    "reports a failure of its own": f"echo '{PASSED.replace('passed', 'infra_failed')}'",
    "leaves a link": f"echo '{PASSED}' > $HOME/v.json; ln -s $HOME/v.json $RUHROH_EVAL_OUTPUT_PATH",
    "leaves a pipe": "mkfifo $RUHROH_EVAL_OUTPUT_PATH",
}


@pytest.mark.parametrize("reviewer", NO_VERDICT.values(), ids=NO_VERDICT)
def test_a_reviewer_that_gives_no_verdict_gives_no_score(bench: Bench, reviewer: str) -> None:
    bench.scenario()
    command = bench.script(f"#!/bin/bash\necho its last words >&2\n{reviewer}\n", "odd.sh")
    ran = bench.attempt(bench.script(SOLVE), "--reviewer", command)
    assert (ran.code, ran.report["status"], ran.report["score"]) == (5, "no_verdict", None)
    assert ran.report["failureKind"] == "infra_failed"
    assert not (bench.evidence / "reward.json").exists()
    assert b"its last words" in (bench.evidence / "reviewer.log").read_bytes()
    check_evidence(bench.evidence)


def test_a_reviewer_past_its_limit_gives_no_score_and_is_dead(bench: Bench) -> None:
    bench.scenario(evaluation__timeoutSeconds=1)
    ran = bench.attempt(
        bench.script(SOLVE), "--reviewer", bench.script("#!/bin/bash\necho waiting\nsleep 600\n", "slow.sh")
    )
    assert (ran.code, ran.report["failureKind"]) == (5, "infra_failed")
    assert ran.report["reasons"] == ["the reviewer ran past its limit of 1 s", "last output: waiting"]
    check_evidence(bench.evidence)


def test_a_review_that_is_owed_is_no_score(bench: Bench) -> None:
    bench.scenario()
    owed = PASSED.replace("passed", "review").replace("true", "false")
    reviewer = bench.script(f"#!/bin/bash\necho '{owed}'\n", "owed.sh")
    ran = bench.attempt(bench.script(SOLVE), "--reviewer", reviewer)
    assert (ran.code, ran.report["status"], ran.report["failureKind"]) == (5, "review_owed", "review_required")
    assert ran.report["criteria"] == {"met": 0, "total": 0}
    text = bench.run("run", "--scenario", "sum-ledger", "--agent", "nop", "--reviewer", reviewer)
    assert text.out.startswith("sum-ledger REVIEW OWED review_required: 1 turn, ")


RUBRIC = "The report holds the correct total of all the amounts in the ledger."


@pytest.mark.parametrize(
    ("verdict", "criteria"),
    [
        ({"status": "passed", "goalMet": True}, (0, 0)),
        ({"status": "failed", "unmetCriteria": [RUBRIC]}, (2, 3)),
        ({"status": "failed", "unmetCriteria": ["the total, in other words"]}, (0, 0)),
        ({"status": "failed"}, (0, 0)),
        ({"status": "review", "unmetCriteria": [RUBRIC]}, (0, 0)),
        ({"status": "review", "criteriaResults": [{"id": "a", "description": "A", "status": "passed"}]}, (1, 1)),
    ],
)
def test_criteria_count_as_met_only_where_the_verdict_says_so(
    bench: Bench, verdict: dict[str, Any], criteria: tuple[int, int]
) -> None:
    bench.scenario()
    ran = bench.attempt("nop", "--reviewer", bench.script(f"#!/bin/bash\necho '{json.dumps(verdict)}'\n", "says.sh"))
    assert tuple(ran.report["criteria"].values()) == criteria


@pytest.mark.parametrize("agent", ["vandal.sh", "killer.sh"])
def test_an_agent_that_turns_on_what_it_finds_harms_only_its_own_work(everyone: Bench, agent: str) -> None:
    everyone.scenario()
    shutil.copy(ADVERSARIES / agent, everyone.folder)
    (everyone.folder / "tmp").mkdir()
    ran = everyone.attempt(f"./{agent}", "--iterations", "1", env={"TMPDIR": str(everyone.folder / "tmp")})
    assert (ran.code, ran.report["status"]) == (0, "passed"), ran.out + ran.err
    check_evidence(everyone.evidence)
    assert b"WROTE" not in (everyone.evidence / "transcripts" / "iteration-1.log").read_bytes()
    assert os.listdir(everyone.folder / "tmp") == []


@pytest.mark.parametrize("packaged", [True, False])
def test_a_reviewer_that_removes_what_it_finds_neither_hangs_nor_changes_the_evidence(
    everyone: Bench, packaged: bool
) -> None:
    judge = f"""#!/bin/bash
cd /
rm -rf "$(dirname "$RUHROH_EVAL_INPUT_PATH")" "$RUHROH_EVAL_ORIGINAL_WORKSPACE_PATH" 2>/dev/null
(setsid bash -c "trap '' TERM HUP; exec sleep 600" &)
echo '{PASSED}'
"""
    reviewer = {"path": "reviewer", "command": ["bash", "{reviewer}/judge.sh"]}
    everyone.scenario({"reviewer/judge.sh": judge}, **({"evaluation__reviewer": reviewer} if packaged else {}))
    more = [] if packaged else ["--reviewer", everyone.script(judge, "judge.sh")]
    ran = everyone.run("run", "--scenario", "sum-ledger", "--agent", everyone.script(SOLVE), "--json", *more)
    assert (ran.code, ran.report["status"]) == (0, "passed"), ran.out + ran.err
    check_evidence(everyone.evidence)
    assert "report.json" in archived(everyone.evidence / "ruhroh-workspace.tar.gz")


def test_what_of_an_agents_run_root_is_not_kept_is_said(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.scenario()
    agent = bench.script("#!/bin/bash\ncd $RUHROH_RUN_ROOT; mkfifo a b; echo kept > c\n")
    ran = bench.attempt(agent, "--iterations", "1")
    assert "not kept of the agent's run root: a (special file) and 1 more" in ran.report["warnings"]
    assert archived(bench.evidence / "ruhroh-loop-events.tar.gz")["c"] == b"kept\n"
    monkeypatch.setattr("generator.runtime.runroot.MAX_EVENT_BYTES", 3)
    shutil.rmtree(bench.evidence)
    ran = bench.attempt("./solver.sh", "--iterations", "1")
    assert "the agent's run root holds over 3 bytes or 50000 files: not kept" in ran.report["warnings"]


def test_yesterdays_verdict_is_not_todays(bench: Bench) -> None:
    bench.scenario()
    reviewer = bench.script(
        f"""#!/bin/bash
if [ ! -e {bench.folder}/once ]; then
    touch {bench.folder}/once
    echo '{PASSED}' > $RUHROH_EVAL_OUTPUT_PATH
fi
""",
        "once.sh",
    )
    first = bench.attempt(bench.script(SOLVE), "--reviewer", reviewer)
    second = bench.attempt("./solver.sh", "--reviewer", reviewer)
    assert (first.code, second.code) == (0, 5)


def test_a_reviewer_may_change_its_copy_and_the_evidence_stays(bench: Bench) -> None:
    bench.scenario()
    reviewer = bench.script(f"#!/bin/bash\necho mine > added.txt; rm report.json\necho '{PASSED}'\n", "rough.sh")
    bench.attempt(bench.script(SOLVE), "--reviewer", reviewer)
    kept = archived(bench.evidence / "ruhroh-workspace.tar.gz")
    assert sorted(kept) == ["assets/ledger.csv", "report.json"]


def test_escapes_in_an_agents_or_reviewers_words_are_not_sent_to_the_terminal(bench: Bench) -> None:
    bench.scenario(evaluation__checks=[{"id": "show", "command": "printf '\\033[2J\\033]0;owned\\007'; exit 1"}])
    ran = bench.run("run", "--scenario", "sum-ledger", "--agent", "nop", "--reviewer", "/usr/bin/true")
    assert "\033" not in ran.out + ran.err
    assert "\\x1b[2J" in ran.out


def test_the_report_names_the_version_and_holds_one_document(bench: Bench) -> None:
    bench.scenario()
    ran = bench.attempt(bench.script(SOLVE))
    from tests.unit.schemas.shipped import wordy

    assert not list(wordy("run-report").iter_errors(json.loads(ran.out)))
