"""How a command is started, bounded and described, whoever starts it.

Three kinds of program meet in a review and none of them is trusted alike: what the agent made (a *submission*), the
reviewer that ships with the package, and the reviewer the operator brought. A `Launcher` knows how to run each of them
where it stands: dropped to another user in a container, in bubblewrap on an operator's machine, or plainly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, NamedTuple, Optional, Protocol, Tuple

KEEP_BYTES = 512 * 1024  # kept of each end of an output; enough to read, too little to hurt
GRACE_SECONDS = 5.0  # between SIGTERM and SIGKILL, as the published loop does


class Limits(NamedTuple):
    """What a command may use: seconds of wall time, seconds from TERM to KILL, bytes kept of each end of its output."""

    seconds: float
    grace_seconds: float = GRACE_SECONDS
    keep_bytes: int = KEEP_BYTES
    processes: Optional[int] = None


class Job(NamedTuple):
    """One command: arguments (never through a shell), the whole environment, working directory, limits."""

    argv: Tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    limits: Limits


class Outcome(NamedTuple):
    """How a command ended. When it is returned, nothing of the command is alive any more.

    Attributes:
        exit_code: The exit status, 128 + n when signal n ended it, 124 when it ran out of time, None when not started.
        timed_out: Whether its own time limit ended it.
        signals: Signals sent to it, in order (`SIGTERM`, `SIGKILL`).
        left_over: Processes that were still alive when the main one had ended, and were killed.
        output: Both streams as they came; of a long output head and tail around a line that says what is missing.
        output_bytes: How much it wrote in all.
        omitted_bytes: How much of that is not in `output`.
        seconds: From the attempt to start it until nothing of it was alive any more.
        error: Why it could not be started; empty when it was.
    """

    exit_code: Optional[int]
    timed_out: bool = False
    signals: Tuple[str, ...] = ()
    left_over: int = 0
    output: bytes = b""
    output_bytes: int = 0
    omitted_bytes: int = 0
    seconds: float = 0.0
    error: str = ""

    @property
    def started(self) -> bool:
        """Whether the command ran at all."""
        return self.exit_code is not None

    @property
    def text(self) -> str:
        """The output as text; bytes that are not UTF-8 become U+FFFD."""
        return self.output.decode("utf-8", "replace")


class ReviewPlace(NamedTuple):
    """The directories of one review on this machine.

    Attributes:
        tests: The package's `tests/` directory: answers, checks, packaged reviewer. Read-only.
        room: Holds eval input, journey, transcripts, `workspace/` (the copy a reviewer may change), `original/` and
            `output/`, the only part a packaged reviewer may write besides `workspace/`.
        workdir: Absolute path at which the work stands for a submission (`/app`).
        socket: Where the submission helper is answered.
    """

    tests: str
    room: str
    workdir: str
    socket: str


class Launcher(Protocol):
    """Runs the programs of a review. Every method returns only when nothing of the program is alive."""

    def run_submission(self, job: Job, work: str) -> Outcome:
        """Run what the agent made, in the directory `work` shown at the workdir.

        It sees neither answers nor keys nor verdict nor network, and nothing it writes outlives `work`.
        """
        ...

    def run_reviewer(self, job: Job, place: ReviewPlace, trusted: bool) -> Outcome:
        """Run a reviewer. An untrusted one writes only in `place.room`'s `workspace/` and `output/`."""
        ...

    def seen(self, path: str, place: ReviewPlace, trusted: bool) -> str:
        """The path under which a reviewer sees `path` of this machine."""
        ...


@dataclass(frozen=True)
class ReviewerCommand:
    """The reviewer to ask: `source` is `option`, `package` or `environment`; `sha256` is its file's or command's.

    `secrets` are values, by the variable's name, that no record may hold although the reviewer has them.
    """

    argv: Tuple[str, ...]
    source: str
    sha256: str
    trusted: bool
    env: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
