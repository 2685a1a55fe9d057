"""Run things as root and as an ordinary user, and look for what must not be left behind."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import pytest
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
ORDINARY_UID = 1001
ACCOUNTS = ["this account", "ordinary user"]


@dataclass(frozen=True)
class Account:
    """Somebody who runs Harborsmith: the account of the test run, or a user without any privilege."""

    uid: int | None

    @property
    def python(self) -> str:
        """An interpreter this account may execute."""
        if self.uid is None:
            return sys.executable
        found = _ordinary_python()
        if found is None:
            pytest.skip("no Python 3.11 or later that an ordinary user may execute")
        return found

    @property
    def ids(self) -> dict[str, Any]:
        """Arguments for `subprocess` that make a child this account's."""
        return {} if self.uid is None else {"user": self.uid, "group": self.uid, "extra_groups": []}

    def environment(self) -> dict[str, str]:
        """The variables with which `python` finds Harborsmith and its dependencies."""
        packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": "/nonexistent" if self.uid else os.environ["HOME"],
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.pathsep.join([str(ROOT), *packages]),
            "PYTHONDONTWRITEBYTECODE": "1",
            # Code that runs in a child counts as covered, where the child may write what it counted.
            **({} if self.uid else {name: os.environ[name] for name in os.environ if name.startswith("COVERAGE_")}),
        }

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """A directory that belongs to this account; pytest's own is closed to other users."""
        made = Path(tempfile.mkdtemp(prefix="hs-test-"))
        try:
            if self.uid is not None:
                os.chown(made, self.uid, self.uid)
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def give(self, folder: Path) -> None:
        """Make everything below `folder` this account's."""
        if self.uid is None:
            return
        for path in (folder, *folder.rglob("*")):
            os.lchown(path, self.uid, self.uid)


def account(name: str) -> Account:
    """The account a parameter of `ACCOUNTS` means; the ordinary one needs root to become it."""
    if name == "this account":
        return Account(None)
    if os.geteuid() != 0:
        pytest.skip("the test run is an ordinary user already")
    return Account(ORDINARY_UID)


@cache
def _ordinary_python() -> str | None:
    candidates = [sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"]
    code = "import sys, click; sys.exit(sys.version_info < (3, 11))"
    for candidate in candidates:
        with contextlib.suppress(OSError):
            tried = subprocess.run(
                [candidate, "-c", code],
                env=Account(None).environment(),
                capture_output=True,
                check=False,
                user=ORDINARY_UID,
                group=ORDINARY_UID,
                extra_groups=[],
            )
            if tried.returncode == 0:
                return candidate
    return None


def confined(
    who: Account,
    argv: Sequence[str],
    *,
    binds: Sequence[tuple[str, str, bool]] = (),
    env: Mapping[str, str] | None = None,
    limits: Mapping[str, Any] | None = None,
    **view: Any,
) -> dict[str, Any]:
    """Run `argv` in the sandbox as `who`, and how it ended (the fields of `Outcome`, `text`, `sandbox`)."""
    spec = {
        "view": {"binds": list(binds), "workdir": "/", **view},
        "argv": list(argv),
        "env": {"PATH": "/usr/bin:/bin", **(env or {})},
        "limits": {"seconds": 60, **(limits or {})},
    }
    done = subprocess.run(
        [who.python, str(ROOT / "tests" / "support" / "confine.py")],
        input=json.dumps(spec),
        env=who.environment(),
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        **who.ids,
    )
    assert done.returncode == 0, done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def alive(tag: str) -> list[str]:
    """Command lines of the machine's living processes that hold `tag`."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            state = (place / "stat").read_text().rpartition(")")[2].split()[0]
            if tag in line and state != "Z" and int(place.name) != os.getpid():
                found.append(line)
    return found


JUDGE = '''#!/usr/bin/env python3
"""Passes a report with the right total; reads nothing but what the published contract names."""
import json, os

told = json.load(open(os.environ["RUHROH_EVAL_INPUT_PATH"]))
try:
    report = json.load(open(os.path.join(told["workspacePath"], "report.json")))
    good = report == {"total": 14.0}
except (OSError, ValueError):
    good = False
verdict = {
    "version": "ruhroh_eval_result_v1",
    "status": "passed" if good else "failed",
    "goalMet": good,
    "reasons": ["the total is right" if good else "the total is not right"],
    "unmetCriteria": [] if good else [told["goalRubric"][0]],
}
with open(os.environ["RUHROH_EVAL_OUTPUT_PATH"], "w") as stream:
    json.dump(verdict, stream)
'''

SOLVE = """#!/bin/bash
printf '{"total": 14.00}' > report.json
echo '{"status": "goal_satisfied"}'
"""


@dataclass(frozen=True)
class Ran:
    """A finished command: exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """The one run of a `--json` report."""
        (run,) = json.loads(self.out)["runs"]
        return dict(run)

    @property
    def refused(self) -> list[str]:
        """The codes of what was not run, in a `--json` report."""
        return [detail["code"] for detail in json.loads(self.out)["refused"]]


@dataclass(frozen=True)
class Bench:
    """A directory with a scenario, agents and a reviewer, and the command line to run them by."""

    folder: Path
    who: Account = Account(None)

    def scenario(self, extra: Mapping[str, Any] | None = None, **changes: Any) -> None:
        """Write the scenario `sum-ledger` with changes to its document and more files."""
        from tests.support.scenarios import document, write_scenario

        write_scenario(self.folder / "scenarios" / "sum-ledger", document(**changes), extra)

    def script(self, text: str, name: str = "solver.sh") -> str:
        """Write an executable file; its path relative to the directory."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return f"./{name}"

    def run(self, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        """`harborsmith ARGUMENTS` in the directory, as the account; in this process where that is the account's own."""
        if self.who.uid is None:
            return self._run_here(arguments, env or {})
        self.who.give(self.folder)
        done = subprocess.run(
            [self.who.python, "-m", "generator", *arguments],
            cwd=self.folder,
            env={**self.who.environment(), **(env or {})},
            capture_output=True,
            text=True,
            check=False,
            **self.who.ids,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def _run_here(self, arguments: Sequence[str], env: Mapping[str, str]) -> Ran:
        """What a process of its own would do, without the second that starting one takes."""
        from generator.cli.main import group

        variables = {**self.who.environment(), **env}
        with (
            contextlib.chdir(self.folder),
            patch.dict(os.environ, variables, clear=True),
            patch.object(tempfile, "tempdir", None),  # where it is follows from the variables, and is asked once
        ):
            done = CliRunner().invoke(group, list(arguments), standalone_mode=False)
        if isinstance(done.exception, click.ClickException):
            return Ran(done.exception.exit_code, done.stdout, done.exception.format_message())
        if done.exception is not None:
            raise done.exception
        return Ran(int(done.return_value or 0), done.stdout, done.stderr)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A process of its own, left running with its streams as pipes; its temporary files lie in the directory."""
        (self.folder / "tmp").mkdir(exist_ok=True)
        self.who.give(self.folder)
        return subprocess.Popen(
            [self.who.python, "-m", "generator", *arguments],
            cwd=self.folder,
            env={**self.who.environment(), "TMPDIR": str(self.folder / "tmp")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **self.who.ids,
        )

    def attempt(self, agent: str, *more: str, env: Mapping[str, str] | None = None) -> Ran:
        """Run `agent` on the scenario with the usual reviewer, and report as JSON."""
        self.script(JUDGE, "judge.py")
        arguments = ["run", "--scenario", "sum-ledger", "--agent", agent, "--json"]
        if "--reviewer" not in more:
            arguments += ["--reviewer", "./judge.py"]
        return self.run(*arguments, *more, env=env)

    @property
    def evidence(self) -> Path:
        """The directory of the only run."""
        (found,) = (self.folder / "generated" / "runs" / "sum-ledger").iterdir()
        return found

    def kept(self, name: str) -> Any:
        """A JSON document of the run's evidence."""
        return json.loads((self.evidence / name).read_text())

    @property
    def package(self) -> Path:
        """The package that was generated."""
        return self.folder / "generated" / "harbor" / "tasks" / "sum-ledger"


def check_evidence(folder: Path, *, reviewed: bool = True) -> None:
    """A run directory is complete, and every document in it is what its schema says."""
    from tests.unit.schemas.shipped import wordy

    documents = {
        "ruhroh-loop-result.json": "loop-result",
        "ruhroh-run-manifest.json": "run-manifest",
        "ruhroh-loop-journey.json": "journey",
        "ruhroh-loop-eval.json": "eval-result",
    }
    archives = ["ruhroh-loop-transcripts.tar.gz", "ruhroh-loop-events.tar.gz"]
    if reviewed:
        documents |= {
            "ruhroh-loop-eval-input.json": "eval-input",
            "ruhroh-workspace-summary.json": "workspace-summary",
        }
        archives.append("ruhroh-workspace.tar.gz")
    for name, schema in documents.items():
        value = json.loads((folder / name).read_text())
        faults = [f"{name}: {error.json_path}: {error.message}" for error in wordy(schema).iter_errors(value)]
        assert not faults, faults
    for line in (folder / "ruhroh-loop-iterations.jsonl").read_text().splitlines():
        assert not list(wordy("implementation-run").iter_errors(json.loads(line)))
    result = json.loads((folder / "ruhroh-loop-result.json").read_text())
    for name in [*archives, *result["artifactPaths"].values()]:
        assert (folder / name).is_file(), name
    assert (folder / "reward.json").exists() is (result["score"] is not None)


def archived(archive: Path) -> dict[str, bytes]:
    """The regular files of a `tar.gz`."""
    with tarfile.open(archive) as tar:
        return {
            member.name: stream.read()
            for member in tar
            if member.isreg() and (stream := tar.extractfile(member)) is not None
        }


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait for something that has to happen; give up loudly."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
