from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from generator.runtime.evaluation import parse_evaluation
from generator.runtime.reviewers import (
    command_reviewer,
    environment_reviewer,
    fixture_refusal,
    is_true,
    packaged_reviewer,
)
from tests.support.files import Script, write_tree
from tests.unit.runtime.support import as_ordinary_user, evaluation_document, open_folder


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_an_existing_path_is_one_argument_even_with_spaces(tmp_path: Path) -> None:
    write_tree(tmp_path, {"my judge.sh": Script("exit 0\n")})
    made = command_reviewer(str(tmp_path / "my judge.sh"), source="option", env={"A": "b"})
    assert made.argv == (str(tmp_path / "my judge.sh"),)
    assert made.sha256 == sha("exit 0\n")
    assert (made.source, made.trusted, made.env) == ("option", True, {"A": "b"})


def test_a_command_is_split_into_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(tmp_path, {"bin/judge": Script("x")})
    monkeypatch.chdir(tmp_path)
    made = command_reviewer("bin/judge 'a b' --c", source="option", env={})
    assert made.argv == (str(tmp_path / "bin/judge"), "a b", "--c")
    named = command_reviewer("python3 -m judge", source="option", env={})
    assert named.argv == ("python3", "-m", "judge")


def test_a_directory_means_the_run_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(tmp_path, {"my judge/run": Script("exit 0\n"), "judge/run": Script("exit 1\n"), "python3/x": ""})
    monkeypatch.chdir(tmp_path)

    def argv(command: str) -> tuple[str, ...]:
        return command_reviewer(command, source="option", env={}).argv

    assert argv("my judge") == argv("./my judge/") == (str(tmp_path / "my judge/run"),)
    assert argv("./judge --strict judge") == (str(tmp_path / "judge/run"), "--strict", "judge")
    assert argv("python3 -m judge") == ("python3", "-m", "judge"), "a plain word before others is looked for on PATH"
    assert command_reviewer("judge", source="option", env={}).sha256 == sha("exit 1\n")


def test_a_reviewer_is_another_when_a_word_or_the_content_of_a_named_file_is(tmp_path: Path) -> None:
    def identity(command: str) -> str:
        return command_reviewer(command, source="option", env={}).sha256

    write_tree(tmp_path, {"a/judge.py": "x", "b/judge.py": "x", "b/other.py": "y"})
    judge = f"python3 {tmp_path}/a/judge.py"
    assert identity(judge) == identity(f"python3 {tmp_path}/b/judge.py"), "wherever the file lies"
    others = [identity(f"python3 {tmp_path}/b/other.py"), identity(f"{judge} --strict"), identity("python3 judge.py")]
    assert len({identity(judge), *others}) == 4
    before = identity(judge)
    (tmp_path / "a/judge.py").write_text("z")
    assert identity(judge) != before


def test_a_shell_reads_the_text_only_when_asked() -> None:
    made = command_reviewer("cat x | judge", source="option", env={}, shell=True)  # noqa: S604 -- a value under test
    assert made.argv == ("/bin/sh", "-c", "cat x | judge")
    assert made.sha256 == sha("cat x | judge")


@pytest.mark.parametrize(("text", "shell"), [("", False), (" ", True), ("judge 'x", False)])
def test_a_command_that_is_none_is_refused(text: str, shell: bool) -> None:
    with pytest.raises(ValueError, match=r"blank|No closing quotation"):
        command_reviewer(text, source="option", env={}, shell=shell)


@pytest.mark.parametrize("value", ["1", "true", "YES", " on "])
def test_switches_that_are_on(value: str) -> None:
    assert is_true(value)


@pytest.mark.parametrize("value", [None, "", "0", "no", "2", "off"])
def test_switches_that_are_off(value: str | None) -> None:
    assert not is_true(value)


def test_the_environment_names_a_reviewer() -> None:
    assert environment_reviewer({}) is None
    assert environment_reviewer({"RUHROH_EVAL_COMMAND": "  "}) is None
    environ = {"RUHROH_EVAL_COMMAND": "judge | tee x", "RUHROH_EVAL_COMMAND_SHELL": "yes"}
    made = environment_reviewer(environ)
    assert made is not None
    assert (made.argv, made.source, made.env) == (("/bin/sh", "-c", "judge | tee x"), "environment", environ)


def test_a_packaged_reviewer_gets_only_what_it_declares() -> None:
    evaluation = parse_evaluation(
        evaluation_document(
            reviewer={"command": ["sh", "{reviewer}/j.sh"], "sha256": "0" * 64}, reviewerEnv=["MODEL_KEY", "UNSET"]
        )
    )
    made = packaged_reviewer(evaluation, {"MODEL_KEY": "k", "SECRET": "s"})
    assert made is not None
    assert (made.source, made.trusted, made.env, made.sha256) == ("package", False, {"MODEL_KEY": "k"}, "0" * 64)
    assert packaged_reviewer(parse_evaluation(evaluation_document()), {}) is None


@pytest.mark.parametrize("name", ["RUHROH_EVAL_RESULT_FIXTURE", "RUHROH_EVAL_RESULT_FIXTURE_PATH"])
def test_a_ready_made_verdict_is_refused(name: str) -> None:
    assert name in fixture_refusal({name: '{"status": "passed"}'})
    assert fixture_refusal({name: ""}) == ""


def test_a_reviewer_that_may_be_run_but_not_read_is_known_by_its_command() -> None:
    code = (
        "import sys\n"
        "from generator.runtime.reviewers import command_reviewer\n"
        "print(command_reviewer(sys.argv[1], source='option', env={}).sha256)\n"
    )
    with open_folder() as folder:
        write_tree(folder, {"judge": Script("x")})
        (folder / "judge").chmod(0o111)
        assert as_ordinary_user(code, folder, str(folder / "judge")).strip() == sha(str(folder / "judge"))
