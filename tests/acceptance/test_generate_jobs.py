"""`generate --jobs`: the same packages and the same report, however many processes make them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.test_generate import generate, report, statuses
from tests.support.files import read_tree
from tests.support.packages import untouched
from tests.support.repository import ROOT
from tests.support.scenarios import document, write_scenario

NAMES = [f"task-{number:02}" for number in range(12)]
PATIENCE_SECONDS = 60


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A dozen scenarios; one of them is invalid, one has a note, and of one the package was edited."""
    for name in NAMES:
        write_scenario(tmp_path / "scenarios" / name, document(id=name))
    write_scenario(tmp_path / "scenarios/task-03", document(id="task-03", tier="smok"))
    (tmp_path / "scenarios/task-05/assets/more/empty").mkdir(parents=True)
    write_scenario(tmp_path / "scenarios/task-05", document(id="task-05", assets=["assets"]))
    generate("--scenario", "task-07", cwd=tmp_path)
    (tmp_path / "generated/harbor/tasks/task-07/instruction.md").write_text("Edited.\n")
    return tmp_path


@pytest.mark.parametrize("jobs", [2, 5, 100])
def test_the_packages_and_the_report_are_those_of_one_process(pack: Path, jobs: int) -> None:
    alone = generate("--jobs", 1, cwd=pack)
    made = read_tree(pack / "generated")
    for name in NAMES:
        if name != "task-07":
            subprocess.run(["rm", "-r", pack / "generated/harbor/tasks" / name], check=name != "task-03")
    shared = generate("--jobs", jobs, cwd=pack)

    assert alone.returncode == shared.returncode == 1
    assert "asset_directory_empty" in alone.stdout
    assert (shared.stdout, shared.stderr) == (alone.stdout, alone.stderr)
    assert read_tree(pack / "generated") == made


@pytest.mark.parametrize("option", ["--check", "--dry-run"])
def test_previews_are_shared_out_as_well_and_write_nothing(pack: Path, option: str) -> None:
    before = untouched(pack / "generated")

    alone, shared = (report(option, "--jobs", jobs, cwd=pack) for jobs in (1, 3))

    assert shared == alone
    assert untouched(pack / "generated") == before


@pytest.mark.parametrize(
    ("count", "processors", "makers"),
    [
        pytest.param(40, 8, 2, id="as many as pay"),
        pytest.param(40, 2, 2, id="one a processor"),
        pytest.param(40, 1, 1, id="one processor"),
        pytest.param(12, 8, 1, id="too few packages"),
    ],
)
def test_many_packages_are_made_by_several_processes_without_being_asked(
    tmp_path: Path, count: int, processors: int, makers: int
) -> None:
    """The program says on how many processors it may run, and notes which process made each package."""
    for number in range(count):
        write_scenario(tmp_path / f"scenarios/task-{number:02}", document(id=f"task-{number:02}"))
    program = f"""
import os
from generator.workflows import generate
from generator.cli.main import main

os.sched_getaffinity = lambda _: set(range({processors}))
write = generate.write_package
def noting(plan, output, *, force=False):
    with open("makers", "a") as stream:
        stream.write(f"{{os.getpid()}}\\n")
    return write(plan, output, force=force)

generate.write_package = noting
main(["generate"])
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    noted = (tmp_path / "makers").read_text().splitlines()
    assert (len(noted), len(set(noted))) == (count, makers)
    assert len(os.listdir(tmp_path / "generated/harbor/tasks")) == count


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1000"])
def test_a_number_of_processes_that_cannot_be_is_wrong_usage(pack: Path, jobs: str) -> None:
    done = generate("--jobs", jobs, cwd=pack)

    assert (done.returncode, "--jobs" in done.stderr) == (2, True)


def test_a_process_that_is_killed_fails_its_packages_and_no_others(pack: Path) -> None:
    program = """
import os, signal, sys
from generator.workflows import generate
from generator.cli.main import main

write = generate.write_package
def dying(plan, output, *, force=False):
    if plan.id == "task-08":
        os.kill(os.getpid(), signal.SIGKILL)
    return write(plan, output, force=force)

generate.write_package = dying
main(["generate", "--jobs", "2"])
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=pack, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 4, done.stderr
    assert "task-08: its process was ended by signal 9" in done.stdout
    code, found = report(cwd=pack)
    assert code == 1
    repaired = {name for name, status in statuses(found).items() if status == "written"}
    assert repaired == {"task-08", "task-10"}
    assert [path.name for path in (pack / "generated").iterdir()] == ["harbor"]


@pytest.mark.parametrize("whole_group", [False, True])
def test_an_interrupt_ends_all_processes_and_leaves_no_half_made_package(pack: Path, whole_group: bool) -> None:
    """The first process stands still inside its second package; the other one goes on until it is told to stop."""
    program = """
import os, signal, sys
from generator.package import write
from generator.cli.main import main

signal.signal(signal.SIGINT, signal.default_int_handler)
put = write.put_in_place
def halting(new, target, aside):
    if target.endswith(("task-02", "task-04")):
        os.write(1, b"standing\\n")
        signal.pause()
    put(new, target, aside)

write.put_in_place = halting
main(["generate", "--jobs", "2"])
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=pack,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"standing\n"
        if whole_group:
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE_SECONDS)

    assert process.returncode == 130, errors
    assert errors.strip() == b"interrupted"
    assert b"Traceback" not in output
    assert [path.name for path in (pack / "generated").iterdir()] == ["harbor"]
    assert not (pack / "generated/harbor/tasks/task-02").exists()
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
