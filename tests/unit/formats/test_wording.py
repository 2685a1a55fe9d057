"""Hints of schema errors can be pasted: they keep what the author meant wherever that can be told."""

from __future__ import annotations

from typing import Any

import pytest

from generator.formats.checked import check
from tests.support.scenarios import document


def hint(**changes: Any) -> str:
    (found,) = check(document(**changes)).findings
    return found.hint


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"run__timeoutSeconds": "600"}, "600"),
        ({"run__timeoutSeconds": "ten"}, "900"),
        ({"run__timeoutSeconds": "1e400"}, "900"),
        ({"loop__defaultMaxIterations": "5"}, "5"),
        ({"loop__defaultMaxIterations": "5.5"}, "3"),
        ({"requires__network": "yes"}, "true"),
        ({"requires__network": "No"}, "false"),
        ({"requires__network": "maybe"}, "false"),
        ({"requires__tools": "shell"}, '["shell"]'),
        ({"evaluation__goalRubric": "The total is right."}, '["The total is right."]'),
        ({"title": 5}, '"5"'),
        ({"id": "Sum Ledger!"}, '"sum-ledger"'),
        ({"id": "-"}, '"csv-clean-up"'),
        ({"id": "Überweisung"}, '"uberweisung"'),
        ({"assets": ["assets\\data\\a.csv"]}, '"assets/data/a.csv"'),
        ({"evaluation__goalRubric": [""]}, '"The report holds the correct total of all the amounts in the ledger."'),
        ({"metadata": {"scenarioVersion": "1.0.0", "tags": [" "]}}, '"csv"'),
        ({"evaluation__checks": [{"id": "a", "command": [["x"]]}]}, '"python3"'),
        ({"evaluation__checks": [{"id": "a", "command": ["x", 1]}]}, '"1"'),
        ({"environment": {"packages": ["LibFoo"]}}, '"libfoo"'),
        ({"driver": {"adapter": "x"}}, "nothing in its place"),
    ],
)
def test_a_hint_keeps_what_was_meant(changes: dict[str, Any], expected: str) -> None:
    assert hint(**changes) == expected


def test_the_value_of_a_variable_is_never_repeated() -> None:
    (found,) = check(document(evaluation__env=["OPENAI_API_KEY=sk-secret"])).findings
    assert (found.code, found.hint) == ("environment_name", '"OPENAI_API_KEY"')
    assert "sk-secret" not in found.message


def test_an_unknown_version_names_all_that_are_read() -> None:
    (found,) = check(document(version="ruhroh_scenario_v3")).findings
    assert found.message == '"ruhroh_scenario_v3" is not one of: ruhroh_scenario_v2, ruhroh_scenario_v1'
