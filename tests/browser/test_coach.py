"""The coach in a browser: the guided first game, hints in three levels, and warnings."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.playing import (
    LONGEST_GAME_SECONDS,
    SKIP,
    open_table,
    play,
    result_is_shown,
    skip_until,
    step_of_evolution,
)

GAMES = ["Evolution", "Porrinha"]


def open_first_game(page: Page, game: str) -> None:
    card = page.get_by_role("region", name=game)
    card.get_by_role("button", name="Guided first game").click()
    expect(page.locator("#lesson")).to_contain_text("First game, step 1 of 7")


def follow(page: Page) -> list[str]:
    """Press whatever the guide marks until the result is shown.  Return the steps that it named."""
    end = time.monotonic() + LONGEST_GAME_SECONDS
    steps: list[str] = []
    while not result_is_shown(page):
        assert time.monotonic() < end, "the game does not end"
        page.evaluate(SKIP)
        step = page.locator("#lesson b").filter(visible=True)
        if page.locator("#coach:visible").count() and step.count():
            steps.append(step.inner_text())
        pressed = page.evaluate(
            """() => {
              const next = [...document.querySelectorAll("button")].find((each) => each.textContent === "Next round");
              const lit = document.querySelector("body.my-turn .coach-lit");
              const target = next ?? lit?.querySelector(".press") ?? lit;
              target?.click();
              return Boolean(target);
            }"""
        )
        page.wait_for_timeout(60 if pressed else 30)
    return list(dict.fromkeys(steps))


@pytest.mark.parametrize("game", GAMES)
def test_following_the_first_game_wins_it(visit: Visit, game: str) -> None:
    page = visit("/")
    open_first_game(page, game)
    steps = follow(page)
    assert [f"First game, step {number} of 7" for number in range(1, 7)] == steps[:6]
    expect(page.locator("#result h2")).to_have_text("You win")
    expect(page.locator("#lesson")).to_be_hidden()
