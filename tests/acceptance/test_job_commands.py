"""What a stranger wrote commands nothing of the CI job that prints it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.files import Tree, write_tree
from tests.support.joblog import job_commands
from tests.support.runs import SOLVE, Bench, Ran
from tests.support.scenarios import document, write_scenario

EVIL = ("::error::one", "  ::add-mask::two", "\u3000::set-output name=a::three", "a ##[group]four", "##vso[task.x]five")
REVIEWER = f"""#!/usr/bin/env python3
import json
words = {EVIL!r}
verdict = {{"version": "ruhroh_eval_result_v1", "status": "failed", "goalMet": False}}
print(json.dumps(verdict | {{"reasons": words, "unmetCriteria": words, "warnings": words}}))
"""
CHECK = "printf '%s\\n' {}; exit 1".format(" ".join(f"'{word}'" for word in EVIL))
HERE = ("--scenario-dir", ".")


def test_the_oracle_finds_commands() -> None:
    assert job_commands("\n".join(EVIL)) == ["error", "add-mask", "set-output", "group", "task.x"]
    assert job_commands("a ::error::b\n:: a\n# [b]\n::error") == []


@pytest.fixture
def pack(tmp_path: Path) -> Bench:
    """A pack whose every name and value is a command: scenarios that hold them, sound ones, and no documents at all."""
    for number, evil in enumerate(EVIL):
        extra: Tree = {"assets/" + evil: "", evil: "", "instruction.md": evil}
        made = document(id=evil, title=evil, tier=evil, assets=["assets/" + evil, evil], requires__tools=[evil])
        made |= {evil: evil, "userPromptPath": evil}
        made["metadata"] = {"maintainers": [evil], evil: evil}
        made["evaluation"] |= {"env": [evil], "checks": [{"id": evil, "command": evil, "restore": [evil]}]}
        write_scenario(tmp_path / evil, made, extra)
        write_scenario(tmp_path / f"{evil} sound", document(id=f"sound-{number}"), extra)
        write_scenario(tmp_path / f"{evil} broken", {}, {"scenario.json": f"{evil}\n"})
    return Bench(tmp_path)


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit"])
def test_a_validation_commands_nothing(pack: Bench, form: str) -> None:
    ran = pack.run("validate", *HERE, "--format", form)

    assert ran.code == 1
    assert "add-mask" in ran.out
    assert job_commands(ran.out + ran.err) == []


def test_annotations_are_the_only_commands_of_their_format(pack: Bench) -> None:
    ran = pack.run("validate", *HERE, "--format", "github")

    assert ran.code == 1
    assert set(job_commands(ran.out + ran.err)) <= {"error", "warning", "notice"}
    assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in ran.out.splitlines())


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--check",), ("--json",)])
def test_making_packages_commands_nothing(pack: Bench, more: tuple[str, ...]) -> None:
    ran = pack.run("generate", *HERE, *more)

    assert ran.code == 1
    assert "add-mask" in ran.out
    assert job_commands(ran.out + ran.err) == []


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_checking_proofs_commands_nothing(pack: Bench, more: tuple[str, ...]) -> None:
    write_tree(pack.folder, {"generated/proofs/sound-0.json": {"proven": False, "reasons": EVIL, EVIL[0]: EVIL[1]}})

    ran = pack.run("prove", "--all", "--check", *HERE, *more)

    assert ran.code == 1
    assert "add-mask" in ran.out + ran.err
    assert job_commands(ran.out + ran.err) == []


@pytest.mark.parametrize("command", ["validate", "generate"])
@pytest.mark.parametrize(
    "settings",
    [
        "scenario-dir = EVIL",
        "out = EVIL",
        "org = EVIL",
        "authors = [EVIL]",
        "fail-on = [EVIL]",
        "EVIL = EVIL",
        "EVIL EVIL",
        "[dataset]\nname = EVIL\nversion = EVIL\ndescription = EVIL",
        "[[ignore]]\ncode = EVIL\nscenario = EVIL\nreason = EVIL",
        "[[ignore]]\ncode = 'rubric_repeats_itself'\nscenario = EVIL\nreason = EVIL",
    ],
)
def test_the_settings_of_a_pack_command_nothing(tmp_path: Path, command: str, settings: str) -> None:
    write_scenario(tmp_path / "scenarios" / "a")
    for evil in EVIL:
        text = settings.replace("EVIL", json.dumps(evil, ensure_ascii=False))
        (tmp_path / "harborsmith.toml").write_text(text, encoding="utf-8")

        ran = Bench(tmp_path).run(command)

        assert ran.out or ran.err
        assert job_commands(ran.out + ran.err) == []


def misjudged(bench: Bench, **changes: Any) -> None:
    """A scenario, a reviewer and an agent that say nothing but commands."""
    bench.scenario({"assets/x": EVIL[0]}, evaluation__checks=[{"id": "loud", "command": CHECK}], **changes)
    bench.script(REVIEWER, "judge.py")
    bench.script("#!/bin/sh\nprintf '%s\\n' '##[error]x' '::error::y' >&2\nexit 3\n", "breaks.sh")
    bench.script(SOLVE)


def commanded(ran: Ran) -> list[str]:
    assert ran.code in (1, 5), ran.err
    return job_commands(ran.out + ran.err)


@pytest.mark.sandbox
@pytest.mark.parametrize("agent", ["./solver.sh", "./breaks.sh"])
@pytest.mark.parametrize("more", [(), ("--runs", "2"), ("--json",)])
def test_words_of_agents_checks_and_reviewers_command_nothing(bench: Bench, agent: str, more: tuple[str, ...]) -> None:
    misjudged(bench)

    ran = bench.run("run", "--scenario", "sum-ledger", "--agent", agent, "--reviewer", "./judge.py", *more)

    assert "add-mask" in ran.out or more
    assert commanded(ran) == []


@pytest.mark.sandbox
def test_a_review_commands_nothing(bench: Bench) -> None:
    misjudged(bench)
    assert bench.run("generate").code == 0
    (bench.folder / "done").mkdir()

    ran = bench.run("review", str(bench.package), "--workspace", "done", "--reviewer", "./judge.py")

    assert "add-mask" in ran.out
    assert commanded(ran) == []


@pytest.mark.parametrize("evil", EVIL)
def test_what_cannot_be_run_commands_nothing(bench: Bench, evil: str) -> None:
    bench.scenario()

    for arguments in (
        ["--agent", evil],
        ["--agent", "nop", "--reviewer", evil],
        ["--agent", "nop", "--agent-env", evil],
    ):
        ran = bench.run("run", "--scenario", "sum-ledger", *arguments)
        assert ran.code == 2, ran.out + ran.err
        assert job_commands(ran.out + ran.err) == []
