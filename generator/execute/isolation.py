"""How far the programs of a run are kept apart, in words for its records."""

from __future__ import annotations

import os

from generator.execute.records import Isolation
from generator.execute.settings import UNCONFINED, RunSettings
from generator.execute.taskpackage import TaskPackage


def isolation(package: TaskPackage, settings: RunSettings) -> Isolation:
    """How far the programs of a run are kept apart."""
    options = settings.options
    notes = []
    if options.use_host_tools and package.machine:
        notes.append(f"--use-host-tools: this machine stood in for {'; '.join(package.machine)}")
    notes += [f"--agent-path {os.path.abspath(path)}" for path in options.agent_path]
    if settings.sandbox is None:
        notes += [UNCONFINED] if options.allow_unsandboxed_pack_code else []
        return Isolation(level="none", detail="the operator's own account", notes=tuple(notes))
    return Isolation(level="bubblewrap", detail=settings.sandbox.description, notes=tuple(notes))
