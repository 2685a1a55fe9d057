"""`generate` with a dataset: in line with the packages, whole or not at all, and never over somebody else's."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from generator.package.dataset import Dataset
from generator.package.dataset_file import MAX_DATASET_BYTES
from generator.package.manifest import read_manifest, whole_digest
from generator.package.model import Settings
from generator.workflows.generate import Mode, Report, Request, generate
from tests.support.files import Link, write_tree
from tests.support.packages import untouched
from tests.support.scenarios import document, write_scenario
from tests.unit.rules.built import unprivileged
from tests.unit.rules.support import metadata

DATASET = Dataset(name="acme/ledgers", version="1.0.0")
ACME = Settings(org="acme")
HELD_OUT = {"metadata": metadata(visibility="held_out", privateEvalRationale="The rubric is the private part.")}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A folder with two scenarios."""
    for name in ("one", "two"):
        write_scenario(tmp_path / "scenarios" / name, document(id=name))
    return tmp_path


def make(pack: Path, **changes: Any) -> Report:
    request = {"dataset": DATASET, "settings": ACME, **changes}
    return generate(Request(scenario_dir=pack / "scenarios", out=pack / "out", **request))


def tasks(pack: Path) -> Path:
    return pack / "out/harbor/tasks"


def file(pack: Path) -> Path:
    return tasks(pack) / "dataset.toml"


def listed(pack: Path) -> dict[str, str]:
    return {task["name"]: task["digest"] for task in tomllib.loads(file(pack).read_text())["tasks"]}


def digest(pack: Path, name: str) -> str:
    records = read_manifest(str(tasks(pack) / name), name)
    assert not isinstance(records, str)
    return whole_digest(records)


def said(report: Report) -> list[tuple[str, str]]:
    """Status and codes of the dataset."""
    assert report.dataset is not None
    return [(report.dataset.outcome.status.value, one.code) for one in report.dataset.diagnostics] or [
        (report.dataset.outcome.status.value, "")
    ]


def test_a_dataset_lists_every_package_with_the_digest_of_its_manifest(pack: Path) -> None:
    assert said(make(pack)) == [("written", "")]

    assert listed(pack) == {f"acme/{name}": digest(pack, name) for name in ("one", "two")}
    assert file(pack).stat().st_mode & 0o777 == 0o644
    assert sorted(os.listdir(pack / "out")) == ["harbor"]


def test_a_dataset_that_is_in_line_is_not_touched(pack: Path) -> None:
    make(pack)
    before = untouched(pack / "out")
    assert said(make(pack)) == [("unchanged", "")]
    assert said(make(pack, mode=Mode.CHECK)) == [("unchanged", "")]
    assert untouched(pack / "out") == before


def test_it_follows_packages_that_change_come_and_go(pack: Path) -> None:
    make(pack)
    before = listed(pack)
    write_scenario(pack / "scenarios/one", document(id="one", title="Sum it up"))
    write_scenario(pack / "scenarios/three", document(id="three"))
    (pack / "scenarios/two").rename(pack / "gone")

    assert said(make(pack)) == [("written", "")]

    assert set(listed(pack)) == {"acme/one", "acme/three"}
    assert listed(pack)["acme/one"] != before["acme/one"]


def test_bytes_do_not_depend_on_what_stood_there_before(pack: Path) -> None:
    make(pack, dataset=Dataset(name="acme/older"))
    make(pack)
    second = file(pack).read_bytes()
    file(pack).unlink()
    make(pack)
    assert file(pack).read_bytes() == second


def test_check_and_dry_run_write_nothing_and_say_what_differs(pack: Path) -> None:
    assert said(make(pack, mode=Mode.DRY_RUN)) == [("would_write", "")]
    make(pack, dataset=None)
    before = untouched(pack / "out")

    missing = make(pack, mode=Mode.CHECK)
    assert (said(missing), missing.failed) == ([("drifted", "dataset_drifted")], True)
    assert "is missing" in missing.diagnostics[-1].message
    assert said(make(pack, mode=Mode.DRY_RUN)) == [("would_write", "")]
    assert untouched(pack / "out") == before

    make(pack)
    other = make(pack, mode=Mode.CHECK, dataset=Dataset(name="acme/ledgers", description="New: it's here."))
    assert said(other) == [("drifted", "dataset_drifted")]
    assert other.diagnostics[-1].hint.endswith(
        """--org acme --dataset acme/ledgers --dataset-description 'New: it'"'"'s here.'"""
    )


@pytest.mark.parametrize("mode", list(Mode))
def test_without_every_package_there_is_no_dataset(pack: Path, mode: Mode) -> None:
    make(pack)
    before = file(pack).read_bytes()
    write_scenario(pack / "scenarios/two", document(id="two", title=5))

    report = make(pack, mode=mode)

    assert (said(report), report.failed) == ([("failed", "dataset_incomplete")], True)
    assert file(pack).read_bytes() == before


def test_an_edited_package_is_never_listed(pack: Path) -> None:
    make(pack)
    (tasks(pack) / "one/instruction.md").write_text("Do something else.\n")
    assert said(make(pack)) == [("failed", "dataset_incomplete")]


def test_a_package_kept_although_its_scenario_is_gone_stops_the_dataset(pack: Path) -> None:
    make(pack)
    (tasks(pack) / "two/instruction.md").write_text("Do something else.\n")
    (pack / "scenarios/two").rename(pack / "gone")
    assert said(make(pack)) == [("failed", "dataset_task_foreign")]


@pytest.mark.parametrize("made", [{"mine/task.toml": ""}, {"mine": Link("../../../elsewhere")}])
def test_a_task_that_harbor_would_publish_as_well_stops_the_dataset(pack: Path, made: dict[str, Any]) -> None:
    write_tree(pack / "elsewhere", {"task.toml": ""})
    write_tree(tasks(pack), made)

    report = make(pack)

    assert said(report) == [("failed", "dataset_task_foreign")]
    assert "mine" in report.diagnostics[-1].message
    assert not file(pack).exists()


def test_what_is_no_task_for_harbor_does_not_matter(pack: Path) -> None:
    write_tree(tasks(pack), {"notes/README.md": "", "metric.py": ""})
    assert said(make(pack)) == [("written", "")]


def in_the_way(pack: Path, kind: str) -> None:
    target = file(pack)
    if kind == "link":
        target.symlink_to(write_tree(pack / "elsewhere", {"dataset.toml": ""}) / "dataset.toml")
    elif kind == "pipe":
        os.mkfifo(target)
    elif kind == "large":
        target.touch()
        os.truncate(target, MAX_DATASET_BYTES + 1)
    else:
        target.write_text('[dataset]\nname = "acme/ledgers"\n')


@pytest.mark.parametrize("kind", ["link", "pipe", "large", "file"])
def test_somebody_elses_file_is_replaced_with_force_alone(pack: Path, kind: str) -> None:
    make(pack, dataset=None)
    in_the_way(pack, kind)
    before = untouched(pack / "out")

    for mode in Mode:
        assert said(make(pack, mode=mode)) == [("failed", "dataset_foreign")]
    assert untouched(pack / "out") == before

    assert said(make(pack, force=True)) == [("written", "")]
    assert set(listed(pack)) == {"acme/one", "acme/two"}
    assert not file(pack).is_symlink()
    if kind == "link":
        assert (pack / "elsewhere/dataset.toml").read_text() == ""


def test_an_edited_dataset_is_replaced_with_force_alone(pack: Path) -> None:
    make(pack)
    file(pack).write_text(file(pack).read_text().replace("1.0.0", "2.0.0"))
    assert said(make(pack)) == [("failed", "dataset_foreign")]
    assert said(make(pack, force=True)) == [("written", "")]
    assert "2.0.0" not in file(pack).read_text()


def test_what_somebody_added_to_ours_stays(pack: Path) -> None:
    make(pack)
    with file(pack).open("a") as handle:
        handle.write('\n[[files]]\npath = "metric.py"\ndigest = ""\n')
    assert said(make(pack)) == [("unchanged", "")]
    assert said(make(pack, dataset=Dataset(name="acme/renamed"))) == [("written", "")]
    assert tomllib.loads(file(pack).read_text())["files"] == [{"path": "metric.py", "digest": ""}]


def test_a_directory_in_its_place_is_the_machines_affair_even_with_force(pack: Path) -> None:
    make(pack, dataset=None)
    write_tree(file(pack), {"precious": ""})
    assert said(make(pack)) == [("failed", "dataset_foreign")]
    report = make(pack, force=True)
    assert (said(report), report.could_not) == ([("failed", "package_not_written")], True)
    assert (file(pack) / "precious").exists()


def test_a_folder_that_cannot_be_written_is_said(pack: Path) -> None:
    make(pack, dataset=None)
    (pack / "out").chmod(0o555)
    with unprivileged(pack):
        report = make(pack)
    assert (said(report), report.could_not) == ([("failed", "package_not_written")], True)


def test_a_folder_that_cannot_be_listed_is_said(pack: Path) -> None:
    alone = Request(scenario_dir=pack / "scenarios/one", out=pack / "out", settings=ACME, dataset=DATASET)
    generate(alone)
    tasks(pack).chmod(0o711)
    with unprivileged(pack / "scenarios"):
        report = generate(alone)
    tasks(pack).chmod(0o755)
    assert (said(report), report.could_not) == ([("failed", "package_not_written")], True)


@pytest.mark.parametrize(
    ("dataset", "org"), [("local/ledgers", "acme"), ("acme/ledgers", "local"), ("local/ledgers", "local")]
)
def test_the_organisation_that_stands_for_none_is_refused_before_anything_is_written(
    pack: Path, dataset: str, org: str
) -> None:
    report = make(pack, dataset=Dataset(name=dataset), settings=Settings(org=org))
    assert [one.code for one in report.refused] == ["dataset_org_missing"]
    assert not (pack / "out").exists()


def test_a_selection_leaves_the_dataset_alone(pack: Path) -> None:
    make(pack)
    before = file(pack).read_bytes()
    write_scenario(pack / "scenarios/one", document(id="one", title="Sum it up"))
    assert make(pack, ids=("one",), settings=Settings()).dataset is None
    assert file(pack).read_bytes() == before


def test_nothing_to_list_makes_no_dataset(tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    assert make(tmp_path).dataset is None
    assert not file(tmp_path).exists()


def test_what_is_held_out_stays_out_and_is_said(pack: Path) -> None:
    write_scenario(pack / "scenarios/secret", document(id="secret", **HELD_OUT))

    report = make(pack)

    assert said(report) == [("written", "dataset_held_out")]
    assert report.dataset is not None
    assert (report.dataset.tasks, report.dataset.held_out) == (2, 1)
    assert "secret" in report.dataset.diagnostics[0].message
    assert set(listed(pack)) == {"acme/one", "acme/two"}


def test_many_held_out_packages_are_counted_and_the_first_are_named(pack: Path) -> None:
    for number in range(7):
        write_scenario(pack / f"scenarios/secret-{number}", document(id=f"secret-{number}", **HELD_OUT))
    report = make(pack)
    assert report.dataset is not None
    message = report.dataset.diagnostics[0].message
    assert message.startswith("7 packages (secret-0, secret-1, secret-2, secret-3, secret-4 and 2 more)")


def test_without_held_out_their_packages_go(pack: Path) -> None:
    write_scenario(pack / "scenarios/secret", document(id="secret", **HELD_OUT))
    make(pack)

    report = make(pack, held_out=False)

    assert said(report) == [("unchanged", "")]
    assert not (tasks(pack) / "secret").exists()
    assert (
        "--without-held-out"
        in make(pack, held_out=False, mode=Mode.CHECK, dataset=Dataset(name="acme/other")).diagnostics[-1].hint
    )


def test_private_scenarios_are_listed_and_counted(pack: Path) -> None:
    write_scenario(pack / "scenarios/draft", document(id="draft", metadata=metadata(visibility="private")))
    report = make(pack)
    assert said(report) == [("written", "dataset_private")]
    assert "acme/draft" in listed(pack)
