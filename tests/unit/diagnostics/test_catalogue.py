"""The files of the catalogue agree with each other."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import generator.diagnostics.catalogue as module
from generator.diagnostics.catalogue import catalogue, categories

FILES = sorted(Path(module.__file__).parent.glob("catalogue*.toml"))


def test_no_code_stands_in_two_files() -> None:
    counts = Counter(code for file in FILES for code in tomllib.loads(file.read_text(encoding="utf-8")))
    assert [code for code, count in counts.items() if count > 1] == []
    assert set(counts) == set(catalogue())


def test_codes_and_categories_are_plain_words_that_differ() -> None:
    assert all(re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", code) for code in catalogue())
    assert not set(categories()) & set(catalogue())
    assert "warning" not in {*categories(), *catalogue()}
