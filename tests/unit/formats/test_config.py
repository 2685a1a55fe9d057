"""harborsmith.toml: what it may say, and what is told about a faulty one."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.formats.config import Config, Ignore, read_config
from generator.formats.config_file import CONFIG_FILE, find_config
from generator.scenario.names import is_harbor_name
from tests.unit.schemas.shipped import SCHEMAS, is_valid

FULL = """\
scenario-dir = "pack"
out = "made"
org = "acme"
authors = ["Ada Example"]
fail-on = ["warning", "note", "rubric", "network_public"]

[dataset]
name = "ledgers"
version = "1.0.0"
description = "Bookkeeping tasks."

[[ignore]]
code = "network_public"
scenario = "weather"
reason = "The task is about a public API."

[[ignore]]
code = "evaluation_goal_rubric_terse"
reason = "Short criteria are the style of this pack."
"""


def read(folder: Path, text: str | bytes) -> Config | list[tuple[str, str, int | None, int | None]]:
    """The settings, or code, pointer, line and column of each complaint."""
    file = folder / CONFIG_FILE
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = read_config(file)
    if isinstance(found, Config):
        return found
    assert all(one.message for one in found)
    assert all(Path(one.location.file).name == CONFIG_FILE for one in found)
    return [(one.code, one.location.pointer, one.location.line, one.location.column) for one in found]


def test_every_setting_is_read_and_paths_belong_to_the_directory_of_the_file(tmp_path: Path) -> None:
    made = read(tmp_path, FULL)
    assert isinstance(made, Config)
    assert (made.scenario_dir, made.out, made.org) == (tmp_path / "pack", tmp_path / "made", "acme")
    assert (made.authors, made.fail_on) == (("Ada Example",), ("warning", "note", "rubric", "network_public"))
    assert made.dataset == {"name": "ledgers", "version": "1.0.0", "description": "Bookkeeping tasks."}
    assert made.ignores == (
        Ignore("network_public", "weather", "The task is about a public API.", "/ignore/0"),
        Ignore("evaluation_goal_rubric_terse", None, "Short criteria are the style of this pack.", "/ignore/1"),
    )


def test_an_empty_file_decides_nothing(tmp_path: Path) -> None:
    made = read(tmp_path, "")
    assert isinstance(made, Config)
    assert (made.scenario_dir, made.out, made.org, made.authors, made.fail_on, made.ignores) == (
        None,
        None,
        None,
        (),
        (),
        (),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('scenarios-dir = "x"', ("config_key_unknown", "/scenarios-dir", 1, 1)),
        ('\n  "fail_on" = []', ("config_key_unknown", "/fail_on", 2, 3)),
        ("org = 5", ("config_value", "/org", 1, 1)),
        ('org = "a..b"', ("config_value", "/org", 1, 1)),
        ('org = "a\\n"', ("config_value", "/org", 1, 1)),
        ('out = " "', ("config_value", "/out", 1, 1)),
        ('scenario-dir = "a\\u0000b"', ("config_value", "/scenario-dir", 1, 1)),
        ("authors = [5]", ("config_value", "/authors", 1, 1)),
        ('authors = "Ada"', ("config_value", "/authors", 1, 1)),
        ('fail-on = "warning"', ("config_value", "/fail-on", 1, 1)),
        ('fail-on = ["warnig"]', ("config_value", "/fail-on", 1, 1)),
        ("ignore = 5", ("config_value", "/ignore", 1, 1)),
        ("ignore = [5]", ("config_value", "/ignore", 1, 1)),
        ("[ignore]\ncode = 'x'", ("config_value", "/ignore", 1, 1)),
        ('org = "a"\n[[ignore]]\ncode = "network_public"', ("config_reason_missing", "/ignore/0", 2, 1)),
        ('[[ignore]]\ncode = "network_public"\nreason = " "', ("config_reason_missing", "/ignore/0", 1, 1)),
        ('[[ignore]]\nreason = "x"', ("config_value", "/ignore/0", 1, 1)),
        ('[[ignore]]\nreason = "x"\ncode = ["a"]', ("config_value", "/ignore/0", 1, 1)),
        ('[[ignore]]\nreason = "x"\n code = "netwok_public"', ("config_value", "/ignore/0/code", 3, 2)),
        ('[[ignore]]\nreason = "x"\ncode = "private_exposed"', ("config_ignore_error", "/ignore/0/code", 3, 1)),
        (
            '[[ignore]]\nreason="x"\ncode="network_public"\nscenarios="a"',
            ("config_key_unknown", "/ignore/0/scenarios", 4, 1),
        ),
        ('[[ignore]]\nreason="x"\ncode="network_public"\nscenario=5', ("config_value", "/ignore/0/scenario", 4, 1)),
        ("dataset = 5", ("config_value", "/dataset", 1, 1)),
        ('dataset = "ledgers"', ("config_value", "/dataset", 1, 1)),
        ('org = "a"\n[dataset]\nversion = "1"', ("config_value", "/dataset", 2, 1)),
        ("[dataset]\nname = 5", ("config_value", "/dataset/name", 2, 1)),
        ('[dataset]\nname = "a/b/c"', ("config_value", "/dataset/name", 2, 1)),
        ('[dataset]\nname = "a..b"', ("config_value", "/dataset/name", 2, 1)),
        ('[dataset]\nname = ""', ("config_value", "/dataset/name", 2, 1)),
        ('[dataset]\nname = "a"\n version = ""', ("config_value", "/dataset/version", 3, 2)),
        ('[dataset]\nname = "a"\ndescription = "b\\nc"', ("config_value", "/dataset/description", 3, 1)),
        ('[dataset]\nname = "a"\nversions = "1"', ("config_key_unknown", "/dataset/versions", 3, 1)),
        ('org = "a"\nout = [x]', ("config_syntax", "", 2, 8)),
        ('out = "x', ("config_syntax", "", None, None)),
        ('out = "x"\nout = "y"\norg = "a"', ("config_syntax", "", 2, 10)),
        ("a = " + "9" * 5000, ("config_syntax", "", None, None)),
        ("a = " + "[" * 5000, ("config_syntax", "", None, None)),
        (b"org = '\xff'", ("config_unreadable", "", None, None)),
        ("#" * (1024 * 1024 + 1), ("config_unreadable", "", None, None)),
    ],
)
def test_a_fault_is_told_with_its_place(
    tmp_path: Path, text: str | bytes, expected: tuple[str, str, int | None, int | None]
) -> None:
    assert read(tmp_path, text) == [expected]


def test_all_faults_come_at_once_each_in_its_own_ignore(tmp_path: Path) -> None:
    text = 'outt = "a"\n[[ignore]]\ncode = "network_public"\n[[ignore]]\nreason = "x"\ncode = "private_exposed"\n'
    assert read(tmp_path, text) == [
        ("config_key_unknown", "/outt", 1, 1),
        ("config_reason_missing", "/ignore/0", 2, 1),
        ("config_ignore_error", "/ignore/1/code", 6, 1),
    ]


def test_a_misspelt_key_or_code_is_met_with_the_closest(tmp_path: Path) -> None:
    (tmp_path / CONFIG_FILE).write_text('scenario_dir = "x"\nfail-on = ["rubrik"]\n')
    found = read_config(tmp_path / CONFIG_FILE)
    assert not isinstance(found, Config)
    assert [one.hint for one in found] == ["scenario-dir", '"rubric"']


def test_a_pipe_or_a_link_that_leads_out_is_refused_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / CONFIG_FILE).symlink_to("pipe")
    found = read_config(tmp_path / CONFIG_FILE)
    assert not isinstance(found, Config)
    assert [one.code for one in found] == ["config_unreadable"]


def test_the_nearest_file_upward_is_found(tmp_path: Path) -> None:
    below = tmp_path / "a/b"
    below.mkdir(parents=True)
    assert find_config(below) is None
    (tmp_path / CONFIG_FILE).touch()
    assert find_config(below) == tmp_path / CONFIG_FILE
    (below / CONFIG_FILE).symlink_to("gone")  # a broken one is told about, not passed over
    assert find_config(below) == below / CONFIG_FILE
    (tmp_path / "a" / CONFIG_FILE).mkdir()
    assert find_config(tmp_path / "a") == tmp_path / CONFIG_FILE


VALUES = st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from(["", " ", "a", "a..b", "-a", "warning"])
LINES = st.sampled_from(["a/b", "a/b/c", "a/", "a\nb", "a\x85", "a\u2028", "Ä ö", "a\n"])
DOCUMENTS = st.dictionaries(
    st.sampled_from(["scenario-dir", "out", "org", "authors", "fail-on", "dataset", "ignore", "else"]),
    VALUES | st.lists(VALUES, max_size=2)
    | st.dictionaries(st.sampled_from(["name", "version", "description", "else"]), VALUES | LINES, max_size=3)
    | st.lists(st.dictionaries(st.sampled_from(["scenario", "reason", "else"]), VALUES, max_size=2), max_size=2),
    max_size=3,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DOCUMENTS)
def test_the_schema_for_editors_agrees_about_every_form(tmp_path: Path, document: dict[str, Any]) -> None:
    import tomli_w

    for table in document.get("ignore", ()) if isinstance(document.get("ignore"), list) else ():
        if isinstance(table, dict):
            table["code"] = "network_public"  # which codes there are is not for the schema to say
    if isinstance(document.get("fail-on"), list):
        document["fail-on"] = [
            "warning" if isinstance(value, str) and value.strip() else value for value in document["fail-on"]
        ]
    try:
        text = tomli_w.dumps(document)
    except TypeError:  # TOML has no null
        return
    assert isinstance(read(tmp_path, text), Config) == is_valid("config", tomllib.loads(text))


def test_the_organisation_is_what_harbor_takes() -> None:
    import re

    pattern = SCHEMAS["config"]["properties"]["org"]["pattern"]
    for name in ("a", "a.b", "a..b", ".a", "a-b_c", "a/b", "", "a\n", "é", "9"):
        assert bool(re.search(pattern, name)) == is_harbor_name(name), name
