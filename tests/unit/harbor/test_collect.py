"""The hook that hands over the work, with real processes in a stand-in for a container."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from generator.package.render import collect_script
from generator.runtime.supervise import CLOSED, LOGS
from tests.unit.harbor.box import UID, Box

pytestmark = pytest.mark.sandbox

HOPPER = Path(__file__).parents[2] / "harbor" / "agents" / "hopper.py"
RECORDS = {"context.json", "transcripts/iteration-1.log"}


@pytest.mark.parametrize(
    ("closed_by", "handed_over"),
    [(0, {"output.txt", *RECORDS}), (UID, {"output.txt"}), (None, {"output.txt"})],
    ids=["supervisor", "agent", "nobody"],
)
def test_a_record_of_the_run_counts_only_where_the_supervisor_closed_it(
    tmp_path: Path, closed_by: int | None, handed_over: set[str]
) -> None:
    box = Box(tmp_path / "box")
    box.inside("/logs/artifacts").mkdir()
    for name in ("output.txt", *RECORDS):
        file = box.inside(f"{LOGS}/{name}")
        file.parent.mkdir(exist_ok=True)
        file.write_text("{}")  # of root's, as Harbor brings back what an agent wrote
    if closed_by is not None:
        mark = box.inside(CLOSED)
        mark.parent.mkdir(parents=True)
        mark.touch()
        os.chown(mark, closed_by, closed_by)

    done = asyncio.run(box.exec(collect_script("/app"), cwd="/", timeout_sec=60, user="root"))

    assert done.return_code == 0, done.stdout
    folder = box.inside("/logs/artifacts/agent")
    assert {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} == handed_over


@pytest.mark.parametrize("attempt", range(5))
def test_a_process_that_changes_its_number_all_the_time_is_over_before_its_work_is_archived(
    tmp_path: Path, attempt: int
) -> None:
    """Whether a search comes upon such a process is chance, so there are several attempts."""
    box = Box(tmp_path / "box")
    box.inside("/logs/artifacts").mkdir()
    shutil.copy(HOPPER, box.inside("/home/agent/hopper.py"))
    drop = f"setpriv --reuid={UID} --regid={UID} --clear-groups"
    asked = f'{drop} python3 -c "import os; os.kill(-1, 0)"'
    script = f"{drop} python3 /home/agent/hopper.py && {asked} && echo alive\n({collect_script('/app')})\n{asked}"

    done = asyncio.run(box.exec(script, cwd="/app", timeout_sec=60, user="root"))

    assert done.stdout is not None
    assert done.stdout.startswith("alive")
    assert "ProcessLookupError" in done.stdout, done.stdout
    assert box.inside("/logs/artifacts/workspace.tar").exists()
