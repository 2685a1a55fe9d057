"""The documentation as a site: complete, with links that hold, and with nothing that comes from elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.support.repository import ROOT

DOCS = ROOT / "docs"
LOADING = {"src", "href", "srcset", "poster", "data"}
ELSEWHERE = re.compile(r"(?:[a-z]+:)?//")
FETCHED_BY_STYLES = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]+)")


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """What `make docs` does, from a checkout at `source`."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(target)],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site") / "built"
    done = build(ROOT, target)
    assert done.returncode == 0, done.stderr
    return target


class Loads(HTMLParser):
    """The addresses that a page loads by itself, so not those a reader may follow."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "a":
            self.found += [value for name, value in attrs if name in LOADING and value]


@pytest.mark.xdist_group("site")
def test_every_page_is_part_of_the_site(site: Path) -> None:
    wanted = {page.relative_to(DOCS).with_suffix(".html").as_posix() for page in DOCS.rglob("*.md")}

    assert wanted <= {page.relative_to(site).as_posix() for page in site.rglob("*.html")}


@pytest.mark.xdist_group("site")
def test_nothing_on_a_page_is_loaded_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    foreign, missing = set(), set()
    for page in pages:
        for address in Loads(page.read_text(encoding="utf-8")).found:
            if ELSEWHERE.match(address):
                foreign.add(address)
            elif not address.startswith(("#", "data:")) and not (page.parent / address.partition("?")[0]).exists():
                missing.add(address)
    for style in site.rglob("*.css"):
        foreign |= set(FETCHED_BY_STYLES.findall(style.read_text(encoding="utf-8")))

    assert pages
    assert foreign == set()
    assert {address for address in missing if not address.startswith("/")} == set()


@pytest.mark.xdist_group("site")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[gone](gone.md)", "gone.md"),
        ("[gone](tutorial.md#no-such-part)", "no-such-part"),
        ("[outside](../README.md)", "README.md"),
    ],
)
def test_a_link_that_leads_nowhere_stops_the_build(line: str, said: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    shutil.copytree(DOCS, tmp_path / "docs")
    with (tmp_path / "docs" / "index.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{line}\n")

    done = build(tmp_path, tmp_path / "site")

    assert done.returncode != 0
    assert said in done.stdout + done.stderr


def test_the_check_of_addresses_tells_what_a_page_loads_from_what_it_links_to() -> None:
    page = '<a href="https://one.example">x</a><script src="//two.example/x.js"></script><img src="local.png">'

    assert Loads(page).found == ["//two.example/x.js", "local.png"]
