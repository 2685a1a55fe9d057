"""Prompts and assets."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from generator.source.tree import MAX_DEPTH
from tests.support.examples import SCENARIO, UNPRIVILEGED, Example, State, scenario
from tests.support.files import Folder, Link, Pipe

ASSETS: Final = {"assets": ["assets"]}
KEY: Final = "The total of the month of May is fourteen pounds exactly.\n"


def _prompt(content: str | bytes | None) -> State:
    return scenario({"instruction.md": content})


def _beside(files: dict[str, object]) -> State:
    """The pack that declares all of `assets`, with these files."""
    return scenario(files, **ASSETS)


def _hole(root: Path) -> None:
    os.truncate(root / SCENARIO / "assets/disk.img", 4 * 2**30 + 1)


def _closed(root: Path) -> None:
    (root / SCENARIO / "assets/closed").chmod(0)


def _environment(**stage: str) -> State:
    """The pack with two starters, and where they are put."""
    return scenario(
        {"assets/a/README.md": "First.\n", "assets/b/README.md": "Second.\n"},
        assets=["assets/ledger.csv", "assets/a", "assets/b"],
        environment__stage={name.replace("_", "/"): place for name, place in stage.items()},
    )


def _stage(**places: str) -> State:
    return scenario(environment__stage=places)


EXAMPLES: Final = {
    "prompt_missing": Example(scenario(userPromptPath="instructions.md")),
    "prompt_not_a_file": Example(scenario(userPromptPath="assets")),
    "prompt_outside": Example(
        State({f"{SCENARIO}instruction.md": Link("../../shared.md"), "shared.md": "Sum it.\n"}),
        State({"shared.md": "Sum it.\n"}),
    ),
    "prompt_too_large": Example(_prompt("Sum it all up. " * 7000)),
    "prompt_encoding": Example(_prompt(b"Sum `assets/ledger.csv` into `report.json`, in \xa4.\n")),
    "prompt_nul": Example(_prompt(b"Sum `assets/ledger.csv`\0into `report.json`.\n")),
    "prompt_blank": Example(_prompt("\n")),
    "prompt_bom": Example(_prompt("\ufeffSum `assets/ledger.csv` into `report.json`.\n")),
    "prompt_path_missing": Example(_prompt("Sum `assets/legder.csv` into `report.json`.\n")),
    "prompt_canary_stripped": Example(
        _prompt("# Plan the canary release\nWrite it to `report.json`.\n"),
        _prompt("Plan the canary release.\nWrite it to `report.json`.\n"),
    ),
    "prompt_quotes_private": Example(
        scenario(
            {"instruction.md": f"Sum `assets/ledger.csv`.\n{KEY}", "private/key.txt": KEY},
            evaluation__privateAssets=["private"],
        ),
        scenario({"private/key.txt": KEY}, evaluation__privateAssets=["private"]),
    ),
    "asset_missing": Example(scenario(assets=["asset/ledger.csv"])),
    "asset_outside": Example(
        _beside({"assets/orders.csv": Link("/etc/hostname")}), _beside({"assets/orders.csv": "a,b\n"})
    ),
    "asset_loop": Example(_beside({"assets/all": Link(".")}), _beside({"assets/all/ledger.csv": "item,amount\n"})),
    "asset_special": Example(_beside({"assets/feed": Pipe()}), _beside({"assets/feed": "4.50\n"})),
    "asset_unreadable": Example(
        State(_beside({"assets/closed/key": "x\n"}).files, _closed, "chmod 000 assets/closed"),
        State(_beside({"assets/closed/key": "x\n"}).files, note="chmod 755 assets/closed"),
        around=UNPRIVILEGED,
    ),
    "asset_too_many": Example(
        _beside({"assets/" + "d/" * (MAX_DEPTH + 1) + "x": "x\n"}), _beside({"assets/d/x": "x\n"})
    ),
    "asset_duplicate": Example(scenario(assets=["assets/ledger.csv", "./assets/ledger.csv"])),
    "asset_too_large": Example(
        State(_beside({"assets/disk.img": ""}).files, _hole),
        _beside({}),
    ),
    "asset_directory_empty": Example(_beside({"assets/out": Folder()}), _beside({"assets/out/.gitkeep": "\n"})),
    "asset_name_unsafe": Example(_beside({"assets/a\nb.csv": "1\n"}), _beside({"assets/a-b.csv": "1\n"})),
    "asset_name_not_portable": Example(_beside({"assets/what?.csv": "1\n"}), _beside({"assets/what.csv": "1\n"})),
    "asset_name_clash": Example(_beside({"assets/Ledger.csv": "1\n"}), _beside({"assets/ledger-old.csv": "1\n"})),
    "asset_git": Example(
        _beside({"assets/app/main.py": "", "assets/app/.git/HEAD": "ref: refs/heads/main\n"}),
        scenario({"assets/app/main.py": ""}, environment__git=True, **ASSETS),
    ),
    "asset_harborignore": Example(
        _beside({"assets/.harborignore": "*.csv\n"}), _beside({"assets/ignore.txt": "*.csv\n"})
    ),
    "asset_git_rules": Example(_beside({"assets/app/.gitignore": "*.log\n"}), _beside({})),
    "asset_too_broad": Example(
        _beside({"assets/app/main.js": "\n", "assets/app/node_modules/left/index.js": "\n"}),
        scenario(
            {"assets/app/main.js": "\n", "assets/app/node_modules/left/index.js": "\n"},
            assets=["assets/ledger.csv", "assets/app/main.js"],
        ),
    ),
    "asset_name_dropped": Example(_beside({"assets/ledger.csv~": "1\n"}), _beside({"assets/ledger-old.csv": "1\n"})),
    "folder_undeclared": Example(
        scenario({"solution/report.json": '{"total": "14.00"}\n'}),
        scenario({"solution/report.json": '{"total": "14.00"}\n'}, solution="solution"),
    ),
    "setup_not_a_file": Example(
        scenario({"setup/install.sh": "#!/bin/sh\n"}, environment__setup="setup"),
        scenario({"setup/install.sh": "#!/bin/sh\n"}, environment__setup="setup/install.sh"),
    ),
    "solution_not_a_directory": Example(
        scenario({"solution.patch": "x\n"}, solution="solution.patch"),
        scenario({"solution/report.json": '{"total": "14.00"}\n'}, solution="solution"),
    ),
    "stage_undeclared": Example(
        _stage(**{"ledger.csv": "ledger.csv"}), _stage(**{"assets/ledger.csv": "ledger.csv"}), clean=False
    ),
    "stage_target_unsuitable": Example(
        _stage(**{"assets/ledger.csv": "."}), _stage(**{"assets/ledger.csv": "ledger.csv"}), clean=False
    ),
    "stage_clash": Example(_environment(assets_a=".", assets_b="."), _environment(assets_a="a", assets_b="b")),
    "private_exposed": Example(
        scenario({"assets/expected.json": "14.00\n"}, evaluation__privateAssets=["assets/expected.json"], **ASSETS),
        scenario({"private/expected.json": "14.00\n"}, evaluation__privateAssets=["private/expected.json"], **ASSETS),
    ),
    "private_content_in_public": Example(
        scenario(
            {"assets/sample.json": '{"total": "14.00"}\n', "private/expected.json": '{"total": "14.00"}\n'},
            evaluation__privateAssets=["private/expected.json"],
            **ASSETS,
        ),
        scenario(
            {"assets/sample.json": '{"total": "12.34"}\n', "private/expected.json": '{"total": "14.00"}\n'},
            evaluation__privateAssets=["private/expected.json"],
            **ASSETS,
        ),
    ),
}
