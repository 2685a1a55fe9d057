"""`harborsmith prove`: see that packages cannot be passed by doing nothing or by forging, and can be passed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import click

from generator.cli.options import json_option, package_options, package_settings, painter, print_json
from generator.cli.running import (
    complain,
    out_option,
    readers_may_leave,
    reviewer_option,
    say,
    shown_in_the_end,
    target_options,
)
from generator.cli.settings import usual

if TYPE_CHECKING:
    from generator.workflows.prove import ProveOutcome, ProveRequest

EPILOG = """
\b
Examples:
  harborsmith prove --scenario csv-clean-up               compile one scenario and prove it
  harborsmith prove --all --stale --reviewer ./judge.py   prove what is new or changed
  harborsmith prove --all --check                         say whether all proofs hold, for CI
  harborsmith prove --tier smoke --backend harbor --repeat 3

\b
Exit codes: 0 proven, 1 a package is not proven, 2 wrong usage, 3 nothing selected, 4 could not run,
129, 130 and 143 interrupted. Several packages: the highest.
"""

HARBOR_ONLY: Final = ("harbor_env", "allow_reviewer_host")
# What only matters where agents run.
RUN_ONLY: Final = (*HARBOR_ONLY, "reviewer_env", "use_host_tools", "stale")


@click.command("prove", epilog=EPILOG)
@target_options("prove")
@click.option("--check", is_flag=True, help="Run and write nothing; fail when a package has no proof that holds.")
@click.option("--stale", is_flag=True, help="Leave packages alone whose kept proof holds.")
@click.option("--repeat", type=click.IntRange(1, 100), default=1, show_default=True, help="Run every agent this often.")
@reviewer_option
@click.option(
    "--backend",
    type=click.Choice(["local", "harbor"]),
    help="harbor: in containers, wherever Harbor can run them. Default: local; with --check: either.",
)
@click.option("--use-host-tools", is_flag=True, help="Run a scenario that needs a container on this machine.")
@click.option("--harbor-env", metavar="NAME", help="docker, podman, daytona, modal, ... or MODULE:CLASS.")
@click.option(
    "--allow-reviewer-host", metavar="HOST", multiple=True, help="Let the reviewer reach this host; repeatable."
)
@out_option
@package_options
@json_option
def command(check: bool, as_json: bool, **given: Any) -> int:
    """Prove that packages measure something, and keep the proofs in proofs/ of the output directory.

    An agent that does nothing must score 0, the reference solution, where there is one, 1, and an adversary that does
    none of the work but forges results 0. PACKAGE_DIRs are directories that `generate` wrote; --scenario, --tier and
    --all generate first.
    """
    from generator.workflows.prove import ProveOutcome, check_proofs, prove

    _check_usage(given, check=check)
    request = _request(given, check=check)
    return shown_in_the_end(
        lambda: check_proofs(request, os.environ) if check else prove(request, os.environ, say),
        lambda code: ProveOutcome(exit_code=code),
        lambda outcome: _show(outcome, as_json=as_json),
    )


def _check_usage(given: dict[str, Any], *, check: bool) -> None:
    """Raises click.UsageError."""
    if not (given["packages"] or given["ids"] or given["tier"] or given["everything"]):
        raise click.UsageError("name a PACKAGE_DIR, a scenario with --scenario, or --all.")
    if given["everything"] and (given["ids"] or given["tier"]):
        raise click.UsageError("--all selects every scenario; leave out --all, or what selects some.")
    others = RUN_ONLY if check else ("use_host_tools",) if given["backend"] == "harbor" else HARBOR_ONLY
    where = "--check" if check else f"--backend {given['backend'] or 'local'}"
    for name in others:
        if given[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} means nothing with {where}; leave it out.")


def _request(given: dict[str, Any], *, check: bool) -> ProveRequest:
    """Raises click.BadParameter."""
    from generator.workflows.proof_trials import LOCALLY, Manner
    from generator.workflows.prove import ProveRequest

    choice = ("packages", "scenario_dir", "ids", "tier", "everything", "out")
    manner = ("repeat", "reviewer", "use_host_tools", "reviewer_env", "allow_reviewer_host")
    return ProveRequest(
        **{name: given[name] for name in choice},
        settings=package_settings(given["org"], given["authors"]),
        usual=usual(),
        manner=Manner(
            **{name: given[name] for name in manner},
            backend=given["backend"] or LOCALLY.backend,
            harbor_env=given["harbor_env"] or LOCALLY.harbor_env,
        ),
        stale=given["stale"],
        any_backend=check and given["backend"] is None,
    )


def _show(outcome: ProveOutcome, *, as_json: bool) -> int:
    """Print the report, complaints to stderr, and return the exit code."""
    from generator.workflows.proof_report import json_report, text_report

    with readers_may_leave():
        if as_json:
            print_json(json_report(outcome))
        else:
            paint = painter()
            refused = (*outcome.refused, *(refused for one in outcome.packages for refused in one.refused))
            complain(outcome.complaints, refused, paint)
            for line in text_report(outcome, paint):
                click.echo(line)
    return outcome.exit_code
