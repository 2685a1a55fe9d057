"""Whether programs can be confined here, found out by doing it, and how one is run confined."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from generator.execute.attempt import attempt_of, installed, strongest
from generator.execute.bubblewrap import BWRAP_PLACES, PROCESSES, Flavour, confine
from generator.execute.view import AGENT_UID, View
from generator.runtime.launch import Job, Outcome
from generator.runtime.process import run
from generator.runtime.trees import give_to

# Devices every system has, with their numbers (Documentation/admin-guide/devices.txt of the kernel).
_DEVICES: Final = {"null": "1 3", "zero": "1 5", "full": "1 7", "random": "1 8", "urandom": "1 9", "tty": "5 0"}


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A way to confine programs that has been seen to work on this machine."""

    flavour: Flavour

    @property
    def description(self) -> str:
        """How programs are confined, for records."""
        account = "root, dropped inside" if self.flavour.as_root else "user namespace"
        sealed = "no user namespaces inside" if self.flavour.seal_user_namespaces else "user namespaces inside"
        return f"{account}; {sealed}"

    @property
    def uid(self) -> int:
        """The uid of this machine that a confined program has."""
        return AGENT_UID if self.flavour.as_root else os.getuid()

    def run(self, view: View, job: Job, on_start: Callable[[int], None] | None = None) -> Outcome:
        """Run a job in `view`; `job.cwd` is ignored, the working directory is the view's.

        `on_start` is called with the id of the outermost process once that runs.

        When it returns nothing of the program is alive: the end of its PID namespace is the end of everything in it.
        """
        confined = confine(view, job.argv, self.flavour, job.limits.processes or PROCESSES)
        try:
            # The limit is set inside: set here it would also count the operator's other processes.
            outer = job._replace(argv=confined.argv, cwd="/", limits=job.limits._replace(processes=None))
            return run(outer, pass_fds=confined.descriptors, on_start=on_start)
        finally:
            confined.close()

    def own(self, path: str) -> None:
        """Give a tree of ours to the account that confined programs have. Raises OSError."""
        if self.uid != os.getuid():
            give_to(path, self.uid, self.uid)


class NoSandbox(NamedTuple):
    """Why programs cannot be confined here, and what mends it."""

    reason: str
    mend: str


@functools.cache
def probe() -> Sandbox | NoSandbox:
    """The strongest confinement that works here, found by running a program in it. One answer per process."""
    bwrap = installed(BWRAP_PLACES)
    if bwrap is None:
        return NoSandbox("bubblewrap is not installed", _install("bubblewrap"))
    said = ""
    for flavour in _candidates(bwrap):
        complaint = attempt_of(flavour).complaint()
        if complaint is None:
            return Sandbox(flavour)
        said = complaint
    return NoSandbox(f"bubblewrap does not work here: {said}", _mend(said))


def _candidates(bwrap: str) -> Iterator[Flavour]:
    best = strongest(bwrap)
    yield best
    yield best._replace(gentle=False)
    yield best._replace(seal_user_namespaces=False)
    yield best._replace(gentle=False, seal_user_namespaces=False)


def _install(package: str) -> str:
    return f"install it: apt-get install {package} (Debian, Ubuntu), dnf install {package} (Fedora)"


def _mend(said: str) -> str:
    """The step that most likely helps, from what bubblewrap said and what the machine says about itself."""
    device = re.search(r"/dev/(\w+)", said)
    if device and "No such file" in said:
        name = device[1]
        numbers = _DEVICES.get(name)
        make = f"`mknod -m 666 /dev/{name} c {numbers}`" if numbers else "make it"
        return f"this machine has no /dev/{name}, which every program may expect: {make}, as root"
    for program in ("setpriv", "prlimit"):
        if program in said and "No such file" in said:
            return _install("util-linux")
    if _number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1 and os.geteuid() != 0:
        return (
            "AppArmor keeps programs from making user namespaces; write /etc/apparmor.d/bwrap with "
            "`abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }` "
            "and run `apparmor_parser -r /etc/apparmor.d/bwrap`, "
            "or run `sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
        )
    if _number("/proc/sys/kernel/unprivileged_userns_clone") == 0 and os.geteuid() != 0:
        return "run `sysctl kernel.unprivileged_userns_clone=1`"
    if any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")):
        return (
            "start the container with `--cap-add SYS_ADMIN --security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined`"
        )
    return "allow user namespaces for this account: `sysctl user.max_user_namespaces=15000`"


def _number(path: str) -> int | None:
    try:
        return int(Path(path).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
