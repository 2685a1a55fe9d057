"""Read members of a file that may hold anything: of the right type and in range, or a sentence that says why not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_SECONDS: Final = 30 * 24 * 3600  # far above any task, and far below what a timer of the system takes
MAX_COUNT: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Members:
    """A table and the name it goes by in messages, which ends with a dot; empty for a whole document.

    Every method raises ValueError, with a sentence that names the member.
    """

    values: Mapping[str, Any]
    name: str = ""

    def table(self, key: str) -> Members:
        """A table."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "a table")
        return Members(value, f"{self.name}{key}.")

    def text(self, key: str, pattern: re.Pattern[str] | None = None) -> str:
        """A text, one that matches `pattern` in full where there is one."""
        value = self.values.get(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a text")
        if pattern is not None and pattern.fullmatch(value) is None:
            raise self._wrong(key, f"a text that matches {pattern.pattern}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(key, "a list of texts")
        return tuple(value)

    def seconds(self, key: str) -> float:
        """A number of seconds above 0 and up to `MAX_SECONDS`."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(key, "a number of seconds")
        if not 0 < value <= MAX_SECONDS:
            raise self._wrong(key, f"above 0 and at most {MAX_SECONDS} seconds")
        return float(value)

    def count(self, key: str) -> int:
        """An integer from 1 to `MAX_COUNT`."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_COUNT:
            raise self._wrong(key, f"an integer from 1 to {MAX_COUNT}")
        return value

    def _wrong(self, key: str, wanted: str) -> ValueError:
        return ValueError(f"{self.name}{key} is {'malformed' if key in self.values else 'missing'}; it is {wanted}")
