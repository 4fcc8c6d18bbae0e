"""The first day of a newcomer and the next one, in scenes.  A test checks them, and a tool takes pictures of them.

The scenes find what they press by the texts of the page, so they play in every language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import SIZES
from tests.browser.playing import (
    follow_guide,
    play,
    play_porrinha,
    skip_until,
    step_of_evolution,
    step_of_porrinha,
)

__all__ = [
    "EVOLUTION",
    "GAMES_FOR_A_RATING",
    "IN_ENGLISH",
    "IN_PORTUGUESE",
    "PORRINHA",
    "Lesson",
    "Screen",
    "Show",
    "live_through",
]

GAMES_FOR_A_RATING = 10
MOST_DEALS = 8
"""How many fixed deals are tried.  Every run tries the same ones, and stops at the same one."""
REVIEW_MS = 1_200_000
"""The first review compiles its game, for a minute on an idle machine."""

Screen = dict[str, Any]
"""The size, the language and the colours of a device, as options of a browser context."""
Show = Callable[[str, Page], object]
"""Called with the name of each moment that is worth a picture."""


@dataclass(frozen=True)
class Lesson:
    """A game as a newcomer meets it: its title, how to press what is lit, and both ends of its ladder."""

    title: str
    step: Callable[[Page], bool]
    easiest: str
    champion: str


def _screen(size: str, locale: str, colours: str) -> Screen:
    width, height = SIZES[size]
    touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    return {"width": width, "height": height, "locale": locale, "color_scheme": colours, **touch}


IN_ENGLISH = [_screen("wide", "en-GB", "light"), _screen("phone", "pt-BR", "dark"), _screen("between", "en-GB", "dark")]
"""The screens of the newcomer, of the friend, and of the newcomer the next day; the friend has another language."""
IN_PORTUGUESE = [
    _screen("between", "pt-BR", "dark"),
    _screen("phone", "en-GB", "light"),
    _screen("wide", "pt-BR", "light"),
]

EVOLUTION = Lesson("Evolution", step_of_evolution, "random", "champion")
PORRINHA = Lesson("Porrinha", step_of_porrinha, "random", "expert")


def live_through(
    lesson: Lesson,
    screens: Sequence[Screen],
    rated_games: int,
    open_page: Callable[..., Page],
    night: Callable[[], object],
    show: Show,
) -> None:
    """Learn, win, lose, see where, and play with a friend and for a rating; find everything again after the `night`.

    `open_page` opens an address on a screen, see `IN_ENGLISH`.
    """
    at_home, friends_phone, next_device = screens
    page = open_page("/", coach=True, **at_home)
    expect(_button(page, "newTable.play").first).to_be_visible()
    show("arrival", page)
    link = _keep_games(page, "Ana")
    _finish_guided_game(page, lesson, show)
    _beat_the_easiest(page, lesson, show)
    _lose_to_the_champion(page, lesson, show)
    _see_where(page, show)
    phone = open_page(_invite(page, show), **friends_phone)
    _sit_down(phone, "Bia", show)
    play_porrinha(page, phone)
    show("together", page)
    for _ in range(1, rated_games):
        _play_rated(page)
    page.goto("/me")
    _check_rating(page, "Ana", rated_games)
    kept = _kept(page)
    page.close()
    phone.close()
    night()
    page = open_page(link, **next_device)
    assert _kept(page) == kept
    show("next-day", page)
    _check_ladder(page, lesson)
    _card(page, PORRINHA).evaluate("card => card.scrollIntoView()")
    show("kept", page)
    page.get_by_role("link", name=text(page, "lobby.replay")).last.click()
    page.wait_for_url("**/replay/*")
    expect(page.get_by_text(text(page, "replay.exact"))).to_be_visible()


# ── the first day ─────────────────────────────────────────────────────────────────────────


def _keep_games(page: Page, name: str) -> str:
    """Choose a name, and return the secret link."""
    page.get_by_role("link", name=text(page, "me.keep")).click()
    page.wait_for_url("**/me")
    page.get_by_label(text(page, "name.label")).fill(name)
    _button(page, "me.create").click()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    _button(page, "me.otherDevice").click()
    return page.get_by_role("textbox", name=text(page, "me.link")).input_value()


def _finish_guided_game(page: Page, lesson: Lesson, show: Show) -> None:
    """Press what the guide marks until the game is won."""
    page.goto("/")
    _button(page, "first.open", _card(page, lesson)).click()
    page.wait_for_url("**/table/*")
    follow_guide(page, lambda step: show(f"guide-{step}", page))
    expect(page.locator("#result h2")).to_have_text(text(page, "result.youWin"))
    show("guided-win", page)


def _ask_for_hints(page: Page, show: Show) -> None:
    """Ask the coach what to look at, why, and for the champion's move; then play without the coach."""
    skip_until(page, "body.my-turn")
    coach = page.locator("#coach")
    for level in (1, 2, 3):
        page.keyboard.press("h")
        expect(coach).to_contain_text(text(page, "coach.level", level=level, levels=3))
        expect(coach.locator("p").first).not_to_be_empty()
        show(f"hint-{level}", page)
    page.locator("#coach-button").click()


def _beat_the_easiest(page: Page, lesson: Lesson, show: Show) -> None:
    """Play against the easiest bot of the ladder until it is beaten."""
    for seed in range(1, MOST_DEALS + 1):
        _sit_down_with(page, lesson, lesson.easiest, seed)
        if seed == 1:
            _ask_for_hints(page, show)
        play(page, lesson.step)
        if page.locator("#result h2").inner_text() == text(page, "result.youWin"):
            page.goto("/")
            expect(_opponent(page, lesson, lesson.easiest)).to_contain_text(text(page, "ladder.beaten"))
            show("beaten", page)
            return
    raise AssertionError(f"{lesson.easiest} was not beaten in {MOST_DEALS} games")


def _lose_to_the_champion(page: Page, lesson: Lesson, show: Show) -> None:
    """Play against the champion until it wins."""
    for seed in range(1, MOST_DEALS + 1):
        _sit_down_with(page, lesson, lesson.champion, seed)
        play(page, lesson.step)
        if page.locator("#result li.mine .place").inner_text() != "1":
            show("loss", page)
            return
    raise AssertionError(f"{lesson.champion} did not win any of {MOST_DEALS} games")


def _see_where(page: Page, show: Show) -> None:
    """Open the review of the game that has just ended, and step through the replay from a turning point."""
    _button(page, "review.open", page.locator("#result")).click()
    review = page.locator("#result .review")
    expect(review.get_by_role("heading", name=text(page, "review.yours"))).to_be_visible(timeout=REVIEW_MS)
    _button(page, "review.everyone", review).click()
    show("review", page)
    review.locator(".points button").last.click()
    expect(review.get_by_role("heading", name=text(page, "review.else"))).to_be_visible()
    show("alternatives", page)
    _button(page, "review.see", review).click()
    page.wait_for_url("**/replay/**")
    expect(page.locator(".log li[aria-current]")).to_be_visible()
    before = page.url
    _button(page, "replay.next").click()
    expect(page).not_to_have_url(before)
    show("turning-point", page)


@contextmanager
def _dealt(page: Page, seed: int) -> Iterator[None]:
    """Let the lobby open a table with a seed, which it does not offer."""

    def add_seed(route: Route) -> None:
        route.continue_(post_data=json.dumps({**json.loads(route.request.post_data or ""), "seed": seed}))

    page.route("**/api/tables", add_seed)
    yield
    page.unroute("**/api/tables", add_seed)


def _sit_down_with(page: Page, lesson: Lesson, bot: str, seed: int) -> None:
    page.goto("/")
    with _dealt(page, seed):
        _opponent(page, lesson, bot).click()
        page.wait_for_url("**/table/*")


# ── a friend ──────────────────────────────────────────────────────────────────────────────


def _invite(page: Page, show: Show) -> str:
    """Open a private, rated table of Porrinha for two humans and a bot, and return the link in its room."""
    page.goto("/")
    card = _card(page, PORRINHA)
    seats = card.get_by_role("combobox")
    seats.nth(1).select_option(label=text(page, "newTable.friend"))
    while seats.count() > 3:
        seats.last.select_option(label=text(page, "newTable.removeSeat"))
    card.get_by_label(text(page, "newTable.rated")).check()
    _button(page, "newTable.open", card).click()
    page.wait_for_url("**/table/*")
    expect(page.get_by_role("img", name=text(page, "room.code"))).to_be_visible()
    show("room", page)
    return page.get_by_label(text(page, "room.linkOf", seat=2)).input_value()


def _play_rated(page: Page) -> None:
    """Play Porrinha against the easiest bot; the lobby remembers that the table is rated."""
    page.goto("/")
    _opponent(page, PORRINHA, PORRINHA.easiest).click()
    page.wait_for_url("**/table/*")
    play_porrinha(page)


def _sit_down(phone: Page, name: str, show: Show) -> None:
    """Look at the five pictures of an invitation, and take the seat."""
    pictures = phone.get_by_role("list", name=text(phone, "pictures.title")).get_by_role("figure")
    expect(pictures).to_have_count(5)
    show("invitation", phone)
    phone.get_by_label(text(phone, "name.title")).fill(name)
    _button(phone, "lobby.sitDown").tap()
    phone.wait_for_url(lambda url: "#" not in url)
    skip_until(phone, ".numbers")
    show("friend", phone)


# ── the next day ──────────────────────────────────────────────────────────────────────────


def _kept(page: Page) -> list[str]:
    """Return what the page about me shows: the name, the ladders with the rating, and the games."""
    finished = page.locator("section[aria-labelledby=me-games]")
    expect(finished.get_by_role("link", name=text(page, "lobby.replay")).nth(3)).to_be_visible()
    cards = (_card(page, lesson) for lesson in (EVOLUTION, PORRINHA))
    return [each.inner_text() for each in (page.locator("#me-title"), *cards, finished)]


def _check_rating(page: Page, name: str, games: int) -> None:
    card = _card(page, PORRINHA)
    if games < GAMES_FOR_A_RATING:
        expect(card).to_contain_text(text(page, "ladder.noRating", count=games))
    else:
        expect(card.locator(".opponent.mine")).to_contain_text(re.compile(rf"{name}\s*\d+ ± \d+"))


def _check_ladder(page: Page, lesson: Lesson) -> None:
    beaten = text(page, "ladder.beaten")
    expect(_opponent(page, lesson, lesson.easiest)).to_contain_text(beaten)
    expect(_opponent(page, lesson, lesson.champion)).not_to_contain_text(beaten)


# ── what is where ─────────────────────────────────────────────────────────────────────────


def text(page: Page, key: str, **values: str | int) -> str:
    """Return a text of the page in its language.  The page must not be about to load another document."""
    found = page.evaluate("async ([key, values]) => (await import('/static/js/text.js')).t(key, values)", [key, values])
    assert isinstance(found, str)
    return found


def _button(page: Page, key: str, within: Page | Locator | None = None) -> Locator:
    return (within or page).get_by_role("button", name=text(page, key))


def _card(page: Page, lesson: Lesson) -> Locator:
    """Return the card of a game, in the lobby or on the page about me."""
    return page.get_by_role("region", name=lesson.title)


def _opponent(page: Page, lesson: Lesson, bot: str) -> Locator:
    """Return the button of a bot on the ladder."""
    return _card(page, lesson).get_by_role("button", name=f"{text(page, 'ladder.against')} {bot}")
