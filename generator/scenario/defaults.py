"""What holds where a document says nothing. Times are in seconds."""

from __future__ import annotations

from typing import Final

TIMEOUT_SECONDS: Final = 600.0
MAX_ITERATIONS: Final = 3
REVIEW_TIMEOUT_SECONDS: Final = 300.0
CHECK_TIMEOUT_SECONDS: Final = 60.0
WORKDIR: Final = "/app"
USER: Final = "agent"
