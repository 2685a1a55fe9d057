#!/usr/bin/env python3
"""A fixture reviewer: judges the two demo scenarios by evidence that is the same on every run, without a model.

It reads the evaluation input, looks at the workspace, and writes one verdict with a result for each criterion, in the
order of the rubric. Of a scenario that it does not know it says that a person has to decide. Copy it to write your own:
everything above `class Page` can stay as it is.
"""

import csv
import hashlib
import io
import json
import os
import re
import stat
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple, Optional

MOST_BYTES = 1 << 20
Facts = dict[str, Any]


class Finding(NamedTuple):
    """What was found out about one criterion: `passed`, `failed` or `review`, why, and the file that shows it."""

    status: str
    notes: str
    ref: str


class Opinion(NamedTuple):
    """The findings about all criteria, in the order of the rubric, and how far they can be trusted."""

    findings: list[Finding]
    confidence: str


def decided(problems: list[str], good: str, ref: str) -> Finding:
    """Passed when there is no problem; otherwise failed, with the first few as the reason."""
    return Finding("failed", "; ".join(problems[:3]), ref) if problems else Finding("passed", good, ref)


def read(path: Path) -> str:
    """The text of an ordinary file of at most one MiB, else an empty text: the work may hold pipes, links and noise."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(MOST_BYTES + 1)
        return data.decode("utf-8") if len(data) <= MOST_BYTES else ""
    except UnicodeDecodeError:
        return ""
    finally:
        os.close(descriptor)


def verdict(given: dict[str, Any], opinion: Opinion) -> dict[str, Any]:
    """The verdict in its published form: passed when every criterion is, failed when any failed, else review."""
    texts = given.get("goalRubric", [])
    criteria = given.get("criteria") or [{"id": f"criterion-{n}", "text": text} for n, text in enumerate(texts, 1)]
    if len(criteria) != len(opinion.findings):
        raise ValueError(f"{len(criteria)} criteria, but {len(opinion.findings)} findings")
    pairs = list(zip(criteria, opinion.findings))
    statuses = {found.status for _, found in pairs}
    status = "failed" if "failed" in statuses else "passed" if statuses == {"passed"} else "review"
    met = sum(found.status == "passed" for _, found in pairs)
    return {
        "version": "ruhroh_eval_result_v1",
        "status": status,
        "goalMet": status == "passed",
        "confidence": opinion.confidence,
        "reasons": [found.notes for _, found in pairs if status == "passed" or found.status != "passed"],
        "unmetCriteria": [criterion["text"] for criterion, found in pairs if found.status == "failed"],
        "evidenceRefs": [reference(found) for _, found in pairs],
        "commandsRun": [],
        "criteriaResults": [
            {
                "id": criterion["id"],
                "description": criterion["text"],
                "status": found.status,
                "score": 1 if found.status == "passed" else 0,
                "weight": 1,
                "evidenceRefs": [reference(found)],
                "notes": found.notes,
            }
            for criterion, found in pairs
        ],
        "judge": {"kind": "fixture", "model": "demo-reviewer", "version": "1.0.0"},
        "finalSummary": f"{met} of {len(pairs)} criteria are met.",
    }


def reference(found: Finding) -> dict[str, str]:
    """The evidence of a finding in its published form."""
    return {"kind": "workspace", "ref": found.ref, "summary": found.notes}


class Page(HTMLParser):
    """What a page consists of: its elements with attributes, and the text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str], bool]] = []
        self.inline = {"script": "", "style": ""}
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Optional[str]]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}, "label" in self._open))
        if tag in ("label", "script", "style"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        for tag in self.inline:
            if tag in self._open:
                self.inline[tag] += data

    def having(self, name: str, value: str) -> Optional[tuple[str, dict[str, str], bool]]:
        """The first element whose attribute `name` is `value`."""
        return next((element for element in self.elements if element[1].get(name) == value), None)

    def labelled(self, field: str) -> bool:
        """Whether the form field of that name has a label of its own."""
        element = self.having("name", field)
        if element is None:
            return False
        return element[2] or any(
            tag == "label" and attrs.get("for") == element[1].get("id", "-") for tag, attrs, _ in self.elements
        )


class Work(NamedTuple):
    """The three parts of a page as they take effect, inline ones included; the script without its comments."""

    page: Page
    script: str
    styles: str


def says(tests: list[tuple[bool, str]], good: str, ref: str) -> Finding:
    """Passed when all tests hold; otherwise the texts of those that do not."""
    return decided([text for holds, text in tests if not holds], good, ref)


def judge_offline(work: Work) -> Finding:
    """Nothing is loaded or sent: no foreign address in markup, styles or script, and no call that could use one."""
    names = ("src", "href", "action", "srcset", "data", "formaction")
    values = [attrs[name] for _, attrs, _ in work.page.elements for name in names if name in attrs]
    loads = [value for value in values if re.match(r"\s*(?!data:)([a-z][a-z0-9+.-]*:|//)", value, re.I)]
    loads += re.findall(r"@import[^;]*|url\(\s*['\"]?(?:https?:)?//[^)]*", work.styles)
    loads += re.findall(r"\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|\bimport\b|https?://", work.script)
    tests = [(bool(work.page.elements), "there is no page"), (not loads, f"asks for {', '.join(loads[:2])}")]
    return says(tests, "nothing outside the folder is asked for", "index.html")


def judge_labels(work: Work) -> Finding:
    """Both fields have labels, and the status line is a live region."""
    status = work.page.having("id", "form-status")
    attrs = status[1] if status else {}
    live = attrs.get("role") in ("status", "alert") or attrs.get("aria-live") in ("polite", "assertive")
    tests = [
        (work.page.labelled("email"), "the address has no label"),
        (work.page.labelled("consent"), "the consent has no label"),
        (live, "the status line is not announced"),
    ]
    return says(tests, "both fields have labels and the status line is a live region", "index.html")


def judge_refusals(work: Work) -> Finding:
    """Address and consent are both tested by the script."""
    address = re.search(r"\.test\(|\.match\(|\.exec\(|checkValidity\(|\.validity", work.script)
    consent = ".checked" in work.script or "checkValidity(" in work.script
    tests = [(address is not None, "no address is ever refused"), (consent, "the consent is not asked for")]
    return says(tests, "address and consent are tested", "signup.js")


def judge_storing(work: Work) -> Finding:
    """A good address is kept under the agreed key, once, and the form is emptied without a reload."""
    kept = "harbour-loaf-signups" in work.script and "setItem(" in work.script and "JSON.stringify(" in work.script
    tests = [
        ("preventDefault(" in work.script, "the page reloads"),
        (kept, "nothing is kept as a list under the agreed key"),
        (bool(re.search(r"to(Locale)?(Lower|Upper)Case\(", work.script)), "capital letters make another address"),
        (bool(re.search(r"\.reset\(|\.value\s*=[^=]", work.script)), "the form is not emptied"),
    ]
    return says(tests, "a sign-up is kept once, without a reload", "signup.js")


def judge_plain_text(work: Work) -> Finding:
    """What was typed reaches the page as text only."""
    markup = re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", work.script)
    shown = re.search(r"textContent|innerText|createTextNode|\.append\(", work.script)
    tests = [
        (not markup, f"what is typed can become markup through {', '.join(markup[:1])}"),
        (shown is not None, "the status line is never written as text"),
    ]
    return says(tests, "what is typed is shown as text", "signup.js")


def judge_layout(work: Work) -> Finding:
    """Phones show the page at its own size, nothing is wider than 360 pixels, and the focus has a style."""
    rules = re.sub(r"@media[^{]*", "", work.styles)
    wide = re.findall(r"(?<![-\w])(?:min-)?width\s*:\s*(?:36[1-9]|3[7-9]\d|[4-9]\d\d|\d{4,})px", rules)
    tests = [
        (work.page.having("name", "viewport") is not None, "phones show it zoomed out"),
        (not wide, f"has a fixed width: {', '.join(wide[:1])}"),
        (":focus" in work.styles, "the focused field is not marked"),
    ]
    return says(tests, "fits a phone and shows the focus", "styles.css")


def judge_page(workspace: Path, given: dict[str, Any]) -> Opinion:
    """The sign-up page, by its markup, styles and script. Nothing is run, which is why the confidence is medium."""
    page = Page(read(workspace / "index.html"))
    script = page.inline["script"] + read(workspace / "signup.js")
    script = re.sub(r"/\*.*?\*/|^\s*//.*?$", "", script, flags=re.DOTALL | re.MULTILINE)
    work = Work(page, script, page.inline["style"] + read(workspace / "styles.css"))
    judges = (judge_offline, judge_labels, judge_refusals, judge_storing, judge_plain_text, judge_layout)
    return Opinion([judge(work) for judge in judges], "medium")


INPUTS = {
    "payments.csv": "58b365eb99a7d054e4ceceed73b44fbafa2b1eb61b52722598b1146c70f841f0",
    "stalls.csv": "ba83f301eaa8b83842aeb0c6a8d0601f850bc387409e302b0d5ddcf8829804ce",
}


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, surplus and missing cells left out; none when it cannot be read."""
    try:
        rows = list(csv.DictReader(io.StringIO(read(path))))
    except csv.Error:
        return []
    return [
        {name: value for name, value in row.items() if isinstance(name, str) and isinstance(value, str)} for row in rows
    ]


def judge_ledger(workspace: Path, given: dict[str, Any]) -> Opinion:
    """The cleaned ledger, figure by figure against the private expected ones."""
    private = [path for path in given.get("privateAssets", []) if path.endswith("expected.json")]
    expected = json.loads(read(Path(private[0])) or "null") if private else None
    if expected is None:
        return unknown(given, "the private figures could not be opened")
    good = rows_of(workspace / "clean" / "payments.csv")
    bad = {row.get("payment_id", ""): row.get("reason", "") for row in rows_of(workspace / "clean" / "rejected.csv")}
    typed = Counter(row.get("payment_id", "") for row in rows_of(workspace / "assets" / "payments.csv"))
    try:
        summary = json.loads(read(workspace / "clean" / "summary.json"))
    except (ValueError, RecursionError):
        summary = None
    changed = [
        name
        for name, digest in INPUTS.items()
        if hashlib.sha256(read(workspace / "assets" / name).encode()).hexdigest() != digest
    ]
    return Opinion(
        [
            decided(repeats(good, typed, expected), "every payment counts once", "clean/payments.csv"),
            decided(differences(good, "date", expected), "all dates are right", "clean/payments.csv"),
            decided(differences(good, "amount", expected), "all amounts are right", "clean/payments.csv"),
            decided(lost(good, bad, expected), "no payment is lost and all reasons are right", "clean/rejected.csv"),
            decided(sums(summary, expected), "counts and sums are right", "clean/summary.json"),
            decided([f"{name} was changed" for name in changed], "the inputs are as they were", "assets"),
        ],
        "high",
    )


def repeats(good: list[dict[str, str]], typed: dict[str, int], expected: Facts) -> list[str]:
    """Payments that count more than once, or by another row than their last."""
    counts = Counter(row.get("payment_id", "") for row in good)
    problems = [f"{name} counts {count} times" for name, count in sorted(counts.items()) if count > 1]
    for name in sorted(name for name, count in typed.items() if count > 1 and counts[name] < 2):
        row = next((row for row in good if row.get("payment_id") == name), None)
        right = expected["payments"].get(name)
        if (row is None) != (right is None) or (row and right and any(row.get(key) != right[key] for key in right)):
            problems.append(f"{name} does not follow its last row")
    return problems if good else ["there is no list of payments"]


def differences(good: list[dict[str, str]], column: str, expected: Facts) -> list[str]:
    """Where a column of the good payments is not as expected; payments that should not be there are another matter."""
    right = {name: payment[column] for name, payment in expected["payments"].items()}
    pairs = [(row.get("payment_id", ""), row.get(column, "")) for row in good]
    impossible = [name for name, _ in pairs if column == "date" and expected["rejected"].get(name) == "bad_date"]
    wrong = [f"{name} has {value}, right is {right[name]}" for name, value in pairs if right.get(name, value) != value]
    return (
        wrong + [f"{name} has a date that does not exist" for name in impossible]
        if good
        else ["there is no list of payments"]
    )


def lost(good: list[dict[str, str]], bad: dict[str, str], expected: Facts) -> list[str]:
    """Payments that are in no list or in the wrong one, and reasons that are not the first to apply."""
    names = {row.get("payment_id", "") for row in good}
    problems = [
        f"{name} should be rejected as {why}" for name, why in expected["rejected"].items() if bad.get(name) != why
    ]
    problems += [f"{name} is missing from the good payments" for name in expected["payments"] if name not in names]
    problems += [f"{name} is rejected although it is good" for name in bad if name not in expected["rejected"]]
    return problems + [f"{name} is in both lists" for name in sorted(names & set(bad))]


def sums(summary: Any, expected: Facts) -> list[str]:
    """Members of the summary that differ."""
    given = summary if isinstance(summary, dict) else {}
    return [
        f"{name} is {given.get(name)!r}, right is {right!r}"
        for name, right in expected["summary"].items()
        if given.get(name) != right
    ]


def unknown(given: dict[str, Any], why: str) -> Opinion:
    """No judgement on any criterion: a person has to decide."""
    return Opinion([Finding("review", why, ".") for _ in given.get("criteria") or given.get("goalRubric", [])], "low")


JUDGES = {"simple-newsletter": judge_page, "market-ledger-clean-up": judge_ledger}


def main() -> int:
    """Judge the workspace named in the evaluation input and write the verdict."""
    given = json.loads(Path(os.environ["RUHROH_EVAL_INPUT_PATH"]).read_text(encoding="utf-8"))
    judge = JUDGES.get(given["scenarioId"])
    if judge is None:
        opinion = unknown(given, f"this fixture knows {' and '.join(JUDGES)}, but not {given['scenarioId']}")
    else:
        opinion = judge(Path(given["workspacePath"]), given)
    text = json.dumps(verdict(given, opinion), indent=2) + "\n"
    Path(os.environ["RUHROH_EVAL_OUTPUT_PATH"]).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
