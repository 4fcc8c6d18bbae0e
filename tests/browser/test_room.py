"""The waiting room as its host and the other players see it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SIZES, Visit


def open_room(visit: Visit, *occupants: str, game: str = "Porrinha", **context: Any) -> Page:
    """Open a table in the lobby with these occupants after the host's seat."""
    page = visit("/", **context)
    card = page.get_by_role("region", name=game)
    seats = card.get_by_role("combobox")
    for seat, occupant in enumerate(occupants, 1):
        seats.nth(seat).select_option(label=occupant)
    card.get_by_role("button", name="Open table").click()
    expect(page.get_by_role("heading", name="Seats, in playing order")).to_be_visible()
    return page


def sit_down(visit: Visit, link: str, name: str) -> Page:
    page = visit(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_text(f"{name} (you)")).to_be_visible()
    return page


def names(page: Page) -> Any:
    return page.locator(".room-name b")


def test_host_orders_the_seats_with_buttons_keys_and_the_mouse(visit: Visit) -> None:
    page = open_room(visit, "A friend", "A friend")
    bea = sit_down(visit, page.get_by_label("Invitation link").first.input_value(), "Bea")
    expect(names(page)).to_have_text(["Guest (you)", "Bea", "A friend", re.compile(".+")])
    bot = names(page).nth(3).inner_text()
    page.get_by_role("button", name="Move Bea up").click()
    expect(names(page)).to_have_text(["Bea", "Guest (you)", "A friend", bot])
    expect(names(bea)).to_have_text(["Bea (you)", "Guest", "A friend", bot])
    expect(page.get_by_text("Bea is now at seat 1 of 4.")).to_be_attached()
    # The button that had the focus is disabled now, so its neighbour has it.
    expect(page.get_by_role("button", name="Move Bea down")).to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    expect(names(page)).to_have_text(["Guest (you)", "Bea", "A friend", bot])
    page.keyboard.press("Alt+ArrowDown")
    expect(names(page)).to_have_text(["Guest (you)", "A friend", "Bea", bot])
    page.locator(".room-seat").nth(3).drag_to(page.locator(".room-seat").nth(0))
    expect(names(page)).to_have_text([bot, "Guest (you)", "A friend", "Bea"])
    expect(bea.get_by_role("button", name=re.compile("^Move"))).to_have_count(0)
    page.reload()
    expect(names(page)).to_have_text([bot, "Guest (you)", "A friend", "Bea"])


def test_host_replaces_a_seat_and_starts_with_bots(visit: Visit) -> None:
    page = open_room(visit, "A friend", "A friend", game="Evolution")
    page.get_by_label("Player at seat 2").select_option(label="silly (bot, level 2)")
    expect(names(page).nth(1)).to_have_text("silly")
    expect(page.locator(".room-name small").nth(1)).to_have_text(re.compile("^Level 2 of 5. .+"))
    expect(page.locator(".room-seat").nth(1).locator(".portrait")).to_be_visible()
    page.get_by_label("Player at seat 2").select_option(label="A friend")
    expect(page.get_by_label("Invitation link for seat 2")).to_have_count(1)
    page.get_by_role("button", name="Start now, bots fill 2 seats").click()
    expect(page.locator("body.my-turn")).to_be_visible()


def test_choice_of_a_seat_shows_the_bot_that_sits_there(visit: Visit) -> None:
    page = open_room(visit, "A friend")
    for _ in range(2):
        expect(names(page).nth(2)).to_have_text("random 1")
        expect(page.get_by_label("Player at seat 3")).to_have_value("bot random")
        page.reload()


def test_host_starts_with_those_who_are_here(visit: Visit) -> None:
    page = open_room(visit, "A friend", "Your program")
    bea = sit_down(visit, page.get_by_label("Invitation link").input_value(), "Bea")
    page.get_by_role("button", name="Start with the 3 here").click()
    for each in (page, bea):
        expect(each.locator(".seat.mine")).to_be_visible()


def test_settings_are_sentences_that_everyone_sees(visit: Visit) -> None:
    page = open_room(visit, "A friend", "A friend")
    page.get_by_label("Each decision may take").select_option(label="1 minute")
    page.get_by_label("The table is").select_option(label="public: listed in the lobby")
    expect(page.get_by_label("Each decision may take")).to_have_value("1 minute")
    other = visit(page.url)
    expect(other.get_by_text("Each decision may take 1 minute.")).to_be_visible()
    expect(other.get_by_text("The table is public: listed in the lobby.")).to_be_visible()
    expect(other.get_by_role("combobox")).to_have_count(0)
    expect(other.get_by_role("button", name="Sit down")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Each decision may take")).to_have_value("1 minute")


def test_link_is_shared_and_shown_as_a_code(visit: Visit) -> None:
    page = visit("about:blank")
    page.context.add_init_script("navigator.share = (data) => { window.shared = data; return Promise.resolve(); }")
    page.close()
    page = page.context.new_page()
    page.goto("/")
    card = page.get_by_role("region", name="Porrinha")
    card.get_by_role("combobox").nth(1).select_option(label="A friend")
    card.get_by_role("button", name="Open table").click()
    link = page.get_by_label("Invitation link").input_value()
    page.get_by_role("button", name="Share").click()
    assert page.evaluate("shared.url") == link
    code = page.get_by_alt_text("QR code of: Invitation link for seat 2")
    expect(code).to_have_attribute("src", re.compile("^data:image/svg"))
    assert code.evaluate("image => image.decode().then(() => image.naturalWidth)") > 50


def test_spectator_reads_only_texts_for_spectators(visit: Visit) -> None:
    page = open_room(visit, "A friend", "Your program")
    expect(page.get_by_text("Send a link to a friend, or put a bot here.")).to_be_visible()
    other = visit(page.url, width=390, height=844)
    expect(other.get_by_role("region", name="Ask for a seat").get_by_role("heading")).to_have_text("Ask for a seat")
    expect(other.locator(".room-seat.free small")).to_have_text(["", ""])
    # The bar of buttons at the bottom is not there without buttons.
    expect(other.locator(".room-start")).to_have_css("position", "static")
    other.get_by_label("Your name").fill("Bea")
    other.get_by_role("button", name="Ask for a seat").click()
    expect(page.get_by_role("region", name="Requests for a seat").get_by_role("heading")).to_be_visible()


def test_language_can_be_changed_before_the_game(visit: Visit) -> None:
    page = open_room(visit, "A friend")
    friend = visit(page.get_by_label("Invitation link").input_value(), locale="pt-BR")
    expect(friend.get_by_role("heading", name="Convite para jogar Porrinha")).to_be_visible()
    friend.get_by_role("button", name="EN: English").click()
    friend.get_by_label("Your name").fill("Bea")
    page.get_by_role("button", name="PT: Português").click()
    expect(page.get_by_role("heading", name="Lugares, na ordem do jogo")).to_be_visible()
    friend.get_by_role("button", name="Sit down").click()
    for each in (page, friend):
        expect(each.locator(".seat.mine")).to_be_visible()
        expect(each.locator(".bar .language")).to_be_hidden()


@pytest.mark.parametrize("size", SIZES)
def test_start_and_seats_are_visible_at_every_size(visit: Visit, size: str) -> None:
    width, height = SIZES[size]
    page = open_room(visit, "A friend", "A friend", width=width, height=height)
    expect(page.get_by_role("button", name="Start now, bots fill 2 seats")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_host_adds_a_seat_with_its_invitation_and_removes_it(visit: Visit) -> None:
    page = open_room(visit, "A friend")
    seats = names(page)
    count = seats.count()
    page.get_by_role("button", name="Add a seat").click()
    expect(seats).to_have_count(count + 1)
    expect(page.get_by_label(re.compile("Invitation link"))).to_have_count(2)
    page.get_by_role("button", name=f"Remove seat {count + 1}").click()
    expect(seats).to_have_count(count)
    expect(page.get_by_label(re.compile("Invitation link"))).to_have_count(1)
