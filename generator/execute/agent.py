"""Find the agent: which program, under which path inside, and what has to be shown so that it can start."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from generator.execute.agentfile import FILE_NAME, AgentFile, read_agent_file
from generator.execute.refusal import Refused
from generator.execute.view import SYSTEM_PATH, SYSTEM_ROOTS, Bind, first_invisible, is_below
from generator.runtime.trees import create_directory

AGENT_FOLDER: Final = "/agent"
ORACLE: Final = "oracle"
BUILT_IN: Final = (ORACLE, "nop")
_UNTELLING: Final = "run"  # a file name that says nothing about whose it is
_UNTELLING_FOLDERS: Final = frozenset(("agent", "agents", "bin", "scripts", "src"))
_SHEBANG_BYTES: Final = 512
_WORDS: Final = "matching quotes: --agent \"python3 './my agent.py'\""
_WHAT_THERE_IS: Final = (
    "the path of an executable file or of a directory with `run` in it, a program, `oracle` or `nop`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent ready to be started.

    Attributes:
        id: Adapter id as recorded.
        argv: Its command inside the sandbox.
        plain_argv: Its command on this machine, for runs without isolation.
        binds: What shows it inside.
        sha256: Of the agent's file, or of the command's text when it is a program of the system.
        about: What its `agent.json` states.
        built_in: `oracle`, `nop`, or None for a real one.
        notes: What the operator should know about how the command was understood.
        known_as: What it is called instead of `id` in everything that it and a reviewer are told; empty for `id`.
    """

    id: str
    argv: tuple[str, ...]
    plain_argv: tuple[str, ...]
    sha256: str
    binds: tuple[Bind, ...] = ()
    about: AgentFile = field(default_factory=AgentFile)
    built_in: str | None = None
    notes: tuple[str, ...] = ()
    known_as: str = ""

    @property
    def told_id(self) -> str:
        """Its id as the agent and a reviewer are told it."""
        return self.known_as or self.id


class Search(NamedTuple):
    """Where an agent's words are looked up: `--agent-path` folders and the PATH it will have inside."""

    folders: tuple[str, ...]
    path: str

    @property
    def roots(self) -> tuple[str, ...]:
        """Folders that are seen inside under their own path."""
        return (*SYSTEM_ROOTS, *self.folders)


def find_agent(command: str, search: Search, copies: Path, *, confined: bool) -> Agent | Refused:
    """Understand `--agent`.

    The first word is `oracle` or `nop`, a file, a directory with an executable `run`, or a program on the agent's PATH.
    Files are copied into `copies` (so that the agent's account may read them whatever their mode) and shown below
    `/agent`; a directory is shown there itself; what lies below an `--agent-path` folder keeps its own path.
    """
    if command in BUILT_IN:
        return built_in(command)
    words = _words(command)
    if isinstance(words, Refused):
        return words
    first = os.path.abspath(words[0])
    if os.path.isdir(first):
        found = _from_directory(first, words, search)
    elif os.path.isfile(first):
        found = _from_file(first, words, search, copies)
    else:
        found = _from_path(words, search, copies)
    if confined and isinstance(found, Agent) and (missing := _unseen_interpreter(found.plain_argv[0], search)):
        return missing
    return found


def find_agent_for_image(command: str, copies: Path) -> Agent | Refused:
    """Understand `--agent` for a run in a container, whose programs are not this machine's.

    The first word is a file, a directory with an executable `run`, or a program of the image. Files of this machine are
    copied into `copies`; what has to be uploaded stands in `binds`.
    """
    words = _words(command)
    if isinstance(words, Refused):
        return words
    search = Search((), SYSTEM_PATH)
    first = os.path.abspath(words[0])
    found: Agent | Refused
    if os.path.isdir(first):
        found = _from_directory(first, words, search)
    elif os.path.isfile(first) and not any(is_below(first, root) for root in search.roots):
        found = _from_file(first, words, search, copies)
    else:
        handed = _hand_over(words, [False] + [_is_path(word) for word in words[1:]], search, copies)
        found = replace(handed, id=os.path.basename(words[0]), sha256=_text_digest(words))
    return found


def _words(command: str) -> list[str] | Refused:
    try:
        words = shlex.split(command)
    except ValueError as error:
        return Refused("agent_command_invalid", f"--agent {command!r} cannot be split into words: {error}", _WORDS)
    if not words:
        return Refused("agent_command_invalid", "--agent is empty", "the path of a program, or `oracle` or `nop`")
    return words


def built_in(name: str) -> Agent:
    """The agent `oracle` or `nop`."""
    argv = ("/bin/bash", "/solution/solve.sh") if name == ORACLE else ("/usr/bin/env", "true")
    digest = hashlib.sha256(name.encode()).hexdigest()
    return Agent(id=name, argv=argv, plain_argv=argv, sha256=digest, built_in=name)


def _from_directory(folder: str, words: list[str], search: Search) -> Agent | Refused:
    program = os.path.join(folder, "run")
    if not os.access(program, os.X_OK) or os.path.isdir(program):
        there = os.path.isfile(program)
        hint = f"chmod +x {program}" if there else f"an executable file {program}, or the path of the program itself"
        return Refused("agent_not_executable", f"{folder} holds no executable file `run`", hint)
    about = read_agent_file(Path(folder))
    if isinstance(about, Refused):
        return about
    seen = any(is_below(folder, root) for root in search.folders)
    shown = program if seen else f"{AGENT_FOLDER}/run"
    return Agent(
        id=about.id or os.path.basename(folder),
        argv=(shown, *words[1:]),
        plain_argv=(program, *words[1:]),
        sha256=_file_digest(program),
        binds=() if seen else (Bind(folder, AGENT_FOLDER),),
        about=about,
    )


def _from_file(file: str, words: list[str], search: Search, copies: Path) -> Agent | Refused:
    if not os.access(file, os.X_OK) and os.path.basename(file) == FILE_NAME:
        message = f"{file} tells about an agent, and is none"
        return Refused("agent_not_executable", message, f"its directory: --agent {os.path.dirname(words[0]) or '.'}")
    if not os.access(file, os.X_OK):
        return Refused("agent_not_executable", f"{file} is not executable", f"chmod +x {file}")
    about = read_agent_file(Path(file).parent)
    if isinstance(about, Refused):
        return about
    handed = _hand_over(words, [True] + [_is_path(word) for word in words[1:]], search, copies)
    return replace(handed, id=about.id or _telling_name(file), sha256=_file_digest(file), about=about)


def _from_path(words: list[str], search: Search, copies: Path) -> Agent | Refused:
    program = None if "/" in words[0] else shutil.which(words[0], path=search.path)
    if program is None or first_invisible(program, search.roots) is not None:
        return _no_program(words[0], search)
    handed = _hand_over(words, [False] + [_is_path(word) for word in words[1:]], search, copies)
    notes = tuple(
        f"{word} is taken as a name in the workspace; write ./{word} to hand over the file of that name that lies here"
        for word in words[1:]
        if "/" not in word and os.path.isfile(word)
    )
    plain = (program, *handed.plain_argv[1:])
    return replace(handed, id=os.path.basename(words[0]), sha256=_text_digest(words), plain_argv=plain, notes=notes)


def _hand_over(words: list[str], paths: list[bool], search: Search, copies: Path) -> Agent:
    """Copy the files among `words` into `copies` and name them as they appear inside."""
    shown, plain, copied = [], [], False
    for word, is_path in zip(words, paths, strict=True):
        place = os.path.abspath(word)
        plain.append(place if is_path else word)
        if not is_path:
            shown.append(word)
        elif any(is_below(place, root) for root in search.roots):
            shown.append(place)
        else:
            shown.append(f"{AGENT_FOLDER}/{_copy(place, copies)}")
            copied = True
    binds = (Bind(str(copies), AGENT_FOLDER),) if copied else ()
    return Agent(id="", argv=tuple(shown), plain_argv=tuple(plain), sha256="", binds=binds)


def _copy(file: str, copies: Path) -> str:
    """Where in `copies` the copy of `file` lies; a second file of one name gets a folder of its own."""
    name = os.path.basename(file)
    if not copies.exists():
        create_directory(str(copies))
    target = copies / name
    if target.exists():
        own = next(str(number) for number in count(1) if not (copies / str(number)).exists())
        return f"{own}/{_copy(file, copies / own)}"
    shutil.copyfile(file, target)
    target.chmod(0o755 if os.access(file, os.X_OK) else 0o644)
    return name


def _is_path(word: str) -> bool:
    return "/" in word and os.path.isfile(word)


def _telling_name(file: str) -> str:
    """The file's name without suffixes; where that says nothing, the name of the nearest folder that says something."""
    path = Path(file)
    stem = path.name.split(".")[0] or path.name
    if stem != _UNTELLING:
        return stem
    folders = [folder.name for folder in path.parents if folder.name]
    return next((name for name in folders if name not in _UNTELLING_FOLDERS), next(iter(folders), stem))


def _text_digest(words: list[str]) -> str:
    return hashlib.sha256(" ".join(words).encode("utf-8", "surrogateescape")).hexdigest()


def _file_digest(file: str) -> str:
    with open(file, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _no_program(word: str, search: Search) -> Refused:
    if "/" in word:
        return Refused("agent_not_found", f"--agent: there is no file or directory {word}", _WHAT_THERE_IS)
    elsewhere = shutil.which(word)
    if elsewhere is None:
        import difflib

        message = f"--agent: there is no file {word} here and no such program on {search.path}"
        close = difflib.get_close_matches(word, BUILT_IN, n=1)
        hint = f"--agent {close[0]}, which is built in" if close else _WHAT_THERE_IS
        return Refused("agent_not_found", message, hint)
    hidden = first_invisible(os.path.abspath(elsewhere), search.roots) or elsewhere
    message = f"--agent: {word} is not found inside the sandbox: {hidden} is not shown there"
    return Refused("agent_not_visible", message, _show(hidden, elsewhere))


def _unseen_interpreter(program: str, search: Search) -> Refused | None:
    """The refusal for a script whose interpreter the sandbox does not show.

    Without it the system says "No such file or directory" about a file that is plainly there.
    """
    try:
        with open(program, "rb") as handle:
            line = handle.read(_SHEBANG_BYTES).split(b"\n")[0]
    except OSError as error:
        return Refused("agent_not_executable", f"{program} cannot be read: {error.strerror}")
    words = line[2:].decode("utf-8", "replace").split() if line.startswith(b"#!") else []
    if not words:
        return None
    interpreter = words[0]
    if os.path.basename(interpreter) == "env":
        name = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
        interpreter = name if "/" in name else (shutil.which(name, path=search.path) or "")
        if not interpreter:
            message = f"{program} asks for {name}, which is not on the agent's PATH inside the sandbox ({search.path})"
            return Refused("agent_not_visible", message, _where_it_is(name))
    missing = first_invisible(os.path.abspath(interpreter), search.roots)
    if missing is None and os.path.exists(interpreter):
        return None
    missing = missing or interpreter
    message = f"{program} starts with #!{' '.join(words)}; not found inside the sandbox: {missing}"
    return Refused("agent_not_visible", message, _show(missing, missing))


def _where_it_is(name: str) -> str:
    elsewhere = shutil.which(name)
    return _show(elsewhere, elsewhere) if elsewhere else f"install {name} on this machine"


def _show(path: str, program: str) -> str:
    """The options that make the folder of `path` seen, with its `bin` searched when it has one."""
    folder = os.path.dirname(path)
    if os.path.basename(folder) == "bin":
        root = os.path.dirname(folder)
        searched = f"--agent-env PATH={os.path.dirname(program)}:/usr/bin:/bin"
        return f"add --agent-path {root}, and {searched} when it is searched by name"
    return f"add --agent-path {folder}"
