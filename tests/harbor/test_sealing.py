"""Whatever an agent leaves behind arrives at the reviewer or is listed, and neither breaks nor cheats a trial."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.harbor.machine import ROOT, Machine, Trial
from tests.harbor.scenarios import CANARIES, sealed
from tests.support.packages import written

pytestmark = pytest.mark.harbor

AGENTS = ROOT / "tests" / "harbor" / "agents"
SCRIPTS = ["honest.sh", "forger.sh", "hopper.py", "killer.sh", "litter.py", "checked.sh", "hog.py"]


def script(name: str, **more: str) -> dict[str, Any]:
    return {"import_path": "tests.harbor.hostile:ScriptAgent", "kwargs": {"script": str(AGENTS / name), **more}}


@pytest.fixture(scope="session")
def package(machine: Machine) -> Path:
    """The package of the scenario full of secrets."""
    return written(sealed(machine.folder / "scenarios", environment={"memoryMb": 1536}), machine.folder / "sealed")


@pytest.fixture(scope="session")
def trials(machine: Machine, package: Path) -> dict[str, Trial]:
    """One plain job of Harbor's, without any help of ours: nobody is asked anything, nothing is given."""
    agents = [{"name": "oracle"}, {"name": "nop"}, *map(script, SCRIPTS), script("look.sh", user="root")]
    return machine.job("sealed", agents, [package])


@pytest.mark.parametrize("agent", ["oracle", "honest", "hopper", "killer", "litter"])
def test_good_work_passes_whatever_else_its_agent_does(trials: dict[str, Trial], agent: str) -> None:
    assert (trials[agent].reward, trials[agent].error) == (1, None), trials[agent].details


@pytest.mark.parametrize("agent", ["nop", "forger", "checked"])
def test_bad_work_fails_whatever_its_agent_forges(trials: dict[str, Trial], agent: str) -> None:
    assert (trials[agent].reward, trials[agent].error) == (0, None), trials[agent].details


def test_an_agent_that_takes_all_memory_is_ended_and_its_work_judged(trials: dict[str, Trial]) -> None:
    assert trials["hog"].reward == 1, trials["hog"].result["exception_info"]


def test_a_deliverable_that_links_to_the_answers_is_not_followed(trials: dict[str, Trial]) -> None:
    left_out = {item["path"]: item["target"] for item in trials["forger"].details["leftOut"]}

    assert left_out["report.json"] == "/tests/private-eval-assets/private/answer.json"
    assert set(left_out) >= {"report.json", "other", "tests"}


def test_odd_files_arrive_or_are_listed(trials: dict[str, Trial]) -> None:
    litter = trials["litter"]
    with tarfile.open(litter.folder / "verifier" / "ruhroh-workspace.tar.gz") as archive:
        names = set(archive.getnames())
    left_out = {item["path"] for item in litter.details["leftOut"]}

    assert {"report.json", "hard", "in", "closed/inside", "new\nline", "-rf", "sparse.bin"} <= names
    assert sum(name.startswith("many/") for name in names) == 50_050
    assert {"queue", "door", "outside", "escape", "up"} <= left_out


def test_what_is_judged_is_what_was_archived_when_the_agent_was_dead(trials: dict[str, Trial]) -> None:
    hopper = trials["hopper"]
    archived = hopper.folder / "artifacts" / "logs" / "artifacts" / "workspace.tar"
    with tarfile.open(archived) as archive:
        late = archive.extractfile("./late.txt")
        assert late is not None
        written_last = late.read().decode().splitlines()[-1]

    assert int(float(written_last)) <= archived.stat().st_mtime
    judged = hopper.json("verifier/ruhroh-loop-eval-input.json")["workspaceSha256"]
    assert judged == hashlib.sha256(archived.read_bytes()).hexdigest()


@pytest.mark.parametrize("runner", ["check", "reviewer"])
def test_a_program_that_attacks_whoever_runs_it_gets_nowhere(trials: dict[str, Trial], runner: str) -> None:
    details = trials["checked"].details
    (check,) = details["checks"]
    output = check["output"] if runner == "check" else told(trials["checked"])["program"]
    said = dict(line.split(" -> ", 1) for line in output.splitlines())

    assert check["passed"], "the check only asks that the program ends well"
    assert said.pop("uid") not in ("0", "10001")
    assert [name for name, outcome in said.items() if not outcome.startswith("refused")] == []


def test_an_agent_can_find_no_canary_even_as_root(trials: dict[str, Trial]) -> None:
    seen = dict(line.split(": ", 1) for line in trials["look"].text("agent/output.txt").splitlines())

    assert (seen["files"].strip(), seen["processes"], seen["mounts"], seen["private"].strip()) == ("", "0", "0", "")


def test_an_agent_without_network_has_the_loopback_device_alone(trials: dict[str, Trial]) -> None:
    seen = dict(line.split(": ", 1) for line in trials["look"].text("agent/output.txt").splitlines())

    assert seen["interfaces"].split() == ["lo"]


def test_the_reviewer_sees_every_canary_that_the_agent_cannot_find(trials: dict[str, Trial]) -> None:
    assert told(trials["honest"])["canaries"] == len(CANARIES)


def test_a_review_without_network_has_the_loopback_device_alone(trials: dict[str, Trial]) -> None:
    assert told(trials["honest"])["interfaces"] == ["lo"]


def test_nothing_of_the_evidence_is_blanked_out_when_no_variable_is_declared(trials: dict[str, Trial]) -> None:
    blanked = [
        path
        for trial in trials.values()
        for path in (trial.folder / "verifier").rglob("*")
        if path.suffix in (".json", ".txt", ".log") and "[REDACTED]" in path.read_text(errors="replace")
    ]

    assert blanked == []


@pytest.fixture(scope="session")
def images(machine: Machine, package: Path) -> dict[str, str]:
    """Both images of the package, by the folder that each is built from."""
    tags = {part: f"harborsmith-test-{part}" for part in ("environment", "tests")}
    for part, tag in tags.items():
        built = machine.docker("build", "--quiet", "--tag", tag, str(package / part))
        assert built.code == 0, built.err
    return tags


@pytest.mark.parametrize(("part", "found"), [("environment", []), ("tests", CANARIES)])
def test_no_layer_of_the_agents_image_holds_a_canary(
    machine: Machine, images: dict[str, str], part: str, found: list[str]
) -> None:
    saved = machine.folder / f"{part}.tar"
    assert machine.docker("save", "--output", str(saved), images[part]).code == 0

    assert sorted(_canaries(saved.read_bytes())) == sorted(found)


@pytest.mark.parametrize("part", ["environment", "tests"])
def test_a_container_ends_at_once(machine: Machine, images: dict[str, str], part: str) -> None:
    asked = machine.docker("image", "inspect", "--format", "{{.Config.StopSignal}}", images[part])

    assert asked.out.strip() == "SIGKILL"


def told(trial: Trial) -> dict[str, Any]:
    """What the reviewer says of its place."""
    (reason,) = trial.details["evalResult"]["reasons"]
    return dict(json.loads(reason))


def _canaries(image: bytes) -> set[str]:
    """The canaries in a saved image: layers, configuration, history."""
    held = {canary for canary in CANARIES if canary.encode() in image}
    with tarfile.open(fileobj=io.BytesIO(image)) as outer:
        for member in outer:
            stream = outer.extractfile(member)
            data = stream.read() if stream is not None else b""
            if tarfile.is_tarfile(io.BytesIO(data)):
                with tarfile.open(fileobj=io.BytesIO(data)) as layer:
                    for inner in layer:
                        content = layer.extractfile(inner) if inner.isfile() else None
                        read = content.read() if content is not None else b""
                        held |= {canary for canary in CANARIES if canary.encode() in read}
    return held
