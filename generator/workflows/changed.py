"""Which files differ from a commit, by git: tracked ones, changed or gone, and new ones that are not ignored."""

from __future__ import annotations

import os
from pathlib import Path

from generator.formats.config_file import CONFIG_FILE
from generator.workflows.git import git


def changed_files(reference: str, folder: Path) -> tuple[Path, ...] | str:
    """Absolute paths of what differs from the commit `reference`, or why that cannot be told.

    Links in the directories of a path are followed, its last part is not. A change of `harborsmith.toml` concerns every
    scenario, so it stands for the directory it lies in.

    Args:
        reference: A commit, branch or tag.
        folder: A directory in the repository.
    """
    if reference.startswith("-"):
        return f"{reference!r} is no commit; write a branch, tag or commit, such as origin/main"
    try:
        top = git(folder, "rev-parse", "--show-toplevel")
        if top.returncode:
            return f"{folder} is not in a git repository, which alone knows what changed"
        commit = git(folder, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}")
        if commit.returncode:
            return f"git knows no commit {reference!r} here; fetch it, or write another branch, tag or commit"
        root = Path(os.fsdecode(top.stdout.removesuffix(b"\n")))
        name = commit.stdout.decode().strip()
        asked = (
            git(root, "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", name, "--"),
            git(root, "ls-files", "--others", "--exclude-standard", "-z"),
        )
    except OSError as error:
        return f"git cannot be started ({error.strerror}), and it alone knows what changed"
    for done in asked:
        if done.returncode:
            return f"git cannot tell what changed: {done.stderr.decode(errors='replace').strip()}"
    names = [os.fsdecode(name) for done in asked for name in done.stdout.split(b"\0") if name]
    return tuple(
        dict.fromkeys(_concerned(Path(os.path.realpath((root / name).parent), Path(name).name)) for name in names)
    )


def _concerned(file: Path) -> Path:
    return file.parent if file.name == CONFIG_FILE else file
