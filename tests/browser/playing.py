"""People who play by clicking: they press what is lit until the game is over."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Page

__all__ = ["declare_plainly", "play_evolution", "play_porrinha", "result_is_shown", "use_card"]

LONGEST_GAME_SECONDS = 120.0


def result_is_shown(page: Page) -> bool:
    return page.locator("#result[open]").count() > 0


def _until_the_end(page: Page, act: Callable[[], bool]) -> None:
    """Act, whenever there is something to do, until the result is shown."""
    end = time.monotonic() + LONGEST_GAME_SECONDS
    while not result_is_shown(page):
        assert time.monotonic() < end, "the game does not end"
        if not act():
            page.wait_for_timeout(50)


def play_porrinha(page: Page) -> None:
    """Hides and says the first number that is free."""

    def act() -> bool:
        free = page.locator(".numbers button:enabled")
        if free.count():
            free.first.click()
            page.locator(".ask .main:enabled").click()
            return True
        further = page.get_by_role("button", name="Next round")
        if further.count():
            further.click()
            return True
        return False

    _until_the_end(page, act)


def declare_plainly(page: Page) -> None:
    """Give the first card to the hole and declare."""
    use_card(page, "food")
    page.get_by_role("button", name="Declare", exact=True).click()


def use_card(page: Page, way: str) -> None:
    """Choose the first card that is left, and the way it goes: food, buy, population, body, lay or replace."""
    page.locator(".hand [data-card]").first.click()
    page.locator(f"button.way[data-key={way}]").click()


def play_evolution(page: Page) -> None:
    """Gives a card to the hole, pays for a species as long as the row is short, and takes the first thing that can
    be fed; an attack is aimed and confirmed."""

    def act() -> bool:
        if page.locator(".hand [data-card][aria-pressed]").count():
            use_card(page, "food")
            if page.locator(".mine .board").count() < 3 and page.locator(".hand [data-card]").count():
                use_card(page, "buy")
                page.locator(".steps li:not(.todo)").nth(1).wait_for()
            page.get_by_role("button", name="Declare", exact=True).click()
            return True
        for pressed in ("button.danger:enabled", "[data-key=store]", ".board.lit .press", ".can"):
            found = page.locator(pressed).filter(visible=True)
            if found.count():
                found.first.click()
                return True
        return False

    _until_the_end(page, act)
