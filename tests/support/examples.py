"""An example of a code: a fault that gives it, what the tool prints, and the mend that makes it go away."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import shlex
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner

from generator.cli.main import group
from generator.diagnostics.printable import printable
from tests.support.files import Tree, write_tree
from tests.support.pages import Block, Command, steady, transcript
from tests.support.scenarios import LEDGER, PROMPT, document

SCENARIO: Final = "scenarios/sum-ledger/"
READER: Final = "/home/you/pack"
_SHOWN_BYTES: Final = 64 * 1024
_TOO_LARGE: Final = 2**24
_SHOWN_WIDTH: Final = 110
_SHOWN_LINES: Final = 8
_SIMPLE: Final = re.compile(r"harborsmith (?:validate|generate)[\w ./-]*")
# A machine on which something is missing or forbidden, made out of this one.
WITHOUT: Final = "bwrap --dev-bind / / --ro-bind /dev/null"
UNPRIVILEGED: Final = "bwrap --dev-bind / / --cap-drop CAP_DAC_OVERRIDE --cap-drop CAP_DAC_READ_SEARCH"


def nothing(_: Path) -> None:
    """No change beyond the files."""


@dataclass(frozen=True)
class State:
    """A pack as it lies on disk.

    Attributes:
        files: Files that differ from the small valid pack; None leaves one of them out.
        touch: What no file tree can say: permissions, holes, many files.
        note: How a page says what `touch` did.
    """

    files: Mapping[str, Any] = field(default_factory=dict)
    touch: Callable[[Path], None] = nothing
    note: str = ""

    def write(self, root: Path) -> None:
        """Write the pack below `root`."""
        base: Tree = {
            f"{SCENARIO}scenario.json": document(),
            f"{SCENARIO}instruction.md": PROMPT,
            f"{SCENARIO}assets/ledger.csv": LEDGER,
        }
        files = {name: content for name, content in {**base, **self.files}.items() if content is not None}
        write_tree(root, files)
        self.touch(root)


@dataclass(frozen=True)
class Example:
    """How a reader would meet a code.

    Attributes:
        fault: The pack with the fault.
        mended: The pack without it.
        hidden: Shell lines that lead there, in both packs, which no reader types.
        before: Shell lines that lead there, in both packs, as a reader types them.
        around: What the command is started by, to make this machine one with the fault; its note is the faulty pack's.
        command: What prints the code.
        instead: What to type instead, where the command is the fault.
        clean: Nothing at all is said about the mended pack, and the exit code is 0.
    """

    fault: State = State()
    mended: State = State()
    hidden: str = ""
    before: str = ""
    around: str = ""
    command: str = "harborsmith validate"
    instead: str = ""
    clean: bool = True

    @property
    def needs_sandbox(self) -> bool:
        """Whether it can only be played where bubblewrap starts."""
        return bool(self.around) or not _SIMPLE.fullmatch(self.command)


def scenario(files: Mapping[str, Any] | None = None, **changes: Any) -> State:
    """The pack with another document (`evaluation__checks=[…]` sets a nested member) and with `files` beside it."""
    beside = {SCENARIO + name: content for name, content in (files or {}).items()}
    return State({f"{SCENARIO}scenario.json": document(**changes), **beside})


@dataclass(frozen=True)
class Seen:
    """What an example did: the commands with their outputs, the end of the mended one, and the packs' difference."""

    faulty: list[Command]
    mended: str
    exit_code: str
    difference: str


def played(example: Example, folder: Path, environment: Mapping[str, str]) -> Seen:
    """Do what the example says, once with the fault and once without it."""
    faulty, mended = folder / "faulty", folder / "mended"
    for state, root in ((example.fault, faulty), (example.mended, mended)):
        root.mkdir()
        state.write(root)
    difference = _difference(example, faulty, mended)
    shown = [*example.before.splitlines(), example.command]
    typed = [*example.before.splitlines(), f"{example.around} {example.command}".strip()]
    *first, _ = _typed(example.hidden, typed, faulty, environment)
    *second, code = _typed(example.hidden, [*typed[:-1], example.instead or example.command], mended, environment)
    printed = [Command(text, one.output) for text, one in zip(shown, first, strict=True)]
    return Seen(printed, "".join(one.output for one in second), code.output.strip(), difference)


def section(code: str, head: str, seen: Seen) -> str:
    """The part of a page about one code."""
    shown = "".join(f"$ {command.text}\n{command.output}" for command in seen.faulty)
    return f"## {code}\n\n{head}\n\n```console\n{shown}```\n\nMended:\n\n```diff\n{seen.difference}```\n"


def _typed(hidden: str, lines: list[str], root: Path, environment: Mapping[str, str]) -> list[Command]:
    """Shell lines with what they print, and at last the exit code of the last one."""
    if not hidden and len(lines) == 1 and _SIMPLE.fullmatch(lines[0]):
        typed = _here(lines[0], root)
    else:
        text = "".join(f"$ {line}\n" for line in (hidden or "true", *lines, "echo $?"))
        typed = transcript(Block("console", text, 0, "", ""), root, environment)[1:]
    return [Command(one.text, _steadied(one.output, root)) for one in typed]


def _here(line: str, root: Path) -> list[Command]:
    """The same without a process of its own, which would take most of the time."""
    with contextlib.chdir(root):
        done = CliRunner().invoke(group, shlex.split(line)[1:], prog_name="harborsmith", catch_exceptions=False)
    return [Command(line, done.output), Command("echo $?", str(done.exit_code))]


def _steadied(output: str, root: Path) -> str:
    text = steady(output.replace(str(root), READER))
    text = re.sub(r"\b0s\b", "0.4s", text)  # any time will do
    # What a package's digest is follows from every file of it, the review's own code included.
    return re.sub(r"sha256:[0-9a-f]{64}", "sha256:…", text)


def _difference(example: Example, faulty: Path, mended: Path) -> str:
    made = ""
    before, after = _described(faulty), _described(mended)
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, []), after.get(name, [])
        changed = [line for line in difflib.ndiff(old, new) if line[0] in "+-"]
        if changed:
            lines = "".join(f"{line[:_SHOWN_WIDTH]}{_cut(line)}\n" for line in _few(changed))
            made += f"{name[:_SHOWN_WIDTH]}{_cut(name)}\n{lines}"
    for sign, note in (("-", example.fault.note), ("+", example.mended.note)):
        made += f"{sign} {note}\n" if note else ""
    if example.instead:
        made += f"- {example.command}\n+ {example.instead}\n"
    return made


def _few(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _SHOWN_LINES else [*lines[:_SHOWN_LINES], "  …"]


def _cut(line: str) -> str:
    return "…" if len(line) > _SHOWN_WIDTH else ""


def _described(root: Path) -> dict[str, list[str]]:
    """Every entry below `root` that is no directory with something in it: its lines, or what it is."""
    found = {}
    for folder, folders, names in os.walk(root):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        empty = [name for name in folders if name not in links and not os.listdir(Path(folder, name))]
        for name in [*names, *links, *empty]:
            path = Path(folder, name)
            found[printable(path.relative_to(root).as_posix())] = list(_lines(path))
    return found


def _lines(path: Path) -> Iterator[str]:
    about = path.lstat()
    if stat.S_ISLNK(about.st_mode):
        yield f"(a link to {os.readlink(path)})"
    elif stat.S_ISFIFO(about.st_mode):
        yield "(a named pipe)"
    elif stat.S_ISDIR(about.st_mode):
        yield "(an empty directory)"
    elif about.st_size > _TOO_LARGE or (about.st_size > _SHOWN_BYTES and path.suffix == ".md"):
        yield f"({about.st_size:,} bytes)"
    else:
        if path.name in ("agent.sh", "judge.sh"):
            yield f"(mode {stat.S_IMODE(about.st_mode):o})"
        text = path.read_bytes().decode("utf-8", "backslashreplace")
        yield from (printable(line) for line in text.split("\n")[: -1 if text.endswith("\n") else None])
