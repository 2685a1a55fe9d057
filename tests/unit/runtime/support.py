"""Commands to run, ways to see what they left behind, and small packages to review."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from generator.resources import RUNTIME
from generator.runtime.evalinput import RunContext
from generator.runtime.evaluation import Evaluation, parse_evaluation
from generator.runtime.handover import pack
from generator.runtime.launch import Job, Launcher, Limits, ReviewerCommand, ReviewPlace
from generator.runtime.plain import PlainLauncher
from generator.runtime.process import User
from generator.runtime.review import ReviewReport, run_review
from tests.support.runs import ROOT

PATH = "/usr/local/bin:/usr/bin:/bin"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


def job(*argv: str, cwd: str = "/", env: Mapping[str, str] | None = None, **limits: Any) -> Job:
    """A job with short limits: 20 seconds, one second of grace."""
    made = Limits(**{"seconds": 20.0, "grace_seconds": 1.0, **limits})
    return Job(argv, {"PATH": PATH, **(env or {})}, cwd, made)


def tag() -> str:
    """A mark for the environment of a command by which everything it starts can be found."""
    return f"runtime-test-{uuid.uuid4().hex}"


def alive(mark: str) -> list[int]:
    """Living processes that have `mark` in their environment."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            marked = mark.encode() in Path("/proc", name, "environ").read_bytes()
            state = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if marked and state not in "ZX":
            found.append(int(name))
    return found


def lonely_user() -> User:
    """A user nobody else on this machine runs as, other test processes included."""
    return User(700_000 + os.getpid(), 700_000 + os.getpid())


@contextmanager
def open_folder() -> Iterator[Path]:
    """A directory other users can reach; pytest's own are closed to them."""
    made = Path(mkdtemp(prefix="runtime-test-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def as_ordinary_user(code: str, folder: Path, *arguments: str) -> str:
    """What a program prints when an ordinary user runs it, who owns `folder`; skips where no Python can be run so."""
    drop: dict[str, Any] = {}
    python = sys.executable
    if os.geteuid() == 0:
        user = lonely_user()
        drop = {"user": user.uid, "group": user.gid, "extra_groups": []}
        python = "/usr/bin/python3"
        for path in (folder, *folder.rglob("*")):
            os.lchown(path, user.uid, user.gid)
    command = [python, "-B", "-c", code, *arguments]
    try:
        told = subprocess.run(
            command, cwd=ROOT, env={"PATH": PATH}, capture_output=True, text=True, check=False, **drop
        )
    except OSError as problem:
        pytest.skip(f"no Python here that an ordinary user may run: {problem}")
    if "Permission denied" in told.stderr or "ModuleNotFoundError" in told.stderr:
        pytest.skip(f"an ordinary user cannot read this checkout: {told.stderr.splitlines()[-1]}")
    assert told.returncode == 0, told.stderr
    return str(told.stdout)


def listing(top: Path) -> dict[str, str]:
    """Everything below a directory: path -> `dir`, `-> target`, or a file's content, `x ` before an executable's."""
    found = {}
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top).as_posix()
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_dir():
            found[name] = "dir"
        elif path.is_file():
            found[name] = ("x " if os.access(path, os.X_OK) and path.stat().st_mode & 0o100 else "") + path.read_text()
        else:
            found[name] = "special"
    return found


def evaluation_document(**changes: Any) -> dict[str, Any]:
    """A valid `evaluation.json` without checks and reviewer."""
    made: dict[str, Any] = {
        "version": "harborsmith_evaluation_v1",
        "scenarioId": "sum-ledger",
        "scenarioTitle": "Sum the ledger",
        "scenarioVersion": "1.0.0",
        "userPrompt": "Sum the amounts.\n",
        "mode": "agentic_goal_review",
        "workdir": "/app",
        "user": "agent",
        "git": False,
        "scenarioContext": ["A bookkeeper closes the month."],
        "goalRubric": ["The report holds the correct total."],
        "criteria": [{"id": "c-0a1b2c3d", "text": "The report holds the correct total."}],
        "evidenceGuidance": ["Open the report."],
        "calibrationCases": [],
        "privateAssets": ["private-eval-assets/expected.json"],
        "checks": [],
        "reviewer": None,
        "reviewerTimeoutSeconds": 20,
        "reviewerEnv": [],
        "completion": {"required": False, "promise": None},
    }
    return {**made, **changes}


def check(name: str, command: str | Sequence[str], **changes: Any) -> dict[str, Any]:
    """A member of `checks`."""
    made = command if isinstance(command, str) else list(command)
    return {"id": name, "command": made, "expectExit": 0, "timeoutSeconds": 20, "restore": [], **changes}


PASS = {
    "version": "ruhroh_eval_result_v1",
    "status": "passed",
    "goalMet": True,
    "finalSummary": "All that was asked is there.",
}


class Case:
    """A package's `tests/`, a finished work and a place to review it in."""

    def __init__(self, folder: Path, **evaluation: Any) -> None:
        """Lay out below `folder`; `evaluation` changes the document."""
        self.folder = folder
        self.tests = folder / "tests"
        self.work = folder / "work"
        self.out = folder / "out"
        shutil.copytree(RUNTIME, self.tests / "review", ignore=shutil.ignore_patterns("__pycache__"))
        (self.tests / "private-eval-assets").mkdir()
        (self.tests / "private-eval-assets" / "expected.json").write_text("14.00\n")
        self.work.mkdir()
        (self.work / "report.json").write_text('{"total": 14.00}\n')
        self.document = evaluation_document(**evaluation)
        (self.tests / "evaluation.json").write_text(json.dumps(self.document))

    @property
    def evaluation(self) -> Evaluation:
        """The document as a value."""
        return parse_evaluation(self.document)

    @property
    def place(self) -> ReviewPlace:
        """Where the review happens."""
        room = self.folder / "room"
        return ReviewPlace(str(self.tests), str(room), "/app", str(room / "submission.socket"))

    def hand_over(self) -> str:
        """The archive of the work."""
        archive = self.folder / "workspace.tar"
        assert pack(str(self.work), str(archive)).problem == ""
        return str(archive)

    def reviewer(self, body: str, **env: str) -> ReviewerCommand:
        """A trusted reviewer: a shell script with `answer JSON` to write its verdict."""
        script = self.folder / "reviewer.sh"
        script.write_text(f'answer() {{ printf \'%s\' "$1" > "$RUHROH_EVAL_OUTPUT_PATH"; }}\n{body}\n')
        return ReviewerCommand(("/bin/sh", str(script)), "option", "0" * 64, trusted=True, env={"PATH": PATH, **env})

    def review(self, body: str | None = None, **changes: Any) -> ReviewReport:
        """Review the work with a reviewer of this body."""
        launcher: Launcher = changes.pop("launcher", PlainLauncher())
        settings: dict[str, Any] = {
            "place": self.place,
            "handover": changes.pop("handover", None) or self.hand_over(),
            "context": RunContext(),
            "reviewer": None if body is None else self.reviewer(body),
            "out_dir": str(self.out),
            "environ": {"PATH": PATH},
            **changes,
        }
        return run_review(self.evaluation, launcher=launcher, **settings)

    def written(self, name: str) -> Any:
        """A JSON file of the output directory."""
        return json.loads((self.out / name).read_text())


def python_39() -> str:
    """The oldest Python the runtime supports, or a skip that says so: beside the running one, or on PATH."""
    siblings = sorted(Path(sys.base_prefix).parent.glob("3.9*/bin/python3"))
    for candidate in [shutil.which("python3.9"), *map(str, siblings)]:
        if candidate is None:
            continue
        code = "import sys; sys.exit(sys.version_info[:2] != (3, 9))"
        if subprocess.run([candidate, "-c", code], capture_output=True, check=False).returncode == 0:
            return candidate
    pytest.skip("no Python 3.9 on this machine: the runtime did NOT run on the oldest Python it supports")
