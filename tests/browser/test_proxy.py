"""The page behind nginx, as `docs/how-to/deploying.md` describes, in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.playing import play_porrinha
from tests.house.proxy import NEEDS_NGINX, Site, site

pytestmark = NEEDS_NGINX


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The address that `visit` opens is that of the proxy."""
    with site(tmp_path_factory.mktemp("club")) as club:
        yield club


def test_name_and_game_work_on_an_encrypted_page(visit: Visit) -> None:
    page = visit("/me", ignore_https_errors=True)
    page.get_by_label("Name shown to other players").fill("Ana")
    page.get_by_role("button", name="Keep my games").click()
    expect(page.get_by_role("heading", name="Ana")).to_be_visible()
    (cookie,) = page.context.cookies()
    assert cookie["secure"]
    page.goto("/")
    page.get_by_role("button", name="Play against zero").click()
    page.wait_for_url("**/table/*")
    play_porrinha(page)
    expect(page.locator("#result li.mine")).to_contain_text("Ana (you)")
