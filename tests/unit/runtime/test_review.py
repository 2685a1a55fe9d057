from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from generator.runtime.evalinput import RunContext
from generator.runtime.handover import HandoverLimits, digest
from generator.runtime.launch import Job, Outcome, ReviewerCommand, ReviewPlace
from generator.runtime.loop import BIG_VALUE
from generator.runtime.plain import PlainLauncher
from generator.runtime.trees import LeftOut
from generator.runtime.verdict import Verdict
from tests.unit.runtime.support import PASS, PATH, Case, alive, check, listing, tag
from tests.unit.runtime.test_records import validator

EVIDENCE = {
    "ruhroh-loop-eval-input.json": "eval-input",
    "ruhroh-loop-journey.json": "journey",
    "ruhroh-workspace-summary.json": "workspace-summary",
    "ruhroh-loop-eval.json": "eval-result",
}
PASSED = Verdict("completed", "none", 1)
INFRA_FAILED = Verdict("failed", "infra_failed", None)
ANSWER = f"answer '{json.dumps(PASS)}'"


def assert_evidence(case: Case, *, archive: bool = True) -> None:
    for name, schema in EVIDENCE.items():
        validator(schema).validate(case.written(name))
    assert (case.out / "ruhroh-workspace.tar.gz").exists() is archive
    assert case.written("reward-details.json")["evalResult"] == case.written("ruhroh-loop-eval.json")
    assert not [path.name for path in case.out.iterdir() if path.name.endswith(".tmp")]


def assert_no_reward(case: Case) -> None:
    assert not (case.out / "reward.json").exists()
    assert not (case.out / "reward.txt").exists()


def test_a_pass_scores_one_and_leaves_its_evidence(tmp_path: Path) -> None:
    case = Case(tmp_path)
    report = case.review(f"echo looking; {ANSWER}")
    assert report.verdict == PASSED
    assert case.written("reward.json") == {"reward": 1}
    assert_evidence(case)
    details = case.written("reward-details.json")
    assert (details["score"], details["failureKind"], details["problem"]) == (1, "none", "")
    assert details["reviewer"]["source"] == "option"
    assert details["reviewer"]["sha256"] == "0" * 64
    assert (case.out / "reviewer.log").read_text() == "looking\n"


def test_a_failure_scores_nought(tmp_path: Path) -> None:
    case = Case(tmp_path)
    report = case.review("""answer '{"status": "failed", "goalMet": false, "unmetCriteria": ["the total"]}'""")
    assert report.verdict == Verdict("failed", "goal_mismatch", 0)
    assert case.written("reward.json") == {"reward": 0}
    assert_evidence(case)


def test_a_verdict_that_is_owed_is_no_score(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert case.review("""answer '{"status": "review"}'""").verdict == Verdict("failed", "review_required", None)
    assert_no_reward(case)
    assert_evidence(case)


def test_the_last_line_of_the_output_is_a_verdict_too(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert case.review(f"echo thinking; echo '{json.dumps(PASS)}'; echo").verdict == PASSED


BROKEN = {
    "says nothing": ("true", "printed no line that is a JSON object"),
    "exits with 3": (f"{ANSWER}; exit 3", "the reviewer exited with 3"),
    "is killed": (f"{ANSWER}; kill -9 $$", "the reviewer exited with 137"),
    "writes half a document": (f"""answer '{{"status": "passed", "goalMet": tr'; echo '{json.dumps(PASS)}'""",
                               "output file is not one JSON object"),
    "empties its file": (f"{ANSWER}; : > $RUHROH_EVAL_OUTPUT_PATH", "is empty"),
    "leaves a link": ("ln -s $RUHROH_EVAL_INPUT_PATH $RUHROH_EVAL_OUTPUT_PATH", "cannot be read"),
    "leaves a pipe": ("mkfifo $RUHROH_EVAL_OUTPUT_PATH", "no regular file"),
    "leaves a directory": ("mkdir $RUHROH_EVAL_OUTPUT_PATH", "no regular file"),
    "writes too much": ("head -c 2000000 /dev/zero > $RUHROH_EVAL_OUTPUT_PATH", "larger than 1048576 bytes"),
    "only says passed": ("""answer '{"status": "passed"}'""", "verdict_malformed"),
    "passes what is unmet": ("""answer '{"status": "passed", "goalMet": true, "unmetCriteria": ["total"]}'""",
                             "verdict_contradictory"),
    "says it broke": ("""answer '{"status": "infra_failed", "reasons": ["no model"]}'""", "reports infra_failed"),
    "floods": ("head -c 30000000 /dev/zero", "printed no line that is a JSON object"),
    "prints no text": (r"printf '\377\376'", "printed no line that is a JSON object"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "words"), BROKEN.values(), ids=BROKEN)
def test_a_reviewer_that_breaks_is_no_score_and_keeps_the_evidence(tmp_path: Path, body: str, words: str) -> None:
    case = Case(tmp_path)
    report = case.review(f"echo its last words\n{body}")
    assert report.verdict == INFRA_FAILED
    assert words in report.problem
    assert_no_reward(case)
    assert_evidence(case)
    assert (case.out / "reviewer.log").read_bytes().startswith(b"its last words\n")


def test_what_a_broken_reviewer_said_last_stands_in_the_result(tmp_path: Path) -> None:
    case = Case(tmp_path)
    case.review("echo why I broke; exit 1")
    assert case.written("ruhroh-loop-eval.json")["evidenceRefs"][0]["summary"] == "why I broke\n"


def test_a_reviewer_that_cannot_start_is_no_score(tmp_path: Path) -> None:
    case = Case(tmp_path)
    gone = ReviewerCommand(("/no/such/judge",), "option", "0" * 64, trusted=True)
    report = case.review(reviewer=gone)
    assert (
        report.problem == "the reviewer could not be started: cannot start '/no/such/judge': No such file or directory"
    )
    assert_no_reward(case)
    assert_evidence(case)


def test_a_reviewer_that_takes_too_long_is_no_score_and_leaves_nothing_alive(tmp_path: Path) -> None:
    mark = tag()
    case = Case(tmp_path, reviewerTimeoutSeconds=1)
    body = f"setsid sleep 1000 & {ANSWER}; echo waiting; sleep 1000"
    report = case.review(reviewer=case.reviewer(body, TAG=mark))
    assert report.problem == "the reviewer ran past its limit of 1 s"
    assert alive(mark) == []
    assert_no_reward(case)
    assert_evidence(case)
    assert (case.out / "reviewer.log").read_text().startswith("waiting\n")


def test_nothing_a_reviewer_leaves_running_changes_the_verdict(tmp_path: Path) -> None:
    mark = tag()
    case = Case(tmp_path)
    loop = "while :; do echo '{}' > $RUHROH_EVAL_OUTPUT_PATH; done"
    body = f"setsid sh -c '{loop.replace(chr(39), chr(34))}' & sleep 0.3; answer '{{\"status\": \"review\"}}'"
    case.review(reviewer=case.reviewer(body, TAG=mark))
    assert alive(mark) == []
    assert_no_reward(case)


def test_no_reviewer_is_no_score(tmp_path: Path) -> None:
    case = Case(tmp_path)
    report = case.review()
    assert report.problem == "no reviewer: the package has none and none was given"
    assert_no_reward(case)
    assert_evidence(case)


def test_yesterdays_files_are_no_verdict_of_today(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert case.review(ANSWER).verdict == PASSED
    (case.out / "reward.txt").write_text("1")
    report = case.review("true")
    assert report.verdict == INFRA_FAILED
    assert_no_reward(case)
    assert case.written("ruhroh-loop-eval.json")["status"] == "infra_failed"


def test_what_stood_in_the_output_directory_is_gone_before_anything_runs(tmp_path: Path) -> None:
    case = Case(tmp_path)
    case.out.mkdir()
    (case.out / "reward.json").mkdir()
    (case.out / "reviewer.log").symlink_to("/etc/passwd")
    assert case.review("true").verdict == INFRA_FAILED
    assert_no_reward(case)
    assert not (case.out / "reviewer.log").is_symlink()


def test_a_reward_the_reviewer_wrote_itself_does_not_count(tmp_path: Path) -> None:
    case = Case(tmp_path)
    body = f"echo '{{\"reward\": 1}}' > {case.out}/reward.json; echo 1 > {case.out}/reward.txt; exit 1"
    assert case.review(body).verdict == INFRA_FAILED
    assert_no_reward(case)


@pytest.mark.parametrize("name", ["RUHROH_EVAL_RESULT_FIXTURE", "RUHROH_EVAL_RESULT_FIXTURE_PATH"])
def test_a_ready_made_verdict_is_refused_and_nothing_runs(tmp_path: Path, name: str) -> None:
    case = Case(tmp_path, checks=[check("a", f"touch {tmp_path}/ran")])
    report = case.review(f"touch {tmp_path}/ran", environ={"PATH": PATH, name: json.dumps(PASS)})
    assert name in report.problem
    assert not (tmp_path / "ran").exists()
    assert_no_reward(case)


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "a link", "too large"])
def test_work_that_does_not_arrive_whole_is_no_score(tmp_path: Path, damage: str) -> None:
    case = Case(tmp_path, checks=[check("a", f"touch {tmp_path}/ran")])
    archive = Path(case.hand_over())
    whole = archive.read_bytes()
    archive.unlink()
    if damage == "empty":
        archive.touch()
    elif damage == "cut":
        archive.write_bytes(whole[:700])
    elif damage == "a link":
        (tmp_path / "real.tar").write_bytes(whole)
        archive.symlink_to("real.tar")
    elif damage == "too large":
        with tarfile.open(archive, "w") as tar:
            for number in range(4):
                tar.addfile(tarfile.TarInfo(f"{number}"), None)
    report = case.review(f"touch {tmp_path}/ran; {ANSWER}", handover=str(archive), limits=HandoverLimits(max_files=3))
    assert report.verdict == INFRA_FAILED
    assert {"missing": "did not arrive", "a link": "did not arrive", "too large": "more than 3 members"}.get(
        damage, "is damaged"
    ) in report.problem
    assert not (tmp_path / "ran").exists()
    assert_no_reward(case)
    assert_evidence(case, archive=False)
    assert case.written("ruhroh-workspace-summary.json")["exists"] is False


def test_a_machine_that_fails_is_no_score(tmp_path: Path) -> None:
    case = Case(tmp_path, checks=[check("a", "true", restore=["gone"])])
    report = case.review(ANSWER)
    assert report.verdict == INFRA_FAILED
    assert "this machine could not carry out the review" in report.problem
    assert_no_reward(case)


class TestChecks:
    def test_a_failed_check_fails_the_work_and_the_reviewer_is_not_asked(self, tmp_path: Path) -> None:
        case = Case(
            tmp_path, checks=[check("good", "true"), check("bad", "echo no total; exit 4"), check("last", "true")]
        )
        report = case.review(f"touch {tmp_path}/asked; {ANSWER}")
        assert report.verdict == Verdict("failed", "goal_mismatch", 0)
        assert case.written("reward.json") == {"reward": 0}
        assert not (tmp_path / "asked").exists()
        assert [result.passed for result in report.checks] == [True, False, True]
        details = case.written("reward-details.json")
        assert details["reviewer"] is None
        assert details["checks"][1]["output"] == "no total\n"
        assert details["checks"][1]["reason"] == "exited with 4 instead of 0"
        assert_evidence(case)

    def test_checks_that_pass_leave_the_word_to_the_reviewer_who_is_told(self, tmp_path: Path) -> None:
        case = Case(tmp_path, checks=[check("a", ["test", "-f", "report.json"])])
        assert case.review("""answer '{"status": "failed", "goalMet": false}'""").verdict.score == 0
        told = case.written("ruhroh-loop-eval-input.json")["checkResults"]
        assert [(item["id"], item["passed"], item["exitCode"]) for item in told] == [("a", True, 0)]

    def test_in_mode_checks_they_decide_alone(self, tmp_path: Path) -> None:
        case = Case(tmp_path, mode="checks", checks=[check("a", "true")])
        assert case.review().verdict == PASSED
        assert_evidence(case)

    @pytest.mark.parametrize(
        ("command", "changes", "passed", "code"),
        [
            ("exit 3", {"expectExit": 3}, True, 3),
            ("exit 0", {"expectExit": 3}, False, 0),
            ("sleep 1000", {"timeoutSeconds": 0.3}, False, 124),
            ("sleep 1000", {"timeoutSeconds": 0.3, "expectExit": 124}, False, 124),
            ("kill -9 $$", {}, False, 137),
            ("set -o pipefail; false | true", {"expectExit": 1}, True, 1),
            ("[[ report.json == *.json ]]", {}, True, 0),
            (["no-such-program"], {}, False, 127),
            (["./report.json"], {}, False, 126),
            (["printf", "%s", "a b;exit 5"], {}, True, 0),
        ],
    )
    def test_a_check_passes_only_by_exiting_as_expected_in_time(
        self, tmp_path: Path, command: Any, changes: dict[str, Any], passed: bool, code: int
    ) -> None:
        case = Case(tmp_path, mode="checks", checks=[check("a", command, **changes)])
        report = case.review()
        assert (report.checks[0].passed, report.checks[0].outcome.exit_code) == (passed, code)
        assert report.verdict.score == int(passed)

    def test_each_check_has_a_fresh_copy_and_the_evidence_is_the_agents_tree(self, tmp_path: Path) -> None:
        case = Case(
            tmp_path,
            mode="checks",
            checks=[
                check("a", "rm report.json; touch forged; ln -s /etc/passwd report.json"),
                check("b", "test -f report.json && test ! -L report.json && test ! -e forged"),
            ],
        )
        assert case.review().verdict == PASSED
        with tarfile.open(case.out / "ruhroh-workspace.tar.gz") as tar:
            assert tar.getnames() == ["report.json"]

    def test_nothing_of_a_check_lives_on(self, tmp_path: Path) -> None:
        mark = tag()
        case = Case(tmp_path, mode="checks", checks=[check("a", f"TAG={mark} setsid sleep 1000 & sleep 0.2")])
        assert case.review().verdict == PASSED
        assert alive(mark) == []

    def test_a_check_sees_nothing_of_the_environment(self, tmp_path: Path) -> None:
        case = Case(tmp_path, mode="checks", checks=[check("a", "env")])
        report = case.review(environ={"PATH": PATH, "OPENAI_API_KEY": "secret"})
        names = {line.partition("=")[0] for line in report.checks[0].outcome.text.splitlines()}
        assert names <= {"PATH", "LANG", "TZ", "TERM", "HOME", "PWD", "OLDPWD", "SHLVL", "_"}

    def test_a_check_that_cannot_be_run_is_nobodys_failure(self, tmp_path: Path) -> None:
        class Refusing(PlainLauncher):
            def run_submission(self, job: Job, work: str) -> Outcome:
                return Outcome(exit_code=None, error="no sandbox")

        case = Case(tmp_path, checks=[check("a", "true")])
        report = case.review(ANSWER, launcher=Refusing())
        assert report.problem == "check a could not be run: no sandbox"
        assert_no_reward(case)
        assert_evidence(case)


class TestRestore:
    @pytest.mark.parametrize(
        "tamper",
        [
            "true",
            "echo forged > work/tests/test.txt",
            "rm -r work/tests",
            "rm -r work/tests; echo x > work/tests",
            "rm work/tests/test.txt; mkdir work/tests/test.txt; touch work/tests/test.txt/x",
            "rm work/tests/test.txt; ln -s ../report.json work/tests/test.txt",
            "rm -r work/tests; mkdir work/decoy; ln -s decoy work/tests",
        ],
    )
    @pytest.mark.parametrize("path", ["tests/test.txt", "tests"])
    def test_originals_are_put_back_whatever_the_agent_made_of_them(
        self, tmp_path: Path, path: str, tamper: str
    ) -> None:
        script = 'test "$(cat tests/test.txt)" = original && test "$(cat report.json)" = "{\\"total\\": 14.00}"'
        case = Case(tmp_path, mode="checks", checks=[check("a", script, restore=[path])])
        for top in (case.tests / "originals", case.work):
            (top / "tests").mkdir(parents=True)
            (top / "tests" / "test.txt").write_text("original")
        assert os.system(f"cd {tmp_path} && {tamper}") == 0  # noqa: S605 -- the table above
        report = case.review()
        assert report.verdict == PASSED, report.checks[0].outcome.text

    def test_a_restored_directory_holds_nothing_else(self, tmp_path: Path) -> None:
        case = Case(tmp_path, mode="checks", checks=[check("a", "ls tests", restore=["tests"])])
        for top, name in ((case.tests / "originals", "test.txt"), (case.work, "conftest.py")):
            (top / "tests").mkdir(parents=True)
            (top / "tests" / name).write_text("x")
        assert case.review().checks[0].outcome.text == "test.txt\n"


class TestWhatAReviewerSees:
    def test_the_eval_input_says_what_is_asked_and_where_everything_lies(self, tmp_path: Path) -> None:
        case = Case(tmp_path)
        (case.work / "answer").symlink_to("/tests/private-eval-assets/expected.json")
        transcripts = tmp_path / "transcripts"
        transcripts.mkdir()
        (transcripts / "iteration-1.log").write_text("hello")
        (transcripts / "trap.log").symlink_to("/etc/passwd")
        (transcripts / "deeper").mkdir()
        (transcripts / "deeper" / "iteration-2.log").write_text("")
        context = RunContext(
            run_id="sum-ledger-0a1b2c3d4e5f",
            transcripts=str(transcripts),
            stopped_reason="max_iterations",
            iterations_used=2,
            left_out=(LeftOut("sock", "special file"),),
        )
        archive = case.hand_over()
        script = 'cat "$RUHROH_EVAL_INPUT_PATH"; cat "$(dirname $RUHROH_EVAL_INPUT_PATH)/transcripts/iteration-1.log"'
        case.review(f"{script}; {ANSWER}", context=context, handover=archive)
        made = case.written("ruhroh-loop-eval-input.json")
        log = (case.out / "reviewer.log").read_text()
        assert log == (case.out / "ruhroh-loop-eval-input.json").read_text() + "hello"
        room = f"{tmp_path}/room"
        assert made["workspacePath"] == f"{room}/workspace"
        assert made["originalWorkspacePath"] == f"{room}/original"
        assert made["evalOutputPath"] == f"{room}/output/ruhroh-loop-eval.json"
        assert made["privateAssets"] == [f"{tmp_path}/tests/private-eval-assets/expected.json"]
        assert made["transcriptPaths"] == [f"{room}/transcripts/iteration-1.log"]
        assert made["paths"] == {
            "workspacePath": "workspace",
            "originalWorkspacePath": "original",
            "journeyPath": "ruhroh-loop-journey.json",
            "evalOutputPath": "output/ruhroh-loop-eval.json",
            "privateAssets": ["../tests/private-eval-assets/expected.json"],
            "transcriptPaths": ["transcripts/iteration-1.log"],
        }
        assert (made["userPrompt"], made["scenarioTitle"], made["scenarioVersion"]) == (
            "Sum the amounts.\n", "Sum the ledger", "1.0.0",
        )  # fmt: skip
        assert made["criteria"] == [{"id": "c-0a1b2c3d", "text": "The report holds the correct total."}]
        assert made["runId"] == "sum-ledger-0a1b2c3d4e5f"
        assert (made["implementationStoppedReason"], made["iterationsUsed"]) == ("max_iterations", 2)
        assert made["workspaceSha256"] == digest(archive)
        assert made["leavingLinks"] == [
            {
                "path": "answer",
                "reason": "link out of the workspace",
                "target": "/tests/private-eval-assets/expected.json",
            }
        ]
        assert case.written("ruhroh-workspace-summary.json")["specialFiles"] == ["sock"]

    def test_the_published_variables_are_set(self, tmp_path: Path) -> None:
        case = Case(tmp_path)
        case.review(f"env; pwd; {ANSWER}")
        lines = (case.out / "reviewer.log").read_text().splitlines()
        env = dict(line.split("=", 1) for line in lines if "=" in line)
        made = case.written("ruhroh-loop-eval-input.json")
        assert env["RUHROH_EVAL_SCENARIO_ID"] == "sum-ledger"
        assert env["RUHROH_EVAL_WORKSPACE_PATH"] == made["workspacePath"] == lines[-1]
        assert env["RUHROH_EVAL_ORIGINAL_WORKSPACE_PATH"] == made["originalWorkspacePath"]
        assert env["RUHROH_EVAL_JOURNEY_PATH"] == made["journeyPath"]
        assert env["RUHROH_EVAL_OUTPUT_PATH"] == made["evalOutputPath"]
        for name, key in {
            "SCENARIO_CONTEXT": "scenarioContext",
            "GOAL_RUBRIC": "goalRubric",
            "EVIDENCE_GUIDANCE": "evidenceGuidance",
            "CALIBRATION_CASES": "calibrationCases",
            "PRIVATE_ASSETS": "privateAssets",
        }.items():
            assert json.loads(env[f"RUHROH_EVAL_{name}_JSON"]) == made[key]
        assert env["HARBORSMITH_REVIEWER_DIR"] == f"{tmp_path}/tests/reviewer"
        assert env["HARBORSMITH_SUBMISSION"] == f"{tmp_path}/tests/review/submission.py"

    def test_a_list_too_large_for_the_environment_travels_by_file_only(self, tmp_path: Path) -> None:
        case = Case(tmp_path, scenarioContext=["x" * (BIG_VALUE + 1)])
        assert case.review(f"env | cut -c -60; {ANSWER}").verdict == PASSED
        log = (case.out / "reviewer.log").read_text()
        assert "RUHROH_EVAL_GOAL_RUBRIC_JSON" in log
        assert "RUHROH_EVAL_SCENARIO_CONTEXT_JSON" not in log
        assert len(case.written("ruhroh-loop-eval-input.json")["scenarioContext"][0]) == BIG_VALUE + 1

    def test_the_reviewed_tree_has_no_link_to_the_answers(self, tmp_path: Path) -> None:
        case = Case(tmp_path)
        key = case.tests / "private-eval-assets" / "expected.json"
        (case.work / "report.json").unlink()
        (case.work / "report.json").symlink_to(key)
        os.link(key, case.work / "hard")  # what an archive makes of it is a copy of what the agent could read anyway
        body = (
            f'for p in "$RUHROH_EVAL_WORKSPACE_PATH" "$RUHROH_EVAL_ORIGINAL_WORKSPACE_PATH"; do ls $p; done; {ANSWER}'
        )
        case.review(body)
        assert (case.out / "reviewer.log").read_text() == "hard\nhard\n"

    def test_a_reviewer_may_change_its_copy_and_nothing_of_the_evidence(self, tmp_path: Path) -> None:
        case = Case(tmp_path)
        case.review(f"rm report.json; touch mine; {ANSWER}")
        with tarfile.open(case.out / "ruhroh-workspace.tar.gz") as tar:
            assert tar.getnames() == ["report.json"]
        assert listing(tmp_path / "room" / "original").keys() == {"report.json"}
        assert listing(case.work).keys() == {"report.json"}

    def test_a_journey_that_was_recorded_is_passed_on(self, tmp_path: Path) -> None:
        case = Case(tmp_path)
        journey = {"version": "ruhroh_implementation_journey_v1", "implementationRuns": [], "note": "this one"}
        case.review(f"cat $RUHROH_EVAL_JOURNEY_PATH; {ANSWER}", context=RunContext(journey=journey))
        assert json.loads((case.out / "reviewer.log").read_text()) == journey

    def test_a_packaged_reviewer_is_found_and_gets_little(self, tmp_path: Path) -> None:
        case = Case(tmp_path)
        (case.tests / "reviewer").mkdir()
        script = f"env; echo '{json.dumps(PASS)}' > $RUHROH_EVAL_OUTPUT_PATH\n"
        (case.tests / "reviewer" / "judge.sh").write_text(script)
        packaged = ReviewerCommand(
            ("sh", "{reviewer}/judge.sh"), "package", "1" * 64, trusted=False, env={"MODEL_KEY": "k"}
        )
        report = case.review(reviewer=packaged, environ={"PATH": PATH, "SECRET": "s"})
        assert report.verdict == PASSED
        log = (case.out / "reviewer.log").read_text()
        assert "MODEL_KEY=k" in log
        assert "SECRET" not in log
        assert report.reviewer is not None
        assert (report.reviewer["source"], report.reviewer["sha256"]) == ("package", "1" * 64)

    def test_the_words_of_a_reviewers_command_are_not_recorded(self, tmp_path: Path) -> None:
        case = Case(tmp_path)
        words = ("sh", "-c", f"echo '{json.dumps(PASS)}' > $RUHROH_EVAL_OUTPUT_PATH", "--token=t0p-secret")
        case.review(reviewer=ReviewerCommand(words, "option", "1" * 64, trusted=True))
        assert "t0p-secret" not in (case.out / "reward-details.json").read_text()


class TestCompletion:
    @pytest.mark.parametrize(
        ("completed", "verdict"),
        [
            (True, PASSED),
            (False, Verdict("failed", "cannot_satisfy", 0)),
            (None, PASSED),
        ],
    )
    def test_where_it_is_required_an_agent_must_have_said_it_was_done(
        self, tmp_path: Path, completed: bool | None, verdict: Verdict
    ) -> None:
        case = Case(tmp_path, completion={"required": True, "promise": None})
        report = case.review(ANSWER, context=RunContext(completed=completed, stopped_reason="cannot_satisfy"))
        assert report.verdict == verdict
        assert any("nobody recorded" in warning for warning in report.warnings) is (completed is None)

    def test_elsewhere_it_is_no_matter(self, tmp_path: Path) -> None:
        assert Case(tmp_path).review(ANSWER, context=RunContext(completed=False)).verdict == PASSED


def test_a_directory_is_reviewed_as_a_copy(tmp_path: Path) -> None:
    case = Case(tmp_path, checks=[check("a", "rm report.json")])
    (case.work / "current").symlink_to(case.work / "report.json")
    (case.work / "away").symlink_to(tmp_path)
    report = case.review(f"cat current; rm -r ./*; {ANSWER}", handover=str(case.work))
    assert report.verdict == PASSED
    assert (case.out / "reviewer.log").read_text() == '{"total": 14.00}\n'
    assert listing(case.work).keys() == {"report.json", "current", "away"}
    assert case.written("ruhroh-loop-eval-input.json")["workspaceSha256"] is None
    assert [item.path for item in report.left_out] == ["away"]


def test_the_same_work_gives_the_same_evidence_wherever_it_is_reviewed(tmp_path: Path) -> None:
    made: list[Mapping[str, bytes]] = []
    for place in ("first", "second"):
        (tmp_path / place).mkdir()
        case = Case(tmp_path / place, checks=[check("a", "true")])
        case.review(ANSWER, now=lambda: "2026-03-14T09:33:00Z")
        names = ("ruhroh-loop-eval.json", "ruhroh-workspace.tar.gz", "ruhroh-workspace-summary.json", "reward.json")
        made.append({name: (case.out / name).read_bytes() for name in names})
    assert made[0] == made[1]


def test_a_launcher_decides_what_a_reviewer_sees(tmp_path: Path) -> None:
    class Renaming(PlainLauncher):
        def seen(self, path: str, place: ReviewPlace, trusted: bool) -> str:
            return path.replace(place.room, "/review")

        def run_reviewer(self, job: Job, place: ReviewPlace, trusted: bool) -> Outcome:
            return super().run_reviewer(job._replace(argv=("env",)), place, trusted)

    case = Case(tmp_path)
    case.review(ANSWER, launcher=Renaming())
    assert "RUHROH_EVAL_INPUT_PATH=/review/ruhroh-loop-eval-input.json" in (case.out / "reviewer.log").read_text()
    assert case.written("ruhroh-loop-eval-input.json")["paths"]["workspacePath"] == "workspace"
