"""Which hosts an agent may reach: what `--allow-agent-host` means."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

from generator.execute.refusal import Refused

DEFAULT_PORTS: Final = (443, 80)
MAX_NAME: Final = 253  # RFC 1035, as its length is counted in text
MAX_LABEL: Final = 63
_NAME: Final = re.compile(r"(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """One host and the ports it may be asked on: a name, an address, or `*.` and what all names below it end with."""

    name: str
    ports: tuple[int, ...]

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.ports == DEFAULT_PORTS else f"{name}:{self.ports[0]}"

    def admits(self, host: str, port: int) -> bool:
        """Whether `host` (as `canonical_host` writes it) may be reached on `port`."""
        if port not in self.ports:
            return False
        return host.endswith(self.name[1:]) if self.name.startswith("*.") else host == self.name


def canonical_host(host: str) -> str:
    """One spelling for one host: lower case, no final dot, addresses in their shortest form."""
    host = host.strip("[]").rstrip(".").lower()
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return host


def is_host(host: str) -> bool:
    """Whether `host` (as `canonical_host` writes it) is one address, or one name that a resolver takes."""
    if _is_address(host):
        return "%" not in host
    labels = host.split(".")
    short = len(host) <= MAX_NAME and all(len(label) <= MAX_LABEL for label in labels)
    return short and not host.startswith("*") and _NAME.fullmatch(host) is not None


def parse_allowed_host(text: str) -> AllowedHost | Refused:
    """Read `HOST[:PORT]`; an IPv6 address with a port stands in brackets. Without a port 443 and 80 are meant."""
    if "/" in text:
        return _refused(text, "that is an address of a page; only its host is meant")
    name, port = text, None
    if text.startswith("["):
        name, bracket, rest = text[1:].partition("]")
        if not bracket:
            return _refused(text, "the bracket is not closed")
        port = rest.removeprefix(":") if rest else None
    elif text.count(":") == 1:
        name, _, port = text.partition(":")
    host = canonical_host(name)
    if not _is_address(host) and not _NAME.fullmatch(host):
        return _refused(text, "that is no host name and no address")
    if port is not None and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        return _refused(text, f"{port!r} is no port")
    return AllowedHost(host, (int(port),) if port is not None else DEFAULT_PORTS)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _refused(text: str, why: str) -> Refused:
    hint = "api.example.com, api.example.com:8443, *.example.com or 127.0.0.1:8080"
    return Refused("allowed_host_invalid", f"--allow-agent-host {text}: {why}", hint)
