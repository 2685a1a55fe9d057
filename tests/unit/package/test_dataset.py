"""`dataset.toml` as a document: what it says, which documents are ours, and what is a difference."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from generator.package.dataset import (
    Dataset,
    Member,
    dataset_bytes,
    dataset_name,
    dataset_table,
    is_one_line,
    read_dataset,
    same_dataset,
)

DATASET = Dataset(name="acme/ledgers", version="1.0.0", description='Sums, "quoted" \\ and more.', authors=("Ada",))
MEMBERS = (Member("acme/two", f"sha256:{'2' * 64}"), Member("acme/one", f"sha256:{'1' * 64}"))


def made(dataset: Dataset = DATASET, members: tuple[Member, ...] = MEMBERS, **standing: Any) -> dict[str, Any]:
    return dataset_table(dataset, members, standing)


def test_a_dataset_says_what_it_was_given_with_its_tasks_sorted() -> None:
    document = tomllib.loads(dataset_bytes(made()).decode())

    assert document["dataset"] == {
        "name": "acme/ledgers",
        "version": "1.0.0",
        "description": 'Sums, "quoted" \\ and more.',
        "authors": [{"name": "Ada"}],
        "keywords": [],
    }
    assert document["tasks"] == [
        {"name": "acme/one", "digest": f"sha256:{'1' * 64}"},
        {"name": "acme/two", "digest": f"sha256:{'2' * 64}"},
    ]
    assert "version" not in made(Dataset(name="acme/ledgers"))["dataset"]


def test_the_order_of_the_members_is_no_difference_in_the_bytes() -> None:
    assert dataset_bytes(made()) == dataset_bytes(made(members=MEMBERS[::-1]))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ledgers", "acme/ledgers"),
        ("other/ledgers", "other/ledgers"),
        ("a/b/c", None),
        ("/ledgers", None),
        ("other/", None),
        ("", None),
        ("le..dgers", None),
        ("-ledgers", None),
        ("ledgers\n", None),
        ("lédgers", None),
    ],
)
def test_a_name_is_what_harbor_takes_as_one(text: str, name: str | None) -> None:
    assert dataset_name(text, "acme") == name


@pytest.mark.parametrize("text", ["two\nlines", "bell\a", "next\u0085line", "separated\u2028here", "half \ud800"])
def test_a_text_of_several_lines_or_with_control_characters_is_no_line(text: str) -> None:
    assert not is_one_line(text)
    assert is_one_line("Größe — 日本")


def test_a_document_of_ours_is_recognised_whatever_its_layout_and_digests() -> None:
    data = dataset_bytes(made())
    assert read_dataset(data) == made()
    assert read_dataset(b"# a comment\n" + data.replace(b"1" * 64, b"9" * 64)) != made()
    assert isinstance(read_dataset(data.replace(b"1" * 64, b"9" * 64)), dict)
    # As another writer leaves out what is empty.
    assert isinstance(read_dataset(data.replace(b"keywords = []\n", b"")), dict)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((b"acme/ledgers", b"acme/other"), "edited"),
        ((b'name = "acme/two"', b'name = "acme/three"'), "edited"),
        ((b'digest = "sha256:1', b'else = "sha256:1'), "edited"),
        ((b"[[tasks]]", b"[[jobs]]"), "edited"),
        ((b"[dataset]", b"[[dataset]]"), "edited"),
        ((b"harborsmith", b"somebody"), "did not write it"),
        ((b"[dataset]", b"[dataset"), "not TOML"),
        ((b"acme/two", b"acme/\xff"), "not TOML"),
    ],
)
def test_an_edited_or_foreign_document_is_not_ours(change: tuple[bytes, bytes], reason: str) -> None:
    found = read_dataset(dataset_bytes(made()).replace(*change))
    assert isinstance(found, str)
    assert reason in found


@pytest.mark.parametrize(
    "data", [b"", b"metadata = 5", b"[metadata]\nharborsmith = 'x'", b"[metadata.harborsmith]\nseal = 1"]
)
def test_a_document_of_another_shape_is_not_ours(data: bytes) -> None:
    assert isinstance(read_dataset(data), str)


def test_files_and_metadata_that_were_added_are_kept_and_no_edit() -> None:
    added = b'[[files]]\npath = "metric.py"\ndigest = ""\n\n[metadata.lint]\nignore = ["root-agent"]\n'
    standing = read_dataset(dataset_bytes(made()) + added)
    assert isinstance(standing, dict)

    again = dataset_table(Dataset(name="acme/renamed"), MEMBERS, standing)

    assert again["files"] == [{"path": "metric.py", "digest": ""}]
    assert again["metadata"]["lint"] == {"ignore": ["root-agent"]}
    assert read_dataset(dataset_bytes(again)) == again


def test_what_is_empty_and_the_order_of_tasks_are_no_difference_but_digests_are() -> None:
    other = made()
    del other["dataset"]["keywords"]
    other["tasks"].reverse()
    assert same_dataset(made(), other)
    assert not same_dataset(made(), made(members=(MEMBERS[0], Member("acme/one", f"sha256:{'3' * 64}"))))
    assert not same_dataset(made(), made(members=MEMBERS[:1]))
    assert not same_dataset(made(), made(Dataset(name="acme/ledgers")))
    assert not same_dataset(made(), made(files=[{"path": "metric.py"}]))
