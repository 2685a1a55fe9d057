"""Whoever runs Harborsmith, and a folder that is theirs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.runs import ACCOUNTS, Account, account


@pytest.fixture(params=ACCOUNTS)
def who(request: pytest.FixtureRequest) -> Account:
    """The account of the test run, then an ordinary user."""
    return account(request.param)


@pytest.fixture
def place(who: Account) -> Iterator[Path]:
    """A folder that `who` may enter."""
    with who.folder() as folder:
        yield folder
