"""The packages of the scenarios that `run` or `prove` is asked for, generated as far as needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from generator.diagnostics.locate import locate
from generator.diagnostics.model import Diagnostic, Finding, any_error
from generator.formats.loaded import LoadedScenario
from generator.package.output import Output
from generator.package.write import NOT_WRITTEN
from generator.workflows.advice import exposures
from generator.workflows.generate import Request, ensure_package, generate_command
from generator.workflows.select import select
from generator.workflows.targets import NOTHING_SELECTED, Choice, Targets, Without

# Complaints about what stands in the output directory, and the exit codes of those that are not the scenario's fault.
_ABOUT_PACKAGE: Final = ("package_edited", "package_foreign")
_CODE_EXIT: Final[Mapping[str, int]] = {NOT_WRITTEN: 4, "output_unusable": 2, "output_overlaps": 2}


def make_targets(choice: Choice) -> Targets:
    """The packages that are named, then those of the scenarios that are asked for, made where needed."""
    selection = select(choice.scenario_dir, choice.ids, choice.tier)
    packages = list(choice.packages)
    without: list[Without] = []
    diagnostics = list(selection.problems)
    code = NOTHING_SELECTED if any_error(selection.problems) else 0
    exposed = exposures(selection.loaded, Output(choice.out))
    for loaded in selection.loaded:
        advice = locate(exposed.get(loaded.directory, ()), loaded.document, loaded.directory, loaded.id)
        made = ensure_package(loaded, choice.out, choice.settings)
        if isinstance(made, Path):
            packages.append(made)
            diagnostics += advice
            continue
        reasons = (*advice, *_located(made, loaded, choice))
        reason = max((_CODE_EXIT.get(finding.code, 1) for finding in made), default=1)
        without.append(Without(loaded.id, loaded.directory, reasons, reason))
    return Targets(
        packages=tuple(packages),
        without=tuple(without),
        diagnostics=tuple(diagnostics),
        exit_code=max([code, *(one.exit_code for one in without)]),
    )


def _located(findings: Iterable[Finding], loaded: LoadedScenario, choice: Choice) -> Iterator[Diagnostic]:
    """Why a scenario has no package, each complaint placed at the package, the output directory or the scenario."""
    for finding in findings:
        if finding.code in _ABOUT_PACKAGE:
            hint = finding.hint.replace("--force", f"`{regenerate(loaded.id, choice)}`")
            package = Path(Output(choice.out).package(loaded.id))
            yield from locate((finding._replace(hint=hint),), None, package, loaded.id, document_file="")
        elif finding.code in _CODE_EXIT:
            yield from locate((finding,), None, choice.out, loaded.id, document_file="")
        else:
            yield from locate((finding,), loaded.document, loaded.directory, loaded.id)


def regenerate(scenario_id: str, choice: Choice) -> str:
    """The command that makes the package anew: no other one replaces what somebody changed."""
    same = Request(scenario_dir=choice.scenario_dir, out=choice.out, settings=choice.settings, usual=choice.usual)
    return f"{generate_command(same, scenario_id)} --force"
