"""The shortcut past the rules about files is taken only where none of them has a word to say."""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import hypothesis
import pytest
from hypothesis import strategies as st

from generator.diagnostics.model import Finding
from generator.formats.draft import Draft
from generator.formats.reading import draft, read
from generator.rules.asset_lint import DROPPED_ENDS, MADE_BY_TOOLS, MOST_BYTES
from generator.rules.assets import MAX_BYTES
from generator.rules.names import GIT_RULES, RESERVED
from generator.rules.plain import all_plain
from generator.rules.registry import ABOUT_FILES, Rule
from tests.support.scenarios import document, write_scenario

PLAIN: Final = ("a", "b", "data", "x.csv", "readme.md", "run")
ODD: Final = (
    ("A", "Data", "DATA", "X.csv", "é", "e\u0301", "ß", "ss", "\u0130", "i\u0307"),
    ("con", "nul.txt", "aux.tar.gz", "a.", "a ", " a", "a?b", "a|b", "a\\b", "a\nb", "a\u200e", "a\x7f", "-a", "~"),
    (*(name.decode("utf-8", "surrogateescape") for name in (b"\xff", b"a\xc3")), "x" * 255, "/".join(["x" * 200] * 3)),
    (*sorted(RESERVED), *map(str.upper, sorted(RESERVED)), *sorted(GIT_RULES)),
    (*sorted(MADE_BY_TOOLS), *DROPPED_ENDS, *(f"x{end}" for end in DROPPED_ENDS)),
)
ALIKE: Final = (("a", "A"), ("x.csv", "X.csv"), ("é", "e\u0301"), ("ß", "ss"), ("i\u0307", "\u0130"))
SIZES: Final = (0, 1, 20, MOST_BYTES // 2, MOST_BYTES, MOST_BYTES + 1, MAX_BYTES, MAX_BYTES + 1)
LINKS: Final = (".", "..", "a", "gone", "data/x.csv", "../../..", "/etc/hostname")
SPELLINGS: Final = ("{}", "{}", "{}", "./{}", "{}/", "./{}//")


class Case(NamedTuple):
    """A scenario: what lies in its directory (path -> size, link's target, `directory` or `pipe`), what it declares."""

    tree: Mapping[str, int | str]
    declared: Mapping[str, Any]


FAULTS: Final = (*((name,) for group in ODD for name in group), *ALIKE)


def with_one_fault(names: tuple[str, ...]) -> Iterator[Case]:
    """Plain files, and one of an odd name or two whose names are alike, all declared by their paths, in every way."""
    for form in ("{}", "data/{}", "{}/last"):
        tree = dict.fromkeys(["first", *map(form.format, names)], 20)
        yield Case(tree, {"assets": [*filter(is_sayable, tree)]})
    tree = dict.fromkeys(["first", *names], 20)
    first, *rest = filter(is_sayable, tree)
    yield Case(tree, {"assets": [first], "evaluation__privateAssets": rest})
    for member in ("environment__setup", "evaluation__environment__setup", "evaluation__reviewer__path"):
        yield Case(tree, {"assets": [], member: (rest or [first])[-1]})


@st.composite
def anything(draw: st.DrawFn, *, is_odd: bool) -> Case:
    """Any few files; plain ones, or with odd names, links and pipes, declared in odd spellings, or not there."""
    name: st.SearchStrategy[str] = st.sampled_from(PLAIN)
    name = st.one_of(name, *map(st.sampled_from, ODD)) if is_odd else name
    path = st.lists(name, min_size=1, max_size=3).map("/".join)
    what: st.SearchStrategy[int | str] = st.sampled_from((*SIZES[:3], *SIZES, "directory"))
    if is_odd:
        what |= st.sampled_from((*LINKS, "pipe"))
    tree = draw(st.dictionaries(path, what, min_size=1, max_size=4))
    there = [*tree, *({path.rpartition("/")[0] for path in tree} - {""})]
    if is_odd:
        there += ["gone", "assets/ledger.csv", *(path.swapcase() for path in tree)]
    sayable = [*filter(is_sayable, there), "assets"]
    one = st.builds(str.format, st.sampled_from(SPELLINGS), st.sampled_from(sayable))
    some = st.lists(one, max_size=3)
    maybe = st.none() | one
    return Case(
        tree,
        {
            "assets": draw(some),
            "evaluation__privateAssets": draw(some),
            "solution": draw(maybe if is_odd else st.none()),
            "environment__setup": draw(maybe),
            "evaluation__environment__setup": draw(maybe),
            "evaluation__reviewer__path": draw(maybe),
        },
    )


def is_sayable(path: str) -> bool:
    """Whether a document can hold it."""
    return not re.search("[\ud800-\udfff]", path)


def written(root: Path, case: Case) -> Draft:
    """The scenario on disk and read; of two entries that cannot both be there, the first is."""
    given = {name: value for name, value in case.declared.items() if value is not None}
    if "evaluation__reviewer__path" in given:
        given["evaluation__reviewer__command"] = ["true"]
    scenario = write_scenario(root / "sum-ledger", document(**given))
    for path, what in case.tree.items():
        place = os.path.join(os.fsencode(scenario), os.fsencode(path))
        try:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            _put(place, what)
        except OSError:
            continue
    found = draft(read(scenario))
    assert found is not None
    return found


def _put(place: bytes, what: int | str) -> None:
    if isinstance(what, int):
        with open(place, "xb") as file:
            file.truncate(what)  # a hole, which takes no room on the disk
    elif what == "directory":
        os.mkdir(place)
    elif what == "pipe":
        os.mkfifo(place)
    else:
        os.symlink(what, place)


class Said(NamedTuple):
    """Whether the shortcut would be taken, and what the rules find that it would leave out."""

    plain: bool
    findings: Mapping[Rule, list[Finding]]

    @property
    def hidden(self) -> dict[str, list[Finding]]:
        """Findings that nobody would see, by rule."""
        return {rule.__name__: found for rule, found in self.findings.items() if found and self.plain}


def said(case: Case) -> Said:
    with tempfile.TemporaryDirectory() as folder:
        found = written(Path(folder), case)
        return Said(all_plain(found), {rule: list(rule(found)) for rule in ABOUT_FILES})


@pytest.mark.parametrize("names", FAULTS, ids=repr)
def test_one_odd_name_among_plain_files_is_never_passed_over(names: tuple[str, ...]) -> None:
    for case in with_one_fault(names):
        assert not said(case).hidden, case


def test_where_the_shortcut_is_taken_no_rule_that_it_leaves_out_finds_anything() -> None:
    taken: Counter[bool] = Counter()

    @hypothesis.settings(max_examples=200)
    @hypothesis.given(anything(is_odd=False) | anything(is_odd=True))
    def holds(case: Case) -> None:
        found = said(case)
        taken[found.plain] += 1
        assert not found.hidden

    holds()
    assert min(taken[True], taken[False]) > 20, "both ways are tried"
