"""What a scenario may say and what not, each rule from both sides, by both validators."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.scenarios import document
from tests.unit.schemas.shipped import at, full_document, is_valid, steps, v1_document, wordy

PUBLICATION = ("allOf", 0)
PUBLISHED: dict[str, Any] = {
    name: value for name, value in full_document()["metadata"].items() if name != "privateEvalRationale"
}
PROFILE = full_document()["workloadProfile"]
BUDGETS = full_document()["run"]["resourceBudgets"]
LIMIT = BUDGETS["limits"][0]
CASE = document()["evaluation"]["calibrationCases"][0]


def places(value: dict[str, Any], name: str = "scenario-v2") -> set[str]:
    """The pointers of what is wrong with a document."""
    return {"/".join(map(str, error.absolute_path)) for error in wordy(name).iter_errors(value)}


def test_the_smallest_and_the_fullest_scenario_are_valid() -> None:
    assert is_valid("scenario-v2", document(userPromptPath=...))
    assert is_valid("scenario-v2", full_document())


# The published validator accepts these; the published schema, like ours, does not.
TOO_LENIENT: dict[str, dict[str, Any]] = {
    "tier missing": {"tier": ...},
    "tier unknown": {"tier": "weekly"},
    "kind missing": {"kind": ...},
    "kind unknown": {"kind": "demo"},
    "run missing": {"run": ...},
    "run a text": {"run": "build"},
    "run without a timeout": {"run": {"mode": "build"}},
    "timeout a text": {"run__timeoutSeconds": "600"},
    "mode unknown": {"run__mode": "play"},
    "mode a number": {"run__mode": 1},
    "tools empty": {"requires__tools": []},
    "network a text": {"requires__network": "no"},
    "network missing": {"requires__network": ...},
    "iterations a text": {"loop__defaultMaxIterations": "many"},
    "iterations missing": {"loop__defaultMaxIterations": ...},
    "rubric a text": {"evaluation__goalRubric": "It works."},
    "rubric blank": {"evaluation__goalRubric": [""]},
    "rubric numbers": {"evaluation__goalRubric": [1, 2]},
    "context empty": {"evaluation__scenarioContext": []},
    "guidance empty": {"evaluation__evidenceGuidance": []},
    "tags empty": {"metadata": {"scenarioVersion": "1", "tags": []}},
    "maintainers empty": {"metadata": {"scenarioVersion": "1", "maintainers": []}},
    "provenance a number": {"metadata": {"scenarioVersion": "1", "provenance": 5}},
    "network rationale a number": {"metadata": {"scenarioVersion": "1", "networkRationale": 5}},
    "contamination notes a number": {"metadata": {"scenarioVersion": "1", "contaminationNotes": 5}},
    "prompt path a number": {"userPromptPath": 5},
}


@pytest.mark.parametrize("changes", TOO_LENIENT.values(), ids=TOO_LENIENT.keys())
def test_what_only_the_published_validator_accepts_is_refused(changes: dict[str, Any]) -> None:
    assert not is_valid("scenario-v2", document(**changes))


@pytest.mark.parametrize(
    "member", ["id", "title", "requires", "loop", "evaluation", "version", "metadata__scenarioVersion"]
)
def test_a_required_member_is_missed(member: str) -> None:
    made = document(metadata={"scenarioVersion": "1"})
    assert is_valid("scenario-v2", made)
    assert not is_valid("scenario-v2", document(metadata={"scenarioVersion": "1"}, **{member: ...}))


GOOD: dict[str, list[Any]] = {
    "$schema": ["anything"],
    "id": ["a", "A.b_c-d", "_a", "0", "a" * 64],
    "title": ["x", " \u007f ", "\U0001f600", "\u0085"],
    "tier": ["smoke", "nightly", "release"],
    "kind": ["real_user", "contract_stress"],
    "metadata__createdAt": ["2026-03-14", "2026-03-14T09:30:00", "2026-03-14T09:30:00.123456789+05:30"],
    "metadata__difficulty": ["intro", "standard", "hard", "expert"],
    "metadata__visibility": ["private"],
    "metadata__expectedRuntimeSeconds": [0.001, 604800],
    "metadata__lifecycle": [{"status": "active"}, {"status": "retired", "sunsetAt": "2027-01-01"}],
    "workloadProfile": [PROFILE, {**PROFILE, "taskPurpose": {"id": "x", "label": "y"}, "other": 1}],
    "userPrompt": ["x"],
    "userPromptPath": ["prompt.md", "a/b.md", "./x", "..x", "x..", "a/..b/c.."],
    "assets": [[], ["."], ["assets/"], ["a b", "\u00e9", "\u4e2d/\u6587"], ["a/" * 2048], ["...", "a/.../b", "..key"]],
    "run__timeoutSeconds": [0.5, 1, 604800],
    "run__mode": ["build", "plan", "chat", ...],
    "run__resourceBudgets": [BUDGETS, {**BUDGETS, "limits": [{**LIMIT, "resource": "toolCalls", "currency": "EUR"}]}],
    "requires__continuity": ["native_session", "workspace_plus_transcript", "workspace_only"],
    "loop__defaultMaxIterations": [1, 3.0, 1000],
    "loop__completion": [{}, {"required": True}, {"promise": "<done/>"}],
    "evaluation__calibrationCases": [[], ...],
    "evaluation__privateAssets": [[], ["private/x"], ...],
    "evaluation__checks": [[], [{"id": "a", "command": "true"}], [{"id": "a", "command": ["true", ""]}]],
    "evaluation__reviewer": [{"path": "r.py", "command": ["python3", ""]}],
    "evaluation__env": [[], ["A", "_a1"]],
    "environment": [{}],
    "environment__image": ["debian", "debian:12", "a.b:5000/c/d_e/f__g-h--i:T_1", "x@sha256:" + "a" * 64],
    "environment__packages": [[], ["g++", "libx11-6=2:1.8.4-2+deb12u2"]],
    "environment__workdir": ["/app", "/a/b.c/..d/.e"],
    "environment__stage": [{}, {"assets/ledger.csv": "in/ledger.csv"}],
    "environment__cpus": [0.1, 1024],
    "environment__memoryMb": [16, 2048.0],
    "environment__user": ["agent", "_x-1", "rootless", "nobody2"],
    "solution": ["solution", "."],
    "unknown": [1],
    "evaluation__unknown": [None],
}
BAD: dict[str, list[Any]] = {
    "$schema": [5],
    "version": ["ruhroh_scenario_v1", "ruhroh_scenario_v3", 2],
    "id": ["", ".", "..", ".git", "-rf", "---", "a b", "a/b", "a\n", "\u00e9", "a" * 65, 5, None],
    "title": ["", " ", "\t\n", "\u00a0\u3000\ufeff", None],
    "driver": [{}, None, {"adapter": "x", "timeoutSeconds": 1}],
    "metadata": [None, [], {}],
    "metadata__scenarioVersion": ["", 1],
    "metadata__createdAt": ["2026-3-14", "2026-03-14T09:30", "2026-03-14 09:30:00", "2026-03-14\n", "\u0662026-03-14"],
    "metadata__updatedAt": ["today", 20260314],
    "metadata__difficulty": ["easy"],
    "metadata__visibility": ["secret"],
    "metadata__expectedRuntimeSeconds": [0, -1, "90", 604801],
    "metadata__changelog": [[], [" "], "1.0.0"],
    "metadata__lifecycle": [{}, {"status": "gone"}, {"status": "active", "reason": ""}, "active"],
    "metadata__lifecycle__replacementId": ["a/b", ""],
    "metadata__lifecycle__sunsetAt": ["soon"],
    "workloadProfile": [
        {},
        None,
        {**PROFILE, "version": "v1"},
        {**PROFILE, "profileId": " "},
        *({**PROFILE, "taxonomy": {"namespace": name, "version": "1"}} for name in ("x", "", 5)),
        {**PROFILE, "taxonomy": {"namespace": "a:b", "version": ""}},
        *(
            {**PROFILE, name: {"label": "x"}}
            for name in ("archetype", "businessCapability", "taskPurpose", "unitOfWork")
        ),
        *({**PROFILE, name: {"id": " ", "label": "x"}} for name in ("archetype", "taskPurpose", "unitOfWork")),
        *({**PROFILE, name: {"id": "x", "label": " "}} for name in ("archetype", "unitOfWork")),
        {**PROFILE, "denominatorCardRef": ""},
    ],
    "userPrompt": ["", " \n", 5],
    "userPromptPath": ["", "/etc/hostname", "../x", "a/../b", "a/..", "..", "a\\b", "a\nb", "a\x7f"],
    "assets": [None, "a", [""], [1], ["/a"], ["../a"], ["a/../../b"], ["a\x00b"], ["a\n"], ["a" * 4097]],
    "run__timeoutSeconds": [0, -5, 604801, 1e300, True],
    "run__resourceBudgets": [
        {"limits": "banana"},
        {**BUDGETS, "limits": []},
        {**BUDGETS, "scope": "review"},
        {**BUDGETS, "version": "ruhroh_resource_budgets_v2"},
        {**BUDGETS, "onUnobservable": "pass"},
        {**BUDGETS, "limits": [{**LIMIT, "resource": "patience"}]},
        {**BUDGETS, "limits": [{**LIMIT, "max": -1}]},
        {**BUDGETS, "limits": [{**LIMIT, "requiredEnforcement": "polite"}]},
        *({**BUDGETS, "limits": [{**LIMIT, "currency": code}]} for code in ("usd", "EURO", "USD\n")),
    ],
    "requires__continuity": ["some", ...],
    "requires__tools": ["shell", [""], [1], ...],
    "loop__defaultMaxIterations": [0, -1, 2.5, 1001, True],
    "loop__stopPolicy": ["never", ...],
    "loop__completion": [
        None,
        {"require": True},
        {"required": 1},
        {"promise": ""},
        {"promise": "a\nb"},
        {"promise": "x" * 257},
    ],
    "evaluation": [None, {}, {"mode": "vibes"}],
    "evaluation__mode": ["agentic"],
    "evaluation__goalRubric": [[], [" "], ...],
    "evaluation__scenarioContext": [[" "], ...],
    "evaluation__evidenceGuidance": [[" "], ...],
    "evaluation__calibrationCases": [
        [1],
        [{"id": "a"}],
        {},
        [{**CASE, "expectedStatus": "infra_failed"}],
        *([{**CASE, name: " "}] for name in ("id", "inputSummary", "rationale")),
    ],
    "evaluation__privateAssets": ["x", [" "], ["/x"], ["../x"]],
    "evaluation__checks": [
        [{"id": "a"}],
        [{"command": "true"}],
        [{"id": "a/b", "command": "true"}],
        [{"id": "a", "command": ""}],
        [{"id": "a", "command": []}],
        [{"id": "a", "command": [""]}],
        [{"id": "a", "command": ["true", 1]}],
        [{"id": "a", "command": "true", "expectExit": 256}],
        [{"id": "a", "command": "true", "expectExit": -1}],
        [{"id": "a", "command": "true", "timeoutSeconds": 0}],
        [{"id": "a", "command": "true", "restore": "x"}],
        [{"id": "a", "command": "true", "restore": ["../x"]}],
        [{"id": "a", "command": "true", "retries": 2}],
    ],
    "evaluation__reviewer": [
        {"path": "r"},
        {"command": ["x"]},
        {"path": "r", "command": "x"},
        {"path": "r", "command": ["x", 1]},
        {"path": "r", "command": [" "]},
        {"path": "/r", "command": ["x"]},
        {"path": "r", "command": ["x"], "env": []},
        {"path": "r", "command": []},
    ],
    "evaluation__environment": [
        *({"user": "x"}, {"workdir": "/x"}, {"memoryMb": 15}, {"memoryMb": 2**24 + 1}, {"cpus": 0}, {"cpus": 1025}),
        *({"image": "X"}, {"packages": ["X"]}, {"setup": "/x"}),
    ],
    "evaluation__env": [["A=1"], ["1A"], [""], ["A B"], "A", ["\u00c9"], ["A" * 129]],
    "evaluation__network": ["yes", None],
    "evaluation__timeoutSeconds": [0, 604801],
    "environment": [None, {"memory": 1}],
    "environment__image": [
        "",
        "Debian",
        "debian:",
        "a b",
        "x@sha256:12",
        "x\nRUN y",
        "-x",
        "a//b",
        "debian:12\n",
        "a" * 513,
    ],
    "environment__packages": [["Jq"], ["jq; rm"], ["-y"], ["j"], ["jq="], [" "], "jq", ["a" * 129]],
    "environment__setup": ["/setup.sh", ""],
    "environment__workdir": [
        "app",
        "/",
        "/app/",
        "/a//b",
        "/a/../b",
        "/a/.",
        "/a b",
        "/$x",
        "/app\n",
        "",
        "/" + "a" * 255,
    ],
    "environment__stage": [{"": "."}, {"a": "../b"}, {"../a": "b"}, {"a": 1}, ["a"]],
    "environment__git": ["yes"],
    "environment__cpus": [0, -1, "2", 1025],
    "environment__memoryMb": [15, 16.5, "1g", 2**24 + 1],
    "environment__user": ["root", "nobody", "Agent", "1x", "a" * 33, "a b", "agent\n", ""],
    "solution": ["../x", "", []],
}


def cases(table: dict[str, list[Any]]) -> list[Any]:
    return [
        pytest.param(name, value, id=f"{name}={'absent' if value is ... else ascii(value)[:40]}")
        for name, values in table.items()
        for value in values
    ]


def changed(name: str, value: object) -> dict[str, Any]:
    base = {"metadata": {"scenarioVersion": "1", "lifecycle": {"status": "active"}}}
    return document(**{**base, name: value})


@pytest.mark.parametrize(("name", "value"), cases(GOOD))
def test_a_good_value_is_accepted(name: str, value: object) -> None:
    assert is_valid("scenario-v2", changed(name, value))


@pytest.mark.parametrize(("name", "value"), cases(BAD))
def test_a_bad_value_is_refused_where_it_stands(name: str, value: object) -> None:
    made = changed(name, value)
    assert not is_valid("scenario-v2", made)
    parent = name.rpartition("__")[0] if value is ... else name
    assert all(place.startswith(parent.replace("__", "/")) for place in places(made))


WRONG_KIND: list[tuple[type, Any]] = [
    (bool, "yes"),
    (str, 5),
    (int, "5"),
    (float, "5"),
    (list, {"0": "x"}),
    (dict, ["x"]),
]


@pytest.mark.parametrize("place", sorted(steps(full_document()), key=repr), ids=lambda place: "/".join(map(str, place)))
def test_a_value_of_another_kind_is_refused_where_it_stands(place: tuple[str | int, ...]) -> None:
    made = full_document()
    *above, last = place
    parent = at(made, above)
    parent[last] = next(other for kind, other in WRONG_KIND if isinstance(parent[last], kind))
    assert not is_valid("scenario-v2", made)
    assert "/".join(map(str, place)) in places(made)


# Everything else that a complete, unpublished scenario says is required where it stands.
OPTIONAL = {
    "": "$schema metadata workloadProfile userPrompt userPromptPath assets environment solution",
    "metadata": "provenance createdAt updatedAt difficulty tags visibility expectedRuntimeSeconds networkRationale "
    "contaminationNotes privateEvalRationale maintainers changelog lifecycle",
    "metadata/lifecycle": "reason sunsetAt replacementId",
    "run": "mode resourceBudgets",
    "loop": "completion",
    "loop/completion": "required promise",
    "environment": "image packages setup workdir stage git cpus memoryMb user",
    "environment/stage": "assets/ledger.csv",
    "evaluation": "calibrationCases privateAssets checks reviewer environment env network timeoutSeconds",
    "evaluation/environment": "image packages setup cpus memoryMb",
    "evaluation/checks/0": "expectExit timeoutSeconds restore",
}


@pytest.mark.parametrize(
    "place",
    sorted((place for place in steps(full_document()) if isinstance(place[-1], str)), key=repr),
    ids=lambda place: "/".join(map(str, place)),
)
def test_a_member_can_be_left_out_only_where_it_is_optional(place: tuple[str | int, ...]) -> None:
    made = full_document()
    made["metadata"]["visibility"] = "private"
    *above, last = place
    del at(made, above)[last]
    assert is_valid("scenario-v2", made) == (last in OPTIONAL.get("/".join(map(str, above)), "").split())


def test_a_cost_limit_names_its_currency() -> None:
    made = document(run__resourceBudgets={**BUDGETS, "limits": [{k: v for k, v in LIMIT.items() if k != "currency"}]})
    assert not is_valid("scenario-v2", made)


def test_checks_alone_may_judge_without_rubric_context_and_guidance() -> None:
    bare = {"scenarioContext": ..., "goalRubric": ..., "evidenceGuidance": ...}
    changes = {f"evaluation__{name}": value for name, value in bare.items()}
    check = {"id": "a", "command": "true"}
    assert is_valid("scenario-v2", document(evaluation__mode="checks", evaluation__checks=[check], **changes))
    assert not is_valid("scenario-v2", document(evaluation__checks=[check], **changes))
    assert not is_valid("scenario-v2", document(evaluation__mode="checks", evaluation__checks=[], **changes))
    assert not is_valid("scenario-v2", document(evaluation__mode="checks", **changes))


def publication_only(value: dict[str, Any]) -> bool:
    """Whether the document is refused, and by the publication branch alone."""
    errors = list(wordy("scenario-v2").iter_errors(value))
    return bool(errors) and all(tuple(error.absolute_schema_path)[:2] == PUBLICATION for error in errors)


@pytest.mark.parametrize("visibility", ["public", "held_out"])
@pytest.mark.parametrize("missing", sorted(set(PUBLISHED) - {"scenarioVersion", "visibility", "networkRationale"}))
def test_a_published_scenario_says_everything_a_reader_needs(visibility: str, missing: str) -> None:
    complete = {**PUBLISHED, "visibility": visibility}
    made = document(metadata=complete, evaluation__privateAssets=["x"])
    assert is_valid("scenario-v2", made)
    del made["metadata"][missing]
    assert not is_valid("scenario-v2", made)
    assert publication_only(made)
    made["metadata"]["visibility"] = "private"
    assert is_valid("scenario-v2", made)


def test_a_published_scenario_explains_its_network() -> None:
    quiet = {name: value for name, value in PUBLISHED.items() if name != "networkRationale"}
    made = document(metadata={**quiet, "visibility": "public"})
    assert is_valid("scenario-v2", made)
    made["requires"]["network"] = True
    assert not is_valid("scenario-v2", made)
    assert publication_only(made)
    made["metadata"]["networkRationale"] = "It installs packages."
    assert is_valid("scenario-v2", made)


@pytest.mark.parametrize("private", [..., []], ids=["absent", "empty"])
def test_a_held_out_scenario_hides_something_or_says_why_not(private: object) -> None:
    made = document(metadata={**PUBLISHED, "visibility": "held_out"}, evaluation__privateAssets=private)
    assert not is_valid("scenario-v2", made)
    assert publication_only(made)
    assert is_valid(
        "scenario-v2", {**made, "metadata": {**made["metadata"], "privateEvalRationale": "Nothing to hide."}}
    )
    made["evaluation"]["privateAssets"] = ["private/expected.json"]
    assert is_valid("scenario-v2", made)


def test_the_documented_example_lacks_only_what_publication_asks_for() -> None:
    made = document(
        assets=[], evaluation__privateAssets=[], metadata={"scenarioVersion": "0.1.0", "visibility": "public"}
    )
    assert not is_valid("scenario-v2", made)
    assert publication_only(made)
    made["metadata"] = {**PUBLISHED, "visibility": "public"}
    assert is_valid("scenario-v2", made)


@pytest.mark.parametrize("metadata", [None, 5, "public", [], {"visibility": 5}, {"visibility": None}])
def test_broken_metadata_asks_for_no_publication_metadata(metadata: object) -> None:
    errors = list(wordy("scenario-v2").iter_errors(document(metadata=metadata)))
    assert errors
    assert not any(tuple(error.absolute_schema_path)[:2] == PUBLICATION for error in errors)


V1_DRIVER = {"adapter": "custom-shell", "timeoutSeconds": 900}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"run": {"timeoutSeconds": 5}},
        {"driver": {**V1_DRIVER, "profileId": "p", "mode": "plan", "env": {"A": "b"}, "command": "x", "other": 1}},
        {"driver": {**V1_DRIVER, "command": ["x", "y"], "completionProtocol": "json-final-line"}},
        {"environment": {"git": True}, "metadata": {**PUBLISHED, "visibility": "public"}},
    ],
)
def test_the_older_format_is_accepted(changes: dict[str, Any]) -> None:
    assert is_valid("scenario-v1", v1_document(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"driver": ...},
        {"driver": {}},
        {"driver": {"adapter": " ", "timeoutSeconds": 900}},
        {"driver": {"adapter": "x"}},
        {"driver": {"adapter": "x", "timeoutSeconds": 0}},
        {"driver": {**V1_DRIVER, "mode": "play"}},
        {"driver": {**V1_DRIVER, "env": {"A": 1}}},
        {"version": "ruhroh_scenario_v2"},
        {"run": {}},
        {"id": ".."},
        {"assets": ["../x"]},
        {"evaluation__goalRubric": []},
        {"environment": {"image": "X"}},
        {"metadata": {"scenarioVersion": "1", "visibility": "public"}},
    ],
)
def test_the_older_format_is_checked_as_strictly(changes: dict[str, Any]) -> None:
    assert not is_valid("scenario-v1", v1_document(**changes))


def test_publication_stands_at_one_place_in_both_formats() -> None:
    made = v1_document(metadata={"scenarioVersion": "1", "visibility": "public"})
    assert {tuple(error.absolute_schema_path)[:2] for error in wordy("scenario-v1").iter_errors(made)} == {PUBLICATION}
