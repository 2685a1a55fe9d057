"""Cases that git, an archive or a careful file system cannot hold: each builder gives a directory of scenarios."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from generator.source.tree import MAX_DEPTH
from tests.support.cases import CASES, diagnosed
from tests.support.files import Link, Tree, write_tree
from tests.support.scenarios import document, write_scenario

Filler = Callable[[Path], None]
Builder = Callable[[Path], AbstractContextManager[Path]]
BUILT: dict[str, Builder] = {}
UNPRIVILEGED = 65534


def built(code: str) -> Callable[[Filler], Filler]:
    """Register what fills a directory so that `code` is reported."""

    def register(fill: Filler) -> Filler:
        @contextmanager
        def build(root: Path) -> Iterator[Path]:
            fill(root)
            yield root

        BUILT[code] = build
        return fill

    return register


def with_assets(root: Path, extra: Tree, **changes: object) -> Path:
    """A scenario that declares all of `assets`, with `extra` files."""
    return write_scenario(root / "sum-ledger", document(**{"assets": ["assets"], **changes}), extra)


@contextmanager
def unprivileged(root: Path) -> Iterator[None]:
    """As somebody who may not read everything; root can, so it steps down for the while."""
    if os.geteuid() != 0:
        yield
        return
    # The interpreter and our data may lie where only root can look: have all of it loaded before stepping down.
    for case in ("valid/plain", "invalid/field_type-budgets"):
        diagnosed(CASES / case)
    for folder in (root, *root.parents):
        if folder.stat().st_uid == 0 and len(folder.parts) > 2:
            folder.chmod(folder.stat().st_mode | 0o055)
    os.seteuid(UNPRIVILEGED)
    try:
        yield
    finally:
        os.seteuid(0)


@built("document_too_large")
def _document_too_large(root: Path) -> None:
    write_scenario(root / "a", document(title="x" * (1024 * 1024)))


@built("document_encoding")
def _document_encoding(root: Path) -> None:
    write_scenario(root / "a", None, {"scenario.json": b'{"title": "caf\xe9"}'})


@built("document_unreadable")
def _document_unreadable(root: Path) -> None:
    write_scenario(root / "a", extra={"real.json": "{}"})
    (root / "a/scenario.json").unlink()
    os.mkfifo(root / "a/scenario.json")


@built("prompt_encoding")
def _prompt_encoding(root: Path) -> None:
    write_scenario(root / "a", extra={"instruction.md": b"Sum it.\nTotal in \xa4.\n"})


@built("prompt_nul")
def _prompt_nul(root: Path) -> None:
    write_scenario(root / "a", extra={"instruction.md": b"Sum\0it.\n"})


@built("prompt_too_large")
def _prompt_too_large(root: Path) -> None:
    write_scenario(root / "a", extra={"instruction.md": "x" * (96 * 1024 + 1)})


@built("prompt_outside")
def _prompt_outside(root: Path) -> None:
    write_tree(root, {"shared.md": "Sum it.\n"})
    write_scenario(root / "a", document(userPromptPath="prompt.md"), {"prompt.md": Link("../shared.md")})


@built("asset_outside")
def _asset_outside(root: Path) -> None:
    with_assets(root, {"assets/host": Link("/etc/hostname")})


@built("asset_loop")
def _asset_loop(root: Path) -> None:
    with_assets(root, {"assets/again": Link(".")})


@built("asset_special")
def _asset_special(root: Path) -> None:
    os.mkfifo(with_assets(root, {}) / "assets/feed")


@built("asset_too_many")
def _asset_too_many(root: Path) -> None:
    with_assets(root, {"assets/" + "d/" * (MAX_DEPTH + 1) + "x": ""})


@built("asset_name_unsafe")
def _asset_name_unsafe(root: Path) -> None:
    with_assets(root, {"assets/a\nb.csv": "", "assets/back\\slash": "", "assets/es\x1b[31mc": ""})


@built("asset_name_not_portable")
def _asset_name_not_portable(root: Path) -> None:
    with_assets(root, {"assets/what?.csv": "", "assets/trailing.": "", "assets/nul.txt": "", "assets/ first": ""})


@built("asset_name_clash")
def _asset_name_clash(root: Path) -> None:
    with_assets(root, {"assets/Ledger.csv": ""})


@built("asset_git")
def _asset_git(root: Path) -> None:
    with_assets(root, {"assets/app/.git/HEAD": "ref: refs/heads/main\n"})


@built("asset_too_large")
def _asset_too_large(root: Path) -> None:
    scenario = with_assets(root, {"assets/disk.img": ""})
    os.truncate(scenario / "assets/disk.img", 4 * 2**30 + 1)  # a file with a hole takes no room


@built("asset_git_rules")
def _asset_git_rules(root: Path) -> None:
    with_assets(root, {"assets/app/.gitignore": "*.log\n"})


@built("asset_directory_empty")
def _asset_directory_empty(root: Path) -> None:
    (with_assets(root, {}) / "assets/out").mkdir()


@built("directory_link_skipped")
def _directory_link_skipped(root: Path) -> None:
    write_scenario(root / "a")
    (root / "b").symlink_to("a")


@built("document_misnamed")
def _document_misnamed(root: Path) -> None:
    write_scenario(root / "a")
    write_tree(root, {"b/Scenario.json": "{}\n"})


@built("selection_empty")
def _selection_empty(root: Path) -> None:
    write_tree(root, {"notes/readme.md": "no scenario here\n"})


@contextmanager
def _missing(root: Path) -> Iterator[Path]:
    yield root / "gone"


@contextmanager
def _closed(root: Path) -> Iterator[Path]:
    write_scenario(root / "pack/a")
    (root / "pack").chmod(0)
    with unprivileged(root):
        yield root / "pack"
    (root / "pack").chmod(0o755)


@contextmanager
def _unreadable_asset(root: Path) -> Iterator[Path]:
    folder = with_assets(root, {"assets/closed/key": ""}) / "assets/closed"
    folder.chmod(0)
    with unprivileged(root):
        yield root
    folder.chmod(0o755)


BUILT["directory_missing"] = _missing
BUILT["directory_unreadable"] = _closed
BUILT["asset_unreadable"] = _unreadable_asset
