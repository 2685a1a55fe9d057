"""Which reviewer is asked, and what exactly that is: the operator's, the package's, or the environment's."""

from __future__ import annotations

import hashlib
import os
import shlex
from typing import Dict, Mapping, Optional, Tuple

from .evaluation import CHECKS_ONLY, Evaluation
from .handover import digest
from .launch import ReviewerCommand
from .operators import ENVIRONMENT, OPTION
from .redact import secrets_among

COMMAND = "RUHROH_EVAL_COMMAND"
SHELL = "RUHROH_EVAL_COMMAND_SHELL"
FIXTURES = ("RUHROH_EVAL_RESULT_FIXTURE", "RUHROH_EVAL_RESULT_FIXTURE_PATH")
PROGRAM = "run"  # what is started of a directory, an agent's or a reviewer's
_TRUE = ("1", "true", "yes", "on")


def is_true(value: Optional[str]) -> bool:
    """The published reading of a switch in the environment: 1, true, yes or on, in any case."""
    return (value or "").strip().lower() in _TRUE


def fixture_refusal(environ: Mapping[str, str]) -> str:
    """Why an environment that carries a ready-made verdict is refused; empty when it carries none."""
    names = [name for name in FIXTURES if environ.get(name)]
    return f"{names[0]} is set: a verdict that nobody reached is not accepted; unset it" if names else ""


def command_reviewer(text: str, *, source: str, env: Mapping[str, str], shell: bool = False) -> ReviewerCommand:
    """A trusted reviewer given as a command.

    Published reading: a whole string for `/bin/sh` when `shell`, else the path of an existing file, else words. Of a
    directory, its `run` is meant.

    Args:
        text: The command.
        source: `option` or `environment`.
        env: The reviewer's environment, besides what the review adds.
        shell: Whether a shell reads the text.

    Raises:
        ValueError: The text is blank or its quotes do not match.
    """
    argv = _words(text.strip(), shell)
    if not argv:
        raise ValueError("the reviewer's command is blank")
    return ReviewerCommand(argv, source, _identity(argv, text, shell), trusted=True, env=dict(env))


def _words(text: str, shell: bool) -> Tuple[str, ...]:
    if shell and text:
        return ("/bin/sh", "-c", text)
    if os.path.exists(text):
        return (_program(text),)
    try:
        words = shlex.split(text)
    except ValueError as problem:
        raise ValueError(f"the reviewer's command cannot be split into words: {problem}") from None
    if words and "/" in words[0]:
        words[0] = _program(words[0])
    return tuple(words)


def _program(word: str) -> str:
    """The absolute path that a word with a path in it means as a program."""
    path = os.path.abspath(word)
    return os.path.join(path, PROGRAM) if os.path.isdir(path) else path


def _identity(argv: Tuple[str, ...], text: str, shell: bool) -> str:
    """SHA-256 of what would have to change for another reviewer to be asked, wherever its files lie.

    Of a command that is one file, the file's; of several words, that of the words, with the digest of its content in
    place of each that is a file; of a shell's text, the text's.
    """
    if shell:
        return _sha256(text)
    words = [_content(word) for word in argv]
    if len(words) == 1:
        return words[0] or _sha256(text)
    lines = [f"file {content}" if content else f"word {word}" for word, content in zip(argv, words)]
    return _sha256("".join(f"{line}\0" for line in lines))


def _content(word: str) -> str:
    """SHA-256 of the file that a word names; empty where it names none that can be read."""
    try:
        return digest(word) if os.path.isfile(word) else ""
    except (OSError, ValueError):
        return ""


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def choose_reviewer(
    evaluation: Evaluation, theirs: Optional[ReviewerCommand], environ: Mapping[str, str]
) -> Optional[ReviewerCommand]:
    """The operator's option, else the package's reviewer, else the environment's; None where checks alone decide.

    Args:
        evaluation: What the package asks.
        theirs: What the operator gave; its `source` says whether it comes before the package's or after it.
        environ: Where a packaged reviewer's variables come from.

    Returns:
        Who is asked; None also where nobody is there.
    """
    if evaluation.mode == CHECKS_ONLY:
        return None
    if theirs is not None and theirs.source == OPTION:
        return theirs
    return packaged_reviewer(evaluation, environ) or theirs


def packaged_reviewer(evaluation: Evaluation, environ: Mapping[str, str]) -> Optional[ReviewerCommand]:
    """The package's own reviewer, with the variables it declares as far as `environ` has them; None without one."""
    if evaluation.reviewer is None:
        return None
    env: Dict[str, str] = {name: environ[name] for name in evaluation.reviewer_env if name in environ}
    chosen = evaluation.reviewer
    return ReviewerCommand(chosen.command, "package", chosen.sha256, trusted=False, env=env, secrets=secrets_among(env))


def environment_reviewer(environ: Mapping[str, str]) -> Optional[ReviewerCommand]:
    """The reviewer RUHROH_EVAL_COMMAND names; None without one. Raises ValueError when its quotes do not match."""
    text = environ.get(COMMAND, "")
    if not text.strip():
        return None
    return command_reviewer(text, source=ENVIRONMENT, env=environ, shell=is_true(environ.get(SHELL)))
