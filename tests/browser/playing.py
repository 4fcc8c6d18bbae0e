"""People who play by clicking: they press what is lit until the game is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Position, expect

__all__ = [
    "LONGEST_GAME_SECONDS",
    "SEED_OF_A_HUNT",
    "SKIP",
    "STRIP",
    "declare_plainly",
    "hunt",
    "open_table",
    "play",
    "play_evolution",
    "play_porrinha",
    "result_is_shown",
    "set_up",
    "skip_until",
    "step_of_evolution",
    "step_of_porrinha",
    "use_card",
    "wait_for_feeding",
]

LONGEST_GAME_SECONDS = 120.0

SKIP = "document.querySelector('#skip:not([hidden])')?.click()"
"""Press Skip where it is there; it may be gone the moment after one has looked."""

KEYS = {"food": "F", "population": "P", "body": "B", "trait": "T", "buy": "N"}
"""The ways a card can go, and the key of each."""

STRIP: Position = {"x": 22, "y": 44}
"""The middle of the part of a card that lies free however full the hand is."""

SEED_OF_A_HUNT = 395
"""Deals a carnivore to the first of four, the others silly ones; see `hunt`."""


def set_up(page: Page, game: str, *seats: str, name: str = "Ana", seed: int | None = None, **options: Any) -> Any:
    """A new table by the server's own address, for what the lobby's forms do not offer: a seed, and rules that make a
    game short.  The answer of the server."""
    wishes = [{"kind": seat} if seat in ("me", "friend") else {"kind": "bot", "player": seat} for seat in seats]
    wanted = {"game": game, "seats": wishes, "name": name, "seed": seed, "options": options}
    made = page.request.post("/api/tables", data=wanted)
    assert made.status == 201, made.text()
    return made.json()


def open_table(page: Page, game: str, *seats: str, **wishes: Any) -> list[str]:
    """Sit down at a new table, see `set_up`; the links for friends."""
    told = set_up(page, game, *seats, **wishes)
    kept = f"localStorage.setItem({'seat:' + told['table']['id']!r}, {told['token']!r})"
    page.context.add_init_script(f"if (location.protocol === 'http:') {kept}")
    page.goto(told["table"]["link"])
    invitations: list[str] = told["invitations"]
    return invitations


def result_is_shown(page: Page) -> bool:
    return page.locator("#result[open]").count() > 0


def play(page: Page, step: Callable[[Page], bool], *others: Page) -> None:
    """Everybody acts, whenever there is something to do, until the result is shown to all."""
    end = time.monotonic() + LONGEST_GAME_SECONDS
    pages = (page, *others)
    while not all(map(result_is_shown, pages)):
        assert time.monotonic() < end, "the game does not end"
        acted = [step(each) for each in pages]
        if not any(acted):
            for each in pages:
                each.evaluate(SKIP)
            page.wait_for_timeout(30)


def play_porrinha(page: Page, *others: Page) -> None:
    play(page, step_of_porrinha, *others)


def play_evolution(page: Page, *others: Page) -> None:
    play(page, step_of_evolution, *others)


def step_of_porrinha(page: Page) -> bool:
    """Hides or says the first number that is free; whether there was anything to do."""
    free = page.locator(".numbers button:enabled")
    further = page.get_by_role("button", name="Next round")
    if free.count():
        free.first.click()
        page.locator(".ask .main:enabled").click()
        return True
    if further.count():
        further.click()
        return True
    return False


def step_of_evolution(page: Page) -> bool:
    """Gives a card to the hole, pays for a species as long as the row is short, and takes the first thing that can
    be fed; an attack is aimed and confirmed."""
    if page.locator(".hand [data-card][aria-pressed]").count():
        use_card(page, "food")
        if page.locator(".row.mine .board").count() < 3 and page.locator(".hand [data-card]").count():
            use_card(page, "buy")
        page.get_by_role("button", name="Declare", exact=True).click()
        return True
    doable = (
        "button.danger:not([aria-disabled])",
        "[data-key=store]",
        ".choices .option",
        ".board.lit .press",
        ".panel .option",
    )
    for pressed in doable:
        found = page.locator(pressed).filter(visible=True)
        if found.count():
            found.first.click()
            return True
    return False


def declare_plainly(page: Page) -> None:
    """Give the first card to the hole and declare."""
    use_card(page, "food")
    page.get_by_role("button", name="Declare", exact=True).click()


def use_card(page: Page, way: str, card: str = "") -> None:
    """Choose a card, the first that is left or one of a trait, and the way it goes: where there is one place only, it
    is there then."""
    steps = page.locator(".steps li:not(.todo)")
    taken = steps.count()
    # Cards can be pressed when one is asked for them, and read before.  A person presses the strip of a card that the
    # next one in a full hand leaves free.
    page.locator(".hand [data-card][aria-pressed]").filter(has_text=card).first.click(position=STRIP)
    page.locator(f"button.card-use[data-key={KEYS[way]}]").click()
    expect(steps).to_have_count(taken + 1)


def hunt(page: Page) -> None:
    """At a table of SEED_OF_A_HUNT and three silly players: make a hunter and feed until it can attack.

    There are targets with and without horns then, a herd that is safe, and a scavenger that eats along.
    """
    use_card(page, "food", "Scavenger")
    use_card(page, "buy", "food −6")
    use_card(page, "trait", "Carnivore")
    page.get_by_role("button", name="Declare", exact=True).click()
    wait_for_feeding(page)
    page.locator(".panel .options").get_by_role("button", name="Attack with").click()


def wait_for_feeding(page: Page) -> None:
    """Skip what the others do until I may feed."""
    skip_until(page, ".panel .options")


def skip_until(page: Page, selector: str) -> None:
    """Skip what the others do until something is there."""
    end = time.monotonic() + LONGEST_GAME_SECONDS
    while not page.locator(selector).count():
        assert time.monotonic() < end, f"there is no {selector}"
        page.evaluate(SKIP)
        page.wait_for_timeout(30)
