"""A scenario as every later stage sees it, whatever format it was written in: what a stage reads, and no more.

The public side (`prompt`, `workspace`, `loop`) is what an agent may know. The private side (`review`, `solution`) is
what only the reviewer may know. The two never share a value, so a stage that is handed one cannot leak the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from generator.scenario import defaults


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """Whether a scenario is still meant to be used, why not, and the id of what replaces it."""

    status: str
    reason: str | None = None
    replacement_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What a package says of its scenario. Dates are ISO 8601 texts as written; durations are seconds."""

    scenario_version: str
    created_at: str | None = None
    updated_at: str | None = None
    difficulty: str | None = None
    tags: tuple[str, ...] = ()
    visibility: str | None = None
    expected_runtime_seconds: float | None = None
    provenance: str | None = None
    maintainers: tuple[str, ...] = ()
    lifecycle: Lifecycle | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The machine the agent works on.

    Attributes:
        image: Container image, tag or digest; None is the pinned default image.
        packages: Debian packages installed at build time.
        setup: Script below the scenario directory, run as root at build time; None for none.
        workdir: Absolute path of the workspace inside.
        stage: Declared asset path -> path inside the workspace (`.` is its top).
        git: Whether the workspace starts as a git repository with one commit.
        cpus: Processor limit.
        memory_mb: Memory limit in MiB.
        user: Account the agent works as.
    """

    image: str | None = None
    packages: tuple[str, ...] = ()
    setup: str | None = None
    workdir: str = defaults.WORKDIR
    stage: Mapping[str, str] = field(default_factory=dict)
    git: bool = False
    cpus: float | None = None
    memory_mb: int | None = None
    user: str = defaults.USER


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """What the agent starts with: declared asset paths (relative, POSIX), machine, and whether it has a network."""

    assets: tuple[str, ...] = ()
    environment: Environment = Environment()
    network: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """How an agent says it is done, and whether a pass needs it to have said so."""

    required: bool = False
    promise: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Limits of the agent phase: turns, seconds for all of them together, and what the agent must be able to do."""

    max_iterations: int = defaults.MAX_ITERATIONS
    timeout_seconds: float = defaults.TIMEOUT_SECONDS
    mode: str | None = None
    completion: Completion = Completion()
    continuity: str | None = None
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationCase:
    """An outcome described in words together with the verdict a good reviewer gives it."""

    id: str
    expected_status: str
    input_summary: str
    rationale: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A command run on the finished workspace; it passes when it exits with `expect_exit`.

    `command` is a text for `bash -c` or a tuple of arguments. `restore` names declared assets that are put back to
    their original bytes before the command runs.
    """

    id: str
    command: str | tuple[str, ...]
    expect_exit: int = 0
    timeout_seconds: float = defaults.CHECK_TIMEOUT_SECONDS
    restore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """A reviewer that ships with the scenario: a file or directory, and the command that starts it."""

    path: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The private side: everything that decides the verdict. `mode` is `agentic_goal_review` or `checks`."""

    mode: str
    context: tuple[str, ...] = ()
    rubric: tuple[str, ...] = ()
    guidance: tuple[str, ...] = ()
    calibration: tuple[CalibrationCase, ...] = ()
    private_assets: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    reviewer: Reviewer | None = None
    environment: Environment | None = None
    env: tuple[str, ...] = ()
    network: bool = False
    timeout_seconds: float = defaults.REVIEW_TIMEOUT_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One task, complete and valid."""

    id: str
    title: str
    tier: str
    kind: str
    prompt: str
    loop: Loop
    review: Review
    workspace: Workspace = Workspace()
    metadata: Metadata | None = None
    solution: str | None = None
