"""`harborsmith demo`: what a newcomer sees first, in a directory that has nothing to do with Harborsmith."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.repository import ROOT

DATA = ("schemas", "templates", "scenarios")
Done = subprocess.CompletedProcess[str]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """Where the system's temporary files go."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Harborsmith as a wheel puts it into an environment; a test may change what is in it."""
    top = tmp_path / "installed"
    shutil.copytree(ROOT / "generator", top / "generator", ignore=shutil.ignore_patterns("__pycache__"))
    for name in DATA:
        shutil.copytree(ROOT / name, top / "generator" / "_data" / name)
    return top


def environment(temporary: Path, top: Path = ROOT) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(top), "TMPDIR": str(temporary)}


def show(cwd: Path, env: Mapping[str, str], *options: str, before: tuple[str, ...] = ()) -> Done:
    command = [*before, sys.executable, "-m", "generator", "demo", *options]
    return subprocess.run(command, cwd=cwd, env=dict(env), capture_output=True, text=True, check=False)


def results(out: Path) -> dict[str, dict[str, object]]:
    """The recorded result of each scenario."""
    found = [json.loads(path.read_text()) for path in out.glob("runs/*/*/ruhroh-loop-result.json")]
    return {result["scenarioId"]: result for result in found}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Path, Path]:
    """How the demo ended, the directory it was started in, and that of the temporary files."""
    elsewhere, temporary = (tmp_path_factory.mktemp(name) for name in ("elsewhere", "temporary"))
    return show(elsewhere, environment(temporary)), elsewhere, temporary


@pytest.mark.sandbox
def test_the_demo_shows_a_pass_and_a_deserved_failure_on_one_screen(shown: tuple[Done, Path, Path]) -> None:
    done, _, _ = shown

    assert (done.returncode, done.stderr) == (0, "")
    assert "simple-newsletter 1.0.0 PASSED: checks 3/3, criteria 6/6, 2 turns" in done.stdout
    assert "market-ledger-clean-up 1.0.0 FAILED goal_mismatch: checks 3/3, criteria 2/6, 1 turn" in done.stdout
    assert done.stdout.count(", isolation bubblewrap\n") == 2
    assert len(done.stdout.splitlines()) <= 48


@pytest.mark.sandbox
def test_every_unmet_criterion_of_the_failure_is_told_with_its_reason(shown: tuple[Done, Path, Path]) -> None:
    done, _, temporary = shown

    (place,) = temporary.iterdir()
    (result,) = [each for each in results(place).values() if each["score"] == 0]
    judged = result["evalResult"]
    assert isinstance(judged, dict)
    lines = done.stdout.splitlines()
    unmet = [index for index, line in enumerate(lines) if "NOT MET" in line]
    assert len(unmet) == len(judged["unmetCriteria"]) == 4
    for index, reason in zip(unmet, judged["reasons"], strict=True):
        told = lines[index + 1].strip().removesuffix("…").strip()
        assert told
        assert reason.startswith(told)


@pytest.mark.sandbox
def test_the_demo_leaves_its_evidence_among_the_temporary_files_and_nothing_here(
    shown: tuple[Done, Path, Path],
) -> None:
    done, elsewhere, temporary = shown

    (place,) = temporary.iterdir()
    assert f"Everything is written to {place}." in done.stdout
    scores = {scenario: result["score"] for scenario, result in results(place).items()}
    assert scores == {"simple-newsletter": 1, "market-ledger-clean-up": 0}
    assert list(elsewhere.iterdir()) == []


@pytest.mark.sandbox
def test_the_commands_it_proposes_work_as_they_stand(shown: tuple[Done, Path, Path], elsewhere: Path) -> None:
    done, _, temporary = shown
    env = environment(temporary)
    proposed = re.findall(r"^  \S*harborsmith (.+)$", done.stdout, re.MULTILINE)
    agent = elsewhere / "your-agent"
    agent.write_text('#!/bin/sh\necho \'{"status": "goal_satisfied"}\'\n')
    agent.chmod(0o755)

    ended = [
        subprocess.run(
            [sys.executable, "-m", "generator", *shlex.split(line)],
            cwd=elsewhere,
            env=env,
            check=False,
            capture_output=True,
            text=True,
        )
        for line in proposed
    ]

    # The last one's agent does nothing, and the checks notice.
    assert [each.returncode for each in ended] == [0, 0, 1], [each.stderr for each in ended]
    assert "access-log-digest" in ended[1].stdout
    assert "PASSED" in ended[1].stdout
    assert "FAILED" in ended[2].stdout
    assert list(elsewhere.iterdir()) == [agent]


@pytest.mark.sandbox
def test_the_output_directory_can_be_chosen(elsewhere: Path, temporary: Path) -> None:
    done = show(elsewhere, environment(temporary), "--out", "shown")

    assert done.returncode == 0, done.stderr
    assert len(results(elsewhere / "shown")) == 2
    assert list(temporary.iterdir()) == []


@pytest.mark.sandbox
def test_the_installed_demo_needs_no_checkout(elsewhere: Path, temporary: Path, installed: Path) -> None:
    done = show(elsewhere, environment(temporary, installed))

    assert (done.returncode, done.stderr) == (0, "")
    assert str(ROOT) not in done.stdout.replace(str(Path(sys.executable).parent), "")


@pytest.mark.sandbox
def test_settings_of_the_operator_s_own_runs_do_not_change_the_demo(elsewhere: Path, temporary: Path) -> None:
    own = {"RUHROH_EVAL_RESULT_FIXTURE": '{"status": "passed"}', "RUHROH_ITERATION_TIMEOUT_SEC": "soon"}

    done = show(elsewhere, {**environment(temporary), **own})

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.sandbox
def test_without_bubblewrap_it_says_what_is_lost_and_runs_its_own_fixtures(elsewhere: Path, temporary: Path) -> None:
    # Nothing on a real machine hides an installed program as well as a sandbox does.
    places = [path for path in ("/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap") if os.path.exists(path)]
    hidden = [word for path in places for word in ("--ro-bind", "/dev/null", os.path.realpath(path))]
    before = (places[0], "--dev-bind", "/", "/", *hidden)

    done = show(elsewhere, environment(temporary), before=before)

    assert (done.returncode, done.stderr) == (0, "")
    (said,) = [line for line in done.stdout.splitlines() if "Not isolated" in line]
    assert "bubblewrap is not installed" in said
    assert "nothing keeps an agent from your files" in said
    assert "apt-get install bubblewrap" in said
    assert done.stdout.count(", isolation none\n") == 2
    assert done.stdout.count("--isolation none --allow-unsandboxed-pack-code") == 2


@pytest.mark.sandbox
def test_a_demo_that_ends_otherwise_fails_and_says_why(elsewhere: Path, temporary: Path, installed: Path) -> None:
    agent = installed / "generator/_data/templates/demo/agent.py"
    agent.write_text('#!/usr/bin/env python3\nprint(\'{"status": "goal_satisfied"}\')\n')

    done = show(elsewhere, environment(temporary, installed))

    assert done.returncode == 1
    assert "simple-newsletter 1.0.0 FAILED goal_mismatch" in done.stdout
    assert "market-ledger-clean-up" not in done.stdout
    assert "Next:" not in done.stdout


@pytest.mark.sandbox
def test_a_demo_that_ends_well_where_it_should_not_fails_as_well(
    elsewhere: Path, temporary: Path, installed: Path
) -> None:
    reviewer = installed / "generator/_data/templates/demo/reviewer.py"
    reviewer.write_text('print(\'{"status": "passed", "goalMet": true}\')\n')

    done = show(elsewhere, environment(temporary, installed))

    assert done.returncode == 1
    assert "market-ledger-clean-up 1.0.0 PASSED" in done.stdout
    assert "Next:" not in done.stdout


@pytest.mark.sandbox
def test_a_demo_whose_reviewer_breaks_ends_without_a_verdict(elsewhere: Path, temporary: Path, installed: Path) -> None:
    reviewer = installed / "generator/_data/templates/demo/reviewer.py"
    reviewer.write_text("raise SystemExit(3)\n")

    done = show(elsewhere, environment(temporary, installed))

    assert done.returncode == 5
    assert "NO VERDICT infra_failed" in done.stdout
    assert "the reviewer exited with 3" in done.stdout


@pytest.mark.sandbox
def test_a_demo_that_cannot_write_its_packages_says_so(elsewhere: Path, temporary: Path) -> None:
    (elsewhere / "taken").write_text("a file\n")

    done = show(elsewhere, environment(temporary), "--out", "taken")

    assert done.returncode == 2
    assert "output_unusable" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.sandbox
def test_a_demo_without_any_writable_temporary_folder_asks_for_one(elsewhere: Path, temporary: Path) -> None:
    bwrap = shutil.which("bwrap") or "bwrap"

    done = show(elsewhere, environment(temporary), before=(bwrap, "--ro-bind", "/", "/", "--chdir", str(elsewhere)))

    assert (done.returncode, done.stdout) == (4, "")
    assert "name one with --out" in done.stderr


@pytest.mark.sandbox
def test_an_interrupted_demo_ends_as_shells_expect(elsewhere: Path, temporary: Path, installed: Path) -> None:
    agent = installed / "generator/_data/templates/demo/agent.py"
    agent.write_text("#!/usr/bin/env python3\nimport time\ntime.sleep(600)\n")
    # A test run in the background may have SIGINT ignored, which children inherit.
    command = ["env", "--default-signal=INT", sys.executable, "-u", "-m", "generator", "demo"]
    env = environment(temporary, installed)
    with subprocess.Popen(command, cwd=elsewhere, env=env, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        for line in started.stdout:
            if "compiled" in line:
                started.send_signal(signal.SIGINT)
                break
        started.stdout.read()

    assert started.returncode == 130
