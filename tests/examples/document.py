"""Documents that cannot be read as a scenario."""

from __future__ import annotations

import json
from typing import Final

from tests.support.examples import SCENARIO, Example, State
from tests.support.files import Link
from tests.support.scenarios import document
from tests.support.twins import as_yaml

TEXT: Final = json.dumps(document(), indent=2) + "\n"
YAML: Final = as_yaml(document())
MENDED_YAML: Final = State({f"{SCENARIO}scenario.json": None, f"{SCENARIO}scenario.yaml": YAML})


def json_text(text: str | bytes) -> State:
    """The pack with this text as its document."""
    return State({f"{SCENARIO}scenario.json": text})


def json_with(old: str, new: str) -> State:
    """The pack with one part of the document's text replaced."""
    assert old in TEXT
    return json_text(TEXT.replace(old, new, 1))


def yaml_with(old: str, new: str) -> Example:
    """The same for a document in YAML."""
    assert old in YAML
    text = YAML.replace(old, new, 1)
    return Example(State({f"{SCENARIO}scenario.json": None, f"{SCENARIO}scenario.yaml": text}), MENDED_YAML)


EXAMPLES: Final = {
    "document_missing": Example(
        State({f"{SCENARIO}scenario.json": None}), command="harborsmith validate scenarios/sum-ledger/scenario.json"
    ),
    "document_unreadable": Example(
        State({f"{SCENARIO}scenario.json": Link("../../shared/scenario.json"), "shared/scenario.json": TEXT}),
        State({"shared/scenario.json": TEXT}),
    ),
    "document_too_large": Example(json_with('"title": "Sum the ledger"', f'"title": "{"Sum the ledger. " * 66000}"')),
    "document_encoding": Example(
        json_text(TEXT.replace("Sum the ledger", "Sum the café's ledger").encode("latin-1")),
        json_with("Sum the ledger", "Sum the café's ledger"),
    ),
    "document_bom": Example(json_text("\ufeff" + TEXT)),
    "document_empty": Example(json_text("")),
    "document_syntax": Example(json_with('"filesystem",\n      "shell"', '"filesystem",\n      "shell",')),
    "document_duplicate_key": Example(json_with('"tier": "smoke",', '"tier": "smoke",\n  "tier": "nightly",')),
    "document_number": Example(json_with('"timeoutSeconds": 120', '"timeoutSeconds": 1e400')),
    "document_lone_surrogate": Example(
        json_with("Sum the ledger", "Sum the ledger \\ud83d"),
        json_with("Sum the ledger", "Sum the ledger \\ud83d\\udcd2"),
    ),
    "document_nul": Example(json_with("Sum the ledger", "Sum the\\u0000ledger")),
    "document_too_deep": Example(json_with('"tier"', f'"notes": {"[" * 101}{"]" * 101},\n  "tier"')),
    "document_not_object": Example(json_text('["sum-ledger"]\n')),
    "document_twice": Example(State({f"{SCENARIO}scenario.yaml": YAML})),
    "document_yaml_feature": yaml_with('"timeoutSeconds": 120', '"timeoutSeconds": !!int "120"'),
    "document_yaml_alias": yaml_with('- "assets/ledger.csv"', "- *ledger"),
}
