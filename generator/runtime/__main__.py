"""Start from wherever this folder lies: `python3 -I -B FOLDER` reviews, `… FOLDER supervise` runs an agent's turns.

The folder is loaded as a package under a name of its own, and taken off the module search path again, so that neither
its parent nor its module names can get in the way of anything.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys

NAME = "harborsmith_review"


def main() -> int:
    """Load the package and run its command."""
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != folder]
    spec = importlib.util.spec_from_file_location(
        NAME, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} cannot be loaded")
    package = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = package
    spec.loader.exec_module(package)
    supervising = sys.argv[1:2] == ["supervise"]
    command = importlib.import_module(f"{NAME}.{'supervise' if supervising else 'command'}")
    status = command.main(sys.argv[2 if supervising else 1 :])
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
