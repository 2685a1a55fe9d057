"""Why a package ships no solution although one lies beside its scenario's document."""

from __future__ import annotations

from dataclasses import replace

from generator.diagnostics.locate import shown_path
from generator.execute.refusal import Refused
from generator.workflows.targets import Choice


def explained(refused: Refused, scenario_id: str, choice: Choice) -> Refused:
    """The refusal; that of a missing solution with the member to write where its scenario only forgot to name one."""
    if refused.code != "solution_missing" or not choice.scenarios:
        return refused
    from generator.formats.discovery import DOCUMENT
    from generator.rules.declared import SOLUTION
    from generator.rules.undeclared import CODE
    from generator.workflows.select import select

    for loaded in select(choice.scenario_dir, (scenario_id,)).loaded:
        file = loaded.document.file if loaded.document else DOCUMENT
        for finding in loaded.findings:
            if (finding.code, finding.pointer) == (CODE, SOLUTION):
                why = 'the folder "solution" stands beside its scenario, and nothing declares it'
                hint = f"{finding.hint} in {shown_path(loaded.directory / file)}"
                return replace(refused, message=f"{refused.message}: {why}", hint=hint)
    return refused
