"""Used invitations: watch, ask the host for a seat, or open a new table."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SIZES, Visit
from tests.browser.playing import set_up


def _private_table(page: Page) -> str:
    """Open a private table for two friends and a bot as its host, and return the link of the first friend."""
    seats = [{"kind": "me"}, {"kind": "friend"}, {"kind": "friend"}, {"kind": "bot", "player": "zero"}]
    plan = {"game": "porrinha", "name": "Ana", "seats": seats, "public": False}
    created = page.request.post("/api/tables", data=plan).json()
    id = created["table"]["id"]
    kept = {f"seat:{id}": created["token"], f"owner:{id}": created["owner"]}
    page.evaluate("kept => Object.entries(kept).forEach(([name, value]) => localStorage.setItem(name, value))", kept)
    page.goto(created["table"]["link"])
    link: str = created["invitations"][0]
    return link


def _sit_down(visit: Visit, link: str, name: str) -> Page:
    page = visit(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_role("button", name="Leave")).to_be_visible()
    return page


def test_used_invitation_leads_to_a_seat_if_the_host_agrees(visit: Visit) -> None:
    ana = visit("/")
    link = _private_table(ana)
    _sit_down(visit, link, "Bea")
    width, height = SIZES["phone"]
    caio = visit(link, width=width, height=height)
    expect(caio.get_by_role("heading", name="This invitation has been used")).to_be_visible()
    expect(caio.get_by_role("link", name="Open a new table")).to_be_visible()
    caio.get_by_label("Your name").fill("Caio")
    caio.get_by_role("button", name="Ask for a seat").click()
    expect(caio.get_by_text("You have asked for a seat.")).to_be_visible()
    # The request survives a reload.
    caio.reload()
    expect(ana.get_by_text("Caio asks for a seat")).to_be_visible()
    ana.get_by_role("button", name="Give Caio a seat").click()
    expect(caio.locator(".numbers button").first).to_be_visible()
    expect(ana.locator(".numbers button").first).to_be_visible()


def test_declined_player_can_watch(visit: Visit) -> None:
    ana = visit("/")
    link = _private_table(ana)
    _sit_down(visit, link, "Bea")
    caio = visit(link)
    caio.get_by_label("Your name").fill("Caio")
    caio.get_by_role("button", name="Ask for a seat").click()
    ana.get_by_role("button", name="Decline Caio").click()
    expect(caio.get_by_text("You did not get a seat.")).to_be_visible()
    expect(ana.get_by_text("Caio asks for a seat")).to_have_count(0)


def test_used_invitation_of_a_running_game_offers_to_watch(visit: Visit) -> None:
    ana = visit("about:blank")
    seats = [{"kind": "me"}, {"kind": "friend"}]
    created = ana.request.post("/api/tables", data={"game": "porrinha", "name": "Ana", "seats": seats}).json()
    (link,) = created["invitations"]
    bea = visit(link)
    bea.get_by_label("Your name").fill("Bea")
    bea.get_by_role("button", name="Sit down").click()
    expect(bea.locator(".numbers button").first).to_be_visible()
    caio = visit(link)
    expect(caio.get_by_text("and the game has begun")).to_be_visible()
    expect(caio.get_by_role("button", name="Ask for a seat")).to_have_count(0)
    caio.get_by_role("link", name="Watch", exact=True).click()
    expect(caio.locator("#facts .tag")).to_have_text("watching")


@pytest.mark.parametrize(("game", "bot"), [("evolution", "silly"), ("porrinha", "zero")])
def test_invited_player_sees_the_game_in_five_pictures(visit: Visit, game: str, bot: str) -> None:
    (link,) = set_up(visit("about:blank"), game, "me", "friend", bot)["invitations"]
    page = visit(link)
    pictures = page.get_by_role("list", name="The game in five pictures").get_by_role("figure")
    expect(pictures).to_have_count(5)
    assert all(text.strip() for text in pictures.all_inner_texts())
    # They can be put away, and stay so.
    page.locator("summary").filter(has_text="The game in five pictures").click()
    expect(pictures.first).to_be_hidden()
    page.reload()
    expect(page.get_by_label("Your name")).to_be_visible()
    expect(page.locator("summary").filter(has_text="The game in five pictures")).to_be_visible()
    expect(pictures.first).to_be_hidden()
    page.get_by_label("Your name").fill("Bea")
    page.get_by_role("button", name="Sit down").click()
    page.locator("#facts .fact").first.wait_for()
    page.keyboard.press("?")
    page.get_by_role("button", name="The game in five pictures").click()
    dialog = page.get_by_role("dialog", name="The game in five pictures")
    expect(dialog.get_by_role("figure")).to_have_count(5)
