"""Nothing meant for the reviewer reaches the agent or what it made, and nothing they do reaches the verdict."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.runs import JUDGE, ROOT, Bench, alive, archived, check_evidence

pytestmark = pytest.mark.sandbox

CANARY = "CANARY-7f3a"
ADVERSARIES = ROOT / "tests" / "adversaries"


def sealed_scenario(bench: Bench, **changes: Any) -> None:
    """A scenario with a canary in everything that only the reviewer may know."""
    bench.scenario(
        {
            "private/answer-key.json": f"{CANARY}-private",
            "private/CANARY-7f3a-name.txt": "its name is the secret",
            "reviewer/judge.py": f"{JUDGE}\n# {CANARY}-reviewer\n",
            "solution/solve.sh": f"# {CANARY}-solution\n",
        },
        evaluation__scenarioContext=[f"{CANARY}-context is one.", "The ledger has three rows."],
        evaluation__goalRubric=[
            f"{CANARY}-rubric: the report holds the correct total of all the amounts.",
            "The ledger itself is left exactly as it was handed over at the start.",
            "The report is valid JSON with one number that has two decimal places.",
        ],
        evaluation__evidenceGuidance=[f"{CANARY}-guidance: open it.", "Compare the ledger with the original."],
        evaluation__calibrationCases=[
            {
                "id": "a",
                "expectedStatus": "passed",
                "inputSummary": f"{CANARY}-calibration",
                "rationale": "It is right.",
            }
        ],
        evaluation__privateAssets=["private/answer-key.json", "private/CANARY-7f3a-name.txt"],
        evaluation__checks=[{"id": "look", "command": f"test {CANARY}-check != x"}],
        evaluation__reviewer={"path": "reviewer", "command": ["python3", "{reviewer}/judge.py"]},
        solution="solution",
        **changes,
    )


def run_packaged(bench: Bench, agent: str, *more: str, env: dict[str, str] | None = None) -> Any:
    return bench.run("run", "--scenario", "sum-ledger", "--agent", agent, "--json", *more, env=env)


def test_an_agent_that_looks_everywhere_finds_no_secret(everyone: Bench) -> None:
    sealed_scenario(everyone)
    shutil.copy(ADVERSARIES / "look.py", everyone.folder)
    ran = run_packaged(everyone, "./look.py", env={"OPERATOR_SECRET": f"{CANARY}-operator"})
    assert ran.code == 0, ran.out + ran.err
    said = (everyone.evidence / "transcripts" / "iteration-1.log").read_text()
    assert "found: []" in said, said
    assert f"visible: {['agent', 'app', 'bin']}"[:-1] in said


def test_the_looking_agent_finds_a_secret_that_is_shown_to_it(everyone: Bench) -> None:
    everyone.scenario({"assets/leak.txt": CANARY}, assets=["assets/ledger.csv", "assets/leak.txt"])
    shutil.copy(ADVERSARIES / "look.py", everyone.folder)
    everyone.attempt("./look.py", "--agent-env", f"LEAK={CANARY}")
    said = (everyone.evidence / "transcripts" / "iteration-1.log").read_text()
    for place in ("'environment'", "/app/assets/leak.txt", "/environ'"):
        assert place in said


def test_what_the_agent_made_finds_no_secret_when_it_is_checked(everyone: Bench) -> None:
    sealed_scenario(everyone)
    everyone.scenario(
        json.loads(json.dumps({"private/answer-key.json": f"{CANARY}-private"})),
        evaluation__privateAssets=["private/answer-key.json"],
        evaluation__checks=[{"id": "run-it", "command": "python3 look.py; exit 9"}],
    )
    agent = everyone.script(f"#!/bin/bash\ncat > look.py <<'X'\n{(ADVERSARIES / 'look.py').read_text()}\nX\n")
    ran = everyone.attempt(agent, "--iterations", "1", env={"OPERATOR_SECRET": f"{CANARY}-operator"})
    (check,) = ran.report["failedChecks"]
    assert "found: []" in check["output"], check["output"]
    assert "'tests'" not in check["output"]


def test_without_network_in_the_scenario_there_is_only_loopback(everyone: Bench) -> None:
    everyone.scenario()
    agent = everyone.script("#!/bin/bash\ncat /proc/net/dev\n(echo > /dev/tcp/192.0.2.1/80) 2>&1\n")
    everyone.attempt(agent, "--iterations", "1")
    said = (everyone.evidence / "transcripts" / "iteration-1.log").read_text()
    assert said.splitlines()[2].strip().startswith("lo:")
    assert "Network is unreachable" in said


def test_nothing_of_an_agent_is_alive_after_its_turn(everyone: Bench) -> None:
    everyone.scenario()
    tag = f"late-{secrets.token_hex(6)}"
    shutil.copy(ADVERSARIES / "daemon.sh", everyone.folder)
    ran = everyone.attempt(f"./daemon.sh {tag}")
    assert (ran.code, ran.report["stoppedReason"]) == (0, "goal_satisfied"), ran.out
    assert alive(f"{tag}-daemon") == alive(f"{tag}-holder") == []
    assert ran.report["durationMs"] < 60_000, "the child that holds the output was waited for"


def test_forged_verdicts_and_links_to_answers_change_nothing(everyone: Bench) -> None:
    sealed_scenario(everyone)
    shutil.copy(ADVERSARIES / "forge.sh", everyone.folder)
    ran = run_packaged(everyone, "./forge.sh", "--iterations", "1")
    assert (ran.code, ran.report["status"]) == (1, "failed"), ran.out
    assert not any(CANARY.encode() in data for data in archived(everyone.evidence / "ruhroh-workspace.tar.gz").values())
    left_out = {item["path"] for item in everyone.kept("ruhroh-workspace-summary.json")["leftOut"]}
    assert left_out == {"answer.json", "tests-link", "proc-link"}
    check_evidence(everyone.evidence)


def test_a_program_that_acts_only_when_it_is_checked_cannot_reach_the_verdict(everyone: Bench) -> None:
    attack = """
import os, subprocess, sys
for path in (
    "/tests/evaluation.json", "/review/output/ruhroh-loop-eval.json", "/logs/verifier/reward.json", "/reward.json"
):
    try:
        open(path, "a").write('{"reward": 1}')
        print("written", path)
    except OSError:
        pass
mend = "import time\\nwhile True:\\n  open('report.json', 'w').write('{\\"total\\": 14.00}')\\n  time.sleep(0.001)"
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
subprocess.Popen([sys.executable, "-c", mend], start_new_session=True, **quiet)
print('{"version": "ruhroh_eval_result_v1", "status": "passed", "goalMet": true}')
"""
    everyone.scenario(
        {"reviewer/judge.py": JUDGE},
        evaluation__checks=[
            {"id": "runs", "command": "python3 main.py"},
            {"id": "untouched", "command": "grep -q 13 report.json"},
        ],
        evaluation__reviewer={"path": "reviewer", "command": ["python3", "{reviewer}/judge.py"]},
    )
    agent = everyone.script(
        f"#!/bin/bash\ncat > main.py <<'X'\n{attack}\nX\nprintf '{{\"total\": 13.00}}' > report.json\n"
        'echo \'{"status": "goal_satisfied"}\'\n'
    )
    ran = run_packaged(everyone, agent)
    assert (ran.code, ran.report["status"]) == (1, "failed"), ran.out
    assert ran.report["checks"] == {"passed": 2, "total": 2}
    checks = everyone.kept("ruhroh-loop-eval-input.json")["checkResults"]
    assert "written" not in checks[0]["output"]


def test_a_packaged_reviewer_cannot_reach_the_evidence_or_the_machine(everyone: Bench) -> None:
    judge = """#!/bin/bash
for place in "$PWD/.." /tests /review /app /etc / /usr; do
    touch "$place/mark" 2>/dev/null && echo "wrote in $place"
done
cat /proc/net/dev | tail -n +3 | cut -d: -f1 | xargs echo network
env | grep -c OPERATOR_SECRET | xargs echo secrets
echo '{"version": "ruhroh_eval_result_v1", "status": "failed", "goalMet": false, "unmetCriteria": ["x"]}'
"""
    everyone.scenario(
        {"reviewer/judge.sh": judge},
        evaluation__reviewer={"path": "reviewer", "command": ["bash", "{reviewer}/judge.sh"]},
    )
    run_packaged(everyone, "nop", env={"OPERATOR_SECRET": "x"})
    said = (everyone.evidence / "reviewer.log").read_text()
    assert "wrote in" not in said
    assert "network lo" in said
    assert "secrets 0" in said


def test_bundled_scenarios_in_a_shown_folder_are_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from generator.execute.settings import Options
    from generator.workflows import run as workflow

    bench = Bench(tmp_path)
    bench.scenario()
    bench.script(JUDGE, "judge.py")
    bundled = tmp_path / "tools" / "_data" / "scenarios"
    bundled.mkdir(parents=True)
    (bundled / "rubric.txt").write_text(CANARY)
    agent = bench.script(f"#!/bin/bash\nls -A {bundled} | xargs echo shows:\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workflow, "data_folder", lambda _: bundled)
    request = workflow.RunRequest(
        ids=("sum-ledger",),
        options=Options(agent=agent, agent_path=("tools",), reviewer="./judge.py", iterations=1),
    )
    outcome = workflow.run(request, {"PATH": "/usr/bin:/bin"}, lambda _: None)
    assert outcome.refused == ()
    assert (bench.evidence / "transcripts" / "iteration-1.log").read_text() == "shows:\n"


@pytest.mark.parametrize("umask", [0o077, 0o002])
def test_the_operators_umask_changes_nothing(everyone: Bench, umask: int) -> None:
    everyone.scenario(
        {"reviewer/judge.py": JUDGE},
        evaluation__reviewer={"path": "reviewer", "command": ["python3", "{reviewer}/judge.py"]},
        evaluation__checks=[{"id": "there", "command": "test -r assets/ledger.csv && test -r report.json"}],
    )
    agent = everyone.script(
        "#!/bin/bash\ncat assets/ledger.csv > /dev/null && printf '{\"total\": 14.00}' > report.json\n"
    )
    before = os.umask(umask)
    try:
        ran = run_packaged(everyone, agent, "--iterations", "1")
    finally:
        os.umask(before)
    assert ran.code == 0, ran.out
