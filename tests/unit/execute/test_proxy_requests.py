"""What a confined agent may send to the proxy: what is malformed is answered with 400 and never reaches stderr."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.execute.hosts import AllowedHost
from generator.execute.proxy import AgentProxy, _is_inward
from tests.support.servers import ask


@pytest.mark.parametrize(
    "target",
    [
        "a..example.com:443",
        ".example.com:443",
        "*.example.com:443",
        f"{'a' * 64}.example.com:443",
        f"{'a.' * 150}example.com:443",
        "a:" + "1" * 5000,
        "a:\u00b2",
        "a:-1",
        "a:0",
        "a:65536",
        "a:",
        ":443",
        "[::1%lo]:443",
        "[]:443",
        "a b.example.com:443",
        "a\x00.example.com:443",
        "\xe4.example.com:443",
    ],
)
def test_a_malformed_target_is_a_bad_request(
    tmp_path: Path, target: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    allowed = (AllowedHost("*.example.com", (443,)), AllowedHost("a", (443,)))
    with AgentProxy(tmp_path / "p", allowed) as proxy:
        answer = ask(proxy.folder, f"CONNECT {target} HTTP/1.1\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n"), answer
    assert len(answer) < 1000
    assert (capfd.readouterr().err, caplog.text) == ("", "")
    assert not proxy.traffic.refused


@pytest.mark.parametrize(
    ("address", "inward"),
    [
        ("127.0.0.1", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:169.254.169.254", True),
        ("::ffff:0.0.0.0", True),
        ("::1", True),
        ("fe80::1%eth0", True),
        ("::ffff:192.0.2.1", False),
        ("192.0.2.1", False),
    ],
)
def test_an_address_of_this_machine_is_known_in_every_spelling(address: str, inward: bool) -> None:
    assert _is_inward(address) is inward
