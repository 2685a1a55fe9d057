from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.runtime import strictjson


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "a": 2}', "an object names a member twice"),
        ("NaN", "NaN is no JSON number"),
        ("[-Infinity]", "-Infinity is no JSON number"),
        ("1e999", "the number 1e999 is out of range"),
        ("9" * 5000, "is out of range"),
        ("[" * 65 + "]" * 65, "nested too deep"),
        ("[" * 200_000, "nested too deep"),
        (r'"\ud800"', "half a surrogate pair"),
        (r'{"\udfff": 1}', "half a surrogate pair"),
        ("", "Expecting value"),
        ("{} {}", "Extra data"),
        ("\ufeff{}", "BOM"),
        ("{'a': 1}", "property name"),
    ],
)
def test_what_does_not_mean_one_thing_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        strictjson.loads(text)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        strictjson.loads(b'"\xff"')


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_what_is_written_is_read_again(value: Any) -> None:
    assert strictjson.loads(strictjson.dumps(value)) == value
    assert strictjson.dumps(value).isascii()


@given(st.text(alphabet='{}[]",:\\u0d8eE+-. truefalsnl19\n', max_size=40))
def test_nothing_is_taken_that_the_lenient_reader_would_not_take(text: str) -> None:
    try:
        value = strictjson.loads(text)
    except ValueError:
        return
    assert value == json.loads(text)


def test_a_file_is_written_whole_and_readable(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    strictjson.write(str(path), {"b": "ü", "a": 1})
    assert path.read_text() == '{\n  "a": 1,\n  "b": "\\u00fc"\n}\n'
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"[]", "is JSON but no object"),
        (b'{"status": "pas', "Unterminated string"),
        (b'{"a": "' + b"x" * 1_048_576 + b'"}', "is larger than 1048576 bytes"),
    ],
)
def test_a_file_that_is_not_one_object_says_why(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(ValueError, match=words):
        strictjson.read_object(str(tmp_path / "f"))


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "real").write_text("{}")
    (tmp_path / "link").symlink_to("real")
    for path in (tmp_path / "fifo", tmp_path):
        with pytest.raises(ValueError, match="cannot be read: no regular file"):
            strictjson.read_object(str(path))
    with pytest.raises(ValueError, match="cannot be read"):
        strictjson.read_object(str(tmp_path / "link"))
    with pytest.raises(FileNotFoundError):
        strictjson.read_object(str(tmp_path / "none"))


@pytest.mark.parametrize("odd", ["a directory", "a file that cannot be read to its end"])
def test_what_cannot_be_read_says_so_and_leaves_no_descriptor(tmp_path: Path, odd: str) -> None:
    place = str(tmp_path) if odd == "a directory" else "/proc/self/mem"
    if not os.path.exists(place):
        pytest.skip("this system has no such file")
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    with pytest.raises(ValueError, match="cannot be read"):
        strictjson.read_object(place)
    assert len(os.listdir("/proc/self/fd") if before else []) == len(before)


def test_a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    strictjson.write(str(tmp_path / "a.json"), {"old": 1})
    with pytest.raises(ValueError, match="JSON compliant"):
        strictjson.write(str(tmp_path / "a.json"), {"new": float("nan")})
    assert os.listdir(tmp_path) == ["a.json"]
    assert strictjson.read_object(str(tmp_path / "a.json")) == {"old": 1}
