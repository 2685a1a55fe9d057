"""The exit codes of every command. Several runs end with the highest of theirs."""

from enum import IntEnum


class Exit(IntEnum):
    """What a command's end means to a script."""

    GOOD = 0
    """Good: no errors; packages up to date; the run passed."""
    FINDINGS = 1
    """Findings: an invalid scenario, drift, an edited package, a failed run."""
    USAGE = 2
    """Wrong usage: an unknown option, no reviewer, an agent that does not exist."""
    NOTHING_SELECTED = 3
    """Nothing selected: no such scenario, a directory that is missing or holds none."""
    CANNOT = 4
    """Could not do its work: no sandbox, a full disk, a scenario that needs a container."""
    NO_VERDICT = 5
    """A run ended without a verdict: the reviewer crashed, or left the decision to a person."""
    HUNG_UP = 129
    """Interrupted by the end of its terminal."""
    INTERRUPTED = 130
    """Interrupted by Ctrl-C."""
    TERMINATED = 143
    """Interrupted by SIGTERM."""
