"""How deep and how long what stands in a document may be."""

from __future__ import annotations

from typing import Final

MAX_DEPTH: Final = 100  # real scenarios stay below 10; deeper ones break tools that recurse
MAX_NUMBER_LENGTH: Final = 300  # longer integers overflow a double anyway, and are slow to parse
