"""Nothing meant for the reviewer may reach the agent by any path: by name, link, hard link or directory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.wording import quoted
from generator.rules.declared import PRIVATE, PUBLIC, REVIEW_SETUP, REVIEWER, SETUP, SOLUTION, Declared, declared
from generator.scenario.names import normal_path

_SECRETS: Final = (
    (PRIVATE, "a private asset"),
    (REVIEWER, "the reviewer"),
    (SOLUTION, "the reference solution"),
)
_HINT: Final = (
    "a public path without it; move what is private to a folder of its own, such as private/, that no asset names"
)


def sealed(draft: Draft) -> Iterator[Finding]:
    """No public path leads to a private byte (`private_exposed`): one complaint for each pair of declared paths.

    Public are assets, the set-up script and the prompt file; private are private assets, reviewer, solution, a set-up
    of the review's own, and the document itself, which holds rubric and calibration cases.
    """
    secrets, publics = tuple(_secrets(draft)), tuple(_public(draft))
    if _apart(secrets, publics):
        return
    private = _Private.of(secrets)
    for public in publics:
        itself = public.pointer.startswith(PUBLIC) and private.holds(public.path)
        hint = f'"assets" without {quoted(public.path)}' if itself else _HINT
        for message in private.shown_by(public):
            yield Finding("private_exposed", public.pointer, message, hint)


def _apart(secrets: Iterable[tuple[Declared, str]], publics: Iterable[Declared]) -> bool:
    """Whether nothing private can be shown, as a quick look tells: no common file, and no common folder at the top."""
    hidden, hidden_tops = _files_and_tops([one for one, _ in secrets])
    shown, shown_tops = _files_and_tops(publics)
    return hidden.isdisjoint(shown) and hidden_tops.isdisjoint(shown_tops) and "." not in hidden_tops | shown_tops


def _files_and_tops(given: Iterable[Declared]) -> tuple[set[tuple[int, int]], set[str]]:
    files: set[tuple[int, int]] = set()
    tops: set[str] = set()
    for one in given:
        tops.add(one.path.partition("/")[0])
        files.update([entry.identity for entry in one.entries if entry.identity])
    return files, tops


class _Private(NamedTuple):
    """Everything private, found by path, by a directory above it, and by the identity of each file."""

    secrets: tuple[tuple[Declared, str], ...]
    at: dict[str, list[int]]
    below: dict[str, list[int]]
    files: dict[tuple[int, int], list[tuple[int, str]]]

    @classmethod
    def of(cls, secrets: tuple[tuple[Declared, str], ...]) -> _Private:
        made = cls(secrets, {}, {}, {})
        for number, (one, _) in enumerate(secrets):
            made.at.setdefault(one.path, []).append(number)
            for folder in _above(one.path):
                made.below.setdefault(folder, []).append(number)
            for entry in one.entries:
                if entry.identity:
                    made.files.setdefault(entry.identity, []).append((number, entry.path))
        return made

    def holds(self, path: str) -> bool:
        """Whether a path is declared private itself, or lies in what is."""
        return path in self.at or any(folder in self.at for folder in _above(path))

    def shown_by(self, public: Declared) -> Iterable[str]:
        """How `public` shows something private: a message for each private declaration."""
        found: dict[int, str] = {}
        for entry in public.entries:
            for number, path in self.files.get(entry.identity, ()) if entry.identity else ():
                same = "" if path == entry.path else f" ({quoted(entry.path)} and {quoted(path)} are one file)"
                found.setdefault(number, f"the public path {quoted(public.path)} shows {self._name(number)}{same}")
        lexical = [*self.at.get(public.path, ()), *self.below.get(public.path, ())]
        lexical += [number for folder in _above(public.path) for number in self.at.get(folder, ())]
        for number in lexical:
            found.setdefault(number, f"the public path {quoted(public.path)} and {self._name(number)}, overlap")
        return found.values()

    def _name(self, number: int) -> str:
        one, what = self.secrets[number]
        return f"{what}, {quoted(one.path)}"


def _above(path: str) -> list[str]:
    """Every directory that holds `path`, up to the scenario directory itself."""
    found = []
    while path != ".":
        path = path.rpartition("/")[0] or "."
        found.append(path)
    return found


def _secrets(draft: Draft) -> Iterator[tuple[Declared, str]]:
    tree = draft.reading.tree
    document = draft.reading.entry or tree.look(draft.document.file)
    yield Declared("", draft.document.file, (document,)), "the scenario's own document"
    for pointer, what in _SECRETS:
        for one in declared(draft, pointer):
            yield one, what
    shared = {one.path for one in declared(draft, SETUP)}
    for one in declared(draft, REVIEW_SETUP):
        if one.path not in shared:
            yield one, "the set-up of the review"


def _public(draft: Draft) -> Iterator[Declared]:
    yield from declared(draft, PUBLIC, SETUP)
    if draft.prompt.file is not None:
        entry = draft.prompt.entry or draft.reading.tree.look(draft.prompt.file)
        pointer = "/userPromptPath" if draft.get("/userPromptPath") else ""
        yield Declared(pointer, normal_path(draft.prompt.file), (entry,))
