"""People who go: before the game, and in the middle of it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.playing import open_table


def test_leaving_a_waiting_table_frees_the_chair(visit: Visit) -> None:
    page = visit("/")
    open_table(page, "porrinha", "me", "friend", "counter")
    table = page.url.rpartition("/")[2]
    expect(page.locator(".chairs .free")).to_have_count(1)
    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_role("heading", name="Take a seat at the hole")).to_be_visible()
    onlooker = visit(f"/table/{table}")
    expect(onlooker.locator(".chairs .free")).to_have_count(2)


@pytest.mark.parametrize(("game", "bot"), [("evolution", "silly"), ("porrinha", "counter")])
def test_the_others_see_for_how_long_the_seat_of_somebody_away_is_kept(visit: Visit, game: str, bot: str) -> None:
    ana, bob = visit("/"), visit("/")
    [invitation] = open_table(ana, game, "me", "friend", bot)
    bob.goto(invitation)
    bob.get_by_label("Your name").fill("Bob")
    bob.get_by_role("button", name="Sit down").click()
    expect(ana.locator("#facts .fact").first).to_be_visible()
    ana.goto("/")
    away = bob.locator(".tag.away")
    expect(away).to_have_text(re.compile(r"^away, \d+ s left$"))
    before = int(re.sub(r"\D", "", away.inner_text()))
    # It counts down, and the seat is kept for longer than anybody needs to open the page again.
    assert before > 60
    expect(away).not_to_have_text(f"away, {before} s left")
    assert int(re.sub(r"\D", "", away.inner_text())) < before
