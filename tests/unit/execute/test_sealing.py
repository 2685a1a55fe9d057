"""What stays sealed: hidden folders behind links, and the operator's secrets in what is kept."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from generator.execute.evidence import new_run_directory
from generator.execute.launcher import BubblewrapLauncher
from generator.execute.sandbox import Sandbox, probe
from generator.runtime.launch import Job, Limits, ReviewPlace
from generator.runtime.redact import secrets_among
from tests.support.files import Link, write_tree
from tests.support.runs import JUDGE, SOLVE, Account, Bench, archived, confined


@pytest.mark.sandbox
def test_a_hidden_folder_is_empty_behind_a_bind_of_a_link(who: Account, place: Path) -> None:
    write_tree(place, {"tools/x": "", "tools/answers/key": "the answer", "link": Link("tools")})
    who.give(place)
    said = confined(
        who,
        ["/bin/bash", "-c", "ls /shown /shown/answers; cat /shown/answers/key"],
        binds=[(str(place / "link"), "/shown", False)],
        hidden=[str(place / "tools" / "answers")],
    )["text"]
    assert "x" in said.split()
    assert "the answer" not in said


@pytest.mark.sandbox
def test_a_packaged_reviewer_does_not_see_hidden_folders(tmp_path: Path) -> None:
    write_tree(tmp_path, {"tests/answers/key": "the answer", "room/original/x": ""})
    for name in ("workspace", "output"):
        (tmp_path / "room" / name).mkdir()
    (tmp_path / "room" / "s.sock").touch()
    sandbox = probe()
    assert isinstance(sandbox, Sandbox)
    room = str(tmp_path / "room")
    launcher = BubblewrapLauncher(
        sandbox=sandbox, workdir="/app", user="agent", hidden=(os.path.realpath(tmp_path / "tests" / "answers"),)
    )
    job = Job(("/bin/cat", "/tests/answers/key"), {"PATH": "/usr/bin:/bin"}, f"{room}/workspace", Limits(60))
    outcome = launcher.run_reviewer(job, ReviewPlace(str(tmp_path / "tests"), room, "/app", f"{room}/s.sock"), False)
    assert outcome.started, outcome.error
    assert "the answer" not in outcome.text
    assert outcome.exit_code == 1


LEAKY = """#!/usr/bin/python3
import json, os
secret = os.environ["DB_PASSWD"]
root = os.path.dirname(os.environ["RUHROH_ECONOMIC_TRACE_PATH"])
open(os.environ["RUHROH_ECONOMIC_TRACE_PATH"], "w").write(json.dumps({"said": secret}) + "\\n")
path = os.path.join(root, "events.log")
open(path, "w").write("event " + secret)
os.chmod(path, 0o400)
json.dump({
    "version": "ruhroh_run_agent_result_v1",
    "sessionId": secret,
    "finalizedPayload": {"deep": [{secret: "x" + secret}]},
    "artifacts": {secret: secret},
}, open(os.environ["RUHROH_RESULT_PATH"], "w"))
"""


@pytest.mark.sandbox
def test_no_record_of_a_run_holds_the_value_of_a_variable_of_the_operator(who: Account, place: Path) -> None:
    bench = Bench(place, who)
    bench.scenario()
    secret = 'hunter2 "quoted"'
    ran = bench.attempt(bench.script(LEAKY, "leaky.py"), "--iterations", "1", "--agent-env", f"DB_PASSWD={secret}")
    kept = {str(path): path.read_bytes() for path in bench.evidence.rglob("*") if path.is_file()}
    events = archived(bench.evidence / "ruhroh-loop-events.tar.gz")
    assert events["events.log"] == b"event [value of DB_PASSWD]", ran.out + ran.err
    assert bench.kept("ruhroh-economic-trace.jsonl") == {"said": "[value of DB_PASSWD]"}
    (line,) = (bench.evidence / "ruhroh-loop-iterations.jsonl").read_text().splitlines()
    assert json.loads(line)["finalizedPayload"] == {"deep": [{"[value of DB_PASSWD]": "x[value of DB_PASSWD]"}]}
    packed = [gzip.decompress(data) for path, data in kept.items() if path.endswith(".gz")]
    assert [data for data in (*kept.values(), *packed) if b"hunter2" in data] == []


@pytest.mark.sandbox
def test_a_value_that_is_a_word_of_the_protocol_does_not_change_how_a_turn_is_understood(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.scenario()
    agent = bench.script('#!/bin/bash\necho \'{"status": "goal_satisfied"}\'\n')
    ran = bench.attempt(agent, "--iterations", "1", "--agent-env", "WORD=goal_satisfied")
    assert ran.report["stoppedReason"] == "goal_satisfied"


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("DB_PASSWD", "hunter2", True),
        ("anything", "long enough", True),
        ("DB_PASSWD", "short", False),
        ("PATH", "/usr/bin:/bin", False),
        ("LC_ALL", "en_GB.UTF-8", False),
        ("MODEL_PATH", "/usr/bin:/bin", True),
    ],
)
def test_every_value_is_secret_that_is_long_and_no_plain_setting(name: str, value: str, secret: bool) -> None:
    assert bool(secrets_among({name: value})) is secret


@pytest.mark.sandbox
def test_a_broken_agent_says_how_it_broke(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.scenario()
    ran = bench.attempt(bench.script("#!/bin/bash\nprintf 'no \\e[31mmodel\\n\\n'; exit 3\n"), "--iterations", "1")
    assert "turn 1 ended: runtime_failure: exited with 3: no \\x1b[31mmodel (" in ran.err
    assert ran.report["stoppedReason"] == "runtime_failure"


@pytest.mark.sandbox
def test_the_report_for_people_names_the_transcript_of_a_broken_turn(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.scenario()
    bench.script(JUDGE, "judge.py")
    agent = bench.script("#!/bin/bash\nexit 3\n")
    ran = bench.run("run", "--scenario", "sum-ledger", "--agent", agent, "--reviewer", "./judge.py")
    assert "  agent: runtime_failure (exited with 3); see transcripts/iteration-1.log\n" in ran.out


@pytest.mark.sandbox
def test_a_pass_without_a_word_on_the_criteria_counts_none(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.scenario()
    ran = bench.attempt(bench.script(SOLVE), "--iterations", "1")
    assert (ran.report["status"], ran.report["criteria"]) == ("passed", {"met": 0, "total": 0})


def test_a_package_asked_for_by_its_name_is_pointed_to(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.scenario()
    assert bench.run("generate").code == 0
    (tmp_path / "done").mkdir()
    ran = bench.run("review", "sum-ledger", "--workspace", "done", "--reviewer", "true")
    assert "generated/harbor/tasks/sum-ledger" in ran.err


def test_a_line_is_recorded_whole_on_a_disk_that_takes_a_byte_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = new_run_directory(tmp_path, "x")

    class Slow(io.FileIO):
        def write(self, data: Any) -> int:
            return super().write(bytes(data)[:1])

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", lambda path, mode, **_: Slow(path, mode.replace("b", "")))
        directory.append_iteration({"iteration": 1})
    assert (directory.path / "ruhroh-loop-iterations.jsonl").read_text() == '{"iteration": 1}\n'


@pytest.mark.sandbox
def test_a_run_whose_result_cannot_be_written_keeps_no_reward(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.scenario()
    judge = (
        JUDGE
        + """
import glob, sys
(run,) = glob.glob(os.path.join(os.path.dirname(sys.argv[1]), "generated/runs/sum-ledger/*"))
os.mkdir(os.path.join(run, "ruhroh-loop-result.json"))
"""
    )
    bench.script(judge, "blocking.py")
    agent, reviewer = bench.script(SOLVE), f"./blocking.py {tmp_path}/x"
    ran = bench.attempt(agent, "--iterations", "1", "--reviewer", reviewer)
    assert (ran.code, ran.report["score"]) == (5, None), ran.out + ran.err
    left = {path.name for path in bench.evidence.iterdir()}
    assert not left & {"reward.json", "reward-details.json"}


@pytest.mark.sandbox
def test_work_that_links_to_the_answers_is_reviewed_without_the_link(tmp_path: Path) -> None:
    sealed = Path(tempfile.mkdtemp(prefix="sealed-", dir="/usr/share"))
    sealed.chmod(0o755)
    try:
        bench = Bench(sealed)
        bench.scenario(evaluation__checks=[{"id": "no-link", "command": "test ! -L answers"}])
        bench.script(JUDGE, "judge.py")
        agent = bench.script(SOLVE + f"ln -s {sealed}/scenarios answers\n")
        ran = bench.attempt(agent, "--iterations", "1")
        left_out = [item["path"] for item in bench.kept("ruhroh-workspace-summary.json")["leftOut"]]
        assert left_out == ["answers"], ran.out + ran.err
    finally:
        shutil.rmtree(sealed)
