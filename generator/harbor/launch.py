"""Start Harbor as a program of its own and wait for it."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from generator.execute.notify import Notify
from generator.execute.refusal import Blame, Refused
from generator.harbor.job import Job, job_config
from generator.harbor.results import RESULT
from generator.resources import python_path

# No report to anybody, and no look for prices on the network, which would hold every start up for seconds offline.
QUIET: Final = {"HARBOR_TELEMETRY": "0", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
OLDEST_PYTHON: Final = (3, 12)
POLL_SECONDS: Final = 1.0
END_SECONDS: Final = 120.0  # for Harbor to end its containers and write its records
SHOWN_LINES: Final = 6


def missing_harbor() -> Refused | None:
    """Why Harbor cannot be started by this Python; None when it can."""
    if sys.version_info < OLDEST_PYTHON:
        version = ".".join(map(str, OLDEST_PYTHON))
        message = f"--backend harbor needs Python {version} or later; this is {sys.version.split()[0]}"
        return Refused(
            "harbor_missing", message, f"python{version} -m pip install 'harborsmith[harbor]'", Blame.MACHINE
        )
    if importlib.util.find_spec("harbor") is None:
        message = "--backend harbor needs Harbor, which is not installed beside Harborsmith"
        return Refused("harbor_missing", message, "pip install 'harborsmith[harbor]'", Blame.MACHINE)
    return None


def run_job(job: Job, values: Mapping[str, str], environ: Mapping[str, str], notify: Notify) -> Refused | None:
    """Run a job to its end; one that Harbor has begun before is carried on.

    Args:
        job: What to run.
        values: Variables for Harbor beside the operator's own: they hold what agent and review are given.
        environ: The operator's variables.
        notify: Gets a line whenever a trial has ended.

    Returns:
        Why Harbor did not do its work; the trials that it finished nevertheless can be read.

    Raises:
        Interrupted: The operator ended it; Harbor has ended its containers.
        OSError: The job's files cannot be written, or Harbor cannot be started.
    """
    command = _command(job)
    if isinstance(command, Refused):
        return command
    log = job.jobs / f"{job.name}.log"
    env = {**environ, **QUIET, **values, "PYTHONPATH": python_path(environ)}
    with log.open("ab") as stream:
        child = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True
        )
        with _ended(child):
            _watch(child, job, notify)
    if child.returncode == 0:
        return None
    return Refused(
        "harbor_failed", f"Harbor exited with {child.returncode}: {_last_words(log)}", str(log), Blame.MACHINE
    )


def _command(job: Job) -> list[str] | Refused:
    """The command that begins the job, or carries it on when its own configuration is the same."""
    job.jobs.mkdir(parents=True, exist_ok=True)
    config = job.jobs / f"{job.name}.json"
    text = json.dumps(job_config(job), indent=2) + "\n"
    begun = (job.directory / "config.json").exists()
    if begun and (not config.exists() or config.read_text(encoding="utf-8") != text):
        message = f"--job {job.name}: that job was begun with other packages or options"
        return Refused("harbor_job_differs", message, "repeat the command it was begun with, or give another name")
    config.write_text(text, encoding="utf-8")
    harbor = [sys.executable, "-m", "harbor.cli.main"]
    if begun:
        return [*harbor, "job", "resume", "--job-path", str(job.directory), "--yes"]
    return [*harbor, "run", "--config", str(config), "--yes", "--quiet"]


@contextlib.contextmanager
def _ended(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """End Harbor, and have it end its containers, whatever happens to us."""
    try:
        yield
    finally:
        for number, seconds in ((signal.SIGINT, END_SECONDS), (signal.SIGTERM, 10.0), (signal.SIGKILL, 10.0)):
            if child.poll() is not None:
                break
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                child.wait(seconds)


def _watch(child: subprocess.Popen[bytes], job: Job, notify: Notify) -> None:
    expected, told = len(job.packages) * job.runs, -1
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(POLL_SECONDS)
        done = sum(1 for _ in job.directory.glob(f"*/{RESULT}"))
        if done > max(told, 0):
            notify(f"harbor: {done} of {expected} trials ended")
            told = done
        if child.returncode is not None:
            return


def _last_words(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return " / ".join(lines[-SHOWN_LINES:]) or "it printed nothing"


def installed_version() -> str:
    """Harbor's version; `unknown` for one that was not installed as a distribution."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("harbor")
    except PackageNotFoundError:
        return "unknown"


def stamp() -> str:
    """A name for a new job: the time in UTC to the second, and what tells it from another of that second."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"
