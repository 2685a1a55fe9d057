"""Judges a billing program: runs it on private sheets and compares bills, problems and refusals with the right ones."""

import json
from pathlib import Path
from typing import Any

from judging import Finding, Ran, load_input, run_work, write_verdict

GROUPS = ("usage", "rows", "money", "problems", "refusal")
SHEET = 'printf %s "$1" > review-sheet.csv; '
BILL = SHEET + 'exec python3 -B bill.py review-sheet.csv "$2" "$3" 2> /dev/null'
REFUSE = (
    SHEET + 'out=$(python3 -B bill.py review-sheet.csv "$2" "$3" 2> review-said.txt); code=$?;'
    ' [ "$code" -eq 65 ] || { echo "ends with $code instead of 65"; exit 1; };'
    ' [ -z "$out" ] || echo "standard output is not empty"; cat review-said.txt'
)


def problem_of(case: dict[str, Any], run: Ran) -> str:
    """What is wrong with the answer to one case; empty when it is right."""
    if case["group"] == "refusal":
        said = run.output.splitlines()
        right = run.exit_code == 0 and len(said) == 1 and case["names"] in said[0]
        return "" if right else f"is not refused with one line: {run.output[:120]!r}"
    if run.exit_code != 0:
        return f"ends with {run.exit_code}"
    try:
        given = json.loads(run.output)
    except (ValueError, RecursionError):
        return f"prints {run.output[:120]!r}, which is not one JSON object"
    return "" if same(given, case["expected"]) else difference(given, case["expected"])


def same(given: Any, expected: Any) -> bool:
    """Whether two JSON values are equal, numbers and texts apart."""
    return json.dumps(given, sort_keys=True) == json.dumps(expected, sort_keys=True)


def difference(given: Any, expected: dict[str, Any]) -> str:
    """The first entry that differs, in words."""
    for name, right in expected.items():
        listed = given.get(name) if isinstance(given, dict) else None
        entries = listed if isinstance(listed, list) else []
        for position, entry in enumerate(right):
            there = entries[position] if position < len(entries) else None
            if not same(there, entry):
                return f"{name}[{position}] is {json.dumps(there)[:160]}, right is {json.dumps(entry)}"
    return "the object has more or fewer entries or members than it should"


def judge_group(group: str, cases: list[dict[str, Any]], ran: list[Ran]) -> Finding:
    """Run the cases of one criterion; it is met when every answer is right."""
    wrong = []
    for case in cases:
        script = REFUSE if group == "refusal" else BILL
        arguments = ("bash", "-c", script, "bash", case["sheet"], case["first"], case["last"])
        run = run_work(f"python3 bill.py SHEET {case['first']} {case['last']} ({case['title']})", *arguments)
        ran.append(run)
        problem = problem_of(case, run)
        if problem:
            wrong.append(f"{case['title']}: {problem}")
    notes = "; ".join(wrong[:3]) if wrong else f"{len(cases)} of {len(cases)} private sheets are answered rightly"
    return Finding(not wrong, notes, [("bill.py", f"{len(cases) - len(wrong)} of {len(cases)} sheets right")])


def main() -> None:
    """Judge the workspace of this review."""
    given = load_input()
    path = next(path for path in given["privateAssets"] if path.endswith("cases.json"))
    cases = json.loads(Path(path).read_text(encoding="utf-8"))
    ran: list[Ran] = []
    findings = [judge_group(group, [case for case in cases if case["group"] == group], ran) for group in GROUPS]
    write_verdict(given, "water-meter-billing", findings, ran)


main()
