from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.runtime.checks import submission_job
from generator.runtime.container import ContainerLauncher, named_user, nobody
from generator.runtime.process import User
from generator.runtime.verdict import Verdict
from tests.support.files import Script, write_tree
from tests.unit.runtime.support import PASS, PATH, Case, check, listing, lonely_user, needs_root, open_folder

pytestmark = needs_root
PASSED = Verdict("completed", "none", 1)


class Container:
    """What stands for the disposable machine: a workdir, a shared folder, a user, and a case below closed folders."""

    def __init__(self, folder: Path) -> None:
        self.workdir = folder / "app"
        self.shared = folder / "tmp"
        self.shared.mkdir()
        self.shared.chmod(0o1777)
        self.user = lonely_user()

    def case(self, folder: Path, **evaluation: object) -> tuple[Case, ContainerLauncher]:
        case = Case(folder, **{"workdir": str(self.workdir), **evaluation})
        for name in ("tests", "out", "room"):
            (folder / name).mkdir(exist_ok=True)
            (folder / name).chmod(0o700)
        sealed = [str(folder / name) for name in ("tests", "out", "room")]
        return case, ContainerLauncher(str(self.workdir), self.user, sealed, [str(self.shared)])

    def processes(self) -> str:
        return subprocess.run(
            ["ps", "-o", "args=", "-u", str(self.user.uid)], capture_output=True, text=True, check=False
        ).stdout


@pytest.fixture
def container() -> Iterator[Container]:
    with open_folder() as folder:
        yield Container(folder)


@pytest.fixture
def open_case() -> Iterator[Path]:
    """A folder other users may pass, so that only the modes of the folders in it keep them out."""
    with open_folder() as folder:
        yield folder


def test_the_agents_program_runs_where_the_work_stood_as_somebody_without_rights(
    container: Container, open_case: Path
) -> None:
    script = "pwd; id -u; id -G; touch mine; echo $HOME; touch $HOME/x; env | cut -d= -f1 | sort | tr '\\n' ' '"
    case, launcher = container.case(open_case, mode="checks", checks=[check("a", script)])
    report = case.review(launcher=launcher, environ={"PATH": PATH, "KEY": "secret"})
    cwd, uid, groups, home, names = report.checks[0].outcome.text.splitlines()
    assert report.verdict == PASSED
    assert (cwd, uid, groups) == (str(container.workdir), str(container.user.uid), str(container.user.gid))
    assert home.startswith(str(container.shared))
    assert set(names.split()) <= {"HOME", "LANG", "PATH", "PWD", "OLDPWD", "SHLVL", "TERM", "TZ", "_"}


ATTACKS = {
    "reads the answers": "cat {case}/tests/private-eval-assets/expected.json",
    "lists the answers": "ls {case}/tests",
    "edits the reviewer": "echo x >> {case}/tests/review/review.py",
    "forges a reward": "echo '{{\"reward\": 1}}' > {case}/out/reward.json",
    "forges a verdict": "mkdir -p {case}/room/output && echo x > {case}/room/output/ruhroh-loop-eval.json",
    "reads the eval input": "cat {case}/room/ruhroh-loop-eval-input.json",
    "changes the reviewed tree": "echo x > {case}/room/original/report.json",
    "reads its parent's environment": "cat /proc/$PPID/environ | grep -q .",
    "kills its parent": "kill -9 $PPID",
    "links to the answers": "ln {case}/tests/private-eval-assets/expected.json answer",
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_an_attack_by_the_agents_program_gets_nowhere(container: Container, open_case: Path, attack: str) -> None:
    case, launcher = container.case(open_case, checks=[check("a", attack.format(case=open_case), expectExit=99)])
    report = case.review(launcher=launcher)
    assert report.checks[0].outcome.exit_code != 0, report.checks[0].outcome.text
    assert case.written("reward.json") == {"reward": 0}
    assert (case.tests / "private-eval-assets" / "expected.json").read_text() == "14.00\n"
    assert listing(open_case / "room" / "original") == {"report.json": '{"total": 14.00}\n'}


def test_nothing_it_starts_or_leaves_reaches_the_next_check(container: Container, open_case: Path) -> None:
    again = "while :; do touch {0}/again; sleep 0.01; done"
    leave = f"touch {{0}}/left; mkdir -p {{0}}/d/e; setsid env -i sh -c '{again}' & sleep 0.3"
    look = "ls -A {0} | grep -v -e ^home- -e else; ls"
    (container.shared / "of somebody else").touch()
    checks = [check("a", leave.format(container.shared)), check("b", look.format(container.shared))]
    case, launcher = container.case(open_case, mode="checks", checks=checks)
    report = case.review(launcher=launcher)
    assert report.checks[0].outcome.left_over >= 1
    assert report.checks[1].outcome.text == "report.json\n"
    assert container.processes() == ""
    assert os.listdir(container.shared) == ["of somebody else"]


@pytest.mark.parametrize("name", ["tests", "out", "room"])
@pytest.mark.parametrize("how", ["mode", "owner"])
def test_where_a_folder_is_open_to_others_nothing_of_the_agent_runs(
    container: Container, open_case: Path, name: str, how: str
) -> None:
    case, launcher = container.case(open_case, checks=[check("a", f"touch {container.shared}/ran")])
    if how == "mode":
        (open_case / name).chmod(0o750)
    else:
        os.chown(open_case / name, container.user.uid, 0)
    report = case.review(f"answer '{json.dumps(PASS)}'", launcher=launcher)
    assert f"{open_case / name} is open to others" in report.problem
    assert not (container.shared / "ran").exists()
    assert not (case.out / "reward.json").exists()


def test_a_reviewer_finds_the_work_where_it_stood_and_has_programs_run_there(
    container: Container, open_case: Path
) -> None:
    case, launcher = container.case(open_case)
    (case.work / "tool.sh").write_text("pwd; id -u; rm report.json; touch junk; ls\n")
    write_tree(container.workdir, {"from the image": "x", "deep/er": "y"})
    look = f"ls {container.workdir}"
    body = (
        f'id -u; {look}; python3 "$HARBORSMITH_SUBMISSION" -- sh tool.sh; {look}; pwd; '
        f"""echo $RUHROH_EVAL_ORIGINAL_WORKSPACE_PATH; answer '{json.dumps(PASS)}'"""
    )
    assert case.review(body, launcher=launcher).verdict == PASSED
    assert (case.out / "reviewer.log").read_text().split() == [
        "0",
        *("report.json", "tool.sh"),
        *(str(container.workdir), str(container.user.uid), "junk", "tool.sh"),
        *("report.json", "tool.sh"),
        f"{open_case}/room/workspace",
        str(container.workdir),
    ]


def test_the_workdir_is_put_back_even_when_a_command_cannot_start(container: Container, open_case: Path) -> None:
    _, launcher = container.case(open_case)
    write_tree(container.workdir, {"pristine": "p"})
    work = write_tree(open_case / "room" / "work", {"run": Script("#!/bin/sh\n")})
    job = submission_job("true", str(work), 5, {})._replace(argv=("no-such-program",))
    assert "No such file" in launcher.run_submission(job, str(work)).error
    assert listing(container.workdir) == {"pristine": "p"}
    assert container.workdir.stat().st_uid == 0
    assert listing(work) == {"run": "x #!/bin/sh\n"}
    assert os.listdir(open_case / "room") == ["work"]


def test_what_others_remove_meanwhile_is_not_missed(container: Container, open_case: Path) -> None:
    """The shared folders are everybody's: whoever else works there removes files of its own at any moment."""
    case, launcher = container.case(open_case)
    case.work.mkdir(exist_ok=True)
    busy = "while :; do for number in {1..300}; do : >$number; done; rm -f [0-9]*; echo; done"
    other = subprocess.Popen(["bash", "-c", busy], cwd=container.shared, stdout=subprocess.PIPE)
    assert other.stdout
    try:
        for _ in range(20):
            other.stdout.readline()
            outcome = launcher.run_submission(
                submission_job("true", str(case.work), 10, {"PATH": PATH}), str(case.work)
            )
            assert outcome.exit_code == 0
    finally:
        other.kill()
        other.communicate()


def test_users_are_found_by_name_or_number() -> None:
    assert named_user("65533") == User(65533, 65533)
    assert nobody() == named_user("nobody")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pwd.getpwnam", {}.__getitem__)
        assert nobody() == User(65534, 65534)
    for name, words in {"root": "not run as root", "0": "not run as root", "no such": "there is no user"}.items():
        with pytest.raises(ValueError, match=words):
            named_user(name)
