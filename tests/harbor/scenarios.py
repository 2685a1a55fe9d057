"""Scenarios made for trials: one full of secrets, and one for each way an agent's turns may end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.scenarios import document, write_scenario

CANARIES = [
    f"CANARY-7f3a-{name}" for name in ("rubric", "context", "guidance", "calibration", "asset", "reviewer", "check")
]

SUM = "import csv, json\nrows = csv.DictReader(open('assets/ledger.csv'))\n"
SUM += "print(json.dumps({'total': sum(float(row['amount']) for row in rows)}))\n"

# Counts the canaries it can see beside itself, has the agent's program run, tells what it was given, and judges.
JUDGE = """import json, os, re, sys
# CANARY-7f3a-reviewer
told = json.load(open(os.environ["RUHROH_EVAL_INPUT_PATH"]))
begin = b"CANARY" + b"-7f3a"
seen = set()
for folder, _, names in os.walk("/tests"):
    for name in names:
        data = open(os.path.join(folder, name), "rb").read()
        seen.update(re.findall(begin + rb"-([a-z]+)", data))
tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
answer = json.load(open(os.path.join(tests, "private-eval-assets", "private", "answer.json")))
try:
    good = json.load(open(os.path.join(told["workspacePath"], "report.json"))) == answer
except (OSError, ValueError):
    good = False
sys.path.insert(0, os.path.dirname(os.environ["HARBORSMITH_SUBMISSION"]))
from submission import run
small = len(os.listdir(told["workspacePath"])) < 10  # each run has a copy of the work
program = run(["python3", "total.py"], timeout=20).output if small else ""
facts = {
    "program": program, "canaries": len(seen),
    "word": os.environ.get("JUDGE_WORD"), "other": os.environ.get("OTHER_WORD"),
    "interfaces": sorted(line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line),
    "completed": told.get("implementationStoppedReason"), "turns": told.get("iterationsUsed"),
    "transcripts": len(told.get("transcriptPaths", [])),
}
criterion = {"id": told["criteria"][0]["id"], "status": "passed" if good else "failed", "score": int(good)}
verdict = {
    "version": "ruhroh_eval_result_v1", "status": "passed" if good else "failed", "goalMet": good,
    "reasons": [json.dumps(facts)], "unmetCriteria": [] if good else [told["goalRubric"][0]],
    "criteriaResults": [criterion],
}
json.dump(verdict, open(os.environ["RUHROH_EVAL_OUTPUT_PATH"], "w"))
"""


def sealed(root: Path, name: str = "sealed-ledger", **changes: Any) -> Path:
    """A scenario whose every private part holds a canary; its check runs the agent's program."""
    made = document(
        id=name,
        evaluation__goalRubric=[
            "The report holds the correct total CANARY-7f3a-rubric of all amounts.",
            "The ledger itself is left exactly as it was handed over at the start.",
            "The program prints the report and ends with exit code 0 at the end.",
        ],
        evaluation__scenarioContext=["A bookkeeper CANARY-7f3a-context closes the month.", "There are three rows."],
        evaluation__evidenceGuidance=[
            "Open the report CANARY-7f3a-guidance and compare.",
            "Run the program once more.",
        ],
        evaluation__privateAssets=["private/answer.json", "private/notes.txt"],
        evaluation__reviewer={"path": "reviewer", "command": ["python3", "-B", "{reviewer}/judge.py"]},
        evaluation__checks=[{"id": "CANARY-7f3a-check", "command": ["python3", "total.py"], "timeoutSeconds": 30}],
        solution="solution",
        **changes,
    )
    made["evaluation"]["calibrationCases"][0]["rationale"] = "CANARY-7f3a-calibration: it is right."
    return write_scenario(
        root / name,
        made,
        {
            "private/answer.json": '{"total": 14.0}',
            "private/notes.txt": "CANARY-7f3a-asset",
            "reviewer/judge.py": JUDGE,
            "solution/report.json": '{"total": 14.0}',
            "solution/total.py": SUM,
        },
    )


# How a turn ends, by the last part of the scenario's id; see `ENDING_AGENT`.
ENDINGS = (
    "goal_satisfied",
    "cannot_satisfy",
    "policy_blocked",
    "out_of_scope",
    "runtime_failure",
    "infra_failure",
    "cancelled",
    "continue",
    "silent",
    "unknown",
    "last-line",
    "promise",
    "exit",
    "killed",
    "hang",
    "out-of-time",
    "three-turns",
)
PROMISE = "THE LEDGER IS SUMMED"

ENDING_AGENT = """#!/bin/bash
# Does the work, and ends its turn as the scenario's id says. Leaves a daemon behind, and a secret
# in its output, its run root and its trace.
printf '{"total": 14.0}' > report.json
echo "turn $RUHROH_ITERATION says ${AGENT_TOKEN:-nothing}"
echo "${AGENT_TOKEN:-nothing}" | tee "$RUHROH_RUN_ROOT/note" > "$RUHROH_ECONOMIC_TRACE_PATH"
cat > total.py <<'END'
print('{"total": 14.0}')
END
setsid bash -c "trap '' TERM HUP; while :; do date >> late.txt; sleep 0.05; done" >/dev/null 2>&1 &
ending=${RUHROH_SCENARIO_ID#ending-}
case $ending in
    silent) exit 0 ;;
    unknown) ending=finished ;;
    last-line) echo '{"status": "cannot_satisfy"}'; exit 0 ;;
    promise) echo "THE LEDGER IS SUMMED"; exit 0 ;;
    exit) exit 3 ;;
    killed) kill -9 $$ ;;
    hang | out-of-time) trap '' TERM; while :; do sleep 60; done ;;
    three-turns) [ "$RUHROH_ITERATION" -lt 3 ] && ending=continue || ending=goal_satisfied ;;
esac
usage='"usage": {"inputTokens": 100, "outputTokens": 10, "costUsd": 0.5}, "model": {"provider": "acme", "model": "one"}'
echo "{\\"version\\": \\"ruhroh_run_agent_result_v1\\", \\"status\\": \\"$ending\\", $usage}" > "$RUHROH_RESULT_PATH"
"""


def ending(root: Path, name: str) -> Path:
    """A scenario that wants a word of completion, on which the agent ends as `name` says."""
    completion = {"required": True, **({"promise": PROMISE} if name == "promise" else {})}
    made = document(
        id=f"ending-{name}",
        run={"mode": "build", "timeoutSeconds": 4 if name == "out-of-time" else 120},
        loop__completion=completion,
        evaluation__reviewer={"path": "reviewer", "command": ["python3", "-B", "{reviewer}/judge.py"]},
        evaluation__privateAssets=["private/answer.json"],
    )
    extra = {"private/answer.json": '{"total": 14.0}', "reviewer/judge.py": JUDGE}
    return write_scenario(root / f"ending-{name}", made, extra)
