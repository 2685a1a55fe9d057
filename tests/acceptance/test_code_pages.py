"""Every code has an example on its page, which is run: the fault gives the code, and the mend takes it away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generator.diagnostics.catalogue import catalogue, categories
from tests.examples import NOT_RUN, examples
from tests.support.codepages import FOLDER, faults, page, played_all, shown
from tests.support.golden import Golden
from tests.support.pages import reader


def by_category() -> list[Any]:
    """Every category; those whose examples need the sandbox or many processes are marked."""
    found = []
    for category in categories():
        confined = sum(example.needs_sandbox for example in shown(category).values())
        marks = [pytest.mark.sandbox] * bool(confined) + [pytest.mark.slow] * (confined > 10)
        found.append(pytest.param(category, marks=marks, id=category))
    return found


@pytest.mark.parametrize("category", by_category())
def test_the_page_of_a_category_shows_what_is_said_about_its_examples(
    category: str, tmp_path: Path, refresh_golden: bool
) -> None:
    folder = tmp_path / "examples"
    folder.mkdir()
    # Line counting writes files of its own, and what it says of an example's full disk would stand on the page.
    environment = {name: value for name, value in reader(tmp_path).items() if not name.startswith("COV")}

    seen = played_all(category, folder, environment)

    wrong = [fault for code, one in seen.items() for fault in faults(code, shown(category)[code], one)]
    assert wrong == [], "\n".join(wrong)
    Golden(FOLDER, refresh=refresh_golden).check(f"{category}.md", page(category, seen))


def test_every_code_has_an_example_or_a_reason_for_having_none() -> None:
    assert set(examples()) | set(NOT_RUN) == set(catalogue())
    assert set(examples()) & set(NOT_RUN) == set()


def test_every_page_is_that_of_a_category() -> None:
    assert {file.stem for file in FOLDER.glob("*.md")} == set(categories())
