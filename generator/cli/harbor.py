"""The options of `run` that belong to runs through Harbor, and which options go with which backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from generator.cli.options import Command
    from generator.execute.settings import Options
    from generator.harbor.settings import HarborOptions

# Options with a meaning for one backend alone; with the other one they are refused, never passed over.
HARBOR_ONLY: Final = (
    "harbor_agent",
    "model",
    "harbor_env",
    "job",
    "allow_reviewer_host",
)
LOCAL_ONLY: Final = (
    "agent_path",
    "isolation",
    "allow_unsandboxed_pack_code",
    "use_host_tools",
    "max_workspace_bytes",
)
NO_AGENT: Final = (
    "Missing option '--agent' / '--adapter': who is to work, such as --agent ./agent.sh; "
    "oracle, which applies the reference solution, and nop, which does nothing, are built in."
)


def harbor_options(command: Command) -> Command:
    """Add `--backend` and what goes with it."""
    for add in (
        click.option("--job", metavar="NAME", help="Name of the Harbor job; one that was cut off is carried on."),
        click.option(
            "--allow-reviewer-host", metavar="HOST", multiple=True, help="Let the reviewer reach this host; repeatable."
        ),
        click.option("--model", metavar="NAME", help="Model of the --harbor-agent."),
        click.option(
            "--harbor-agent", metavar="NAME", help="One of Harbor's agents, or MODULE:CLASS, instead of --agent."
        ),
        click.option(
            "--harbor-env", metavar="NAME", help="docker, podman, daytona, modal, ... or MODULE:CLASS. Default: docker."
        ),
        click.option(
            "--backend",
            type=click.Choice(["local", "harbor"]),
            default="local",
            show_default=True,
            help="harbor: in containers, wherever Harbor can run them.",
        ),
    ):
        command = add(command)
    return command


def split_options(given: dict[str, Any], runs: int, jobs: int) -> tuple[Options, HarborOptions | None]:
    """The options of the chosen backend; through Harbor, `runs` and `jobs` are among them.

    Raises:
        click.UsageError: An option belongs to the other backend, or the agent is missing.
    """
    from generator.execute.settings import Options

    options = dict(given)
    backend = options.pop("backend")
    _refuse_others(HARBOR_ONLY if backend == "local" else LOCAL_ONLY, backend)
    if backend == "local":
        if options["agent"] is None:
            raise click.UsageError(NO_AGENT)
        return Options(**{name: value for name, value in options.items() if name not in HARBOR_ONLY}), None
    from generator.harbor.settings import HarborOptions

    stated = {name: value for name, value in options.items() if name not in LOCAL_ONLY and value is not None}
    return Options(), HarborOptions(**stated, runs=runs, concurrency=jobs)


def _refuse_others(others: tuple[str, ...], backend: str) -> None:
    context = click.get_current_context()
    for name in others:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} means nothing with --backend {backend}; leave it out.")
