"""GitHub annotations, SARIF and JUnit: what their readers need, and nothing a stranger could smuggle in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.diagnostics.github import MOST_BYTES, MOST_SHOWN, summary, workflow_commands
from generator.diagnostics.junit import Case, junit
from generator.diagnostics.model import Diagnostic, Location, Severity
from generator.diagnostics.places import uri
from generator.diagnostics.sarif import FINGERPRINT, sarif
from tests.support.joblog import job_commands

ROOT = Path("/repo")
FILE = "/repo/pack/a/scenario.json"


def diagnostic(severity: Severity = Severity.ERROR, **changes: Any) -> Diagnostic:
    place: dict[str, Any] = {"file": FILE, "line": 5, "column": 11, "pointer": "/tier"}
    place |= {name: changes.pop(name) for name in list(changes) if name in place}
    made: dict[str, Any] = {"code": "field_value", "category": "structure", "message": "m", "hint": "", "field": "tier"}
    return Diagnostic(severity=severity, location=Location(**place), **{**made, **changes})


def test_an_annotation_has_file_place_title_and_words() -> None:
    assert list(workflow_commands([diagnostic(message="is wrong", hint='"smoke"')], ROOT)) == [
        '::error file=pack/a/scenario.json,line=5,col=11,title=field_value::is wrong%0Awrite: "smoke"'
    ]


def test_an_annotation_without_a_place_names_its_file_alone() -> None:
    (line,) = workflow_commands([diagnostic(Severity.NOTE, line=None, column=None)], ROOT)
    assert line == "::notice file=pack/a/scenario.json,title=field_value::m"


def test_what_would_end_or_begin_a_command_is_encoded() -> None:
    evil = "50%\r\n::error::pwned"
    (line,) = workflow_commands([diagnostic(message=evil, hint=evil, file="/repo/a,b:c\n%/x.json")], ROOT)
    assert line == (
        "::error file=a%2Cb%3Ac\\n%25/x.json,line=5,col=11,title=field_value"
        "::50%25\\r\\n::error::pwned%0Awrite: 50%25\\r\\n::error::pwned"
    )


@given(st.text(), st.text())
def test_no_text_makes_a_second_line_or_command(message: str, file: str) -> None:
    (line,) = workflow_commands([diagnostic(message=message, file=f"/repo/{file}".replace("\0", ""))], ROOT)
    assert len(line.splitlines()) == 1
    assert re.fullmatch(r"::error file=[^:]*,line=5,col=11,title=field_value::.*", line)


def test_errors_come_first_and_the_last_annotation_says_how_many_more_there_are() -> None:
    many = [diagnostic(Severity.WARNING, line=n + 1) for n in range(MOST_SHOWN)]
    many += [diagnostic(line=n + 1) for n in range(MOST_SHOWN + 4)]
    lines = list(workflow_commands(many, ROOT))
    assert [line.split()[0] for line in lines] == ["::error"] * MOST_SHOWN + ["::warning"] * MOST_SHOWN
    assert "line=9," in lines[MOST_SHOWN - 2]
    assert lines[MOST_SHOWN - 1] == "::error title=harborsmith::5 more of 14 errors: see the step's summary"
    assert "more of" not in lines[-1]


def test_the_summary_is_a_table_of_everything_in_plain_text() -> None:
    found = [diagnostic(Severity.NOTE), diagnostic(message="<img src=x> | [a](b) `c` *d*\n@e", hint="#1", line=None)]
    lines = summary(found, ROOT, "Scenarios: 0 ok, 1 failed").splitlines()
    assert lines[0] == "### Scenarios: 0 ok, 1 failed"
    shown = "&lt;img src=x&gt; \\| \\[a\\](b) \\`c\\` \\*d\\*\\\\n\\@e"
    assert lines[4:] == [
        f"| error | field\\_value | pack/a/scenario.json | {shown} | \\#1 |",
        "| note | field\\_value | pack/a/scenario.json:5 | m |  |",
    ]
    assert summary([], ROOT, "Scenarios: 1 ok, 0 failed") == "### Scenarios: 1 ok, 0 failed\n\n"


def test_a_summary_that_github_would_refuse_is_cut_at_a_row() -> None:
    page = summary([diagnostic(message="é" * 1000)] * 1000, ROOT, "1 failed")
    assert len(page.encode()) < MOST_BYTES
    last = page.splitlines()[-1]
    assert int(last.split()[2]) == 1000 - page.count("| error |")


# The part of SARIF 2.1.0 that is written here, with the requirements its specification makes of each member.
_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
_COUNTED = {"type": "integer", "minimum": 1}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
    },
    "$defs": {
        "run": {
            "type": "object",
            "required": ["tool"],
            "additionalProperties": False,
            "properties": {
                "tool": {"properties": {"driver": {"$ref": "#/$defs/driver"}}, "required": ["driver"]},
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
            },
        },
        "driver": {
            "required": ["name"],
            "additionalProperties": False,
            "properties": {
                "name": {"type": "string"},
                "version": {"type": "string"},
                "rules": {"type": "array", "uniqueItems": True, "items": {"$ref": "#/$defs/rule"}},
            },
        },
        "rule": {
            "required": ["id"],
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string"},
                **dict.fromkeys(("shortDescription", "fullDescription", "help"), _TEXT),
                "defaultConfiguration": {"additionalProperties": False, "properties": {"level": _LEVEL}},
                "properties": {"properties": {"tags": {"type": "array", "items": {"type": "string"}}}},
            },
        },
        "result": {
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": _LEVEL,
                "message": _TEXT,
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                "suppressions": {
                    "type": "array",
                    "items": {
                        "required": ["kind"],
                        "properties": {"kind": {"enum": ["inSource", "external"]}, "justification": {"type": "string"}},
                    },
                },
            },
        },
        "location": {
            "additionalProperties": False,
            "properties": {
                "physicalLocation": {
                    "additionalProperties": False,
                    "properties": {
                        "artifactLocation": {"properties": {"uri": {"type": "string", "pattern": "^[!-~]+$"}}},
                        "region": {
                            "additionalProperties": False,
                            "properties": {"startLine": _COUNTED, "startColumn": _COUNTED},
                        },
                    },
                },
                "logicalLocations": {
                    "type": "array",
                    "items": {"properties": {"fullyQualifiedName": {"type": "string"}}},
                },
            },
        },
    },
}


def checked(*found: tuple[Diagnostic, str | None]) -> list[dict[str, Any]]:
    """The results of a document that fits the specification."""
    made = json.loads(json.dumps(sarif(found, ROOT)))
    jsonschema.Draft202012Validator(SARIF).validate(made)
    (run,) = made["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    results: list[dict[str, Any]] = run["results"]
    return results


def test_a_sarif_result_has_rule_level_place_and_message() -> None:
    (result,) = checked((diagnostic(message="is wrong", hint='"smoke"'), None))
    assert (result["ruleId"], result["level"]) == ("field_value", "error")
    assert result["message"]["text"] == 'is wrong\nwrite: "smoke"'
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "pack/a/scenario.json"},
                "region": {"startLine": 5, "startColumn": 11},
            },
            "logicalLocations": [{"fullyQualifiedName": "/tier", "kind": "member"}],
        }
    ]
    assert "suppressions" not in result


def test_a_sarif_result_without_a_place_has_no_region_and_nothing_found_is_a_run_all_the_same() -> None:
    (result,) = checked((diagnostic(line=None, column=None, pointer=""), None))
    assert list(result["locations"][0]) == ["physicalLocation"]
    assert "region" not in result["locations"][0]["physicalLocation"]
    (result,) = checked((diagnostic(column=None), None))
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 5}
    assert checked() == []


def test_what_is_ignored_is_a_suppressed_result_with_its_reason() -> None:
    (result,) = checked((diagnostic(Severity.WARNING, code="network_public"), "a public API"))
    assert result["suppressions"] == [{"kind": "external", "justification": "a public API"}]


def test_a_fingerprint_stays_when_lines_move_and_differs_between_complaints() -> None:
    def prints(*found: Diagnostic) -> list[str]:
        return [result["partialFingerprints"][FINGERPRINT] for result in checked(*((one, None) for one in found))]

    assert prints(diagnostic()) == prints(diagnostic(line=99, column=1, message="other words"))
    others = (
        diagnostic(),
        diagnostic(),
        diagnostic(pointer="/kind"),
        diagnostic(code="field_type"),
        diagnostic(file="b"),
    )
    assert len(set(prints(*others))) == len(others)


@pytest.mark.parametrize(
    ("file", "address"),
    [
        ("/repo/pack/a b/é#?.json", "pack/a%20b/%C3%A9%23%3F.json"),
        ("/repo/a:b/c", "./a:b/c"),
        ("/elsewhere/x y", "file:///elsewhere/x%20y"),
        ("/repo/\udcff", "%FF"),
    ],
)
def test_an_address_is_relative_and_encoded(file: str, address: str) -> None:
    assert uri(file, ROOT) == address


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text.encode())  # noqa: S314 - it was written here


def test_a_scenario_is_a_test_case_that_fails_or_not() -> None:
    failing = (diagnostic(message="one"), diagnostic(message="two"))
    note = diagnostic(Severity.NOTE, message="three")
    text = junit([Case("bad", "pack/bad", failing, (note,)), Case("good", "pack/good", ())])
    (suite,) = parsed(text)
    assert {name: suite.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "2",
        "failures": "1",
        "errors": "0",
    }
    bad, good = suite
    assert (bad.get("name"), bad.get("classname"), good.get("name")) == ("bad", "pack/bad", "good")
    assert [child.tag for child in bad] == ["failure", "system-out"]
    assert (bad[0].get("type"), bad[0].get("message")) == ("field_value", "one (and 1 more)")
    assert "two" in (bad[0].text or "")
    assert "three" in (bad[1].text or "")
    assert list(good) == []


def test_no_text_in_the_xml_begins_a_command_of_a_job() -> None:
    evil = "::a ##[group]b ##vso[c]d"
    made = junit([Case(evil, evil, (diagnostic(message=evil, hint=evil),))])
    (suite,) = parsed(made)
    assert (suite[0].get("name"), suite[0][0].get("message")) == (evil, evil)
    assert job_commands(made) == []


@given(st.text())
def test_no_text_breaks_the_xml(text: str) -> None:
    made = junit([Case(text, text, (diagnostic(message=text, hint=text),))])
    (suite,) = parsed(made)
    name = suite[0].get("name") or ""
    assert set(name) <= set(text)
    assert len(name) == sum(
        character in "\t\n\r"
        or (character >= " " and character not in "\ufffe\uffff" and not "\ud800" <= character <= "\udfff")
        for character in text
    )
