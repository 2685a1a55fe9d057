"""The catalogue of variables says what programs are really given, and what the code really reads."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import Any

import pytest

from generator.execute.settings import TURN_SECONDS
from generator.runtime.loop import BIG_VALUE, JSON_FINAL_LINE, RESULT_PROTOCOL
from tests.support.files import Script
from tests.support.repository import ROOT, files, modules, parsed
from tests.support.runs import Bench
from tests.support.variables import OURS, named_in_code, names_of, reads, variables

TELL = """#!/usr/bin/python3
import json
told = [pair.split(b"=")[0].decode() for pair in open("/proc/self/environ", "rb").read().split(b"\\0") if pair]
"""
AGENT = TELL + 'print(json.dumps(told))\njson.dump(told, open("told.json", "w"))\n'
REVIEWER = TELL + 'print(json.dumps({"status": "failed", "goalMet": False, "reasons": told}))\n'
# The shell's own start, not what it gives to its programs.
CHECK = "tr '\\0' '\\n' < /proc/$$/environ | cut -d= -f1 | sort | tr '\\n' ' '; exit 1"
PLAINLY = ("--isolation", "none", "--allow-unsandboxed-pack-code")
OPENED = ("--allow-agent-host", "example.org:443")
# Not in the surroundings of a program that runs plainly: see the meanings of these names.
SANDBOX_ALONE = {"PWD"}
SANDBOX_ALONE_IN_REVIEWS = {"PWD", "USER", "LOGNAME"}
# Functions that look for what an operator names, whatever it is.
OPEN_ENDED = {
    ("generator/execute/agentenv.py", "agent_variables"),
    ("generator/harbor/assignment.py", "understand"),
    ("generator/harbor/commands.py", "command_of"),
    ("generator/harbor/reviewer.py", "review_variables"),
    ("generator/runtime/reviewers.py", "packaged_reviewer"),
}


@pytest.fixture
def surroundings(bench: Bench) -> Mapping[str, str]:
    """An operator's environment in which every variable of the catalogue that can reach a program is set."""
    (bench.folder / "ca.pem").touch()
    proxies, certificates = variables()["network"]
    return {
        **dict.fromkeys(proxies.names, "http://127.0.0.1:9"),
        **dict.fromkeys(certificates.names, str(bench.folder / "ca.pem")),
        "MY_OWN_KEY": "of the operator",
    }


def told(bench: Bench, surroundings: Mapping[str, str], *more: str, **changes: Any) -> tuple[set[str], set[str]]:
    """What the agent and the reviewer of the package were given."""
    reviewer = {"path": "judge.py", "command": ["python3", "{reviewer}/judge.py"]}
    bench.scenario({"judge.py": Script(REVIEWER)}, evaluation__reviewer=reviewer, **changes)
    agent = bench.script(AGENT)
    words = ("--scenario", "sum-ledger", "--agent", agent, "--iterations", "1", "--json")
    ran = bench.run("run", *words, *more, env=surroundings)
    assert ran.code == 1, ran.err
    transcript = (bench.evidence / "transcripts" / "iteration-1.log").read_text()
    return set(json.loads(transcript)), set(ran.report["reasons"])


@pytest.mark.sandbox
def test_a_confined_agent_and_a_packaged_reviewer_get_what_the_catalogue_says(
    bench: Bench, surroundings: Mapping[str, str]
) -> None:
    agent, reviewer = told(bench, surroundings)

    assert agent == names_of("agent", "program")
    assert reviewer == names_of("reviewer", "program")


@pytest.mark.sandbox
def test_with_the_network_they_get_proxies_and_certificates_besides(
    bench: Bench, surroundings: Mapping[str, str]
) -> None:
    agent, reviewer = told(bench, surroundings, requires__network=True, evaluation__network=True)

    assert agent == names_of("agent", "program", "network")
    assert reviewer == names_of("reviewer", "program", "network")


@pytest.mark.sandbox
def test_with_an_opened_host_the_agent_gets_a_proxy_of_ours_and_the_certificates(
    bench: Bench, surroundings: Mapping[str, str]
) -> None:
    agent, reviewer = told(bench, surroundings, *OPENED)

    _, certificates = variables()["network"]
    assert agent == names_of("agent", "program", "hosts") | set(certificates.names)
    assert reviewer == names_of("reviewer", "program")


def test_without_a_sandbox_they_get_the_same_but_for_what_it_sets(
    bench: Bench, surroundings: Mapping[str, str]
) -> None:
    agent, reviewer = told(bench, surroundings, *PLAINLY)

    assert agent == names_of("agent", "program") - SANDBOX_ALONE
    assert reviewer == names_of("reviewer", "program") - SANDBOX_ALONE_IN_REVIEWS


@pytest.mark.parametrize(
    ("more", "lacking"),
    [pytest.param((), set(), marks=pytest.mark.sandbox), (PLAINLY, SANDBOX_ALONE_IN_REVIEWS)],
    ids=["sandbox", "plain"],
)
def test_a_check_gets_what_every_program_gets(
    bench: Bench, surroundings: Mapping[str, str], more: tuple[str, ...], lacking: set[str]
) -> None:
    bench.scenario(evaluation__checks=[{"id": "tell", "command": CHECK}])
    ran = bench.run(
        "run",
        "--scenario",
        "sum-ledger",
        "--agent",
        "nop",
        "--reviewer",
        "/bin/true",
        "--json",
        *more,
        env=surroundings,
    )

    (check,) = ran.report["failedChecks"]
    assert set(check["output"].split()) == names_of("program") - lacking


def test_the_operators_reviewer_gets_the_operators_environment_besides(
    bench: Bench, surroundings: Mapping[str, str]
) -> None:
    bench.scenario()
    theirs = {**surroundings, "RUHROH_EVAL_COMMAND": bench.script(REVIEWER, "judge.py")}
    words = ("--scenario", "sum-ledger", "--agent", "nop", "--json")
    ran = bench.run("run", *words, *PLAINLY, env=theirs)

    given = set(bench.who.environment()) | set(theirs)
    assert set(ran.report["reasons"]) == names_of("reviewer") | given


def test_the_code_reads_what_the_catalogue_says_and_nothing_else() -> None:
    found = reads()
    # The standard library reads this one, for whoever asks it for a folder.
    library = {"TMPDIR"} if any(_uses_temporary_files(parsed(module)) for module in modules()) else set()
    # These two are read on the other side, by the review and by its helper.
    beyond = {"HARBORSMITH_OPERATOR", "HARBORSMITH_SUBMISSION_SOCKET"}

    read = {name for one in found for name in one.names} | library
    assert read == names_of("operator", "network") | beyond
    assert {(one.module.as_posix(), one.function) for one in found if not one.names} == OPEN_ENDED


def _uses_temporary_files(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.Import) and node.names[0].name == "tempfile" for node in ast.walk(tree))


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        ("RUHROH_MESSAGE", f"{BIG_VALUE // 1024} KiB"),
        ("RUHROH_RUN_AGENT_RESULT_PROTOCOL", RESULT_PROTOCOL),
        ("RUHROH_ITERATION_TIMEOUT_SEC", f"default {TURN_SECONDS:.0f}"),
        ("RUHROH_RUN_AGENT_COMPLETION_PROTOCOL", f"`{JSON_FINAL_LINE}` (default)"),
    ],
)
def test_figures_in_the_catalogue_are_those_of_the_code(name: str, figure: str) -> None:
    (line,) = [line for lines in variables().values() for line in lines if name in line.names]

    assert figure in line.meaning


def test_every_name_of_ours_in_the_code_is_in_the_catalogue() -> None:
    assert named_in_code() == {name for name in names_of() if OURS.fullmatch(name)}


def test_whatever_ships_or_explains_names_no_variable_that_the_catalogue_does_not() -> None:
    places = {"generator", "templates", "schemas", "scenarios", "docs", "README.md", "SECURITY.md", "action.yml"}
    texts = [(ROOT / path).read_text(encoding="utf-8", errors="replace") for path in files() if path.parts[0] in places]
    found = {name for text in texts for name in OURS.findall(text)}

    assert {name for name in found if not _known(name)} == set()


def _known(name: str) -> bool:
    every = names_of()
    return (
        name in every
        or f"{name}_*" in every
        or (name.endswith("*") and any(one.startswith(name[:-1]) for one in every))
    )
