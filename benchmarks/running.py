"""What a run costs beside its agent and its reviewer: isolation, snapshot, verdict and evidence."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measure import Command, in_turn, once
from benchmarks.packs import make_pack
from benchmarks.place import Place, ours, removed
from benchmarks.rows import Row, over

MOST_MILLISECONDS = 250
_AGENT = "#!/bin/sh\nexit 0\n"
_REVIEWER = """#!/bin/sh
echo '{"version": "ruhroh_eval_result_v1", "status": "passed", "goalMet": true, "summary": "Nothing was looked at."}'
"""


def rows(place: Place) -> Iterator[Row]:
    """A run with an agent and a reviewer that do nothing, against the two alone."""
    pack = make_pack(place.folder("run") / "scenarios", 1).parent
    once(Command(ours("generate"), pack))
    agent, reviewer = _script(pack / "agent", _AGENT), _script(pack / "reviewer", _REVIEWER)
    task = "generated/harbor/tasks/ledger-00001"
    run = ours("run", task, "--agent", agent, "--reviewer", reviewer, "--iterations", "1")
    commands = {
        "run": Command(run, pack, partial(removed, pack / "generated/runs")),
        "bare": Command(["/bin/sh", "-c", f"{agent} && {reviewer}"], pack),
    }
    figures = in_turn(commands, 2 * place.rounds)
    name = "`run`, agent and reviewer do nothing"
    yield over(name, figures["run"], figures["bare"], "the two commands alone", MOST_MILLISECONDS)


def _script(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return str(path)
