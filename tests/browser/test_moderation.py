"""The player who opened a table removes others in a browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit


def test_opener_removes_a_player_before_the_game_and_bans_one_during_it(visit: Visit) -> None:
    page = visit("/")
    card = page.get_by_role("region", name="Porrinha")
    card.get_by_role("combobox").nth(1).select_option(label="A friend")
    card.get_by_role("combobox").nth(2).select_option(label="A friend")
    card.get_by_role("button", name="Open table").click()
    links = page.get_by_label("Invitation link")
    expect(links).to_have_count(2)
    first, second = links.nth(0).input_value(), links.nth(1).input_value()

    def sit_down(name: str, link: str) -> Page:
        friend = visit(link)
        friend.get_by_label("Your name").fill(name)
        friend.get_by_role("button", name="Sit down").click()
        return friend

    eve = sit_down("Eve", first)
    expect(eve.get_by_role("button", name="Leave")).to_be_visible()
    page.get_by_role("button", name="Remove Eve").click()
    page.get_by_role("dialog", name="Remove Eve?").get_by_role("button", name="Remove player").click()
    expect(eve.get_by_role("heading", name="You were removed by the player who opened the table.")).to_be_visible()
    expect(links.nth(0)).not_to_have_value(first)
    expect(links.nth(1)).to_have_value(second)
    sit_down("Bea", links.nth(0).input_value())
    mallory = sit_down("Mallory", second)
    expect(mallory.locator(".seat.mine")).to_be_visible()
    page.locator("#help-button").click()
    page.get_by_role("button", name="Remove Mallory").click()
    dialog = page.get_by_role("dialog", name="Remove Mallory?")
    dialog.get_by_label("Ban this player from the table").check()
    dialog.get_by_role("button", name="Remove player").click()
    # The referee throws the player out when it asks that seat.
    expect(page.get_by_role("region", name="Mallory: 3 sticks, has left")).to_be_attached()


def test_opener_who_has_left_gets_the_new_link_of_the_right_seat(visit: Visit) -> None:
    page = visit("/")
    card = page.get_by_role("region", name="Porrinha")
    card.get_by_role("combobox").nth(1).select_option(label="A friend")
    card.get_by_role("combobox").nth(2).select_option(label="A friend")
    card.get_by_label("Public table").check()
    card.get_by_role("button", name="Open table").click()
    links = page.get_by_label("Invitation link")
    expect(links).to_have_count(2)
    first, second = links.nth(0).input_value(), links.nth(1).input_value()
    table = page.url
    eve = visit(first)
    eve.get_by_label("Your name").fill("Eve")
    eve.get_by_role("button", name="Sit down").click()
    expect(eve.get_by_role("button", name="Leave")).to_be_visible()
    page.get_by_role("button", name="Leave").click()
    page.get_by_role("button", name="Give up my seat").click()
    page.wait_for_url("**/")
    page.goto(table)
    page.get_by_role("button", name="Remove Eve").click()
    page.get_by_role("dialog", name="Remove Eve?").get_by_role("button", name="Remove player").click()
    expect(links).to_have_count(2)
    expect(links.nth(1)).to_have_value(second)
    expect(links.nth(0)).not_to_have_value(first)
    bea = visit(links.nth(0).input_value())
    bea.get_by_label("Your name").fill("Bea")
    bea.get_by_role("button", name="Sit down").click()
    expect(bea.get_by_role("button", name="Leave")).to_be_visible()
