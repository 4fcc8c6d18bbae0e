"""The pace of a live table: nothing is skipped, and each viewer can pause, step and change the speed."""

from __future__ import annotations

import re
import time
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.playing import (
    LONGEST_GAME_SECONDS,
    declare_first_card,
    open_table,
    set_up,
    skip_until,
    step_of_evolution,
    use_card,
)

RECORD_SENTENCES = """
    window.sentences = [];
    addEventListener("DOMContentLoaded", () =>
      new MutationObserver(() => sentences.push(document.querySelector("#hint").textContent))
        .observe(document.querySelector("#hint"), { childList: true, characterData: true, subtree: true }));
"""

MOVING: dict[str, Any] = {"reduced_motion": "no-preference"}


def watch(visit: Visit, speed: str, **settings: Any) -> Page:
    """Watch a game between bots, which is over long before it has been shown."""
    page = visit("about:blank", **MOVING)
    page.context.add_init_script(RECORD_SENTENCES)
    page.context.add_init_script(f"if (location.protocol === 'http:') localStorage.setItem('speed', {speed!r})")
    page.goto(set_up(page, "evolution", "silly", "silly", "silly", **settings)["table"]["link"])
    expect(page.locator("#playback .count")).to_contain_text("to show")
    return page


def moves_to_show(page: Page) -> int:
    return int((page.locator("#playback .count").inner_text() or "0").split()[0])


def test_spectator_sees_every_move_of_a_fast_game(visit: Visit) -> None:
    page = watch(visit, "quick", most_turns=1, seed=1)
    expect(page.locator("#result")).not_to_be_visible()
    expect(page.locator("#result")).to_be_visible(timeout=90_000)
    logged = page.locator("#log-lines li span:last-child").all_inner_texts()
    shown = page.evaluate("sentences")
    events = [text for text in logged if "feed" in text or "eat" in text]
    assert events
    assert [text for text in events if text not in shown] == []


def test_clock_starts_when_the_moves_have_been_seen(visit: Visit) -> None:
    page = visit("about:blank", **MOVING)
    open_table(page, "evolution", "silly", "silly", "me", seed=1, settings={"time_limit": 90})
    declare_first_card(page)
    expect(page.locator("#clock")).to_have_text(re.compile(r"Clock starts in \d+ s"))
    page.keyboard.press("End")
    expect(page.locator("#clock")).to_have_text(re.compile(r"(90|89|88|87|86|85) seconds"))


def test_pause_step_speed_and_live(visit: Visit) -> None:
    page = watch(visit, "calm", most_turns=2, seed=2)
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    left = moves_to_show(page)
    page.get_by_role("button", name="Next move").click()
    assert moves_to_show(page) == left - 1
    page.keyboard.press(",")
    page.keyboard.press(",")
    assert moves_to_show(page) == left + 1
    page.keyboard.press("+")
    expect(page.get_by_role("button", name="Normal")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.locator("#result")).to_be_visible()


def test_back_to_live_shows_the_result(visit: Visit) -> None:
    page = watch(visit, "calm", most_turns=1, seed=3)
    page.get_by_role("button", name="Back to live").click()
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator("#playback")).to_be_hidden()


def test_player_is_asked_after_the_moves_and_reads_what_happened(visit: Visit) -> None:
    page = visit("about:blank", **MOVING)
    open_table(page, "evolution", "me", "silly", "silly", seed=5, most_turns=3)
    declare_first_card(page)
    expect(page.get_by_role("button", name="To my turn")).to_be_visible()
    assert page.locator("body.my-turn").count() == 0
    page.keyboard.press("End")
    skip_until(page, "body.my-turn")
    page.locator("#since summary").click()
    assert page.locator("#since li").count() > 2


def test_draft_survives_a_look_back(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", seed=5, most_turns=12)
    declare_first_card(page)
    end = time.monotonic() + LONGEST_GAME_SECONDS
    while not page.locator(".hand [data-card][aria-pressed]").count():
        assert time.monotonic() < end, page.locator("#hint").inner_text()
        step_of_evolution(page)
        page.wait_for_timeout(30)
    use_card(page, "food")
    page.keyboard.press(",")
    expect(page.locator(".steps")).to_have_count(0)
    page.get_by_role("button", name="To my turn").click()
    expect(page.locator(".steps li:not(.todo)")).to_have_count(1)
    page.get_by_role("button", name="Declare", exact=True).click()
    expect(page.locator("#hint")).not_to_contain_text("Choose")
