"""Functions that play by clicking highlighted elements until the game is over."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Position, expect

__all__ = [
    "LONGEST_GAME_SECONDS",
    "PORTUGUESE",
    "SEED_OF_A_HUNT",
    "SKIP",
    "STRIP",
    "declare_first_card",
    "follow_guide",
    "hunt",
    "joined",
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

SKIP = "document.querySelector('#to-live:not([hidden])')?.click()"
"""Go to the live position if the page is behind; the button may disappear between a check and a click."""

NEXT_ROUND = "document.querySelector('.ask .end .main:enabled')?.click()"
"""Leave the result of a round of Porrinha; another player may have left it meanwhile."""

KEYS = {"food": "F", "population": "P", "body": "B", "trait": "T", "buy": "N"}
"""The uses of a card, and the key of each."""

STRIP: Position = {"x": 22, "y": 44}
"""The middle of the part of a card that is visible even in a full hand."""

SEED_OF_A_HUNT = 395
"""A seed that deals a carnivore to the first player at a table with three silly bots; see `hunt`."""


def set_up(
    page: Page,
    game: str,
    *seats: str,
    name: str = "Ana",
    seed: int | None = None,
    settings: dict[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Create a table through the API, and return the server's answer.

    Unlike the lobby's forms, the API accepts a seed, and rules that make a game short.
    """
    occupants = [{"kind": seat} if seat in ("me", "friend") else {"kind": "bot", "player": seat} for seat in seats]
    plan = {"game": game, "seats": occupants, "name": name, "seed": seed, "options": options, **(settings or {})}
    response = page.request.post("/api/tables", data=plan)
    assert response.status == 201, response.text()
    return response.json()


def open_table(page: Page, game: str, *seats: str, **settings: Any) -> list[str]:
    """Sit down at a new table, see `set_up`.  Return the links for friends."""
    created = set_up(page, game, *seats, **settings)
    kept = f"localStorage.setItem({'seat:' + created['table']['id']!r}, {created['token']!r})"
    page.context.add_init_script(f"if (location.protocol === 'http:') {kept}")
    page.goto(created["table"]["link"])
    invitations: list[str] = created["invitations"]
    return invitations


def joined(where: str, name: str, code: str) -> socket.socket:
    """Return the connection of a program that signs up at ADDRESS:PORT with a code."""
    address, _, port = where.partition(":")
    program = socket.create_connection((address, int(port)))
    program.sendall(json.dumps({"type": "hello", "protocol": 1, "name": name, "code": code}).encode() + b"\n")
    return program


def result_is_shown(page: Page) -> bool:
    return page.locator("#result[open]").count() > 0


def play(page: Page, step: Callable[[Page], bool], *others: Page, skips: bool = True) -> None:
    """Call `step` on all pages until each of them shows the result.  Skip moves that are still to be shown."""
    end = time.monotonic() + LONGEST_GAME_SECONDS
    pages = (page, *others)
    while not all(map(result_is_shown, pages)):
        assert time.monotonic() < end, "the game does not end"
        acted = [step(each) for each in pages]
        if not any(acted):
            for each in pages if skips else ():
                each.evaluate(SKIP)
            page.wait_for_timeout(30)


def play_porrinha(page: Page, *others: Page) -> None:
    play(page, step_of_porrinha, *others)


def play_evolution(page: Page, *others: Page) -> None:
    play(page, step_of_evolution, *others)


def step_of_porrinha(page: Page) -> bool:
    """Hide or guess the first free number.  Return whether there was a request."""
    free = page.locator(".numbers button:enabled")
    if free.count():
        free.first.click()
        page.locator(".ask .main:enabled").click()
        return True
    page.evaluate(NEXT_ROUND)
    return False


def step_of_evolution(page: Page) -> bool:
    """Declare, or feed with the first option, and return whether there was a request.

    A declaration buys a species while the row is short.  An attack takes the first target.
    """
    if page.locator(".hand [data-card][aria-pressed]").count():
        use_card(page, "food")
        if page.locator(".row.mine .board").count() < 3 and page.locator(".hand [data-card]").count():
            use_card(page, "buy")
        page.locator(".confirm .main").click()
        return True
    selectors = (
        "button.danger:not([aria-disabled])",
        "[data-key=store]",
        ".choices .option",
        ".board.lit .press",
        ".panel .option",
    )
    for selector in selectors:
        found = page.locator(selector).filter(visible=True)
        if found.count():
            found.first.click()
            return True
    return False


def follow_guide(page: Page, on_step: Callable[[int], object] = lambda step: None) -> list[str]:
    """Click what the guide of a first game marks until the result is shown.  Return the titles of its steps.

    Before the first click of each step, `on_step` is called with the number of the step.
    """
    end = time.monotonic() + LONGEST_GAME_SECONDS
    steps: list[str] = []
    lit = page.locator("body.my-turn .coach-lit")
    while not result_is_shown(page):
        assert time.monotonic() < end, "the game does not end"
        page.evaluate(SKIP)
        page.evaluate(NEXT_ROUND)
        if lit.count():
            step = page.locator("#lesson b").inner_text()
            if step not in steps:
                steps.append(step)
                on_step(len(steps))
            # A board has a button; the other marked elements are buttons.
            inside = lit.locator(".press")
            if inside.count():
                inside.click()
            else:
                lit.click(position=STRIP if lit.get_attribute("data-card") else None)
        page.wait_for_timeout(60)
    return steps


def declare_first_card(page: Page) -> None:
    """Give the first card to the hole and declare."""
    use_card(page, "food")
    page.get_by_role("button", name="Declare", exact=True).click()


def use_card(page: Page, use: str, card: str = "") -> None:
    """Choose the first remaining card, or the first with a given text, and use it.  It must have a single target."""
    steps = page.locator(".steps li:not(.todo)")
    taken = steps.count()
    # Cards are pressable only during a declaration.  Press the strip that the next card in a full hand leaves visible.
    page.locator(".hand [data-card][aria-pressed]").filter(has_text=card).first.click(position=STRIP)
    page.locator(f"button.card-use[data-key={KEYS[use]}]").click()
    expect(steps).to_have_count(taken + 1)


ENGLISH = ("Scavenger", "Carnivore", "Attack with")
PORTUGUESE = ("Carniceiro", "Carnívoro", "Atacar com")
"""The cards and the button of a hunt in the language of the page."""


def hunt(page: Page, words: tuple[str, str, str] = ENGLISH) -> None:
    """Create a carnivore and select its attack, at a table with SEED_OF_A_HUNT and three silly bots.

    Its targets include species with and without horns, a protected herd, and a scavenger that eats as well.
    """
    scavenger, carnivore, attack = words
    use_card(page, "food", scavenger)
    use_card(page, "buy", "−6")
    use_card(page, "trait", carnivore)
    page.locator(".confirm .main").click()
    wait_for_feeding(page)
    page.locator(".panel .options").get_by_role("button", name=attack).click()


def wait_for_feeding(page: Page) -> None:
    """Skip animations until there is a request to feed."""
    skip_until(page, ".panel .options")


def skip_until(page: Page, selector: str) -> None:
    """Skip animations until an element appears."""
    end = time.monotonic() + LONGEST_GAME_SECONDS
    while not page.locator(selector).count():
        assert time.monotonic() < end, f"there is no {selector}"
        page.evaluate(SKIP)
        page.wait_for_timeout(30)
