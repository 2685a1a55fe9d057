"""What a scenario opens to the world."""

from __future__ import annotations

from collections.abc import Iterator

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft


def public(draft: Draft) -> Iterator[Finding]:
    """Published warning: the agent will have the whole network (`network_public`)."""
    if draft.get("/requires/network") is True:
        message = "the agent will have a public network: answers may be looked up and results may change over time"
        yield Finding("network_public", "/requires/network", message, "false, with what is needed shipped as assets")
