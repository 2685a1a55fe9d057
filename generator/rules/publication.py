"""What a scenario that others see must say about itself: one complaint for each missing item, in the published order.

The schema holds the same rule for other tools; its errors about it are not shown, these are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import member_example, quoted

VISIBLE: Final = ("public", "held_out")
# Member of `metadata` -> code and what it tells others.
ITEMS: Final = {
    "provenance": ("publication_provenance_missing", "where the task and its data come from"),
    "createdAt": ("publication_created_at_missing", "when it was written"),
    "updatedAt": ("publication_updated_at_missing", "when it was last changed"),
    "contaminationNotes": ("publication_contamination_notes_missing", "whether models can have seen it"),
    "difficulty": ("publication_difficulty_missing", "how hard it is"),
    "tags": ("publication_tags_missing", "words to find it by"),
    "expectedRuntimeSeconds": ("publication_expected_runtime_missing", "how long a run takes"),
    "maintainers": ("publication_maintainers_missing", "who answers for it"),
    "changelog": ("publication_changelog_missing", "what changed between its versions"),
    "lifecycle": ("publication_lifecycle_missing", "whether it is still in use"),
}
_VISIBILITY: Final = "/metadata/visibility"


def complete(draft: Draft) -> Iterator[Finding]:
    """Public and held-out scenarios carry the published publication metadata (`publication_*_missing`)."""
    visibility = draft.get(_VISIBILITY)
    if visibility not in VISIBLE:
        return
    because = f"visibility {quoted(visibility)}"
    for name, (code, purpose) in ITEMS.items():
        if not draft.has(f"/metadata/{name}"):
            yield _missing(draft, code, name, f"{because} needs {name}: {purpose}")
    if draft.get("/requires/network") is True and not draft.has("/metadata/networkRationale"):
        message = f"{because} with a network needs networkRationale: why the agent must reach it"
        yield _missing(draft, "publication_network_rationale_missing", "networkRationale", message)
    if visibility == "held_out" and not _has_something_private(draft):
        message = f"{because} needs evaluation.privateAssets, or privateEvalRationale: why it has none"
        yield _missing(draft, "publication_private_eval_missing", "privateEvalRationale", message)


def _has_something_private(draft: Draft) -> bool:
    assets = "/evaluation/privateAssets"
    return draft.has("/metadata/privateEvalRationale") or assets in draft.invalid or bool(draft.get(assets))


def _missing(draft: Draft, code: str, name: str, message: str) -> Finding:
    hint = member_example(f"/metadata/{name}", draft.version)
    return Finding(code, "/metadata", message, hint, at=_VISIBILITY)
