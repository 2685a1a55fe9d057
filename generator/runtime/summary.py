"""Describe a finished workspace: the published `ruhroh_workspace_summary_v1`, with nothing skipped."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Sequence

from .handover import digest
from .trees import DIRECTORY, FILE, LINK, SPECIAL, SPECIAL_FILE, UNREADABLE, Entry, LeftOut, shown, walk

HASHED_BYTES = 1024 * 1024
TOP_LEVEL_ENTRIES = 100
SAMPLE_FILES = 200
LISTED_LINKS = 1000
PROJECT_MARKERS = frozenset(
    (
        "Cargo.toml",
        "README.md",
        "go.mod",
        "index.html",
        "next.config.js",
        "package-lock.json",
        "package.json",
        "pnpm-lock.yaml",
        "pyproject.toml",
        "requirements.txt",
        "tsconfig.json",
        "vite.config.ts",
        "yarn.lock",
    )
)


def summarise(tree: str, *, workspace_root: str, generated_at: str, left_out: Sequence[LeftOut] = ()) -> Dict[str, Any]:
    """Summarise a tree.

    Args:
        tree: The directory; it may be missing.
        workspace_root: Where the work stood for the agent; recorded as it is.
        generated_at: Time stamp to record (ISO 8601, UTC).
        left_out: What the tree lacks of the work.

    Returns:
        The summary, ready for JSON. Paths are shown with escapes where they are no UTF-8.
    """
    exists = os.path.isdir(tree)
    entries = list(walk(tree)) if exists else []
    files = [entry for entry in entries if entry.kind == FILE]
    links = [entry for entry in entries if entry.kind == LINK]
    names = sorted(files, key=lambda entry: os.fsencode(entry.path))
    unreadable = [LeftOut(entry.path, entry.error) for entry in entries if entry.kind == UNREADABLE]
    missing_special = [item.path for item in left_out if item.reason == SPECIAL_FILE]
    special = [entry.path for entry in entries if entry.kind == SPECIAL]
    return {
        "version": "ruhroh_workspace_summary_v1",
        "generatedAt": generated_at,
        "workspaceRoot": workspace_root,
        "exists": exists,
        "totalFiles": len(files),
        "totalDirectories": sum(entry.kind == DIRECTORY for entry in entries),
        "totalBytes": sum(entry.size for entry in files),
        "topLevelEntries": _top_level(entries),
        "projectMarkers": [shown(e.path) for e in names if os.path.basename(e.path) in PROJECT_MARKERS],
        "sampleFiles": [_sample(tree, entry) for entry in names[:SAMPLE_FILES]],
        "truncated": len(files) > SAMPLE_FILES or len(links) > LISTED_LINKS,
        "skippedPaths": 0,
        "unreadablePaths": len(unreadable),
        "links": [_link(tree, entry) for entry in links[:LISTED_LINKS]],
        "specialFiles": sorted({shown(path) for path in special + missing_special}),
        "leftOut": [item.as_json() for item in (*left_out, *unreadable)],
    }


def _top_level(entries: Sequence[Entry]) -> List[Dict[str, str]]:
    top = [entry for entry in entries if "/" not in entry.path and entry.kind != UNREADABLE]
    return [{"path": shown(entry.path), "type": _type(entry)} for entry in top[:TOP_LEVEL_ENTRIES]]


def _type(entry: Entry) -> str:
    """Published readers know two types only; a link counts as a file."""
    return "directory" if entry.kind == DIRECTORY else "file"


def _link(tree: str, entry: Entry) -> Dict[str, str]:
    return {"path": shown(entry.path), "target": shown(os.readlink(os.path.join(tree, entry.path)))}


def _sample(tree: str, entry: Entry) -> Dict[str, Any]:
    sample: Dict[str, Any] = {"path": shown(entry.path), "sizeBytes": entry.size, "executable": entry.executable}
    if entry.size <= HASHED_BYTES:
        try:
            sample["sha256"] = digest(os.path.join(tree, entry.path))
        except OSError:
            sample["unreadable"] = True
    return sample
