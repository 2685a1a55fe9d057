"""What Harborsmith is compared with, installed once into the scratch directory in exact versions."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import environment

AJV = "5.0.0"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
_SECONDS = 300


@dataclass(frozen=True)
class Rivals:
    """Programs, by name, and why others are missing."""

    programs: dict[str, Path]
    reasons: dict[str, str]


def install(scratch: Path) -> Rivals:
    """Install ajv-cli and check-jsonschema below `scratch`, unless they are there in these versions."""
    programs, reasons = {}, {}
    for name, make in (("ajv-cli", _ajv), ("check-jsonschema", _check_jsonschema)):
        made = make(scratch)
        if isinstance(made, Path):
            programs[name] = made
        else:
            reasons[name] = made
    return Rivals(programs, reasons)


def _ajv(scratch: Path) -> Path | str:
    """Each package is checked by npm against the digest that its registry states."""
    folder = scratch / f"ajv-{AJV}"
    program = folder / "node_modules/.bin/ajv"
    npm = shutil.which("npm")
    if program.exists():
        return program
    if npm is None:
        return "npm is not installed"
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--prefix", str(folder), "--no-audit", "--no-fund", "--silent", "--ignore-scripts"]
    return _done([npm, "install", *options, f"ajv-cli@{AJV}"], program)


def _check_jsonschema(scratch: Path) -> Path | str:
    folder = scratch / f"check-jsonschema-{hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]}"
    program = folder / "bin/check-jsonschema"
    if program.exists():
        return program
    made = _done([sys.executable, "-m", "venv", "--clear", str(folder)], folder / "bin/python")
    if isinstance(made, str):
        return made
    options = ["--disable-pip-version-check", "-qq", "install", "--require-hashes", "-r", str(REQUIREMENTS)]
    return _done([str(made), "-m", "pip", *options], program)


def _done(argv: list[str], wanted: Path) -> Path | str:
    """What a command should make, or why there is nothing."""
    try:
        made = subprocess.run(
            argv, env=environment(), capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{argv[0]}: {error}"
    if made.returncode == 0 and wanted.exists():
        return wanted
    said = (made.stderr or made.stdout).strip().splitlines()
    return f"{argv[0]} ended with {made.returncode}: {said[-1] if said else 'it said nothing'}"
