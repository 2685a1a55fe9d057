"""What a confined program with the network needs besides the network: the machine's proxies and certificates."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from generator.execute.view import SYSTEM_ROOTS, Bind, is_below

PROXY_NAMES: Final = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
)
# Where programs look for the authorities they trust; without the machine's own, a network with an inspecting proxy is
# none.
CERTIFICATE_NAMES: Final = (
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "PIP_CERT",
)


@dataclass(frozen=True, slots=True)
class Access:
    """Variables, and the files they name."""

    env: Mapping[str, str]
    binds: tuple[Bind, ...] = ()


def network_access(environ: Mapping[str, str]) -> Access:
    """For a program on the machine's own network: its proxies and certificates."""
    certificates = certificate_access(environ)
    proxies = {name: environ[name] for name in PROXY_NAMES if environ.get(name)}
    return Access({**proxies, **certificates.env}, certificates.binds)


def certificate_access(environ: Mapping[str, str]) -> Access:
    """For a program that reaches hosts through us: certificates alone."""
    env = {name: environ[name] for name in CERTIFICATE_NAMES if os.path.exists(environ.get(name) or "")}
    paths = {os.path.abspath(path) for path in env.values()}
    shown = (*SYSTEM_ROOTS, "/etc/ssl/certs", "/etc/ca-certificates", "/etc/pki")
    unseen = (path for path in sorted(paths) if not any(is_below(path, root) for root in shown))
    return Access(env, tuple(Bind(path, path) for path in unseen))
