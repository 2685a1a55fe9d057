"""Judges a plan of the move: recomputes every number and order from the inventory as it was handed out."""

import csv
import json
import os
from pathlib import Path
from typing import Any

from judging import Finding, Unreadable, load_input, read_text, write_verdict
from plan import questions, section, table

CHECKING_MINUTES = 15
FACTS = Path(__file__).with_name("facts")
Row = dict[str, str]


def services() -> dict[str, dict[str, Any]]:
    """The services of the inventory by name."""
    listed = json.loads((FACTS / "inventory.json").read_text(encoding="utf-8"))["services"]
    return {service["name"]: service for service in listed}


def windows() -> dict[str, Row]:
    """The nights by name, in their order."""
    with open(FACTS / "windows.csv", encoding="utf-8", newline="") as file:
        return {row["window"]: row for row in csv.DictReader(file)}


def minutes(service: dict[str, Any], window: Row) -> int:
    """How long a service takes in a night: the data at the night's rate, rounded up, and the checking."""
    return -(-int(service["data_gb"]) // int(window["gb_per_minute"])) + CHECKING_MINUTES


def dependents(name: str) -> set[str]:
    """Everything that depends on a service, directly or through others."""
    direct = {other for other, service in services().items() if name in service["depends_on"]}
    return direct.union(*(dependents(other) for other in direct)) if direct else direct


def finding(problems: list[str], good: str, place: str) -> Finding:
    """Met when there is no problem; else the first few problems are the notes."""
    notes = "; ".join(problems[:4]) if problems else good
    return Finding(not problems, notes, [(place, notes)])


def judge_order(rows: list[Row]) -> Finding:
    """Every service once, numbered in each night, nights in their order, nothing before what it depends on."""
    names = [row["Service"] for row in rows]
    problems = [
        f"{name} stands {names.count(name)} times in the schedule" for name in services() if names.count(name) != 1
    ]
    problems += [f"{name} is no service" for name in names if name not in services()]
    for position, row in enumerate(rows):
        night = [other for other in rows[: position + 1] if other["Window"] == row["Window"]]
        if row["Order"] != str(len(night)) or row["Window"] not in windows():
            problems.append(f"{row['Service']} is number {row['Order']} of {row['Window']}")
        needed = services().get(row["Service"], {"depends_on": []})["depends_on"]
        problems += [
            f"{row['Service']} moves before {name}"
            for name in needed
            if name in services() and name not in names[:position]
        ]
    order = [list(windows()).index(row["Window"]) for row in rows if row["Window"] in windows()]
    if order != sorted(order):
        problems.append("the nights do not follow each other")
    return finding(problems, "all nine services move once and after what they need", "PLAN.md#schedule")


def judge_fit(rows: list[Row]) -> Finding:
    """No night is overfull by the true minutes, and nothing moves on a frozen day."""
    problems = [] if rows else ["there is no schedule"]
    for name, window in windows().items():
        moved = [services()[row["Service"]] for row in rows if row["Window"] == name and row["Service"] in services()]
        needed = sum(minutes(service, window) for service in moved)
        if needed > int(window["minutes"]):
            problems.append(f"{name} needs {needed} minutes and has {window['minutes']}")
        problems += [
            f"{service['name']} is frozen on {window['date']}"
            for service in moved
            if window["date"] in service["frozen"]
        ]
    return finding(problems, "every night fits and no frozen day is used", "PLAN.md#schedule")


def judge_minutes(rows: list[Row]) -> Finding:
    """Every row states the minutes that the rule gives."""
    problems = [] if rows else ["there is no schedule"]
    for row in rows:
        known = row["Service"] in services() and row["Window"] in windows()
        right = str(minutes(services()[row["Service"]], windows()[row["Window"]])) if known else "unknown"
        if row["Minutes"] != right:
            problems.append(f"{row['Service']} in {row['Window']} says {row['Minutes']} minutes, right is {right}")
    return finding(problems, "all durations are right", "PLAN.md#schedule")


def judge_return(rows: list[Row]) -> Finding:
    """Each service has its own way back, with exactly the services it takes along."""
    names = [row["Service"] for row in rows]
    problems = [f"{name} has {names.count(name)} ways back" for name in services() if names.count(name) != 1]
    for row in rows:
        given = {part.strip("` ") for part in row["Takes along"].split(",")} - {"-", ""}
        if row["Service"] in services() and given != dependents(row["Service"]):
            problems.append(
                f"{row['Service']} takes along {', '.join(sorted(dependents(row['Service']))) or 'nothing'}"
            )
        if min(len(row["When"]), len(row["How"])) < 20:
            problems.append(f"{row['Service']} says too little about when or how")
    for column in ("When", "How"):
        if len({row[column].lower() for row in rows}) < len(rows):
            problems.append(f"some services share one text under {column}")
    return finding(problems, "nine ways back, each with what it takes along", "PLAN.md#going-back")


def judge_questions(items: list[list[str]]) -> Finding:
    """The gaps of the inventory are asked about, and nothing else."""
    gaps = {
        name
        for name, service in services().items()
        if None in service.values() or set(service["depends_on"]) - set(services())
    }
    asked = {word for words in items for word in words if word in services()}
    problems = [f"nothing is asked about {name}" for name in sorted(gaps - asked)]
    problems += [f"there is nothing to ask about {name}" for name in sorted(asked - gaps)]
    return finding(problems, "the three gaps of the inventory are asked about", "PLAN.md#open-questions")


def judge_untouched(workspace: Path) -> Finding:
    """The workspace holds the plan and the two inputs as they were, and nothing else."""
    expected = {"PLAN.md", "assets/inventory.json", "assets/windows.csv"}
    found = {
        os.path.relpath(os.path.join(folder, name), workspace)
        for folder, _, names in os.walk(workspace)
        for name in names
    }
    problems = [f"{name} was added" for name in sorted(found - expected)] + [
        f"{name} is missing" for name in sorted(expected - found)
    ]
    for fact in sorted(FACTS.iterdir()):
        try:
            text = read_text(workspace / "assets" / fact.name)
        except Unreadable as problem:
            problems.append(str(problem))
            continue
        if text.encode() != fact.read_bytes():
            problems.append(f"{fact.name} was changed")
    return finding(problems, "only the plan was written", "assets")


def main() -> None:
    """Judge the workspace of this review."""
    given = load_input()
    workspace = Path(given["workspacePath"])
    try:
        text = read_text(workspace / "PLAN.md")
    except Unreadable:
        text = ""
    schedule = table(section(text, "Schedule"), ["Window", "Order", "Service", "Minutes"])
    returns = table(section(text, "Going back"), ["Service", "When", "How", "Takes along"])
    findings = [
        judge_order(schedule),
        judge_fit(schedule),
        judge_minutes(schedule),
        judge_return(returns),
        judge_questions(questions(section(text, "Open questions"))),
        judge_untouched(workspace),
    ]
    write_verdict(given, "archive-move-plan", findings, [])


main()
