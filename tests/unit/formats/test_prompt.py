"""The prompt: where it comes from, what it may be, and that it is kept as it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from generator.formats.prompt import MAX_PROMPT_BYTES, Prompt, read_prompt
from generator.source.tree import Tree
from tests.support.files import Link, write_tree


def prompt(root: Path, sound: dict[str, Any] | None = None, invalid: frozenset[str] = frozenset()) -> Prompt:
    return read_prompt(Tree(root), sound or {}, invalid)


def codes(found: Prompt) -> list[str]:
    return [finding.code for finding in found.findings]


@pytest.mark.parametrize(
    ("there", "hint"),
    [
        ("instruction.md", '"instruction.md"'),
        ("texts/Instructions.md", '"texts/Instructions.md"'),
        ("data.csv", "a UTF-8 text file of at most 96 KiB inside the scenario directory"),
    ],
)
def test_a_missing_prompt_is_met_with_the_file_that_was_probably_meant(tmp_path: Path, there: str, hint: str) -> None:
    write_tree(tmp_path, {there: "Sum it.\n"})
    (found,) = prompt(tmp_path, {"userPromptPath": "instructions.md"}).findings
    assert (found.code, found.hint) == ("prompt_missing", hint)


@pytest.mark.parametrize("text", ["Sum it.", "  Sum it.\r\nTwice.\n\n", "\u00a0Sum it.\x1b[0m", "😀\n", "a\u2028b"])
def test_a_prompt_is_kept_byte_for_byte(tmp_path: Path, text: str) -> None:
    (tmp_path / "instruction.md").write_bytes(text.encode())
    assert prompt(tmp_path)[:3] == (text, "instruction.md", ())


def test_an_inline_prompt_wins_over_any_path(tmp_path: Path) -> None:
    write_tree(tmp_path, {"instruction.md": "From the file."})
    found = prompt(tmp_path, {"userPrompt": "Inline.\n", "userPromptPath": "gone.md"})
    assert found == Prompt("Inline.\n", None)


def test_a_named_file_wins_over_the_default(tmp_path: Path) -> None:
    write_tree(tmp_path, {"instruction.md": "Default.", "task/prompt.md": "Named."})
    assert prompt(tmp_path, {"userPromptPath": "task/prompt.md"})[:2] == ("Named.", "task/prompt.md")


def test_a_missing_named_file_is_not_replaced_by_the_default(tmp_path: Path) -> None:
    write_tree(tmp_path, {"instruction.md": "Default."})
    found = prompt(tmp_path, {"userPromptPath": "task.md"})
    assert codes(found) == ["prompt_missing"]
    assert found.findings[0].pointer == "/userPromptPath"


@pytest.mark.parametrize("pointer", ["/userPrompt", "/userPromptPath"])
def test_nothing_more_is_said_when_the_deciding_member_is_invalid(tmp_path: Path, pointer: str) -> None:
    assert prompt(tmp_path, {}, frozenset({pointer})) == Prompt()


def test_a_byte_order_mark_is_left_out_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "instruction.md").write_bytes(b"\xef\xbb\xbfSum it.\n")
    found = prompt(tmp_path)
    assert found.text == "Sum it.\n"
    assert codes(found) == ["prompt_bom"]


def test_bytes_that_are_no_text_are_refused_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "instruction.md").write_bytes("é\nTotal in ".encode() + b"\xa4.\n")
    (finding,) = prompt(tmp_path).findings
    assert (finding.code, finding.file, finding.position) == ("prompt_encoding", "instruction.md", (2, 10))


def test_a_nul_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "instruction.md").write_bytes(b"a\nb\0c")
    (finding,) = prompt(tmp_path).findings
    assert (finding.code, finding.position) == ("prompt_nul", (2, 2))


@pytest.mark.parametrize("data", [b"", b" \n\t", "\u3000\n".encode(), b"\xef\xbb\xbf "])
def test_a_blank_prompt_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "instruction.md").write_bytes(data)
    assert codes(prompt(tmp_path))[-1] == "prompt_blank"


@pytest.mark.parametrize(("size", "expected"), [(MAX_PROMPT_BYTES, []), (MAX_PROMPT_BYTES + 1, ["prompt_too_large"])])
def test_the_limit_holds_for_files_and_inline_texts_alike(tmp_path: Path, size: int, expected: list[str]) -> None:
    text = "é" * (size // 2) + "x" * (size % 2)
    (tmp_path / "instruction.md").write_bytes(text.encode())
    assert codes(prompt(tmp_path)) == expected
    assert codes(prompt(tmp_path, {"userPrompt": text})) == expected


def test_a_fifo_prompt_is_refused_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "instruction.md")
    assert codes(prompt(tmp_path)) == ["prompt_not_a_file"]


@pytest.mark.parametrize(
    ("target", "code"),
    [("/etc/hostname", "prompt_outside"), ("../x", "prompt_outside"), ("instruction.md", "prompt_not_a_file")],
)
def test_a_link_is_followed_only_inside(tmp_path: Path, target: str, code: str) -> None:
    write_tree(tmp_path, {"x": "outside", "in/instruction.md": Link(target), "in/real.md": "Inside."})
    assert codes(prompt(tmp_path / "in")) == [code]
    write_tree(tmp_path, {"in/link.md": Link("real.md")})
    assert prompt(tmp_path / "in", {"userPromptPath": "link.md"}).text == "Inside."
