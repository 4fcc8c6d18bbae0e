"""Unfinished answers: they survive a reload of the page, end with their turn, and are sent by one click."""

from __future__ import annotations

import time

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.playing import (
    LONGEST_GAME_SECONDS,
    SKIP,
    open_table,
    skip_until,
    step_of_evolution,
    step_of_porrinha,
    use_card,
)


def test_draft_of_a_declaration_survives_a_reload(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", seed=7)
    use_card(page, "food")
    use_card(page, "buy")
    page.reload()
    expect(page.locator(".steps li:not(.todo)")).to_have_count(2)
    page.get_by_role("button", name="Declare", exact=True).click()
    expect(page.get_by_role("button", name="Declare", exact=True)).to_have_count(0)


def test_each_declaration_starts_empty_after_skipped_events(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "greedy", "silly", seed=5)
    end = time.monotonic() + LONGEST_GAME_SECONDS
    for _ in range(3):
        while not page.locator(".hand [data-card][aria-pressed]").count():
            assert time.monotonic() < end, "there is no other declaration"
            if not step_of_evolution(page):
                page.evaluate(SKIP)
                page.wait_for_timeout(30)
        expect(page.locator(".steps .todo")).to_have_count(1)
        expect(page.locator(".steps li:not(.todo)")).to_have_count(0)
        step_of_evolution(page)


def test_click_on_declare_counts_if_a_step_is_added_between_press_and_release(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", seed=7)
    expect(page.locator(".hand [data-card][aria-pressed]").first).to_be_visible()
    declare = page.get_by_role("button", name="Declare", exact=True)
    declare.hover()
    page.mouse.down()
    page.keyboard.press("1")
    page.keyboard.press("f")
    expect(page.locator(".steps li:not(.todo)")).to_have_count(1)
    page.mouse.up()
    expect(declare).to_have_count(0)


def test_chosen_number_survives_a_reload_until_it_is_sent(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "porrinha", "me", "random", seed=7)
    numbers = page.get_by_role("group", name="How many sticks do you hide?").get_by_role("button")
    numbers.nth(1).click()
    page.reload()
    expect(numbers.nth(1)).to_have_attribute("aria-pressed", "true")
    step_of_porrinha(page)
    skip_until(page, ".numbers[aria-label='What is the sum?']")
    page.reload()
    expect(page.locator(".numbers[aria-label='What is the sum?'] button").first).to_be_visible()
    expect(page.locator(".numbers [aria-pressed=true]")).to_have_count(0)
