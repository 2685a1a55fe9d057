"""The private directory of one run: everything its programs are shown, gone when the run is over."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from generator.runtime.interrupts import HeldBack
from generator.runtime.trees import create_directory, remove_tree

# A Unix socket's path may have 107 bytes (unix(7)); ours is at most 40 longer than the directory it starts with.
_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Room:
    """Where things lie below `root`. Names tell nothing: an agent can read where its folders come from."""

    root: Path

    @property
    def workspace(self) -> Path:
        """The agent's workspace."""
        return self.root / "workspace"

    @property
    def home(self) -> Path:
        """The agent's home, kept between turns."""
        return self.root / "home"

    @property
    def state(self) -> Path:
        """The agent's run root, kept between turns like its home."""
        return self.root / "state"

    def message(self, turn: int) -> Path:
        """Holds the message of a turn."""
        return self.root / "messages" / str(turn)

    def result(self, turn: int) -> Path:
        """Where the agent writes the result file of a turn; new for each, so that none is left from an earlier one."""
        return self.root / "results" / str(turn)

    @property
    def agent(self) -> Path:
        """Copies of the agent's own files."""
        return self.root / "agent"

    @property
    def proxy(self) -> Path:
        """The proxy's socket and the forwarder."""
        return self.root / "proxy"

    @property
    def tests(self) -> Path:
        """The package's `tests/`."""
        return self.root / "tests"

    @property
    def solution(self) -> Path:
        """The package's `solution/`."""
        return self.root / "solution"

    @property
    def review(self) -> Path:
        """What the review works with."""
        return self.root / "review"


def room_folder() -> str:
    """The directory that rooms are made in."""
    place = tempfile.gettempdir()
    return place if len(os.fsencode(place)) <= _LONGEST else "/tmp"  # noqa: S108 -- mkdtemp makes a private directory


@contextlib.contextmanager
def open_room() -> Iterator[Room]:
    """Make a room with what every run needs, and remove it afterwards. Raises OSError when it cannot be made."""
    made = tempfile.mkdtemp(prefix="harborsmith-", dir=room_folder())
    try:
        room = Room(Path(made))
        for folder in (room.home, room.state, room.root / "messages", room.root / "results"):
            create_directory(str(folder))
        yield room
    finally:
        with HeldBack():
            remove_tree(made)
