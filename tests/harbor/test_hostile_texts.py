"""Whatever an author may write, Harbor takes the package: ids, titles, versions, keywords, names of files, commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.package.layout import task_slug
from generator.scenario.names import MAX_ID_LENGTH, id_problem, is_harbor_name, unportable_name, unsafe_name
from tests.harbor.machine import Machine
from tests.support.scenarios import PROMPT, document, write_scenario
from tests.unit.rules.support import metadata

pytestmark = pytest.mark.harbor

SCENARIOS, ENOUGH = 300, 50  # many repeat an id, and only one of those is made
ID_CHARACTERS = "abzABZ019_.-"
ODD = [
    '"""', "'''", "\\", "\\u0000", "${HOME}", "${HOME:-x}", "{{ 7 * 7 }}", "$(reboot)", "#", "# canary", "[task]",
    "= 1",
    "a\nb", "a\r\nb", "a\tb", "\x1b[31m", "\x7f", "\x85", "\u2028", "\u202e", "\ufeffa", "\U0001f980", "e\u0301",
    "pip install requests", "root", "COPY tests/test.sh /", "FROM scratch", "x" * 300,
]  # fmt: skip
FILES = [
    "test.sh", "test_a.py", "solve.sh", "a~", "x.pyc", "task.toml", "docker-compose.yaml", "docker-compose.yml",
    "Dockerfile", "dataset.toml", "compose.yaml", "trajectory.json", "README.md", "ä ö.txt", "-rf", "#x", "$HOME",
]  # fmt: skip
COMMANDS = [
    "pip install pytest",
    "git clone https://example.org/x",
    "curl https://example.org/x | sh",
    "uvx ruff",
    "true",
]

WRITABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\0")

ids = st.text(ID_CHARACTERS, min_size=1, max_size=MAX_ID_LENGTH).filter(lambda text: id_problem(text) is None)
texts = (
    st.lists(st.sampled_from(ODD) | st.text(WRITABLE, max_size=8), min_size=1, max_size=3)
    .map(" ".join)
    .filter(str.strip)
)
names = (st.sampled_from(FILES) | st.text(WRITABLE, min_size=1, max_size=12)).filter(
    lambda name: not any((unsafe_name(name), unportable_name(name), "/" in name, name.startswith(".")))
)


@st.composite
def scenarios(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A document, and the files beside it."""
    shown, hidden, solved = (draw(names) for _ in range(3))
    said = metadata(
        visibility=draw(st.sampled_from(["public", "private"])),
        scenarioVersion=draw(texts),
        provenance=draw(texts),
        networkRationale=draw(texts),
        tags=draw(st.lists(texts, min_size=1, max_size=4)),
        maintainers=draw(st.lists(texts, min_size=1, max_size=2)),
        expectedRuntimeSeconds=draw(st.floats(0.001, 604_800)),
    )
    made = document(
        id=draw(ids),
        title=draw(texts),
        tier=draw(st.sampled_from(["smoke", "nightly", "release"])),
        metadata=said,
        assets=[f"assets/{shown}"],
        run={"mode": "build", "timeoutSeconds": draw(st.integers(1, 86_400))},
        requires__network=draw(st.booleans()),
        evaluation__network=draw(st.booleans()),
        evaluation__privateAssets=[f"private/{hidden}"],
        evaluation__checks=[{"id": "odd", "command": draw(st.sampled_from(COMMANDS) | texts)}],
        environment={
            "packages": ["python3-pip"],
            "setup": "setup.sh",
            "workdir": draw(st.sampled_from(["/app", "/srv/a.b/c", "/work-1"])),
            "cpus": draw(st.sampled_from([1, 2, 0.5])),
            "memoryMb": draw(st.sampled_from([512, 4096])),
        },
        solution="solution",
    )
    files = {
        f"assets/{shown}": "x",
        f"private/{hidden}": "y",
        f"solution/{solved}": "z",
        "setup.sh": draw(st.sampled_from(COMMANDS)) + "\n",
        "instruction.md": draw(texts) + "\n" + PROMPT.replace("ledger.csv", shown),
    }
    return made, files


# Asked in Harbor's own Python.
JUDGE = """
import json, sys
from pathlib import Path
from harbor.lint import lint_task
from harbor.lint.models import LintRule
from harbor.models.task.task import Task
from harbor.publisher.packager import Packager

print(json.dumps({
    folder.name: {
        "valid": Task.is_valid_dir(folder),
        "name": Task(folder).name,
        "lint": sorted({str(finding.rule) for finding in lint_task(folder, selected_rules=set(LintRule))}),
        "digest": "sha256:" + Packager.compute_content_hash(folder)[0],
    }
    for folder in sorted(Path(sys.argv[1]).iterdir())
}))
"""


def test_every_package_we_make_of_odd_texts_is_one_for_harbor(harbor: Machine) -> None:
    folder = harbor.folder / "odd"
    seen: dict[str, Path] = {}

    @settings(max_examples=SCENARIOS)
    @given(scenarios())
    def write(made: tuple[dict[str, Any], dict[str, Any]]) -> None:
        if made[0]["id"].casefold() not in seen:
            place = write_scenario(folder / "scenarios" / f"s{len(seen)}", *made)
            seen[made[0]["id"].casefold()] = place

    write()
    done = harbor.harborsmith(
        "generate",
        "--scenario-dir",
        str(folder / "scenarios"),
        "--out",
        str(folder / "out"),
        "--org",
        "a.-_9",
        "--json",
    )
    packages = {one["id"] for one in json.loads(done.out)["packages"] if one["status"] == "written"}
    assert len(packages) >= ENOUGH, done.out
    judged = harbor.run([harbor.python, "-c", JUDGE, str(folder / "out/harbor/tasks")])
    assert judged.code == 0, judged.err

    found = json.loads(judged.out)
    assert set(found) == packages
    for name, said in found.items():
        manifest = json.loads((folder / "out/harbor/tasks" / name / "manifest.json").read_text())
        assert said["name"] == f"a.-_9/{task_slug(name)}"
        assert said["valid"], name
        assert set(said["lint"]) <= {"unpinned-image"}, name
        assert said["digest"] == manifest["digests"]["whole"], name


@given(ids)
def test_every_id_has_a_name_that_harbor_takes(scenario_id: str) -> None:
    assert is_harbor_name(task_slug(scenario_id))
