"""The time of a run."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, slots=True)
class Clock:
    """Wall time that never runs backwards, whatever happens to the machine's clock meanwhile."""

    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    ticks: float = field(default_factory=time.monotonic)

    def now(self) -> datetime:
        """The time (UTC)."""
        return self.started + timedelta(seconds=time.monotonic() - self.ticks)
