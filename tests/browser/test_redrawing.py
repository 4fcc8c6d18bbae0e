"""What the user presses stays in place while the page changes: a press is lost if its element is replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.house import House
from tests.browser.playing import SEED_OF_A_HUNT, hunt, open_table, set_up
from tests.browser.test_room import open_room, sit_down


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Run one server for this module, because the lobby would list other tables first."""
    with closing(House(tmp_path_factory.mktemp("house"))) as house:
        yield house


def press(page: Page, button: Locator) -> None:
    """Press the mouse on a button, without releasing it."""
    button.hover()
    page.mouse.down()


def test_click_during_which_a_preview_arrives_counts(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", "silly", seed=SEED_OF_A_HUNT)
    hunt(page)
    option = page.locator(".panel .option[aria-pressed=true]")
    press(page, option)
    page.evaluate("document.querySelector('.board.lit .press').click()")
    expect(page.locator(".attack-preview li").first).to_be_visible()
    page.mouse.up()
    # The second press puts the attack away.
    expect(page.locator(".board.lit")).to_have_count(0)


def test_click_in_the_lobby_during_which_a_table_is_opened_counts(visit: Visit) -> None:
    page = visit("about:blank")
    set_up(page, "porrinha", "me", "friend", name="Ana", settings={"public": True})
    page.goto("/")
    table = page.get_by_role("article", name="Ana")
    press(page, table.get_by_role("button", name="Sit down"))
    set_up(page, "porrinha", "me", "friend", name="Bea", settings={"public": True})
    expect(page.get_by_role("article", name="Bea")).to_be_visible()
    page.mouse.up()
    expect(page).to_have_url(re.compile("/table/"))


def test_click_in_the_room_during_which_a_player_sits_down_counts(visit: Visit) -> None:
    page = open_room(visit, "A friend", "A friend")
    # The page has loaded the bots; their descriptions move everything below the seats.
    expect(page.get_by_role("button", name="Add a seat")).to_be_visible()
    link = page.get_by_label("Invitation link").first.input_value()
    press(page, page.get_by_role("button", name="Leave"))
    sit_down(visit, link, "Bea")
    expect(page.get_by_text("Bea")).to_be_visible()
    page.mouse.up()
    expect(page.get_by_role("dialog")).to_be_visible()
