"""What a reviewer is told: the eval input (`ruhroh_eval_input_v1`) and the published `RUHROH_EVAL_*` variables."""

from __future__ import annotations

import json
import os
import posixpath
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .evaluation import Evaluation
from .launch import ReviewPlace
from .loop import BIG_VALUE
from .submission import SOCKET
from .trees import LeftOut

INPUT_NAME = "ruhroh-loop-eval-input.json"
JOURNEY_NAME = "ruhroh-loop-journey.json"
RESULT_NAME = "ruhroh-loop-eval.json"

Seen = Callable[[str], str]


@dataclass(frozen=True)
class RunContext:
    """What is known of the run whose work is reviewed; all of it may be unknown.

    Attributes:
        run_id: Id of the run.
        journey: `ruhroh_implementation_journey_v1`.
        transcripts: Directory with one output file a turn.
        stopped_reason: Why the turns ended, in published words.
        iterations_used: Number of turns.
        completed: Whether the agent said that it was done; None when nobody recorded it.
        left_out: What the handed-over archive lacks of the work.
        hidden: Real paths of this machine that no link in the work may lead to.
    """

    run_id: str = ""
    journey: Optional[Mapping[str, Any]] = None
    transcripts: str = ""
    stopped_reason: str = ""
    iterations_used: Optional[int] = None
    completed: Optional[bool] = None
    left_out: Tuple[LeftOut, ...] = ()
    hidden: Tuple[str, ...] = ()


@dataclass(frozen=True)
class RoomPaths:
    """Where things lie in a review's room."""

    room: str

    @property
    def original(self) -> str:
        """The finished work, untouched."""
        return os.path.join(self.room, "original")

    @property
    def workspace(self) -> str:
        """The copy a reviewer may change."""
        return os.path.join(self.room, "workspace")

    @property
    def output(self) -> str:
        """Where a reviewer writes."""
        return os.path.join(self.room, "output")

    @property
    def result(self) -> str:
        """The reviewer's output file."""
        return os.path.join(self.output, RESULT_NAME)

    @property
    def input(self) -> str:
        """The eval input."""
        return os.path.join(self.room, INPUT_NAME)

    @property
    def journey(self) -> str:
        """The journey."""
        return os.path.join(self.room, JOURNEY_NAME)

    @property
    def transcripts(self) -> str:
        """The agent's output by turn."""
        return os.path.join(self.room, "transcripts")

    @property
    def work(self) -> str:
        """Copies for submissions, one after another."""
        return os.path.join(self.room, "work")

    @property
    def kept(self) -> str:
        """The copy shared by submissions that ask for it."""
        return os.path.join(self.room, "kept")


def eval_input(  # noqa: PLR0913 -- by keyword only
    evaluation: Evaluation,
    *,
    place: ReviewPlace,
    seen: Seen,
    context: RunContext,
    checks: Sequence[Mapping[str, Any]],
    transcripts: Sequence[str],
    leaving_links: Sequence[LeftOut],
    workspace_sha256: Optional[str],
) -> Dict[str, Any]:
    """The eval input.

    Args:
        evaluation: The package's side.
        place: Where the review happens.
        seen: Gives a path of this machine as the reviewer sees it.
        context: The run's side.
        checks: Results of the checks.
        transcripts: Names of the files in the room's `transcripts`.
        leaving_links: Links that were taken out of the tree.
        workspace_sha256: Digest of the handed-over archive; None when the work came as a directory.
    """
    shown = _paths(evaluation, place, seen, transcripts)
    made: Dict[str, Any] = {
        "version": "ruhroh_eval_input_v1",
        "scenarioId": evaluation.scenario_id,
        "scenarioTitle": evaluation.scenario_title,
        "scenarioVersion": evaluation.scenario_version,
        "userPrompt": evaluation.user_prompt,
        "scenarioContext": list(evaluation.context),
        "goalRubric": list(evaluation.rubric),
        "criteria": [dict(criterion) for criterion in evaluation.criteria],
        "evidenceGuidance": list(evaluation.guidance),
        "calibrationCases": [dict(case) for case in evaluation.calibration],
        "checkResults": [dict(check) for check in checks],
        "workspaceSha256": workspace_sha256,
        "leavingLinks": [link.as_json() for link in leaving_links],
        **shown,
        "paths": _relative(shown, posixpath.dirname(seen(RoomPaths(place.room).input))),
    }
    known = {
        "runId": context.run_id or None,
        "implementationStoppedReason": context.stopped_reason or None,
        "iterationsUsed": context.iterations_used,
    }
    return {**made, **{name: value for name, value in known.items() if value is not None}}


Paths = Dict[str, Union[str, List[str]]]


def _paths(evaluation: Evaluation, place: ReviewPlace, seen: Seen, transcripts: Sequence[str]) -> Paths:
    room = RoomPaths(place.room)
    return {
        "workspacePath": seen(room.workspace),
        "originalWorkspacePath": seen(room.original),
        "journeyPath": seen(room.journey),
        "evalOutputPath": seen(room.result),
        "privateAssets": [seen(os.path.join(place.tests, path)) for path in evaluation.private_assets],
        "transcriptPaths": [seen(os.path.join(room.transcripts, name)) for name in transcripts],
    }


def _relative(paths: Paths, folder: str) -> Paths:
    def relative(path: str) -> str:
        return posixpath.relpath(path, folder)

    return {
        name: relative(value) if isinstance(value, str) else [relative(item) for item in value]
        for name, value in paths.items()
    }


def reviewer_environment(made: Mapping[str, Any], place: ReviewPlace, seen: Seen) -> Dict[str, str]:
    """The published variables of a review, and where its submission helper is.

    A list over 96 KiB is left out (the system would refuse to start the reviewer); it stands in the eval input.
    """
    env = {
        "RUHROH_EVAL_SCENARIO_ID": made["scenarioId"],
        "RUHROH_EVAL_INPUT_PATH": seen(RoomPaths(place.room).input),
        "RUHROH_EVAL_OUTPUT_PATH": made["evalOutputPath"],
        "RUHROH_EVAL_WORKSPACE_PATH": made["workspacePath"],
        "RUHROH_EVAL_ORIGINAL_WORKSPACE_PATH": made["originalWorkspacePath"],
        "RUHROH_EVAL_JOURNEY_PATH": made["journeyPath"],
        "HARBORSMITH_REVIEWER_DIR": seen(os.path.join(place.tests, "reviewer")),
        "HARBORSMITH_SUBMISSION": seen(os.path.join(place.tests, "review", "submission.py")),
        SOCKET: seen(place.socket),
    }
    lists = {
        "RUHROH_EVAL_SCENARIO_CONTEXT_JSON": made["scenarioContext"],
        "RUHROH_EVAL_GOAL_RUBRIC_JSON": made["goalRubric"],
        "RUHROH_EVAL_EVIDENCE_GUIDANCE_JSON": made["evidenceGuidance"],
        "RUHROH_EVAL_CALIBRATION_CASES_JSON": made["calibrationCases"],
        "RUHROH_EVAL_PRIVATE_ASSETS_JSON": made["privateAssets"],
    }
    for name, value in lists.items():
        text = json.dumps(value)
        if len(text) <= BIG_VALUE:
            env[name] = text
    return env
