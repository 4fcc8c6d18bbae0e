"""A real server and a real browser, for tests that play as a person would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Response, expect, sync_playwright

from tests.browser.house import CHROMIUM, FLAGS, House

PATIENCE_MS = 30_000
"""Nothing here takes a tenth of it on a quiet machine."""

expect.set_options(timeout=PATIENCE_MS)

SIZES = {"phone": (360, 740), "between": (820, 1100), "wide": (1440, 900)}
"""Width and height of a screen for each layout of the page."""

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One server for the tests of a module."""
    house = House(tmp_path_factory.mktemp("house"))
    yield house
    house.close()


# Not for the whole session: while it is open its event loop runs in this thread, and tests that start one would fail.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser, house: House) -> Iterator[Visit]:
    """Opens pages, each in a browser profile of its own; whatever they complain of in the console fails the test."""
    complaints: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        # The browser notes each refused request of a page by itself; `check` judges those.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            complaints.append(message.text)

    def check(response: Response) -> None:
        if response.status >= 400 and "/api/" not in response.url:
            complaints.append(f"{response.status} {response.url}")

    def open_page(path: str, *, width: int = 1440, height: int = 900, **context: Any) -> Page:
        context.setdefault("reduced_motion", "reduce")
        made = browser.new_context(viewport={"width": width, "height": height}, base_url=house.address, **context)
        page = made.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", listen)
        page.on("response", check)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        return page

    yield open_page
    for context in browser.contexts:
        context.close()
    assert complaints == []
