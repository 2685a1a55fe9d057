"""Run a package's checks: each in a fresh copy of the work, with originals put back where it says so."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from .evaluation import Check
from .launch import Job, Launcher, Limits, Outcome
from .trees import FILE, clone_file, clone_into, clone_tree, create_directory, remove_tree, walk

KEEP_BYTES = 32 * 1024  # of each end of a check's output: it is read by people and travels in the eval input
PROCESSES = 1024
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class CheckResult:
    """How one check ended; `error` says why it could not be run, which is nobody's failure but ours."""

    check: Check
    outcome: Outcome

    @property
    def error(self) -> str:
        """Why there is no result."""
        return self.outcome.error if not self.outcome.started else ""

    @property
    def passed(self) -> bool:
        """Whether it exited as expected, in time."""
        return self.outcome.started and not self.outcome.timed_out and self.outcome.exit_code == self.check.expect_exit

    @property
    def reason(self) -> str:
        """The result in one sentence."""
        if self.error:
            return f"could not be run: {self.error}"
        if self.outcome.timed_out:
            return f"ran past its limit of {self.check.seconds:g} s"
        expected = "as expected" if self.passed else f"instead of {self.check.expect_exit}"
        return f"exited with {self.outcome.exit_code} {expected}"

    def as_json(self) -> Dict[str, Any]:
        """The member of `checkResults`."""
        command = self.check.command
        return {
            "id": self.check.id,
            "command": command if isinstance(command, str) else " ".join(command),
            "passed": self.passed,
            "exitCode": self.outcome.exit_code,
            "expectExit": self.check.expect_exit,
            "timedOut": self.outcome.timed_out,
            "durationMs": round(self.outcome.seconds * 1000),
            "output": self.outcome.text,
            "reason": self.reason,
        }


def run_checks(
    checks: Sequence[Check], *, original: str, originals: str, work: str, launcher: Launcher, environ: Mapping[str, str]
) -> Tuple[CheckResult, ...]:
    """Run checks in order; one that fails does not stop the others.

    Args:
        checks: What to run.
        original: The finished work.
        originals: Original content of `restore` paths.
        work: A free path for the copies.
        launcher: Runs them.
        environ: Where PATH is taken from.

    Raises:
        OSError: A copy cannot be made.
    """
    results = []
    for check in checks:
        clone_tree(original, work)
        restore(check.restore, originals, work)
        job = submission_job(check.command, work, check.seconds, environ)
        results.append(CheckResult(check, launcher.run_submission(job, work)))
        remove_tree(work)
    return tuple(results)


def submission_job(command: Union[str, Sequence[str]], work: str, seconds: float, environ: Mapping[str, str]) -> Job:
    """A job for what the agent made: one string for bash (which every task image has), or arguments.

    Arguments are executed by a shell as well: then a missing program is exit status 127 everywhere, a result of the
    check and not a failure to run it.
    """
    argv = ("/bin/bash", "-c", command) if isinstance(command, str) else ("/bin/sh", "-c", 'exec "$@"', "sh", *command)
    env = {"PATH": environ.get("PATH") or DEFAULT_PATH, "LANG": "C.UTF-8", "TZ": "UTC", "TERM": "dumb"}
    return Job(argv, env, work, Limits(seconds, keep_bytes=KEEP_BYTES, processes=PROCESSES))


def restore(paths: Sequence[str], originals: str, work: str) -> None:
    """Put original files and directories back over whatever the work has at these paths, never through a link.

    Raises:
        OSError: An original is missing or the copy cannot be written.
    """
    for path in paths:
        _make_way(work, path)
        source, target = os.path.join(originals, path), os.path.join(work, path)
        problem: Optional[str] = None
        if os.path.isdir(source):
            create_directory(target)
            left_out = clone_into(source, target)
            problem = left_out[0].reason if left_out else None
        else:
            problem = clone_file(source, target, os.access(source, os.X_OK))
        if problem is not None:
            raise OSError(0, f"the original of {path!r} cannot be restored: {problem}")


def _make_way(work: str, path: str) -> None:
    """Remove what stands at a path, and make real directories of everything above it."""
    place = work
    parts = [part for part in path.split("/") if part not in ("", ".")]
    for part in parts[:-1]:
        place = os.path.join(place, part)
        if os.path.islink(place) or not os.path.isdir(place):
            remove_tree(place)
            create_directory(place)
    remove_tree(os.path.join(place, parts[-1]) if parts else place)


def files_below(folder: str) -> Tuple[str, ...]:
    """Relative paths of the regular files of a directory; empty when there is none."""
    return tuple(entry.path for entry in walk(folder) if entry.kind == FILE) if os.path.isdir(folder) else ()
