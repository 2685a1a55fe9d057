"""Where the acceptance tests of runs work: as whoever started the tests, or as every kind of account."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.runs import ACCOUNTS, Bench, account


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A folder to run commands in."""
    return Bench(tmp_path)


@pytest.fixture(params=ACCOUNTS)
def everyone(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """The same for each kind of account."""
    who = account(request.param)
    with who.folder() as folder:
        yield Bench(folder, who)
