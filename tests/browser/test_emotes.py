"""Emotes on the page: sent from a menu, shown at the seat and in the log, and hidden on request."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SIZES, Visit
from tests.browser.playing import open_table


def _sit_down(visit: Visit, link: str, name: str) -> Page:
    page = visit(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit down").click()
    return page


@pytest.mark.parametrize(("game", "bot"), [("evolution", "silly"), ("porrinha", "random")])
def test_emote_is_shown_to_the_others(visit: Visit, game: str, bot: str) -> None:
    width, height = SIZES["phone"]
    ana = visit("about:blank", width=width, height=height)
    (link,) = open_table(ana, game, "me", "friend", bot)
    bea = _sit_down(visit, link, "Bea")
    spectator = visit(ana.url)
    expect(spectator.get_by_role("button", name="Say something")).to_be_visible()
    ana.get_by_role("button", name="Say something").click()
    ana.get_by_role("button", name="Good luck!").click()
    expect(bea.locator(".emote")).to_have_text("Good luck!")
    for page in (ana, bea, spectator):
        expect(page.get_by_role("log")).to_contain_text("Ana: Good luck!")
    expect(ana.get_by_role("button", name="Say something")).to_be_focused()
    # It disappears by itself.
    expect(bea.locator(".emote")).to_have_count(0)


def test_emotes_can_be_muted(visit: Visit) -> None:
    ana = visit("about:blank")
    (link,) = open_table(ana, "porrinha", "me", "friend", "random")
    bea = _sit_down(visit, link, "Bea")
    bea.get_by_role("button", name="Say something").press("Enter")
    bea.get_by_role("button", name="Don’t show what players say").click()
    bea.reload()
    bea.get_by_role("button", name="Say something").click()
    mute = bea.get_by_role("button", name="Show what players say")
    expect(mute).to_have_attribute("aria-pressed", "true")
    ana.get_by_role("button", name="Say something").click()
    ana.get_by_role("button", name="Hello!").click()
    expect(ana.locator(".emote")).to_have_text("Hello!")
    mute.click()
    ana.get_by_role("button", name="Say something").click()
    ana.get_by_role("button", name="Wow!").click()
    expect(bea.locator(".emote")).to_have_text("Wow!")
    expect(bea.get_by_role("log")).not_to_contain_text("Hello!")


def test_spectators_can_only_mute(visit: Visit) -> None:
    ana = visit("about:blank")
    open_table(ana, "porrinha", "me", "random")
    spectator = visit(ana.url)
    spectator.get_by_role("button", name="Say something").click()
    expect(spectator.locator("#emotes button").filter(visible=True)).to_have_count(1)
