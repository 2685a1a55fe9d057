from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from generator.runtime import command
from generator.runtime.command import read_context
from generator.runtime.evalinput import RunContext
from generator.runtime.trees import LeftOut
from tests.unit.runtime.support import (
    PASS,
    PATH,
    Case,
    alive,
    check,
    lonely_user,
    needs_root,
    open_folder,
    python_39,
    tag,
)


@pytest.fixture(params=["this Python", "Python 3.9"])
def python(request: pytest.FixtureRequest) -> str:
    return sys.executable if request.param == "this Python" else python_39()


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as made:
        yield made


def start(python: str, case: Case, *more: str, **env: str) -> subprocess.CompletedProcess[str]:
    case.folder.joinpath("app").mkdir(exist_ok=True)
    case.tests.chmod(0o700)
    options = {
        "handover": case.folder / "workspace.tar",
        "context": case.folder / "agent" / "context.json",
        "out": case.out,
        "room": case.folder / "room",
        "workdir": case.folder / "app",
        "user": lonely_user().uid,
    }
    argv = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    # as a package's test.sh does it, from a directory whose files must not matter
    case.folder.joinpath("review.py").write_text("raise SystemExit('the wrong module')\n")
    words = [python, "-I", "-B", str(case.tests / "review"), *argv, *more]
    return subprocess.run(
        words, cwd=case.folder, env={"PATH": PATH, **env}, capture_output=True, text=True, check=False
    )


def packaged(case: Case, body: str) -> None:
    (case.tests / "reviewer").mkdir()
    (case.tests / "reviewer" / "judge.sh").write_text(body)
    case.document["reviewer"] = {"command": ["sh", "{reviewer}/judge.sh"], "sha256": "0" * 64}
    (case.tests / "evaluation.json").write_text(json.dumps(case.document))


@needs_root
def test_a_package_is_reviewed_where_it_stands(python: str, folder: Path) -> None:
    mark = tag()
    case = Case(
        folder, checks=[check("a", f"test -f report.json && (TAG={mark} setsid sleep 1000 &)")], reviewerEnv=["KEY"]
    )
    packaged(
        case,
        'python3 "$HARBORSMITH_SUBMISSION" -- cat report.json; echo "$KEY$SECRET"\n'
        f"echo '{json.dumps(PASS)}' > $RUHROH_EVAL_OUTPUT_PATH\n",
    )
    case.hand_over()
    told = start(python, case, KEY="k", SECRET="s")
    assert (told.returncode, told.stdout, told.stderr) == (0, "review: passed, checks 1/1\n", "")
    assert case.written("reward.json") == {"reward": 1}
    assert (case.out / "reviewer.log").read_text() == '{"total": 14.00}\nk\n'
    assert oct(case.out.stat().st_mode & 0o777) == "0o700"
    assert alive(mark) == []
    assert not list(case.tests.rglob("__pycache__"))


@needs_root
def test_a_failed_check_is_a_verdict(python: str, folder: Path) -> None:
    case = Case(folder, mode="checks", checks=[check("a", "true"), check("b", "false")])
    case.hand_over()
    told = start(python, case)
    assert (told.returncode, told.stdout) == (0, "review: failed (goal_mismatch), checks 1/2\n")
    assert case.written("reward.json") == {"reward": 0}


def test_without_the_packages_own_the_environment_names_the_reviewer(python: str, folder: Path) -> None:
    case = Case(folder)
    case.hand_over()
    judge = f"echo '{json.dumps(PASS)}' > $RUHROH_EVAL_OUTPUT_PATH; echo $MODEL"
    told = start(python, case, RUHROH_EVAL_COMMAND=judge, RUHROH_EVAL_COMMAND_SHELL="1", MODEL="m")
    assert (told.returncode, told.stdout) == (0, "review: passed\n")
    assert (case.out / "reviewer.log").read_text() == "m\n"
    packaged(case, 'echo \'{"status": "review"}\'\n')
    told = start(python, case, RUHROH_EVAL_COMMAND=judge, RUHROH_EVAL_COMMAND_SHELL="1")
    assert (told.returncode, told.stdout) == (1, "review: no verdict (review_required)\n")
    assert not (case.out / "reward.json").exists()


def test_work_that_did_not_arrive_is_no_verdict(python: str, folder: Path) -> None:
    case = Case(folder)
    told = start(python, case, RUHROH_EVAL_COMMAND="true")
    assert told.returncode == 1
    assert told.stdout.startswith("review: no verdict (infra_failed): the finished work did not arrive")
    assert not (case.out / "reward.json").exists()


@pytest.mark.parametrize(
    ("more", "env", "words"),
    [
        (["--tests", "/no/such"], {}, "/no/such/evaluation.json is missing"),
        (["--user", "root"], {}, "not run as root"),
        (["--nonsense"], {}, "usage: review"),
        ([], {"RUHROH_EVAL_COMMAND": "judge 'x"}, "No closing quotation"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(folder: Path, more: list[str], env: dict[str, str], words: str) -> None:
    case = Case(folder)
    told = start(sys.executable, case, *more, **env)
    assert told.returncode == 2
    assert words in told.stderr
    assert "Traceback" not in told.stderr


def test_an_output_directory_that_cannot_be_is_no_verdict(folder: Path) -> None:
    case = Case(folder)
    case.out.write_text("a file")
    told = start(sys.executable, case, RUHROH_EVAL_COMMAND="true")
    assert told.returncode == 1
    assert told.stderr.startswith("review: no verdict: ")
    assert "Traceback" not in told.stderr


def test_the_record_of_the_run_is_used(folder: Path) -> None:
    case = Case(folder, completion={"required": True, "promise": None})
    case.hand_over()
    (folder / "agent" / "transcripts").mkdir(parents=True)
    (folder / "agent" / "transcripts" / "iteration-1.log").write_text("hello")
    record = {"runId": "r", "implementationStoppedReason": "cannot_satisfy", "iterationsUsed": 1, "completed": False}
    (folder / "agent" / "context.json").write_text(json.dumps(record))
    judge = f"echo '{json.dumps(PASS)}' > $RUHROH_EVAL_OUTPUT_PATH"
    told = start(sys.executable, case, RUHROH_EVAL_COMMAND=judge, RUHROH_EVAL_COMMAND_SHELL="1")
    assert (told.returncode, told.stdout) == (0, "review: failed (cannot_satisfy)\n")
    made = case.written("ruhroh-loop-eval-input.json")
    assert (made["runId"], made["iterationsUsed"]) == ("r", 1)
    assert [os.path.basename(path) for path in made["transcriptPaths"]] == ["iteration-1.log"]


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_a_record_that_is_none_is_as_good_as_missing(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "context.json").write_text(content)
    assert read_context(str(tmp_path / "context.json")) == RunContext()


def test_a_record_with_malformed_members_keeps_the_others(tmp_path: Path) -> None:
    record: dict[str, Any] = {
        "runId": 5,
        "journey": {"version": "x"},
        "iterationsUsed": "2",
        "completed": True,
        "leftOut": [{"path": "s", "reason": "special file"}, 5],
    }
    (tmp_path / "context.json").write_text(json.dumps(record))
    assert read_context(str(tmp_path / "context.json")) == RunContext(
        journey={"version": "x"},
        transcripts=str(tmp_path / "transcripts"),
        completed=True,
        left_out=(LeftOut("s", "special file"),),
    )


def test_the_command_itself_says_how_a_review_ended(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = Case(folder)
    (folder / "file").touch()
    monkeypatch.setenv("RUHROH_EVAL_COMMAND", 'echo \'{"status": "failed", "goalMet": false}\'')
    where = ["--tests", str(case.tests), "--room", str(folder / "room"), "--workdir", str(folder / "app")]
    where += ["--handover", case.hand_over(), "--context", str(folder / "none")]
    assert command.main([*where, "--out", str(case.out)]) == 0
    assert capsys.readouterr().out == "review: failed (goal_mismatch)\n"
    assert command.main([*where, "--out", str(folder / "file")]) == 1
    assert capsys.readouterr().err.startswith("review: no verdict: ")
    assert command.main([*where, "--user", "0"]) == 2
    assert capsys.readouterr().err.startswith("review: what the agent made is not run as root")
    monkeypatch.setenv("RUHROH_EVAL_COMMAND", "true")
    assert command.main([*where, "--out", str(case.out)]) == 1
    assert capsys.readouterr().out.startswith("review: no verdict (infra_failed): the reviewer wrote no output file")


def test_the_runtime_can_be_run_as_a_module_too() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "generator.runtime", "--help"],
        cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith("usage: review")
