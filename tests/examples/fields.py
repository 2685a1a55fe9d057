"""Members and values that do not fit the format."""

from __future__ import annotations

from typing import Any, Final

from tests.support.examples import Example, State, scenario

PROFILE: Final[dict[str, Any]] = {
    "version": "ruhroh_workload_profile_v1",
    "profileId": "ledgers",
    "taxonomy": {"namespace": "acme:workloads", "version": "1"},
    "archetype": {"id": "bookkeeping"},
    "unitOfWork": {"id": "ledger", "label": "A ledger"},
}
CHECK: Final = {"id": "report", "command": "test -s report.json"}


def _profile(namespace: str) -> Any:
    return {**PROFILE, "taxonomy": {"namespace": namespace, "version": "1"}}


def _reviewed(variable: str) -> State:
    """The pack with a reviewer of its own that asks for a variable."""
    reviewer = {"path": "judge.sh", "command": ["sh", "{reviewer}/judge.sh"]}
    return scenario({"judge.sh": "exit 1\n"}, evaluation__reviewer=reviewer, evaluation__env=[variable])


EXAMPLES: Final = {
    "field_missing": Example(scenario(title=...)),
    "field_type": Example(scenario(requires__network="no")),
    "field_value": Example(scenario(tier="smok")),
    "field_range": Example(scenario(loop__defaultMaxIterations=0)),
    "field_empty": Example(scenario(requires__tools=[])),
    "field_format": Example(
        scenario(workloadProfile=_profile("workloads")), scenario(workloadProfile=_profile("acme:workloads"))
    ),
    "field_not_allowed": Example(scenario(driver={"adapter": "custom-shell", "timeoutSeconds": 120})),
    "field_unknown": Example(scenario(assets=..., asset=["assets/ledger.csv"])),
    "text_blank": Example(scenario(title=" ")),
    "name_not_portable": Example(scenario(id="sum ledger")),
    "path_unsafe": Example(scenario(assets=["../shared/ledger.csv"])),
    "image_reference": Example(
        scenario(environment__image="Python 3.12"), scenario(environment__image="python:3.12.7-slim-bookworm")
    ),
    "package_name": Example(scenario(environment__packages=["jq; rm -rf /"]), scenario(environment__packages=["jq"])),
    "user_name": Example(scenario(environment__user="root"), scenario(environment__user="agent")),
    "workdir_unsuitable": Example(scenario(environment__workdir="/tests"), scenario(environment__workdir="/workspace")),
    "environment_name": Example(
        _reviewed("API-KEY=abc"),
        _reviewed("API_KEY"),
    ),
    "environment_name_reserved": Example(
        _reviewed("PATH"),
        _reviewed("OPENAI_API_KEY"),
    ),
    "resource_budgets_not_enforced": Example(
        scenario(
            run__resourceBudgets={
                "version": "ruhroh_resource_budgets_v1",
                "scope": "implementation",
                "onUnobservable": "fail",
                "limits": [{"resource": "totalTokens", "max": 100000, "requiredEnforcement": "boundary"}],
            }
        )
    ),
    "field_without_effect": Example(
        scenario(
            evaluation={"mode": "checks", "checks": [CHECK], "env": ["OPENAI_API_KEY"]},
        ),
        scenario(evaluation={"mode": "checks", "checks": [CHECK]}),
    ),
    "network_public": Example(scenario(requires__network=True)),
    "check_id_duplicate": Example(
        scenario(evaluation__checks=[CHECK, {"id": "Report", "command": "python3 -m json.tool report.json"}]),
        scenario(evaluation__checks=[CHECK, {"id": "valid-json", "command": "python3 -m json.tool report.json"}]),
    ),
    "check_restore_undeclared": Example(
        scenario(evaluation__checks=[{**CHECK, "restore": ["ledger.csv"]}]),
        scenario(evaluation__checks=[{**CHECK, "restore": ["assets/ledger.csv"]}]),
    ),
    "check_path_unmentioned": Example(
        scenario(evaluation__checks=[{"id": "total", "command": "grep -q 14.00 total.json"}]),
        scenario(evaluation__checks=[{"id": "total", "command": "grep -q 14.00 report.json"}]),
    ),
}
