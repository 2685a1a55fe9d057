"""From a scenario to its package."""

from __future__ import annotations

from typing import Final

from tests.support.examples import Example, State
from tests.support.files import Link

_GENERATE: Final = "harborsmith generate"
_PACKAGE: Final = "generated/harbor/tasks/sum-ledger"
_EDIT: Final = f"harborsmith generate > made.txt\necho 'Be quick.' >> {_PACKAGE}/instruction.md"
_RENAME: Final = """mv scenarios/sum-ledger scenarios/sum-all
sed -i 's/"sum-ledger"/"sum-all"/' scenarios/sum-all/scenario.json"""

EXAMPLES: Final = {
    "package_foreign": Example(
        State({f"{_PACKAGE}/notes.txt": "Mine.\n"}), State({"elsewhere/notes.txt": "Mine.\n"}), command=_GENERATE
    ),
    "package_edited": Example(before=_EDIT, command=_GENERATE, instead="harborsmith generate --force"),
    "package_drifted": Example(
        before="harborsmith generate > made.txt\necho 'Be quick.' >> scenarios/sum-ledger/instruction.md",
        command="harborsmith generate --check",
        instead="harborsmith generate --scenario sum-ledger",
    ),
    "package_left_over": Example(
        before=f"harborsmith generate > made.txt\n{_RENAME}",
        command="harborsmith generate --check",
        instead="harborsmith generate",
    ),
    "package_kept": Example(
        before=f"{_EDIT}\n{_RENAME}",
        command="harborsmith generate --all",
        instead=f"rm -r {_PACKAGE} && harborsmith generate --all",
    ),
    "package_not_written": Example(
        State(note="no room left on the device"),
        around="ulimit -f 0;",
        command=_GENERATE,
    ),
    "output_unusable": Example(
        State({"generated": Link("packages"), "packages/notes.txt": "Mine.\n"}),
        State({"packages/notes.txt": "Mine.\n"}),
        command=_GENERATE,
    ),
    "output_overlaps": Example(
        command="harborsmith generate --out scenarios", instead="harborsmith generate --out generated"
    ),
}
