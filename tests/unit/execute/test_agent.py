"""How `--agent` is understood."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from generator.execute.agent import Agent, Search, find_agent
from generator.execute.refusal import Refused
from generator.execute.view import SYSTEM_PATH
from tests.support.files import Link, Script, write_tree

SHELL = Script("#!/bin/sh\necho hello\n")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def find(command: str, here: Path, *folders: str, path: str = SYSTEM_PATH, confined: bool = True) -> Agent | Refused:
    return find_agent(command, Search(folders, path), here.parent / "room", confined=confined)


def found(command: str, here: Path, *folders: str, path: str = SYSTEM_PATH) -> Agent:
    agent = find(command, here, *folders, path=path)
    assert isinstance(agent, Agent), agent
    return agent


def refused(command: str, here: Path, *folders: str, path: str = SYSTEM_PATH) -> Refused:
    refusal = find(command, here, *folders, path=path)
    assert isinstance(refusal, Refused), refusal
    return refusal


def test_a_file_is_copied_and_shown_below_agent(here: Path) -> None:
    write_tree(here, {"solver.sh": SHELL})
    agent = found("./solver.sh --fast", here)
    assert agent.argv == ("/agent/solver.sh", "--fast")
    assert agent.plain_argv == (str(here / "solver.sh"), "--fast")
    assert agent.id == "solver"
    assert agent.sha256 == hashlib.sha256(SHELL.text.encode()).hexdigest()
    assert [bind.target for bind in agent.binds] == ["/agent"]
    assert (Path(agent.binds[0].source) / "solver.sh").stat().st_mode & 0o777 == 0o755


def test_files_of_one_name_do_not_replace_each_other(here: Path) -> None:
    write_tree(here, {"a/1": SHELL, "b/1": "first", "c/1": "second", "d/2": "third"})
    agent = found("a/1 b/1 c/1 d/2", here)
    assert agent.argv == ("/agent/1", "/agent/2/1", "/agent/3/1", "/agent/4/2")
    copies = [Path(agent.binds[0].source) / path.removeprefix("/agent/") for path in agent.argv]
    assert [copy.read_text() for copy in copies] == [SHELL.text, "first", "second", "third"]


def test_a_closed_file_becomes_readable_by_its_copy(here: Path) -> None:
    write_tree(here, {"solver.sh": SHELL})
    (here / "solver.sh").chmod(0o700)
    agent = found("./solver.sh", here)
    assert (Path(agent.binds[0].source) / "solver.sh").stat().st_mode & 0o777 == 0o755


def test_a_name_with_spaces_is_one_word_when_quoted(here: Path) -> None:
    write_tree(here, {"my agent": SHELL})
    assert found("'./my agent' 'two words'", here).argv == ("/agent/my agent", "two words")


def test_a_directory_is_shown_itself_and_its_run_is_started(here: Path) -> None:
    write_tree(here, {"clever/run": SHELL, "clever/lib/helper": "x"})
    agent = found("clever", here)
    assert agent.argv == ("/agent/run",)
    assert [(bind.source, bind.target) for bind in agent.binds] == [(str(here / "clever"), "/agent")]
    assert agent.id == "clever"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("alpha/run.sh", "alpha"),
        ("beta/run.sh", "beta"),
        ("alpha/agents/run.sh", "alpha"),
        ("beta/src/agents/run.sh", "beta"),
        ("agents/beta.sh", "beta"),
        ("beta/main.py", "main"),
        ("beta/other.tar.sh", "other"),
    ],
)
def test_agents_with_untelling_file_names_are_told_apart_by_their_folders(here: Path, file: str, name: str) -> None:
    write_tree(here, {file: SHELL})
    assert found(file, here).id == name


def test_agent_json_names_the_agent(here: Path) -> None:
    about = {"id": "solver-x", "version": "2.1", "continuity": "native_session", "tools": ["shell"], "env": ["API_KEY"]}
    write_tree(here, {"run": SHELL, "agent.json": {**about, "colour": "red"}})
    agent = found("./run", here)
    assert (agent.id, agent.about.version, agent.about.continuity) == ("solver-x", "2.1", "native_session")
    assert (agent.about.tools, agent.about.env) == (("shell",), ("API_KEY",))
    assert "colour" in agent.about.warnings[0]


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"id": 3}', '{"version": "1"}', '{"id": "a", "continuity": "forever"}', '{"id": "a", "id": "b"}'],
)
def test_a_wrong_agent_json_is_refused(here: Path, text: str) -> None:
    write_tree(here, {"run": SHELL, "agent.json.txt": ""})
    (here / "agent.json").write_text(text)
    assert refused("./run", here).code == "agent_file_invalid"


def test_a_program_of_the_system_is_found_on_the_path(here: Path) -> None:
    agent = found("cat notes.txt", here)
    assert (agent.argv, agent.id, agent.binds, agent.notes) == (("cat", "notes.txt"), "cat", (), ())


def test_a_script_handed_to_an_interpreter_is_copied_when_it_is_named_by_a_path(here: Path) -> None:
    write_tree(here, {"solve.py": "print(1)\n"})
    assert found("python3 ./solve.py -v", here).argv == ("python3", "/agent/solve.py", "-v")


def test_a_bare_name_means_the_workspace_and_a_note_says_so(here: Path) -> None:
    write_tree(here, {"solve.py": "print(1)\n"})
    agent = found("python3 solve.py", here)
    assert agent.argv == ("python3", "solve.py")
    assert "./solve.py" in agent.notes[0]


def test_what_lies_below_an_agent_path_keeps_its_own_path(here: Path) -> None:
    write_tree(here, {"tools/bin/solve": SHELL, "tools/lib/x.py": ""})
    tools = str(here / "tools")
    agent = found("tools/bin/solve ./tools/lib/x.py", here, tools)
    assert (agent.argv, agent.binds) == ((f"{tools}/bin/solve", f"{tools}/lib/x.py"), ())


def test_a_directory_below_an_agent_path_keeps_its_own_path(here: Path) -> None:
    write_tree(here, {"tools/clever/run": SHELL})
    agent = found("tools/clever", here, str(here / "tools"))
    assert (agent.argv, agent.binds) == ((str(here / "tools/clever/run"),), ())


def test_a_program_on_the_given_path_below_an_agent_path_is_found(here: Path) -> None:
    write_tree(here, {"tools/bin/solve": SHELL})
    tools = str(here / "tools")
    agent = found("solve", here, tools, path=f"{tools}/bin:/usr/bin:/bin")
    assert agent.plain_argv == (f"{tools}/bin/solve",)


@pytest.mark.parametrize("name", ["oracle", "nop"])
def test_built_in_agents_have_their_names(here: Path, name: str) -> None:
    agent = found(name, here)
    assert (agent.id, agent.built_in) == (name, name)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("", "agent_command_invalid"),
        ("'open", "agent_command_invalid"),
        ("./missing", "agent_not_found"),
        ("no-such-program-anywhere", "agent_not_found"),
        ("./plain", "agent_not_executable"),
        ("folder", "agent_not_executable"),
        ("unrunnable", "agent_not_executable"),
    ],
)
def test_a_command_that_cannot_start_is_refused_before_anything_runs(here: Path, command: str, code: str) -> None:
    write_tree(here, {"plain": "echo\n", "folder/readme": "", "unrunnable/run": "echo\n"})
    assert refused(command, here).code == code


@pytest.mark.parametrize("command", ["./missing", "no-such-program-anywhere"])
def test_who_names_no_agent_is_told_what_one_is(here: Path, command: str) -> None:
    assert "directory with `run`" in refused(command, here).hint


def test_a_program_of_the_operator_is_refused_with_the_options_that_show_it(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(here, {"node/bin/clever": SHELL})
    monkeypatch.setenv("PATH", f"{here}/node/bin:/usr/bin:/bin")
    refusal = refused("clever", here)
    assert refusal.code == "agent_not_visible"
    assert f"--agent-path {here}/node" in refusal.hint
    assert f"PATH={here}/node/bin" in refusal.hint


def test_an_interpreter_that_is_not_seen_inside_is_named_with_its_folder(here: Path) -> None:
    write_tree(here, {".venv/bin/python": SHELL, "solve.py": Script(f"#!{here}/.venv/bin/python\nprint(1)\n")})
    refusal = refused("./solve.py", here)
    assert f"not found inside the sandbox: {here}/.venv/bin/python" in refusal.message
    assert f"--agent-path {here}/.venv" in refusal.hint


def test_an_interpreter_that_is_a_link_has_to_be_seen_at_its_end(here: Path) -> None:
    write_tree(
        here,
        {
            "versions/bin/python": SHELL,
            ".venv/bin/python": Link("../../versions/bin/python"),
            "solve.py": Script(f"#!{here}/.venv/bin/python\n"),
        },
    )
    refusal = refused("./solve.py", here, str(here / ".venv"))
    assert f"--agent-path {here}/versions" in refusal.hint
    assert isinstance(find("./solve.py", here, str(here / ".venv"), str(here / "versions")), Agent)


def test_an_interpreter_searched_by_name_has_to_be_on_the_agents_path(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(here, {"opt/bin/deno9": SHELL, "solve.js": Script("#!/usr/bin/env -S deno9 run\n")})
    monkeypatch.setenv("PATH", f"{here}/opt/bin:/usr/bin:/bin")
    refusal = refused("./solve.js", here)
    assert "deno9" in refusal.message
    assert f"--agent-path {here}/opt" in refusal.hint
    opt = str(here / "opt")
    assert isinstance(find("./solve.js", here, opt, path=f"{opt}/bin:/usr/bin"), Agent)


def test_a_missing_interpreter_is_refused(here: Path) -> None:
    write_tree(
        here, {"solve.py": Script("#!/usr/bin/no-such-python\n"), "by_name": Script("#!/usr/bin/env no-such-x\n")}
    )
    assert refused("./solve.py", here).code == "agent_not_visible"
    assert "install no-such-x" in refused("./by_name", here).hint


def test_without_isolation_interpreters_are_the_machines_own_business(here: Path) -> None:
    write_tree(here, {".venv/bin/python": SHELL, "solve.py": Script(f"#!{here}/.venv/bin/python\n")})
    assert isinstance(find("./solve.py", here, confined=False), Agent)
