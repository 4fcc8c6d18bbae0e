"""A real server and a real browser, for tests that play as a human would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.browser.house import CHROMIUM, FLAGS, House

TIMEOUT_MS = 30_000
"""On an idle machine, every step takes less than a tenth of this."""

expect.set_options(timeout=TIMEOUT_MS)

SIZES = {"phone": (360, 740), "between": (820, 1100), "wide": (1440, 900)}
"""The width and height of a screen for each layout of the page."""

NOWHERE = "/nowhere"
"""An address without a page."""
MISSING = ("unknown", "%E0%A4%A")
"""IDs of nothing, for pages with the status 404.  The second one is malformed."""

ADDRESSES = ip_network("198.18.0.0/15").hosts()
"""An address for each test: together, they open more tables than one address may have."""

Visit = Callable[..., Page]


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Run one server for all tests that need no other; it trusts the addresses that `visit` gives its pages."""
    house = House(tmp_path_factory.mktemp("house"), options=("--proxy", "127.0.0.1"))
    yield house
    house.close()


# Not for the whole session: an open browser runs an event loop in this thread, so tests that start one would fail.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt install chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser, house: House) -> Iterator[Visit]:
    """Open pages, each in its own browser profile.  A warning or error in the console fails the test."""
    problems: list[str] = []
    headers = {"X-Forwarded-For": str(next(ADDRESSES))}

    def on_console(message: ConsoleMessage) -> None:
        # The browser logs each response with a status of 400 or above, with its address.
        address = message.location["url"]
        is_response = message.text.startswith("Failed to load resource")
        is_expected = is_response and ("/api/" in address or address.endswith((NOWHERE, *MISSING)))
        if message.type in ("error", "warning") and not is_expected:
            problems.append(f"{message.text} {address}")

    def open_page(path: str, *, width: int = 1440, height: int = 900, coach: bool = False, **context: Any) -> Page:
        context.setdefault("reduced_motion", "reduce")
        context.setdefault("extra_http_headers", headers)
        browser_context = browser.new_context(
            viewport={"width": width, "height": height}, base_url=house.address, **context
        )
        # The coach starts another process, which only its own tests need.
        setting = f"localStorage.coach ??= {'on' if coach else 'off'!r}"
        browser_context.add_init_script(f"if (location.protocol.startsWith('http')) {setting}")
        page = browser_context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.on("console", on_console)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(path)
        return page

    yield open_page
    for context in browser.contexts:
        context.close()
    assert problems == []
