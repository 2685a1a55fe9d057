"""Check what a built wheel and sdist hold: everything that must be shipped, nothing that must not.

Usage: check_dist.py FOLDER, with one wheel and one sdist in it. Prints one line for each fault and exits 1 if any.
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from fnmatch import fnmatch
from pathlib import Path

DATA = ("schemas", "templates", "scenarios")
NEVER = ("*.pyc", "*__pycache__*", "*.egg-info/*", "*/.venv*", "*/generated/*/*", "*/.git/*", "*/.coverage*")
SDIST_MUST_HOLD = (
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "generator/cli/main.py",
    "pyproject.toml",
    "requirements-dev.txt",
    "tests/conftest.py",
    "tools/check_dist.py",
)


def wheel_faults(names: frozenset[str], data: frozenset[str], modules: frozenset[str]) -> list[str]:
    """What is wrong with a wheel.

    Args:
        names: Every file in it.
        data: Files below the data folders of the sdist, as `schemas/...`.
        modules: Files below `generator/` of the sdist.
    """
    wanted = modules | {f"generator/_data/{name}" for name in data}
    held = {name for name in names if ".dist-info/" not in name}
    faults = [f"wheel: {name} is missing" for name in sorted(wanted - held)]
    faults += [f"wheel: {name} must not be shipped" for name in sorted(held - wanted)]
    faults += [
        f"wheel: no file of {folder}" for folder in DATA if not any(name.startswith(f"{folder}/") for name in data)
    ]
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        faults.append("wheel: the licence is missing")
    return faults + never_faults("wheel", names)


def sdist_faults(names: frozenset[str]) -> list[str]:
    """What is wrong with an sdist that holds the files `names`, its top folder stripped."""
    return [f"sdist: {name} is missing" for name in SDIST_MUST_HOLD if name not in names] + never_faults("sdist", names)


def never_faults(kind: str, names: frozenset[str]) -> list[str]:
    """One fault for each file that no distribution may hold."""
    found = sorted(name for name in names if any(fnmatch(f"/{name}", pattern) for pattern in NEVER))
    return [f"{kind}: {name} must not be shipped" for name in found]


def faults(folder: Path) -> list[str]:
    """What is wrong with the one wheel and the one sdist in `folder`."""
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sdists) != 1:
        return [f"{folder}: expected one wheel and one sdist, found {len(wheels)} and {len(sdists)}"]
    with zipfile.ZipFile(wheels[0]) as wheel:
        shipped = frozenset(name for name in wheel.namelist() if not name.endswith("/"))
    with tarfile.open(sdists[0]) as sdist:
        source = frozenset(member.name.partition("/")[2] for member in sdist if member.isfile())
    data = frozenset(name for name in source if name.split("/")[0] in DATA)
    modules = frozenset(name for name in source if name.startswith("generator/"))
    return sdist_faults(source) + wheel_faults(shipped, data, modules)


def main(arguments: list[str]) -> int:
    """Check the folder named by the only argument; the exit status."""
    if len(arguments) != 1:
        print("usage: check_dist.py FOLDER", file=sys.stderr)
        return 2
    found = faults(Path(arguments[0]))
    print("\n".join(found) if found else "wheel and sdist hold what they must and nothing else")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
