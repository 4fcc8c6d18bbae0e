"""The server goes away in the middle of a game, and comes back."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.house import House
from tests.browser.playing import open_table, use_card


def test_a_draft_survives_a_restart_and_takes_nothing_that_was_pressed_meanwhile(
    browser: Browser, tmp_path: Path
) -> None:
    house = House(tmp_path)
    # Not by `visit`: the browser complains of every attempt to reach a server that is not there.
    context = browser.new_context(base_url=house.address, reduced_motion="reduce")
    try:
        page = context.new_page()
        open_table(page, "evolution", "me", "silly", "silly", seed=7)
        use_card(page, "food")
        steps = page.locator(".steps li:not(.todo)")
        first = steps.all_inner_texts()
        house.close()
        expect(page.locator("#veil")).to_be_visible()
        for key in ("1", "P", "Z"):
            page.keyboard.press(key)
        page.evaluate("document.querySelector('.hand [data-card]').click()")
        page.evaluate("document.querySelector('button.way[data-key=P]').click()")
        expect(page.get_by_role("status").first).to_have_text("No connection yet.")
        assert steps.all_inner_texts() == first
        house.open()
        expect(page.locator("#veil")).to_have_count(0, timeout=15_000)
        expect(page.get_by_role("status").first).not_to_have_text("No connection yet.")
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
