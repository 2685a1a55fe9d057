"""Tiers: how often a scenario is meant to be run."""

from __future__ import annotations

from typing import Final

TIERS: Final = ("smoke", "nightly", "release")
