"""Addresses on the command line.  Wrong ones are in tests/cli/test_host_join.py."""

from __future__ import annotations

import pytest

from wateringhole.join.address import Address, parse_address

ADDRESSES = {
    "localhost": Address("localhost", 45678),
    "club.example:7": Address("club.example", 7),
    "127.0.0.1:65535": Address("127.0.0.1", 65535),
    "[::1]:7": Address("::1", 7),
    "[fe80::1%eth0]": Address("fe80::1%eth0", 45678),
    "tcp://club.example": Address("club.example", 45678),
    "club.example:7/s3-cr_et": Address("club.example", 7, code="s3-cr_et"),
    "[::1]:7/secret": Address("::1", 7, code="secret"),
    "http://club.example:8000": Address("club.example", 8000, "ws"),
    "http://club.example:8000/": Address("club.example", 8000, "ws"),
    "http://club.example/secret": Address("club.example", 80, "ws", code="secret"),
    "https://club.example/secret": Address("club.example", 443, "wss", code="secret"),
    "https://club.example/games/secret": Address("club.example", 443, "wss", "/games/join", "secret"),
    "wss://club.example/join": Address("club.example", 443, "wss"),
}


@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_is_host_and_port_or_a_url_with_an_optional_code(text: str) -> None:
    assert parse_address(text) == ADDRESSES[text]


def test_the_url_of_an_address_has_the_path_of_the_house() -> None:
    assert parse_address("https://[::1]:8443/secret").url == "wss://[::1]:8443/join"


def test_messages_about_an_address_do_not_reveal_its_code() -> None:
    assert "secret" not in str(parse_address("http://club.example/secret"))
