"""What is published: the dataset that packages form."""

from __future__ import annotations

from typing import Any, Final

from tests.support.examples import Example, State, scenario
from tests.unit.rules.support import metadata

_DATASET: Final = 'org = "example"\n\n[dataset]\nname = "ledger-tasks"\n'
_GENERATE: Final = "harborsmith generate"
_MADE: Final = "harborsmith generate > made.txt"
_HELD: Final = scenario(metadata=metadata(visibility="held_out", privateEvalRationale="The rubric alone decides."))
_PUBLIC: Final = scenario(metadata=metadata())


def _pack(state: State = _PUBLIC, files: dict[str, Any] | None = None, settings: str = _DATASET) -> State:
    return State({**state.files, "harborsmith.toml": settings, **(files or {})})


EXAMPLES: Final = {
    "dataset_org_missing": Example(
        _pack(settings=_DATASET.replace('org = "example"\n\n', "")), _pack(), command=_GENERATE
    ),
    "dataset_incomplete": Example(_pack(scenario(tier="smok")), _pack(scenario()), command=_GENERATE, clean=False),
    "dataset_task_foreign": Example(
        _pack(files={"generated/harbor/tasks/my-experiment/task.toml": 'schema_version = "1.3"\n'}),
        _pack(files={"experiments/my-experiment/task.toml": 'schema_version = "1.3"\n'}),
        command=_GENERATE,
    ),
    "dataset_foreign": Example(
        _pack(),
        _pack(),
        before=f"{_MADE}\nsed -i 's/ledger-tasks/mine/' generated/harbor/tasks/dataset.toml",
        command=_GENERATE,
        instead="harborsmith generate --force",
    ),
    "dataset_drifted": Example(
        _pack(),
        _pack(),
        before=f"{_MADE}\nsed -i 's/ledger-tasks/ledgers/' harborsmith.toml",
        command="harborsmith generate --check",
        instead=_GENERATE,
    ),
    "dataset_held_out": Example(
        _pack(_HELD),
        _pack(_HELD),
        command=_GENERATE,
        instead="harborsmith generate --without-held-out --out published",
        clean=False,
    ),
    "dataset_private": Example(_pack(scenario(metadata=metadata(visibility="private"))), _pack(), command=_GENERATE),
    "held_out_tracked": Example(
        _HELD,
        State({**_HELD.files, ".gitignore": "/generated/\n"}),
        hidden="git init --quiet",
        command=_GENERATE,
    ),
    "provider_network": Example(scenario(evaluation__network=True), command=_GENERATE),
}
