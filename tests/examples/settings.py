"""What was asked for, and harborsmith.toml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from tests.support.examples import UNPRIVILEGED, Example, State
from tests.support.files import Link
from tests.support.scenarios import LEDGER, PROMPT, document


def _toml(text: str | bytes) -> State:
    return State({"harborsmith.toml": text})


def _closed(root: Path) -> None:
    (root / "scenarios").chmod(0)


_IGNORE: Final = '[[ignore]]\ncode = "network_public"\n'
_REASON: Final = 'reason = "The task is about a public API."\n'

_OTHER: Final = {"scenarios/other/instruction.md": PROMPT, "scenarios/other/assets/ledger.csv": LEDGER}
_OTHER_TEXT: Final = json.dumps(document(id="other", title="Another ledger"), indent=2) + "\n"

EXAMPLES: Final = {
    "selection_unknown_scenario": Example(
        command="harborsmith validate --scenario sum-leger", instead="harborsmith validate --scenario sum-ledger"
    ),
    "selection_empty": Example(
        command="harborsmith validate --scenario-dir .", instead="harborsmith validate --scenario-dir scenarios"
    ),
    "directory_missing": Example(
        command="harborsmith validate --scenario-dir scenario",
        instead="harborsmith validate --scenario-dir scenarios",
        clean=False,
    ),
    "directory_unreadable": Example(
        State(touch=_closed, note="chmod 000 scenarios"), State(note="chmod 755 scenarios"), around=UNPRIVILEGED
    ),
    "directory_link_skipped": Example(
        State({"scenarios/other": Link("../shared/other"), "shared/other/scenario.json": "{}\n"}),
        State({"shared/other/scenario.json": "{}\n"}),
    ),
    "document_misnamed": Example(
        State({**_OTHER, "scenarios/other/scenario.yml": _OTHER_TEXT}),
        State({**_OTHER, "scenarios/other/scenario.yaml": _OTHER_TEXT}),
    ),
    "config_unreadable": Example(_toml("# Beiträge\n".encode("latin-1")), _toml("# Beiträge\n")),
    "config_syntax": Example(_toml("fail-on = [warning]\n"), _toml('fail-on = ["warning"]\n')),
    "config_key_unknown": Example(_toml('scenarios-dir = "scenarios"\n'), _toml('scenario-dir = "scenarios"\n')),
    "config_value": Example(_toml('fail-on = "warning"\n'), _toml('fail-on = ["warning"]\n')),
    "config_reason_missing": Example(_toml(_IGNORE), _toml(_IGNORE + _REASON), clean=False),
    "config_ignore_error": Example(
        _toml('[[ignore]]\ncode = "private_exposed"\nreason = "It is fine."\n'), _toml(_IGNORE + _REASON), clean=False
    ),
    "config_ignore_unused": Example(
        _toml(_IGNORE + 'scenario = "sum-ledger"\n' + _REASON), _toml("# Nothing to ignore.\n")
    ),
}
