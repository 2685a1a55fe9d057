"""The pages people read, taken apart: their examples, links and tables.

How an example says what it is:

* a ```sh block is run; it must succeed, and what it prints does not matter;
* a ```console block holds commands after `$ ` (going on after `> `) and everything they print;
* `<!-- file: NAME -->` before any block: it is written to that file first, executable when it begins with `#!`;
* `<!-- schema: NAME -->` before a block: it fits the schema of that name;
* `<!-- excerpt -->` before a ```json block: only a part of a file.

In expected output a line `...` stands for any lines, the digits of run ids and the durations may be others.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.repository import ROOT

_BLOCK: Final = re.compile(
    r"(?:^<!-- (?P<kind>file|schema|excerpt)(?:: (?P<name>\S+))? -->\n\n?)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_LINK: Final = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING: Final = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_RUN_ID: Final = re.compile(r"-[0-9a-f]{12}\b")
_DURATION: Final = re.compile(r"\b(?:\d+h\d\dm|\d+m\d\ds|\d+(?:\.\d)? ?s)\b")
_END: Final = "\x01end of command\x01"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line of its fence, and what the comment before it says."""

    language: str
    text: str
    line: int
    kind: str
    name: str


@dataclass(frozen=True)
class Command:
    """A command of a console block and what it prints."""

    text: str
    output: str


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page with a language."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            found["language"],
            found["text"],
            text.count("\n", 0, found.start("language")) + 1,
            found["kind"] or "",
            found["name"] or "",
        )
        for found in _BLOCK.finditer(text)
    ]


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        last = 1
        while last < len(lines) and lines[last].startswith("> "):
            last += 1
        text = lines[0] + "".join(line.removeprefix("> ") for line in lines[1:last])
        yield Command(text.rstrip("\n"), "".join(lines[last:]))


def transcript(block: Block, folder: Path, environment: Mapping[str, str]) -> list[Command]:
    """The commands of a console block with what they really print, run one after another in one shell."""
    asked = [command.text for command in commands(block)]
    mark = f"status=$?; printf '%s' '{_END}'; (exit $status)"
    script = "".join(f"{text}\n{mark}\n" for text in asked)
    done = _bash(script, folder, environment)
    printed = done.stdout.split(_END)
    assert len(printed) == len(asked) + 1, f"line {block.line}: the shell stopped early: {done.stdout}"
    return [Command(text, output) for text, output in zip(asked, printed, strict=False)]


def succeed(block: Block, folder: Path, environment: Mapping[str, str]) -> None:
    """Run a shell block; it must succeed."""
    done = _bash(f"set -e\n{block.text}", folder, environment)
    assert done.returncode == 0, f"line {block.line}: exit {done.returncode}: {done.stdout}"


def reader(folder: Path) -> dict[str, str]:
    """The variables of a reader who has installed Harborsmith; the command lies below `folder`."""
    programs = folder / "bin"
    programs.mkdir()
    command = programs / "harborsmith"
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m generator "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}


def _bash(script: str, folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )


def with_outputs(page: str, blocks_text: Mapping[str, str]) -> str:
    """A page whose console blocks (the text of each is a key) show other outputs."""

    def other(found: re.Match[str]) -> str:
        text = blocks_text.get(found["text"], found["text"])
        return found[0][: found.start("text") - found.start()] + text + "```"

    return _BLOCK.sub(other, page)


def console(seen: list[tuple[Command, Command]]) -> str:
    """A console block out of commands as they stood and as they went; what still holds stays as it is written."""
    made = ""
    for wanted, real in seen:
        output = wanted.output if agrees(wanted.output, real.output) else real.output
        made += "$ " + real.text.replace("\n", "\n> ") + "\n" + output
    return made


def agrees(expected: str, actual: str) -> bool:
    """Whether a real output is the expected one."""
    parts = [re.escape(steady(part)) for part in re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*?".join(parts), steady(actual)) is not None


def steady(text: str) -> str:
    """An output without what differs from run to run."""
    return _DURATION.sub("0s", _RUN_ID.sub("-000000000000", text))


def links(page: Path) -> list[str]:
    """The targets of a page's links, those in code left out."""
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return _LINK.findall(text)


def anchors(page: Path) -> set[str]:
    """What links to parts of a page may name: its headings as code hosts spell them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(text)}


def first_column(page: Path, heading: str) -> list[str]:
    """The code in the first cells of the tables below a heading, up to the next heading of any level."""
    text = page.read_text(encoding="utf-8")
    part = re.split(r"^#{1,6} ", text.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    cells = [line.split("|")[1] for line in part.splitlines() if line.startswith("|")]
    return [code for cell in cells for code in re.findall(r"`([^`]+)`", cell)]


def pages() -> list[Path]:
    """Every page for users, README first."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
