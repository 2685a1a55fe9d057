"""What keeps a run from starting is said before anything runs, with what to write instead."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from generator.diagnostics.catalogue import catalogue
from tests.support.files import Script, write_tree
from tests.support.runs import JUDGE, ROOT, SOLVE, Account, Bench

CHECKS = {"mode": "checks", "checks": [{"id": "total", "command": "touch ../../checked; grep -q 14 report.json"}]}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path / "bench")
    made.scenario()
    made.script(JUDGE, "judge.py")
    return made


def refused(bench: Bench, agent: str, *more: str, env: dict[str, str] | None = None) -> tuple[int, list[str]]:
    """Exit code and codes of a run that must not start."""
    ran = bench.attempt(agent, *more, env=env)
    assert not (bench.folder / "generated" / "runs").exists(), ran.out
    return ran.code, ran.refused


@pytest.mark.sandbox
@pytest.mark.parametrize("command", ["run --scenario sum-ledger", "run {package}", "review {package} --workspace done"])
@pytest.mark.parametrize("out", ["judge.py", "judge.py/deeper"])
def test_an_output_directory_that_is_a_file_is_a_usage_error(bench: Bench, command: str, out: str) -> None:
    assert bench.run("generate").code == 0
    (bench.folder / "done").mkdir()
    words = command.format(package=bench.package).split()
    agent = ["--agent", "nop"] if words[0] == "run" else []
    ran = bench.run(*words, *agent, "--reviewer", "./judge.py", "--out", out, "--json")
    assert (ran.code, ran.refused) == (2, ["output_unusable"]), ran.out


@pytest.mark.sandbox
def test_a_folder_that_holds_the_temporary_files_of_runs_is_not_shown() -> None:
    with Account(None).folder() as folder:  # a longer path than its own would not be used
        bench = Bench(folder)
        bench.scenario()
        place = write_tree(folder / "tools", {"tmp/x": ""}) / "tmp"
        env = {"TMPDIR": str(place)}
        assert refused(bench, "nop", "--agent-path", "tools", env=env) == (2, ["agent_path_leaks"])
        assert os.listdir(place) == ["x"]


@pytest.mark.sandbox
def test_records_that_a_link_keeps_elsewhere_are_not_shown(bench: Bench) -> None:
    write_tree(bench.folder, {"disk/old/x": ""})
    (bench.folder / "generated" / "runs").mkdir(parents=True)
    (bench.folder / "generated" / "runs" / "sum-ledger").symlink_to("../../disk")
    ran = bench.attempt("nop", "--agent-path", "disk")
    assert (ran.code, ran.refused) == (2, ["agent_path_leaks"])


def marking(bench: Bench) -> str:
    """An agent that leaves a mark when it is started."""
    return bench.script(f"#!/bin/bash\ntouch {bench.folder}/started\n")


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--agent-path", "."], "agent_path_leaks"),
        (["--agent-path", "generated"], "agent_path_leaks"),
        (["--agent-path", "scenarios/sum-ledger"], "agent_path_leaks"),
        (["--agent-path", "/"], "agent_path_too_wide"),
        (["--agent-env", "NOT_SET"], "agent_env_unset"),
        (["--agent-env", "5=x"], "agent_env_invalid"),
        (["--agent-env", "LD_PRELOAD=x"], "agent_env_reserved"),
        (["--agent-env", "RUHROH_MESSAGE=x"], "agent_env_reserved"),
        (["--allow-agent-host", "https://x.example"], "allowed_host_invalid"),
        (["--reviewer", "./nobody"], "reviewer_not_found"),
        (["--reviewer", "no-such-judge"], "reviewer_not_found"),
        (["--reviewer", "./scenarios"], "reviewer_not_found"),
        (["--reviewer", "./scenarios --strict"], "reviewer_not_found"),
        (["--reviewer", "./scenarios/sum-ledger/instruction.md"], "reviewer_not_executable"),
        (["--reviewer", "'"], "reviewer_command_invalid"),
        (["--reviewer", " "], "reviewer_command_invalid"),
    ],
)
def test_a_wrong_option_is_a_usage_error(bench: Bench, more: list[str], code: str) -> None:
    assert refused(bench, marking(bench), *more) == (2, [code])


@pytest.mark.sandbox
def test_a_reviewers_directory_without_its_program_is_told_which_file_is_meant(bench: Bench) -> None:
    (bench.folder / "judges").mkdir()
    program = bench.folder / "judges/run"
    told = [bench.attempt("nop", "--reviewer", "./judges").out]
    program.write_text(JUDGE)
    told.append(bench.attempt("nop", "--reviewer", "./judges").out)
    found = [(one["code"], one["hint"]) for text in told for one in json.loads(text)["refused"]]
    assert found == [
        ("reviewer_not_found", f"an executable file {program}, or the path of the program itself"),
        ("reviewer_not_executable", f"chmod +x {program}"),
    ]
    program.chmod(0o755)
    assert bench.attempt("nop", "--reviewer", "./judges").report["status"] == "failed"


@pytest.mark.sandbox
@pytest.mark.parametrize("agent", ["./missing.sh", "./scenarios/sum-ledger/instruction.md", "no-such-agent", "'", "."])
def test_an_agent_that_cannot_start_is_a_usage_error(bench: Bench, agent: str) -> None:
    write_tree(bench.folder, {"run": Script("#!/bin/sh\n")})
    code, codes = refused(bench, agent)
    assert code == 2
    assert codes[0].startswith("agent_")


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("env", "code"),
    [
        ({"RUHROH_EVAL_RESULT_FIXTURE": '{"status":"passed"}'}, "review_fixture_configured"),
        ({"RUHROH_EVAL_RESULT_FIXTURE_PATH": "/tmp/x"}, "review_fixture_configured"),
        ({"RUHROH_ITERATION_TIMEOUT_SEC": "20m"}, "turn_limit_invalid"),
        ({"RUHROH_ITERATION_TIMEOUT_SEC": "0"}, "turn_limit_invalid"),
        ({"RUHROH_ITERATION_TIMEOUT_SEC": "nan"}, "turn_limit_invalid"),
        ({"RUHROH_EVAL_COMMAND": "'"}, "reviewer_command_invalid"),
    ],
)
def test_a_wrong_variable_is_a_usage_error(bench: Bench, env: dict[str, str], code: str) -> None:
    assert refused(bench, marking(bench), env=env) == (2, [code])


@pytest.mark.sandbox
def test_a_missing_reviewer_is_said_before_the_agent_runs(bench: Bench) -> None:
    ran = bench.run("run", "--scenario", "sum-ledger", "--agent", marking(bench))
    assert ran.code == 2
    assert "--reviewer" in ran.err
    assert ran.out == ""
    assert not (bench.folder / "generated" / "runs").exists()


def test_nothing_named_is_a_usage_error(bench: Bench) -> None:
    assert bench.run("run", "--agent", "nop").code == 2


def test_a_missing_agent_option_is_a_usage_error(bench: Bench) -> None:
    assert bench.run("run", "--scenario", "sum-ledger").code == 2


@pytest.mark.sandbox
def test_an_unknown_scenario_selects_nothing(bench: Bench) -> None:
    ran = bench.run("run", "--scenario", "sum-leger", "--agent", "nop", "--reviewer", "./judge.py")
    assert ran.code == 3
    assert "sum-ledger" in ran.err


@pytest.mark.sandbox
def test_a_broken_scenario_is_reported_as_validate_does(bench: Bench) -> None:
    bench.scenario(title="")
    ran = bench.run("run", "--scenario", "sum-ledger", "--agent", "nop", "--reviewer", "./judge.py")
    assert ran.code == 1
    assert "scenario.json:" in ran.err


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "environment", [{"packages": ["sqlite3"]}, {"image": "debian:bookworm"}, {"setup": "setup.sh"}]
)
def test_a_scenario_that_needs_a_container_says_so(bench: Bench, environment: dict[str, Any]) -> None:
    bench.scenario({"setup.sh": "apt-get update\n"}, environment=environment)
    assert refused(bench, marking(bench)) == (4, ["container_needed"])
    ran = bench.attempt(bench.script(SOLVE), "--use-host-tools")
    assert ran.code == 0
    assert "--use-host-tools" in bench.kept("ruhroh-loop-result.json")["isolation"]["notes"][0]


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "edit",
    ["instruction.md", "tests/evaluation.json", "environment/workspace/assets/ledger.csv", "tests/review/verdict.py"],
)
def test_an_edited_package_is_refused_with_the_difference(bench: Bench, edit: str) -> None:
    bench.run("generate")
    with (bench.package / edit).open("a") as stream:
        stream.write("# more\n")
    ran = bench.run("run", str(bench.package), "--agent", marking(bench), "--reviewer", "./judge.py")
    assert ran.code == 1
    assert edit in ran.err
    assert "harborsmith generate --scenario sum-ledger --force, which discards what was edited" in ran.err


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("agent", "hint"),
    [
        ("tool", "an executable file {folder}/tool/run, or the path of the program itself"),
        ("tool/agent.json", "its directory: --agent tool"),
        ("orcale", "--agent oracle, which is built in"),
        ("ready", "chmod +x {folder}/ready/run"),
    ],
)
def test_an_agent_that_cannot_start_is_told_what_was_meant(bench: Bench, agent: str, hint: str) -> None:
    write_tree(bench.folder, {"tool/agent.json": "{}", "ready/run": "#!/bin/sh\n"})
    (one,) = json.loads(bench.attempt(agent).out)["refused"]
    assert one["hint"] == hint.format(folder=bench.folder)


def test_a_run_without_an_agent_is_shown_one(bench: Bench) -> None:
    said = bench.run("run", "--scenario", "sum-ledger").err
    assert all(words in said for words in ("--agent ./agent.sh", "oracle, which", "nop, which"))


@pytest.mark.sandbox
@pytest.mark.parametrize("command", ["run", "prove"])
def test_a_scenario_given_as_a_package_is_told_how_to_name_it(bench: Bench, command: str) -> None:
    bench.scenario(evaluation=CHECKS)
    agent = ("--agent", "nop") if command == "run" else ()
    shutil.copytree(bench.folder / "scenarios", bench.folder / "more")

    def hint(*words: str) -> str:
        ran = bench.run(command, *words, *agent)
        assert ran.code in (1, 2)
        (line,) = (line for line in ran.err.splitlines() if line.startswith("    write: "))
        return line.removeprefix("    write: ")

    assert hint("scenarios/sum-ledger") == "--scenario sum-ledger"
    assert hint("more/sum-ledger") == f"--scenario-dir {bench.folder}/more --scenario sum-ledger"
    assert hint("sum-ledger") == "--scenario sum-ledger"
    assert hint("sum-leger") == "harborsmith generate"
    assert bench.run("generate").code == 0
    place = bench.package.relative_to(bench.folder)
    assert hint("sum-ledger") == f"--scenario sum-ledger or {place}"
    done = bench.run("review", "scenarios/sum-ledger", "--workspace", "more")
    assert f"    write: {place}\n" in done.err


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        ("", "the reviewer wrote no output file and printed no line that is a JSON object"),
        ("fine", "the reviewer wrote no output file and printed no line that is a JSON object"),
        ('{"status": "good"}', "verdict_malformed: "),
    ],
)
def test_a_reviewer_without_a_verdict_is_told_where_its_form_stands(bench: Bench, printed: str, reason: str) -> None:
    ran = bench.attempt("nop", "--reviewer", bench.script(f"#!/bin/sh\necho '{printed}'\n", "mute.sh"))
    assert ran.report["reasons"][0].startswith(reason)
    assert "`harborsmith schema eval-result`" in ran.report["reasons"][-1]
    assert ran.report["warnings"] == []


@pytest.mark.sandbox
def test_an_edited_package_of_a_scenario_is_refused_with_the_command_that_discards_the_edit(bench: Bench) -> None:
    assert bench.run("generate", "--out", "elsewhere").code == 0
    package = bench.folder / "elsewhere" / "harbor" / "tasks" / "sum-ledger"
    (package / "instruction.md").write_text("Do nothing.\n")
    ran = bench.run(
        "run", "--scenario", "sum-ledger", "--agent", "nop", "--reviewer", "./judge.py", "--out", "elsewhere"
    )
    assert ran.code == 1
    assert ran.err.startswith("elsewhere/harbor/tasks/sum-ledger error package_edited\n")
    assert "`harborsmith generate --scenario sum-ledger --out elsewhere --force`" in ran.err


@pytest.mark.sandbox
def test_a_package_with_another_review_runner_is_refused(bench: Bench, tmp_path: Path) -> None:
    bench.run("generate")
    manifest = bench.package / "manifest.json"
    runner = bench.package / "tests" / "review" / "verdict.py"
    old = runner.read_bytes()
    runner.write_bytes(old.replace(b"import", b"IMPORT", 1))
    import hashlib

    text = manifest.read_text().replace(
        hashlib.sha256(old).hexdigest(), hashlib.sha256(runner.read_bytes()).hexdigest()
    )
    manifest.write_text(text)
    ran = bench.run("run", str(bench.package), "--agent", "nop", "--reviewer", "./judge.py", "--json")
    assert (ran.code, ran.refused) == (1, ["package_outdated"])


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("manifest", "code", "exit_code"),
    [
        (None, "package_missing", 2),
        *((text, "package_invalid", 1) for text in ("", "[]", "{}", '{"packageFormat": "harborsmith_package_v1"}')),
    ],
)
def test_what_is_no_package_is_refused(bench: Bench, manifest: str | None, code: str, exit_code: int) -> None:
    folder = bench.folder / "odd"
    if manifest is not None:
        write_tree(folder, {"manifest.json.txt": ""})
        (folder / "manifest.json").write_text(manifest)
    ran = bench.run("run", str(folder), "--agent", "nop", "--reviewer", "./judge.py", "--json")
    assert (ran.code, ran.refused) == (exit_code, [code])


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("broken", "value"),
    [("task.toml", b"x = ["), ("task.toml", b""), ("tests/evaluation.json", b"{}")],
)
def test_a_package_that_cannot_be_read_is_refused(bench: Bench, broken: str, value: bytes) -> None:
    import hashlib
    import json

    bench.run("generate")
    (bench.package / broken).write_bytes(value)
    manifest = json.loads((bench.package / "manifest.json").read_text())
    for file in manifest["files"]:
        if file["path"] == broken:
            file.update(sha256=hashlib.sha256(value).hexdigest(), size=len(value))
    (bench.package / "manifest.json").write_text(json.dumps(manifest))
    ran = bench.run("run", str(bench.package), "--agent", "nop", "--reviewer", "./judge.py", "--json")
    assert (ran.code, ran.refused) == (1, ["package_invalid"])


class TestWithoutIsolation:
    """`--isolation none`."""

    def test_the_agent_runs_as_the_operator_with_an_allow_listed_environment(self, bench: Bench) -> None:
        agent = bench.script(
            f"#!/bin/bash\nenv > env.txt; pwd > pwd.txt; ls {bench.folder} > here.txt\n"
            "printf '{\"total\": 14.00}' > report.json\n"
            'echo \'{"status": "goal_satisfied"}\' > $RUHROH_RESULT_PATH\n'
        )
        ran = bench.attempt(agent, "--isolation", "none", env={"OPERATOR_SECRET": "s-1"})
        assert (ran.code, ran.report["isolation"], ran.report["stoppedReason"]) == (0, "none", "goal_satisfied"), (
            ran.out
        )
        from tests.support.runs import archived, check_evidence

        kept = archived(bench.evidence / "ruhroh-workspace.tar.gz")
        assert b"OPERATOR_SECRET" not in kept["env.txt"]
        assert b"scenarios" in kept["here.txt"]
        check_evidence(bench.evidence)

    def test_nothing_is_alive_after_a_turn(self, bench: Bench) -> None:
        from tests.support.runs import alive

        shutil.copy(ROOT / "tests" / "adversaries" / "daemon.sh", bench.folder)
        ran = bench.attempt("./daemon.sh none-tag-4711", "--isolation", "none")
        assert (ran.code, alive("none-tag-4711-")) == (0, []), ran.out

    @pytest.mark.parametrize("agent", ["nop", "oracle"])
    def test_pack_code_needs_a_second_yes(self, bench: Bench, agent: str) -> None:
        solution = {"solution/solve.sh": "printf '{\"total\": 14.00}' > report.json\n"}
        bench.scenario(solution, evaluation=CHECKS, solution="solution")
        assert refused(bench, agent, "--isolation", "none") == (2, ["pack_code_unconfined"])
        ran = bench.attempt(agent, "--isolation", "none", "--allow-unsandboxed-pack-code")
        assert ran.code == (0 if agent == "oracle" else 1)
        notes = bench.kept("ruhroh-loop-result.json")["isolation"]["notes"]
        assert notes == ["--allow-unsandboxed-pack-code"]

    def test_a_packaged_reviewer_needs_it_too(self, bench: Bench) -> None:
        bench.scenario(
            {"reviewer/judge.py": JUDGE},
            evaluation__reviewer={"path": "reviewer", "command": ["python3", "{reviewer}/judge.py"]},
        )
        ran = bench.run("run", "--scenario", "sum-ledger", "--agent", "nop", "--isolation", "none", "--json")
        assert (ran.code, ran.refused) == (2, ["pack_code_unconfined"])

    def test_a_git_workspace_is_made_all_the_same(self, bench: Bench) -> None:
        bench.scenario(environment={"git": True})
        agent = bench.script("#!/bin/bash\ntest -d .git && printf '{\"total\": 14.00}' > report.json\n")
        assert bench.attempt(agent, "--iterations", "1", "--isolation", "none").report["status"] == "passed"

    def test_allowed_hosts_make_no_sense(self, bench: Bench) -> None:
        more = ("--isolation", "none", "--allow-agent-host", "api.example.com")
        assert refused(bench, "nop", *more) == (2, ["isolation_none_hosts"])


@pytest.mark.sandbox
def test_a_machine_without_bubblewrap_says_how_to_get_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from generator.execute import sandbox
    from generator.execute.settings import Options
    from generator.workflows.run import RunRequest, run

    monkeypatch.setattr(sandbox, "BWRAP_PLACES", ("/nowhere/bwrap",))
    sandbox.probe.cache_clear()
    monkeypatch.chdir(bench.folder)
    try:
        outcome = run(RunRequest(ids=("sum-ledger",), options=Options(reviewer="./judge.py")), {}, lambda _: None)
    finally:
        sandbox.probe.cache_clear()
    (said,) = outcome.refused
    assert (outcome.exit_code, said.code) == (4, "sandbox_unavailable")
    assert "apt-get install bubblewrap" in said.hint
    assert "--isolation none" in said.hint


@pytest.mark.parametrize(
    ("program", "said", "mend"),
    [
        ("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n", "setting up uid map", ""),
        (
            "#!/bin/sh\necho 'bwrap: execvp /usr/bin/setpriv: No such file or directory' >&2; exit 1\n",
            "setpriv",
            "util-linux",
        ),
        (
            "#!/bin/sh\necho 'bwrap: Can not bind mount /oldroot/dev/full: No such file or directory' >&2; exit 1\n",
            "/dev/full",
            "mknod -m 666 /dev/full c 1 7",
        ),
        (
            "#!/bin/sh\necho 'bwrap: Can not bind mount /oldroot/dev/odd: No such file or directory' >&2; exit 1\n",
            "/dev/odd",
            "no /dev/odd",
        ),
        ("#!/bin/sh\nexit 3\n", "exit status 3", ""),
        ("not a program", "Exec format error", ""),
    ],
)
def test_what_bubblewrap_says_is_quoted_with_a_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, said: str, mend: str
) -> None:
    from generator.execute import sandbox

    fake = write_tree(tmp_path, {"bwrap": Script(program)}) / "bwrap"
    monkeypatch.setattr(sandbox, "BWRAP_PLACES", (str(fake),))
    sandbox.probe.cache_clear()
    try:
        found = sandbox.probe()
    finally:
        sandbox.probe.cache_clear()
    assert isinstance(found, sandbox.NoSandbox)
    assert said in found.reason
    assert found.mend
    assert mend in found.mend


def test_every_reason_is_in_the_catalogue_and_every_entry_is_given() -> None:
    sources = (ROOT / "generator").rglob("*.py")
    used = {code for path in sources for code in re.findall(r'Refused\(\s*"([a-z_]+)"', path.read_text())}
    listed = {entry.code for entry in catalogue().values() if entry.category == "run"}
    assert used - set(catalogue()) == set()
    assert listed - used == set()
