"""Why a package ships no solution although one lies beside its scenario's document."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from generator.diagnostics.locate import shown_path
from generator.execute.refusal import Refused
from generator.workflows.targets import Choice

UNDECLARED: Final = 'the folder "solution" stands beside its scenario, and nothing declares it'


def explained(refused: Refused, scenario_id: str, choice: Choice) -> Refused:
    """The refusal; that of a missing solution with the member to write where its scenario only forgot to name one."""
    hint = undeclared(scenario_id, choice) if refused.code == "solution_missing" else None
    return refused if hint is None else replace(refused, message=f"{refused.message}: {UNDECLARED}", hint=hint)


def undeclared(scenario_id: str, choice: Choice) -> str | None:
    """The member to write, and where, for a folder `solution` that a chosen scenario has and does not name."""
    if not choice.scenarios:
        return None
    from generator.formats.discovery import DOCUMENT
    from generator.rules.declared import SOLUTION
    from generator.rules.undeclared import CODE
    from generator.workflows.select import select

    for loaded in select(choice.scenario_dir, (scenario_id,)).loaded:
        file = loaded.document.file if loaded.document else DOCUMENT
        for finding in loaded.findings:
            if (finding.code, finding.pointer) == (CODE, SOLUTION):
                return f"{finding.hint} in {shown_path(loaded.directory / file)}"
    return None
