"""Make packages in processes that are killed, or that get in each other's way; run as a program by tests.

`kill SCENARIO_A SCENARIO_B OUT`: kill a process at one audited event (a file opened, made, renamed or removed) while it
replaces the package of A by that of B, and print what stands then and after the next call. The events are every fourth
of a whole run, and all of those around the moment at which the packages change places.
`write OUT ROUNDS SCENARIO...`: write the package of each scenario in turn, ROUNDS times.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from generator.package import swap
from generator.package.lock import sweep
from generator.package.model import PackagePlan
from generator.package.output import Output
from generator.package.write import Status, write_package
from tests.support.files import read_tree
from tests.support.packages import planned

COUNTED = ("open", "os.", "shutil.")


def kill(first: PackagePlan, second: PackagePlan, out: Path) -> None:
    output = Output(out)
    _must(write_package(second, output).status)
    known = {"new": read_tree(out)}
    _must(write_package(first, output).status)
    known["old"] = read_tree(out)
    assert known["old"].keys() == known["new"].keys(), "or a mixture of the two would go unseen"
    events = _events(second, output)
    removal = events.index("os.remove") + 1  # the first file of the old package
    for at in sorted({*range(1, len(events) + 1, 4), *range(removal - 30, removal + 30)}):
        _must(write_package(first, output).status)
        _die_at(at, second, output)
        stands = _name(out / "harbor", known)
        status = write_package(second, output).status
        sweep(output)
        print(json.dumps({"at": at, "stands": stands, "next": status.value, "after": _name(out, known)}), flush=True)


def _events(plan: PackagePlan, output: Output) -> list[str]:
    """The events of a whole run."""
    ours, theirs = os.pipe()
    if os.fork() == 0:
        seen: list[str] = []
        sys.addaudithook(lambda event, _: seen.append(event) if event.startswith(COUNTED) else None)
        write_package(plan, output)
        os.write(theirs, "\n".join(seen).encode())
        os._exit(0)
    os.wait()
    return os.read(ours, 60_000).decode().split("\n")


def _die_at(at: int, plan: PackagePlan, output: Output) -> None:
    """Kill a child at its event number `at`; one that has fewer lives to its end."""
    child = os.fork()
    if child == 0:
        left = at

        def count(event: str, _: object) -> None:
            nonlocal left
            left -= event.startswith(COUNTED)
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        write_package(plan, output)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (0, -signal.SIGKILL)


def _name(root: Path, known: Mapping[str, Mapping[str, object]]) -> str:
    """Which of the `known` outputs stands at `root`, which is the output or its one public part."""
    prefix = f"{root.name}/" if root.name == "harbor" else ""
    tree = {prefix + path: facts for path, facts in read_tree(root).items()}
    return next((name for name, expected in known.items() if expected == tree), "mixed" if tree else "nothing")


def _must(status: Status) -> None:
    assert status is not Status.FAILED, status


def main(command: str, *words: str) -> None:
    if command == "kill":
        first, second, out = words
        if os.environ.get("WITHOUT_EXCHANGE"):
            swap._renameat2 = lambda: None  # type: ignore[assignment]
        kill(planned(Path(first)), planned(Path(second)), Path(out))
    else:
        out, rounds, *scenarios = words
        plans = [planned(Path(scenario)) for scenario in scenarios]
        for number in range(int(rounds) * len(plans)):
            _must(write_package(plans[number % len(plans)], Output(Path(out))).status)


if __name__ == "__main__":
    main(*sys.argv[1:])
