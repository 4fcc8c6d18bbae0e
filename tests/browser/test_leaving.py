"""Leaving a table: the page asks first, and says what it costs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import SIZES, Visit
from tests.browser.playing import open_table


def _dialog(page: Page) -> None:
    expect(page.get_by_role("dialog", name="Leave the table?")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_link_out_of_a_game_asks_and_says_the_consequence(visit: Visit, size: str) -> None:
    width, height = SIZES[size]
    page = visit("about:blank", width=width, height=height)
    open_table(page, "porrinha", "me", "random")
    expect(page.locator(".numbers button").first).to_be_visible()
    address = page.url
    page.get_by_role("link", name="Watering Hole").click()
    _dialog(page)
    expect(page.locator("#leaving")).to_contain_text(
        "Your seat is reserved for 30 minutes. If you are not back by then, you lose this game."
    )
    expect(page.get_by_role("button", name="Stay")).to_be_focused()
    page.get_by_role("button", name="Stay").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("link", name="Watering Hole").click()
    page.get_by_role("button", name="Leave, keep my seat").click()
    page.wait_for_url("**/")
    page.goto(address)
    expect(page.locator(".numbers button").first).to_be_visible()


def test_giving_up_forfeits_the_game(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "porrinha", "me", "random")
    expect(page.locator(".numbers button").first).to_be_visible()
    address = page.url
    page.keyboard.press("?")
    page.get_by_role("button", name="Leave the table").click()
    page.get_by_role("button", name="Give up: I lose this game").click()
    page.wait_for_url("**/")
    page.goto(address)
    expect(page.locator("#result .mine")).to_contain_text("Left the table.")


def test_closing_the_tab_asks_only_during_a_game(visit: Visit) -> None:
    page = visit("/")
    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    open_table(page, "porrinha", "me", "random")
    page.locator(".numbers button").first.click()
    page.reload()
    expect(page.locator(".numbers button").first).to_be_visible()
    assert asked == ["beforeunload"]
    page.locator(".numbers button").first.click()
    page.get_by_role("link", name="Watering Hole").click()
    page.get_by_role("button", name="Leave, keep my seat").click()
    page.wait_for_url("**/")
    page.reload()
    assert asked == ["beforeunload"]


def test_spectators_leave_without_a_question(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "porrinha", "me", "random")
    spectator = visit(page.url)
    expect(spectator.locator("#facts .tag")).to_have_text("watching")
    spectator.get_by_role("link", name="Watering Hole").click()
    spectator.wait_for_url("**/")
