"""Which web pages may connect to a house."""

from __future__ import annotations

import pytest

from wateringhole.house.transports.origins import Origins

WITHOUT_PAGE: list[tuple[str, str | None, tuple[str, ...], bool]] = [
    # the local address, the page's origin, the allowed origins, whether the page may connect
    ("127.0.0.1", None, (), True),
    ("127.0.0.1", "http://localhost:8000", (), True),
    ("127.0.0.1", "http://127.0.0.1", (), True),
    ("::1", "http://[::1]:8000", (), True),
    ("192.168.1.7", "https://192.168.1.7:8000", (), True),
    ("192.168.1.7", None, (), True),
    ("127.0.0.1", "https://evil.example", (), False),
    ("127.0.0.1", "https://evil.example:45678", (), False),
    ("127.0.0.1", "http://localhost.evil.example", (), False),
    ("127.0.0.1", "http://127.0.0.1.evil.example", (), False),
    ("127.0.0.1", "http://127.0.0.1@evil.example", (), False),
    ("127.0.0.1", "http://127a0b0c1", (), False),
    ("127.0.0.1", "http://[", (), False),
    ("127.0.0.1", "null", (), False),
    ("127.0.0.1", "null", ("null",), True),
    ("192.168.1.7", "http://localhost", (), False),
    ("127.0.0.1", "https://club.example", ("https://club.example",), True),
    ("127.0.0.1", "http://club.example", ("https://club.example",), False),
    ("127.0.0.1", "http://localhost", ("https://club.example",), True),
    ("127.0.0.1", "https://evil.example", ("*",), True),
]


@pytest.mark.parametrize(("address", "origin", "allowed", "may_connect"), WITHOUT_PAGE)
def test_only_pages_of_this_machine_and_allowed_origins_may_connect_to_a_house_without_pages(
    address: str, origin: str | None, allowed: tuple[str, ...], may_connect: bool
) -> None:
    # The name that a page used is no proof, because its owner can point it to any address.
    headers = {"host": "evil.example:45678"} | ({} if origin is None else {"origin": origin})
    problem = Origins(allowed=allowed, has_page=False).problem(headers, address)
    assert (problem is None) is may_connect
    assert problem is None or "--allow-origin would allow it" in problem


WITH_PAGE: list[tuple[str, str | None, bool, bool]] = [
    # the host, the page's origin, whether the house accepts any host, whether the request is accepted
    ("127.0.0.1:8000", None, False, True),
    ("localhost:8000", "http://localhost:8000", False, True),
    ("localhost:8000", "http://localhost:8001", False, False),
    ("evil.example", "http://evil.example", False, False),
    ("club.example", "https://club.example", True, True),
    ("club.example", "https://evil.example", True, False),
    ("club.example", "null", True, False),
]


@pytest.mark.parametrize(("host", "origin", "accepts_any_host", "is_accepted"), WITH_PAGE)
def test_only_own_pages_may_change_anything_in_a_house_with_pages(
    host: str, origin: str | None, accepts_any_host: bool, is_accepted: bool
) -> None:
    headers = {"host": host} | ({} if origin is None else {"origin": origin})
    problem = Origins(has_page=True, accepts_any_host=accepts_any_host).problem(headers, "127.0.0.1")
    assert (problem is None) is is_accepted


def test_pages_of_other_sites_may_link_to_the_house() -> None:
    headers = {"host": "club.example", "origin": "https://elsewhere.example"}
    assert Origins(has_page=True).problem(headers, "192.168.1.7", changes=False) is None
