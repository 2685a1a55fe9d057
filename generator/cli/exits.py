"""The exit codes of every command. Several runs end with the highest of theirs."""

from enum import IntEnum


class Exit(IntEnum):
    """What a command's end means to a script."""

    GOOD = 0
    FINDINGS = 1
    USAGE = 2
    NOTHING_SELECTED = 3
    CANNOT = 4
    NO_VERDICT = 5
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143
