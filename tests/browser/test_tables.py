"""Whole games played by clicking, alone and with a friend."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.playing import declare_plainly, play_evolution, play_porrinha, result_is_shown, use_card

PLAY = {"Evolution": play_evolution, "Porrinha": play_porrinha}


def sit_down(page: Page, game: str) -> None:
    page.get_by_role("region", name=game).get_by_role("button", name="Play now").click()


@pytest.mark.parametrize("game", PLAY)
def test_a_whole_game_is_played_by_clicking_and_can_be_replayed_from_another_seat(visit: Visit, game: str) -> None:
    page = visit("/")
    sit_down(page, game)
    PLAY[game](page)
    assert result_is_shown(page)
    expect(page.locator("#result li")).to_have_count(4)
    page.get_by_role("link", name="Replay").click()
    eyes = page.get_by_role("group", name="Seen by").get_by_role("button")
    expect(eyes).to_have_count(5)
    eyes.nth(2).click()
    expect(eyes.nth(2)).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("eyes=1"))


def test_what_is_missing_is_said_and_steps_can_be_taken_back(visit: Visit) -> None:
    page = visit("/")
    sit_down(page, "Evolution")
    declare = page.get_by_role("button", name="Declare", exact=True)
    expect(page.get_by_text("into the hole first").first).to_be_visible()
    use_card(page, "food")
    steps = page.locator(".steps li:not(.todo)")
    expect(steps).to_have_count(1)
    use_card(page, "buy")
    expect(steps).to_have_count(2)
    page.keyboard.press("z")
    expect(steps).to_have_count(1)
    page.keyboard.press("z")
    expect(steps).to_have_count(0)
    expect(declare).to_be_disabled()


def test_a_trait_explains_itself_on_focus(visit: Visit) -> None:
    page = visit("/")
    sit_down(page, "Evolution")
    page.locator(".hand [data-card]").first.focus()
    expect(page.get_by_role("tooltip")).to_be_visible()


def test_a_number_said_before_is_explained_and_not_taken(visit: Visit) -> None:
    page = visit("/")
    sit_down(page, "Porrinha")
    page.locator(".numbers button").first.click()
    page.locator(".ask .main").click()
    taken = page.locator(".numbers .taken")
    for _ in range(30):
        if page.get_by_role("heading", name="How many in all?").count() and taken.count():
            break
        further = page.get_by_role("button", name="Next round")
        if further.count():
            further.click()
        elif page.locator(".numbers button:enabled").count():
            page.locator(".numbers button:enabled").first.click()
            page.locator(".ask .main:enabled").click()
        page.wait_for_timeout(200)
    number = taken.first.locator("b").inner_text()
    expect(taken.first).to_be_disabled()
    page.keyboard.press(number[-1])
    expect(page.locator(".ask .hint")).not_to_have_text("")
    expect(page.locator(".ask .main")).to_be_disabled()


def test_two_people_play_at_one_table_in_two_browsers(visit: Visit) -> None:
    ana = visit("/")
    sign = ana.get_by_role("region", name="Porrinha")
    chairs = sign.get_by_role("combobox")
    while chairs.count() > 3:
        chairs.last.select_option(label="Nobody")
    chairs.nth(1).select_option("friend")
    sign.get_by_role("button", name="Open the table").click()
    link = ana.get_by_label("Invitation link").input_value()
    bea = visit(link)
    bea.get_by_label("Your name").fill("Bea")
    bea.get_by_role("button", name="Sit down").click()
    expect(ana.locator(".numbers")).to_be_visible()
    expect(bea.locator(".numbers")).to_be_visible()
    expect(ana.get_by_role("region", name=re.compile("^Bea"))).to_be_visible()
    for _ in range(400):
        if result_is_shown(ana) and result_is_shown(bea):
            return
        for page in (ana, bea):
            further = page.get_by_role("button", name="Next round")
            if page.locator(".numbers button:enabled").count():
                page.locator(".numbers button:enabled").first.click()
                page.locator(".ask .main:enabled").click()
            elif further.count():
                further.click()
        ana.wait_for_timeout(50)
    pytest.fail("the game does not end")


def test_closing_the_tab_and_coming_back_resumes_the_seat_and_the_question(visit: Visit) -> None:
    page = visit("/")
    sit_down(page, "Evolution")
    expect(page.locator(".hand [data-card]").first).to_be_visible()
    cards = page.locator(".hand [data-card]").count()
    address = page.url
    again = page.context.new_page()
    page.close()
    again.goto(address)
    expect(again.locator(".hand [data-card]")).to_have_count(cards)
    declare_plainly(again)
    expect(again.locator(".hand [data-card]")).not_to_have_count(cards)


def test_anybody_may_watch_and_sees_no_hand(visit: Visit) -> None:
    page = visit("/")
    sit_down(page, "Evolution")
    expect(page.locator(".hand [data-card]").first).to_be_visible()
    watcher = visit(page.url)
    expect(watcher.get_by_text("watching")).to_be_visible()
    expect(watcher.locator(".others .board").first).to_be_visible()
    expect(watcher.locator("[data-card]")).to_have_count(0)
