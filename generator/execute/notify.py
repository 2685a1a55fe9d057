"""How whoever waits is told how far things are."""

from __future__ import annotations

from collections.abc import Callable

Notify = Callable[[str], None]
"""Gets one line for everything that takes time."""
