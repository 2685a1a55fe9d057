"""What `--allow-agent-host` means."""

from __future__ import annotations

import pytest

from generator.execute.hosts import AllowedHost, canonical_host, parse_allowed_host
from generator.execute.refusal import Refused


def test_the_address_of_a_page_is_told_from_its_host() -> None:
    refused = parse_allowed_host("https://api.example.com/v1")
    assert isinstance(refused, Refused)
    assert "address of a page" in refused.message


@pytest.mark.parametrize(
    ("text", "admitted", "kept_out"),
    [
        (
            "api.example.com",
            ["api.example.com:443", "API.Example.com.:80"],
            ["api.example.com:22", "x.api.example.com:443"],
        ),
        ("api.example.com:8443", ["api.example.com:8443"], ["api.example.com:443"]),
        ("*.example.com", ["a.example.com:443", "a.b.example.com:443"], ["example.com:443", "notexample.com:443"]),
        ("127.0.0.1:8080", ["127.0.0.1:8080"], ["127.0.0.1:80", "localhost:8080"]),
        ("::1", ["[::1]:443", "[0:0:0:0:0:0:0:1]:443"], ["[::2]:443"]),
        ("[::1]:8080", ["[::1]:8080"], ["[::1]:443"]),
        ("localhost:1", ["LOCALHOST:1"], ["127.0.0.1:1"]),
    ],
)
def test_a_host_admits_its_own_name_on_its_ports(text: str, admitted: list[str], kept_out: list[str]) -> None:
    host = parse_allowed_host(text)
    assert isinstance(host, AllowedHost)
    for target, expected in [*((t, True) for t in admitted), *((t, False) for t in kept_out)]:
        name, _, port = target.rpartition(":")
        assert host.admits(canonical_host(name), int(port)) is expected, target


@pytest.mark.parametrize(
    "text", ["", "https://example.com", "a b", "*", "*.", "example.com:", "example.com:0", "example.com:65536",
             "example.com:ssh", "[::1", "[::1]:", "[::1]:x", "exa\nmple.com", "a..b", "-x.com", "ex*mple.com"]
)  # fmt: skip
def test_what_is_no_host_is_refused(text: str) -> None:
    assert isinstance(parse_allowed_host(text), Refused)


@pytest.mark.parametrize("text", ["api.example.com", "api.example.com:8443", "[::1]:8080", "*.example.com"])
def test_a_host_is_recorded_as_it_was_given(text: str) -> None:
    assert str(parse_allowed_host(text)) == text
