#!/usr/bin/env python3
"""A fixture agent: no model, no network, the same work on every run.

It builds the page of `simple-newsletter` as asked, over two turns. It cleans the sheet of `market-ledger-clean-up` the
way somebody does who skimmed the request: tidy results that are wrong in ways only a reviewer notices. Of any other
scenario it says that it cannot do it. Copy it to see what an agent is given and how it answers: the `RUHROH_*`
variables that `main` reads are all it needs.
"""

import csv
import json
import os
import re
import sys
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

PAGE = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Harbour Loaf</title>
  <link rel="stylesheet" href="styles.css">
</head>
<body>
  <main>
    <h1>Harbour Loaf</h1>
    <p>Once a week: what we bake for Saturday, straight from the oven to your mailbox.</p>
    <form id="signup-form" novalidate>
      <label for="email">E-mail address</label>
      <input type="email" id="email" name="email" autocomplete="email">
      <div class="tick">
        <input type="checkbox" id="consent" name="consent">
        <label for="consent">I agree to get the weekly letter</label>
      </div>
      <button type="submit">Sign up</button>
    </form>
    <p id="form-status" role="status"></p>
  </main>
  <script src="signup.js"></script>
</body>
</html>
"""

STYLES = """body { margin: 0; font: 1.1rem/1.5 sans-serif; color: #222; background: #fff8ee; }
main { max-width: 30rem; margin: 0 auto; padding: 1rem; }
input[type="email"], button { box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; }
.tick { display: flex; gap: 0.5rem; margin: 1rem 0; }
:focus { outline: 3px solid #1d5fa8; outline-offset: 2px; }
#form-status { overflow-wrap: anywhere; }
"""

SCRIPT = """"use strict";

const KEY = "harbour-loaf-signups";
const form = document.getElementById("signup-form");
const line = document.getElementById("form-status");

function known() {
  try {
    const list = JSON.parse(localStorage.getItem(KEY));
    return Array.isArray(list) ? list : [];
  } catch (error) {
    return [];
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const email = form.elements.email.value.trim();
  if (!/^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$/.test(email)) {
    line.textContent = "An e-mail address is needed here, such as you@example.org.";
    return;
  }
  if (!form.elements.consent.checked) {
    line.textContent = "The box has to be ticked before a letter may be sent.";
    return;
  }
  const list = known();
  if (list.some((entry) => String(entry).toLowerCase() === email.toLowerCase())) {
    line.textContent = `${email} is already on the list.`;
  } else {
    localStorage.setItem(KEY, JSON.stringify([...list, email]));
    line.textContent = `Thank you! The letter will go to ${email}.`;
  }
  form.reset();
});
"""


def build_page(workspace: Path, turn: int) -> str:
    """The sign-up page: markup and looks in the first turn, behaviour in the second. Returns the turn's status."""
    if turn == 1:
        (workspace / "index.html").write_text(PAGE, encoding="utf-8")
        (workspace / "styles.css").write_text(STYLES, encoding="utf-8")
        print("Wrote the page and its styles; its behaviour comes next.")
        return "continue"
    if not (workspace / "index.html").exists():
        build_page(workspace, 1)
    (workspace / "signup.js").write_text(SCRIPT, encoding="utf-8")
    print("Wrote the behaviour of the form.")
    return "goal_satisfied"


def written_date(text: str) -> str:
    """A date as YYYY-MM-DD; raises `ValueError` when it is none."""
    form = "%d/%m/%Y" if "/" in text else "%Y-%m-%d"
    return datetime.strptime(text, form).date().isoformat()


def clean_row(row: dict[str, str], codes: dict[str, str]) -> tuple[str, list[str]]:
    """The reason why a row is rejected (empty for a good one), and the cells of its clean form."""
    try:
        date = written_date(row["received"])
    except ValueError:
        return "bad_date", []
    code = codes.get(" ".join(row["stall"].lower().split()), "")
    if not code:
        return "unknown_stall", []
    try:
        amount = Decimal(re.sub(r"[£,()]", "", row["amount"]))  # the deficiency: brackets meant money given back
    except InvalidOperation:
        return "bad_amount", []
    return "", [row["payment_id"], date, code, f"{amount:.2f}"]


def clean_ledger(workspace: Path, turn: int) -> str:
    """A quick clean-up that treats every row as a payment of its own and reads no notes. Returns the turn's status."""
    with open(workspace / "assets" / "stalls.csv", encoding="utf-8", newline="") as file:
        codes = {name.lower(): stall["code"] for stall in csv.DictReader(file) for name in stall.values()}
    with open(workspace / "assets" / "payments.csv", encoding="utf-8", newline="") as file:
        cleaned = [(row["payment_id"], *clean_row(row, codes)) for row in csv.DictReader(file)]
    good = sorted((cells for _, reason, cells in cleaned if not reason), key=lambda cells: (cells[1], cells[0]))
    bad = sorted([name, reason] for name, reason, _ in cleaned if reason)
    sums: dict[str, Decimal] = {}
    for _, _, code, amount in good:
        sums[code] = sums.get(code, Decimal(0)) + Decimal(amount)
    summary = {
        "count": len(good),
        "rejected": len(bad),
        "total": f"{sum(sums.values()):.2f}",
        "byStall": {code: f"{amount:.2f}" for code, amount in sorted(sums.items())},
    }
    folder = workspace / "clean"
    folder.mkdir(exist_ok=True)
    write_rows(folder / "payments.csv", [["payment_id", "date", "stall", "amount"], *good])
    write_rows(folder / "rejected.csv", [["payment_id", "reason"], *bad])
    (folder / "summary.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    print(f"Turn {turn}: cleaned {len(good)} payments, rejected {len(bad)}.")
    return "goal_satisfied"


def write_rows(path: Path, rows: list[list[str]]) -> None:
    """Write rows as CSV with plain newlines."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


SKILLS = {"simple-newsletter": build_page, "market-ledger-clean-up": clean_ledger}


def main() -> int:
    """Do one turn and say how far the work is, in the result file and as the last line of the output."""
    scenario = os.environ["RUHROH_SCENARIO_ID"]
    skill = SKILLS.get(scenario)
    if skill is None:
        print(f"This fixture knows {' and '.join(SKILLS)}, but not {scenario}.")
        status = "cannot_satisfy"
    else:
        status = skill(Path(os.environ["RUHROH_WORKSPACE_PATH"]), int(os.environ["RUHROH_ITERATION"]))
    result = {"version": "ruhroh_run_agent_result_v2", "status": status}
    Path(os.environ["RUHROH_RESULT_PATH"]).write_text(json.dumps(result) + "\n", encoding="utf-8")
    print(json.dumps({"status": status}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
