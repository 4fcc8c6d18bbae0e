"""Players who leave or disconnect, and a server that restarts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Visit
from tests.browser.house import House
from tests.browser.playing import open_table, use_card


def test_leaving_a_waiting_table_frees_the_seat(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "porrinha", "me", "friend", "counter")
    table = page.url.rpartition("/")[2]
    expect(page.locator(".room-list .free")).to_have_count(1)
    page.get_by_role("button", name="Leave").click()
    page.get_by_role("button", name="Give up my seat").click()
    expect(page.get_by_role("heading", name="Take a seat at the hole")).to_be_visible()
    spectator = visit(f"/table/{table}")
    expect(spectator.locator(".room-list .free")).to_have_count(2)


@pytest.mark.parametrize(("game", "bot"), [("evolution", "silly"), ("porrinha", "counter")])
def test_other_players_see_how_long_a_seat_is_reserved(visit: Visit, game: str, bot: str) -> None:
    ana = visit("about:blank")
    [invitation] = open_table(ana, game, "me", "friend", bot)
    bob = visit(invitation)
    bob.get_by_label("Your name").fill("Bob")
    bob.get_by_role("button", name="Sit down").click()
    expect(ana.locator("#facts .fact").first).to_be_visible()
    ana.goto("/")
    away = bob.locator(".tag.away")
    # It counts down, and reserves the seat for long enough to open the page again.
    expect(away).to_have_text(re.compile(r"^away, [2-5]:\d\d left$"))
    before = away.inner_text()
    expect(away).not_to_have_text(before)
    assert away.inner_text() < before


def test_draft_survives_a_restart_and_ignores_input_meanwhile(browser: Browser, tmp_path: Path) -> None:
    house = House(tmp_path)
    # Not with `visit`, because the browser logs an error for every failed connection.
    context = browser.new_context(base_url=house.address, reduced_motion="reduce")
    try:
        page = context.new_page()
        open_table(page, "evolution", "me", "silly", "silly", seed=7)
        use_card(page, "food")
        steps = page.locator(".steps li:not(.todo)")
        first = steps.all_inner_texts()
        house.close()
        expect(page.locator("#overlay")).to_be_visible()
        for key in ("1", "P", "Z"):
            page.keyboard.press(key)
        page.evaluate("document.querySelector('.hand [data-card]').click()")
        page.evaluate("document.querySelector('button.card-use[data-key=P]').click()")
        expect(page.get_by_role("status").first).to_have_text("Not connected yet.")
        assert steps.all_inner_texts() == first
        house.open()
        expect(page.locator("#overlay")).to_have_count(0)
        expect(page.get_by_role("status").first).not_to_have_text("Not connected yet.")
        page.keyboard.press("Escape")
        assert steps.all_inner_texts() == first
        use_card(page, "buy")
        assert steps.all_inner_texts()[0] == first[0]
        expect(page.locator(".row.mine .board")).to_have_count(2)
        page.get_by_role("button", name="Declare", exact=True).click()
        expect(page.locator("body.my-turn")).to_have_count(0)
    finally:
        context.close()
        house.close()
