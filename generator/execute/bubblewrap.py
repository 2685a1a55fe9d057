"""Turn a `View` into a bubblewrap command line, for an ordinary user and for root.

An ordinary user gets a user namespace in which the account is the agent's. Root must not: a process that is root
outside keeps writing /proc/sys whatever its namespace says, so root enters the other namespaces as it is (which also
lets it show folders below a closed home), and the first program inside drops to the agent's uid for good.

Arguments and made-up files travel through memory descriptors, because the command line of the first process can be
read from inside and would name paths of this machine. For the same reason the environment is handed to bubblewrap
itself and never set by it: what it was started with stays readable in /proc/1/environ.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from generator.execute.view import AGENT_UID, HOSTNAME, SYSTEM_ROOTS, TMP_BYTES, View, is_below

BWRAP_PLACES: Final = ("/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap")
PROCESSES: Final = 1024  # a fork bomb stays a nuisance; real tool chains stay well below
ETC: Final = (
    "alternatives",
    "ca-certificates",
    "crypto-policies",
    "fonts",
    "gai.conf",
    "host.conf",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "perl",
    "pki/ca-trust",
    "pki/tls/certs",
    "pki/tls/cert.pem",
    "protocols",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
)
HOSTS: Final = f"127.0.0.1 localhost {HOSTNAME}\n::1 localhost ip6-localhost\n"


class Flavour(NamedTuple):
    """How bubblewrap is used on this machine; found out by trying (see `sandbox.probe`).

    Attributes:
        bwrap: Absolute path of the program.
        as_root: Whether we are root and drop inside instead of entering a user namespace.
        seal_user_namespaces: Whether the confined program is kept from making user namespaces of its own.
        gentle: Whether SIGTERM reaches the confined program before SIGKILL (needs `env --ignore-signal`).
    """

    bwrap: str
    as_root: bool
    seal_user_namespaces: bool = True
    gentle: bool = True


class Confined(NamedTuple):
    """A command line that runs a program in its view, and the descriptors it has to inherit until they are closed."""

    argv: tuple[str, ...]
    descriptors: tuple[int, ...]

    def close(self) -> None:
        """Close our ends of the descriptors."""
        for descriptor in self.descriptors:
            os.close(descriptor)


def confine(view: View, argv: Iterable[str], flavour: Flavour, processes: int) -> Confined:
    """The command that runs `argv` in `view` with at most `processes` processes.

    Raises:
        OSError: No memory file could be made.
    """
    files = [_memory_file(text.encode()) for text in (*_accounts(view), HOSTS)]
    arguments = [*_namespaces(view, flavour), *_world(view, files)]
    options = _memory_file(b"".join(argument.encode("utf-8", "surrogateescape") + b"\0" for argument in arguments))
    command = (
        *(("/usr/bin/env", "--ignore-signal=TERM") if flavour.gentle else ()),
        *(flavour.bwrap, "--args", str(options), "--"),
        *_inside(flavour, processes),
        *argv,
    )
    return Confined(command, (*files, options))


def _accounts(view: View) -> tuple[str, str]:
    """What /etc/passwd and /etc/group say inside."""
    users = (("root", 0, "/root"), (view.user, AGENT_UID, view.home), ("nobody", 65534, "/nonexistent"))
    passwd = "".join(f"{name}:x:{uid}:{uid}::{home}:/bin/bash\n" for name, uid, home in users)
    group = "".join(f"{name}:x:{gid}:\n" for name, gid in (("root", 0), (view.user, AGENT_UID), ("nogroup", 65534)))
    return passwd, group


def _memory_file(data: bytes) -> int:
    made = os.memfd_create("harborsmith", os.MFD_CLOEXEC)
    try:
        # one below 3 (where ours was started without it) would become a standard stream of the command
        descriptor = fcntl.fcntl(made, fcntl.F_DUPFD, 3)
    finally:
        os.close(made)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _namespaces(view: View, flavour: Flavour) -> list[str]:
    """Namespaces, capabilities, and an end together with us.

    There is no `--new-session`: the caller starts the command in a session without a terminal, and signals sent to its
    process group have to reach the program inside.
    """
    arguments = ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"]
    arguments += ["--hostname", HOSTNAME, "--cap-drop", "ALL"]
    if not view.network:
        arguments.append("--unshare-net")
    if flavour.as_root:
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):  # what setpriv needs, and gives up
            arguments += ["--cap-add", capability]
    else:
        arguments += ["--unshare-user", "--uid", str(AGENT_UID), "--gid", str(AGENT_UID)]
        if flavour.seal_user_namespaces:
            arguments.append("--disable-userns")
    return arguments


def _inside(flavour: Flavour, processes: int) -> tuple[str, ...]:
    """The programs between bubblewrap and the confined one: drop, seal, bound, and take SIGTERM again."""
    drop: tuple[str, ...] = ()
    if flavour.as_root:
        ids = (f"--reuid={AGENT_UID}", f"--regid={AGENT_UID}", "--clear-groups")
        drop = ("/usr/bin/setpriv", *ids, "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all")
        if flavour.seal_user_namespaces:
            drop += (flavour.bwrap, "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--")
    bound = ("/usr/bin/prlimit", f"--nproc={processes}", "--core=0")
    gentle = ("/usr/bin/env", "--default-signal=TERM") if flavour.gentle else ()
    return (*drop, *bound, *gentle)


def _world(view: View, files: list[int]) -> list[str]:
    """The file system: system folders, made-up account files, private scratch space, then the view's own binds."""
    made = zip(files, ("/etc/passwd", "/etc/group", "/etc/hosts"), strict=True)
    arguments = [*_system(), *_folders(["/etc"]), *_etc(view.network)]
    for descriptor, path in made:
        arguments += ["--perms", "0644", "--ro-bind-data", str(descriptor), path]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    for path in ("/dev/shm", "/tmp", "/var/tmp"):  # noqa: S108 -- mount points of private scratch space
        arguments += [*_folders(_above(path)), "--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", path]
    arguments += _folders(["/root", "/home"])
    if not any(bind.target == view.home for bind in view.binds):
        arguments += ["--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", view.home]
    for bind in sorted(view.binds, key=lambda bind: bind.target.count("/")):
        arguments += _folders(_above(bind.target))
        arguments += ["--bind" if bind.writable else "--ro-bind", bind.source, bind.target]
    for path in _shown_but_hidden(view):
        arguments += ["--perms", "0755", "--tmpfs", path, "--remount-ro", path]
    return [*arguments, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", view.workdir]


def _system() -> list[str]:
    arguments: list[str] = []
    for folder in SYSTEM_ROOTS:
        if os.path.islink(folder):
            arguments += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            arguments += ["--ro-bind", folder, folder]
    return arguments


def _etc(network: bool) -> list[str]:
    names = [*ETC, *(path.name for path in sorted(Path("/etc").glob("java*")))]
    arguments: list[str] = []
    for name in names:
        path = f"/etc/{name}"
        if os.path.exists(path):
            arguments += [*_folders(_above(path)), "--ro-bind", path, path]
    resolver = os.path.realpath("/etc/resolv.conf")
    if network and os.path.exists(resolver):
        arguments += ["--ro-bind", resolver, "/etc/resolv.conf"]
    return arguments


def _above(path: str) -> list[str]:
    """The directories that lead to `path`, outermost first, without `/`."""
    parts = path.strip("/").split("/")[:-1]
    return ["/" + "/".join(parts[: index + 1]) for index in range(len(parts))]


def _folders(paths: Iterable[str]) -> list[str]:
    """Make directories open to everyone; left to itself bubblewrap gives mode 0700 to those above a mount point."""
    return [argument for path in paths for argument in ("--perms", "0755", "--dir", path)]


def _shown_but_hidden(view: View) -> list[str]:
    """Where inside the hidden folders of this machine would be seen, wherever links lead."""
    shown = [(os.path.realpath(bind.source), bind.target) for bind in view.binds]
    shown += [(root, root) for root in SYSTEM_ROOTS]
    found = {
        os.path.normpath(target + "/" + os.path.relpath(path, source))
        for path in {os.path.realpath(hidden) for hidden in view.hidden}
        for source, target in shown
        if is_below(path, source) and not (os.path.islink(source) and source in SYSTEM_ROOTS)
    }
    # What lies in an emptied folder is gone with it, and could not be mounted there.
    return sorted(path for path in found if not any(path != other and is_below(path, other) for other in found))
