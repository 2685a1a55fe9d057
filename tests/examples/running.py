"""What keeps a run or a review from starting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tests.support.examples import UNPRIVILEGED, WITHOUT, Example, State, scenario
from tests.support.files import Script

_AGENT: Final = Script(
    """#!/bin/sh
echo '{"total": "14.00"}' > report.json
echo '{"status": "goal_satisfied"}'
"""
)
_JUDGE: Final = Script('#!/bin/sh\necho \'{"status": "passed", "goalMet": true}\'\n')
_FILES: Final[dict[str, Any]] = {"agent.sh": _AGENT, "judge.sh": _JUDGE, "tools/convert": Script("#!/bin/sh\n")}
_RUN: Final = "harborsmith run --scenario sum-ledger --agent ./agent.sh"
_JUDGED: Final = f"{_RUN} --reviewer ./judge.sh"
_PACKAGE: Final = "generated/harbor/tasks/sum-ledger"
_PACKAGED: Final = f"harborsmith run {_PACKAGE} --agent ./agent.sh --reviewer ./judge.sh"
_OTHER_VERSION: Final = f"""
file={_PACKAGE}/tests/review/verdict.py
sum() {{ sha256sum < "$file" | cut -d' ' -f1; }}
old=$(sum); sed -i '0,/import/s//IMPORT/' "$file"; sed -i "s/$old/$(sum)/" {_PACKAGE}/manifest.json
""".replace("\n", "; ").strip("; ")
_MADE: Final = "harborsmith generate > made.txt\nmkdir done"
_REVIEW: Final = f"harborsmith review {_PACKAGE} --reviewer ./judge.sh --workspace"


def _pack(state: State | None = None, files: Mapping[str, Any] | None = None) -> State:
    """The pack with an agent and a reviewer, changed as `state` says, and with `files`."""
    return State({**_FILES, **(state.files if state else {}), **(files or {})})


def _typed(command: str, instead: str = _JUDGED, before: str = "") -> Example:
    """The command is the fault."""
    return Example(_pack(), _pack(), before=before, command=command, instead=instead, clean=False)


def _lies(fault: State, mended: State | None = None, command: str = _JUDGED, instead: str = "") -> Example:
    """What lies in the pack is the fault."""
    return Example(fault, mended or _pack(), command=command, instead=instead, clean=False)


def _agent(words: str) -> Example:
    return _typed(_JUDGED.replace("--agent ./agent.sh", f"--agent {words}"))


def _with(words: str, instead: str = "") -> Example:
    return _typed(f"{_JUDGED} {words}", f"{_JUDGED} {instead}".rstrip())


def _review(words: str) -> Example:
    return _typed(_JUDGED.replace("--reviewer ./judge.sh", f"--reviewer {words}"))


EXAMPLES: Final = {
    "agent_command_invalid": _agent('"./agent.sh \'all"'),
    "agent_not_found": _agent("./agnet.sh"),
    "agent_not_executable": _lies(_pack(files={"agent.sh": _AGENT.text})),
    "agent_not_visible": _typed(
        _JUDGED,
        f"{_JUDGED} --agent-path tools",
        'cp /bin/sh tools/\nsed -i "1s|.*|#!$PWD/tools/sh|" agent.sh',
    ),
    "agent_file_invalid": _lies(
        _pack(files={"mine/run": _AGENT, "mine/agent.json": '{"id": 5}\n'}),
        _pack(files={"mine/run": _AGENT, "mine/agent.json": '{"id": "mine"}\n'}),
        _JUDGED.replace("./agent.sh", "./mine"),
    ),
    "agent_path_missing": _with("--agent-path tolls", "--agent-path tools"),
    "agent_path_too_wide": _with("--agent-path /home", "--agent-path tools"),
    "agent_path_reserved": _with("--agent-path /etc/ssl", "--agent-path tools"),
    "agent_path_leaks": _with("--agent-path .", "--agent-path tools"),
    "agent_env_invalid": _with("--agent-env my-key=x", "--agent-env MY_KEY=x"),
    "agent_env_reserved": _with("--agent-env LD_PRELOAD=./x.so", "--agent-env MODE=fast"),
    "agent_env_unset": _with("--agent-env MODEL_KEY", "--agent-env MODEL_KEY=x"),
    "allowed_host_invalid": _with(
        "--allow-agent-host https://api.example.com/v1", "--allow-agent-host api.example.com"
    ),
    "isolation_none_hosts": _with("--isolation none --allow-agent-host api.example.com", "--isolation none"),
    "turn_limit_invalid": _typed(
        f"RUHROH_ITERATION_TIMEOUT_SEC=20m {_JUDGED}", f"RUHROH_ITERATION_TIMEOUT_SEC=1200 {_JUDGED}"
    ),
    "sandbox_unavailable": Example(
        State(_FILES, note="no bubblewrap on this machine"),
        State(_FILES, note="apt-get install bubblewrap"),
        around=f"{WITHOUT} /usr/bin/bwrap",
        command=_JUDGED,
        clean=False,
    ),
    "reviewer_command_invalid": _review('"./judge.sh \'all"'),
    "reviewer_not_found": _review("./jugde.sh"),
    "reviewer_not_executable": _lies(_pack(files={"judge.sh": _JUDGE.text})),
    "reviewer_missing": _typed(_RUN),
    "review_fixture_configured": _typed(f'RUHROH_EVAL_RESULT_FIXTURE=\'{{"status": "passed"}}\' {_JUDGED}'),
    "container_needed": _lies(
        _pack(scenario(environment__packages=["sqlite3"])),
        _pack(scenario(environment__packages=["sqlite3"])),
        instead=f"{_JUDGED} --use-host-tools",
    ),
    "pack_code_unconfined": _lies(
        _pack(scenario(evaluation__checks=[{"id": "report", "command": "test -s report.json"}])),
        _pack(scenario(evaluation__checks=[{"id": "report", "command": "test -s report.json"}])),
        f"{_JUDGED} --isolation none",
        instead=f"{_JUDGED} --isolation none --allow-unsandboxed-pack-code",
    ),
    "solution_missing": _lies(
        _pack(),
        _pack(scenario({"solution/report.json": '{"total": "14.00"}\n'}, solution="solution")),
        _JUDGED.replace("./agent.sh", "oracle"),
    ),
    "workspace_git_failed": Example(
        State(_pack(scenario(environment__git=True)).files, note="no git that can be run on this machine"),
        State(_pack(scenario(environment__git=True)).files, note="apt-get install git"),
        around=f"{WITHOUT} /usr/bin/git",
        command=_JUDGED,
        clean=False,
    ),
    "workspace_missing": _typed(f"{_REVIEW} doen", f"{_REVIEW} done", _MADE),
    "workspace_overlaps": _typed(f"{_REVIEW} .", f"{_REVIEW} done", _MADE),
    "package_missing": _typed(
        "harborsmith run generated/harbor/tasks/sum --agent ./agent.sh --reviewer ./judge.sh",
        _PACKAGED,
        _MADE,
    ),
    "package_invalid": _typed(
        "harborsmith run scenarios/sum-ledger --agent ./agent.sh --reviewer ./judge.sh",
        _PACKAGED,
        _MADE,
    ),
    "package_outdated": Example(
        State(_FILES, note="generated/harbor/tasks/sum-ledger was made by an older version"),
        _pack(),
        hidden="harborsmith generate >/dev/null; " + _OTHER_VERSION,
        command=_PACKAGED,
        instead=f"harborsmith generate --scenario sum-ledger --force && {_PACKAGED}",
        clean=False,
    ),
    "package_unreadable": Example(
        _pack(),
        _pack(),
        before=f"harborsmith generate > made.txt\nchmod 000 {_PACKAGE}/tests",
        around=UNPRIVILEGED,
        command=_PACKAGED,
        instead=f"chmod 755 {_PACKAGE}/tests && {_PACKAGED}",
        clean=False,
    ),
    "run_not_possible": Example(
        State(_FILES, note="generated lies on a file system that is mounted read-only"),
        _pack(),
        hidden="harborsmith generate >/dev/null",
        around='bwrap --dev-bind / / --ro-bind "$PWD/generated" "$PWD/generated"',
        command=_PACKAGED,
        instead=f"{_PACKAGED} --out records",
        clean=False,
    ),
    "harbor_option_mismatch": _with("--backend harbor --model some-model"),
}
