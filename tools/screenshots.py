"""Take screenshots of the page for the README and the docs: real games on a real server in a real browser.

Run it with `make screenshots` after the page has changed.  With names, `python -m tools.screenshots lobby me`, it takes
these only.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.browser.five_players import NODE, FivePlayers
from tests.browser.house import CHROMIUM, FLAGS, House
from tests.browser.newcomer import (
    EVOLUTION,
    GAMES_FOR_A_RATING,
    IN_ENGLISH,
    IN_PORTUGUESE,
    PORRINHA,
    Lesson,
    Screen,
    live_through,
)
from tests.browser.playing import (
    open_table,
    play_evolution,
    play_porrinha,
    result_is_shown,
    set_up,
    step_of_evolution,
    use_card,
)
from tests.cli.running import wateringhole

IMAGES = Path(__file__).parent.parent / "docs" / "images"
MOST_BYTES = 250_000
HAND = ".hand [data-card][aria-pressed]"

WIDE = {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "color_scheme": "dark",
    "has_touch": True,
    "is_mobile": True,
}


Picture = tuple[str, Callable[[Page], None], dict[str, Any]]
Story = tuple[Lesson, list[Screen], dict[str, str]]

STORIES: list[Story] = [
    (
        EVOLUTION,
        IN_ENGLISH,
        {
            "arrival": "newcomer-arrival",
            "guide-4": "newcomer-guide",
            "hint-3": "newcomer-hint",
            "review": "newcomer-review",
            "turning-point": "newcomer-turning-point",
            "room": "newcomer-room",
            "invitation": "newcomer-invitation-pt",
            "friend": "newcomer-friend-pt",
            "kept": "newcomer-next-day",
        },
    ),
    (
        PORRINHA,
        IN_PORTUGUESE,
        {
            "guide-2": "newcomer-guide-pt",
            "beaten": "newcomer-beaten-pt",
            "alternatives": "newcomer-review-pt",
            "invitation": "newcomer-invitation",
            "next-day": "newcomer-next-day-pt",
        },
    ),
]
"""The days of newcomers, and the names of their moments that are worth a picture."""


def main(names: set[str]) -> None:
    if CHROMIUM is None:
        raise SystemExit("needs Chromium: apt install chromium")
    if NODE is None:
        raise SystemExit("needs Node.js: apt install nodejs")
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            wanted = [picture for picture in PICTURES if not names or picture[0] in names]
            if wanted:
                take_pictures(browser, wanted)
            for story in STORIES:
                if not names or not names.isdisjoint(story[2].values()):
                    take_pictures_of_a_day(browser, story)
        finally:
            browser.close()


@contextmanager
def running_house() -> Iterator[House]:
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        try:
            yield house
        finally:
            house.close()


def take_pictures(browser: Browser, pictures: list[Picture]) -> None:
    with running_house() as house:
        play_tournament(house)
        for name, prepare, screen in pictures:
            with visit(browser, house, screen) as page:
                prepare(page)
                take_screenshot(page, name)


def take_pictures_of_a_day(browser: Browser, story: Story) -> None:
    """Live through the day of a newcomer, and take screenshots of its moments."""
    lesson, screens, moments = story

    def show(moment: str, page: Page) -> None:
        if moment in moments:
            # Nothing is under the mouse, and what the page marks has arrived.
            page.mouse.move(1, 1)
            page.wait_for_timeout(500)
            take_screenshot(page, moments[moment])

    with running_house() as house:

        def open_page(address: str, *, width: int, height: int, coach: bool = False, **screen: Any) -> Page:
            viewport = {"width": width, "height": height}
            context = browser.new_context(base_url=house.address, viewport=viewport, reduced_motion="reduce", **screen)
            page = context.new_page()
            page.goto(address)
            return page

        def restart() -> None:
            house.close()
            house.open()

        live_through(lesson, screens, GAMES_FOR_A_RATING, open_page, restart, show)


def take_screenshot(page: Page, name: str) -> None:
    """Save a screenshot, and print its size."""
    path = IMAGES / f"{name}.png"
    screenshot = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    # The page has flat colours, so a palette of 256 looks almost the same and takes half the bytes.
    screenshot.convert("RGB").quantize(256, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    assert size < MOST_BYTES, path
    print(f"{name}.png: {size // 1000} kB", flush=True)


def play_tournament(house: House) -> None:
    arguments = ("evolution", "silly", "random", "greedy", "twin=greedy", "--games", "60", "--table-size", "4")
    ran = wateringhole("tournament", *arguments, "--seed", "7", "--store", house.store)
    assert ran.returncode == 0, ran.stderr


@contextmanager
def visit(browser: Browser, house: House, screen: dict[str, Any]) -> Iterator[Page]:
    context = browser.new_context(base_url=house.address, reduced_motion="reduce", **screen)
    # A warning of the coach would wait for an answer.
    context.add_init_script("if (location.protocol === 'http:') localStorage.coach ??= 'off'")
    page = context.new_page()
    yield page
    context.close()


def play_until(page: Page, is_reached: Callable[[int], bool], declare: Callable[[Page], object]) -> None:
    """Play until `is_reached` returns true for the number of declared turns."""
    declared = 0
    while True:
        # Read these first, so that nothing that appears meanwhile is played.
        is_declaring, is_feeding = page.locator(HAND).count(), page.locator(".panel .options").count()
        if is_reached(declared):
            return
        assert not result_is_shown(page), "the game does not contain this moment: choose another seed"
        if is_declaring:
            declare(page)
            declared += 1
        elif is_feeding:
            step_of_evolution(page)
        else:
            page.wait_for_timeout(50)


def evolution(page: Page) -> None:
    """The preview of an attack."""
    open_table(page, "evolution", "me", "silly", "greedy", "silly", seed=3)
    attack = page.locator(".panel .options").get_by_role("button", name="Attack with")
    play_until(page, lambda turns: turns >= 3 and attack.count() > 0, declare_richly)
    attack.first.click()
    page.get_by_role("button", name="horns").first.click()
    expect(page.locator(".attack-preview")).to_be_visible()


def declare_richly(page: Page) -> None:
    """Declare food, and a new species with as many traits as possible."""
    steps = page.locator(".steps li:not(.todo)")
    use_card(page, "food")
    use_card(page, "buy")
    for zone in ("lay", "lay", "lay", "body", "population", "body"):
        step_count = steps.count()
        if page.locator(HAND).count():
            page.locator(HAND).first.click()
            places = page.locator(f"button.zone[data-zone={zone}]")
            if places.count():
                places.last.click()
                expect(steps).to_have_count(step_count + 1)
            else:
                page.keyboard.press("Escape")
    page.get_by_role("button", name="Declare", exact=True).click()


def five_players(page: Page) -> None:
    """A feeding at a table with five kinds of players."""
    folder = tempfile.TemporaryDirectory()
    players = FivePlayers(page, Path(folder.name))

    def close(_: Page) -> None:
        players.close()
        folder.cleanup()

    page.once("close", close)
    feedings = page.locator(".panel .options")
    play_until(page, lambda turns: turns >= 2 and feedings.count() > 0, declare_richly)


def evolution_on_a_phone(page: Page) -> None:
    """A selected card, with its destinations highlighted."""
    open_table(page, "evolution", "me", "silly", "greedy", "random", seed=11)
    cards = page.locator(HAND)
    play_until(page, lambda turns: turns == 2 and cards.count() > 0, step_of_evolution)
    cards.nth(1).click()


def porrinha(page: Page) -> None:
    """Two players have guessed, and it is the human's turn."""
    open_table(page, "porrinha", "counter", "random", "me", "zero", seed=3)
    page.locator(".numbers button").nth(2).click()
    page.locator(".ask .main").click()
    expect(page.locator(".numbers .taken").nth(1)).to_be_visible()
    page.locator(".numbers button:not(.taken, .bluff)").nth(1).click()


def replay(page: Page) -> None:
    """A feeding in the middle of a tournament game."""
    page.goto("/replay/1-0-0")
    expect(page.get_by_text("replays exactly")).to_be_visible()
    page.locator(".log li", has_text="Turn 3").first.locator("xpath=following-sibling::li[contains(., ' eats')]").nth(
        2
    ).get_by_role("button").click()


def standings(page: Page) -> None:
    page.goto("/standings/1")
    expect(page.get_by_role("heading", name="Conclusions")).to_be_visible()


def lobby(page: Page) -> None:
    """The lobby with tables of other players and finished games."""
    open_table(page, "evolution", "me", "silly", "greedy", seed=4, most_turns=1)
    play_evolution(page)
    open_table(page, "porrinha", "me", "counter", "zero", seed=4, sticks=1)
    play_porrinha(page)
    set_up(page, "porrinha", "me", "friend", "zero", name="Chica")
    set_up(page, "evolution", "me", "friend", "friend", "greedy", name="Bruno")
    page.goto("/")
    expect(page.get_by_role("button", name="Play now").first).to_be_visible()
    expect(page.get_by_text("Bruno").first).to_be_visible()


def about_me(page: Page) -> None:
    """The page about a person, after a few games."""
    page.goto("/me")
    page.get_by_label("Name shown to other players").fill("Ana")
    page.get_by_role("button", name="Keep my games").click()
    expect(page.get_by_role("button", name="Delete everything")).to_be_visible()
    for seed in (1, 2):
        open_table(page, "porrinha", "me", "random", seed=seed, sticks=1)
        play_porrinha(page)
    set_up(page, "evolution", "me", "random", "random")
    page.goto("/me")
    expect(page.get_by_role("heading", name="2 finished games")).to_be_visible()


PICTURES: list[Picture] = [
    ("evolution", evolution, WIDE),
    ("five-players", five_players, WIDE),
    ("evolution-phone", evolution_on_a_phone, PHONE),
    ("porrinha", porrinha, WIDE),
    ("replay", replay, WIDE),
    ("standings", standings, WIDE),
    ("lobby", lobby, WIDE),
    ("me", about_me, WIDE),
]


if __name__ == "__main__":
    main(set(sys.argv[1:]))
