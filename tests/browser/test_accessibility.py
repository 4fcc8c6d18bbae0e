"""Accessibility: small screens, keyboards, touch, screen readers and the dark theme."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NOWHERE, SIZES, Visit
from tests.browser.house import House
from tests.browser.playing import (
    SEED_OF_A_HUNT,
    hunt,
    open_table,
    play_evolution,
    play_porrinha,
    result_is_shown,
    set_up,
    skip_until,
    wait_for_feeding,
)
from tests.cli.running import wateringhole
from tests.conftest import ROOT

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="module")
def game(house: House) -> str:
    """Play a tournament in the house, and return the id of one of its games."""
    ran = wateringhole("tournament", "evolution", "silly", "random", "greedy", "--games", "6", "--store", house.store)
    assert ran.returncode == 0, ran.stderr
    return "1-0-0"


NEEDED = {"region", "page-has-heading-one", "heading-order"}
"""Rules of axe for landmarks and headings, which it calls moderate."""


def violations(page: Page) -> list[str]:
    """Return the serious problems that axe finds, with targets below 24 pixels and content outside of landmarks."""
    found = page.evaluate("axe.run(document, {resultTypes: ['violations'], rules: {'target-size': {enabled: true}}})")
    return [
        f"{each['id']}: {json.dumps([node['target'] for node in each['nodes']][:3])}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical") or each["id"] in NEEDED
    ]


def in_the_lobby(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("button", name="Play now").first).to_be_visible()


def about_me(page: Page) -> None:
    page.goto("/me")
    page.get_by_label("Name shown to other players").fill("Ana")
    page.get_by_role("button", name="Keep my games").click()
    expect(page.get_by_role("button", name="Delete everything")).to_be_visible()


def in_the_waiting_room(page: Page) -> None:
    page.goto("/")
    card = page.get_by_role("region", name="Evolution")
    for seat, occupant in enumerate(("A friend", "Your program"), 1):
        card.get_by_role("combobox").nth(seat).select_option(label=occupant)
    card.get_by_role("button", name="Open table").click()
    expect(page.get_by_alt_text("QR code of")).to_have_attribute("src", re.compile("^data:"))


def declaring(page: Page) -> None:
    open_table(page, "evolution", "me", "silly", "silly", "silly", seed=SEED_OF_A_HUNT)
    page.locator(".hand [data-card][aria-pressed]").first.click()


def hunting(page: Page) -> None:
    open_table(page, "evolution", "me", "silly", "silly", "silly", seed=SEED_OF_A_HUNT)
    hunt(page)
    page.get_by_role("button", name="dies out").first.click()
    expect(page.locator(".attack-preview")).to_be_visible()


def guessing(page: Page) -> None:
    open_table(page, "porrinha", "zero", "zero", "me", seed=1)
    page.locator(".numbers button").first.click()
    page.locator(".ask .main").click()
    skip_until(page, ".numbers .taken")


def leaving(page: Page) -> None:
    guessing(page)
    page.get_by_role("link", name="Watering Hole").click()
    expect(page.get_by_role("dialog", name="Leave the table?")).to_be_visible()


def lost(page: Page) -> None:
    page.goto(NOWHERE)
    expect(page.get_by_role("heading", name="There is nothing at this address")).to_be_visible()


def choosing_a_replay(page: Page) -> None:
    page.goto("/replay")
    expect(page.get_by_label("Record file")).to_be_visible()


def watching(page: Page) -> None:
    page.goto(set_up(page, "evolution", "me", "silly", "silly")["table"]["link"])
    expect(page.get_by_text("Ana is choosing.")).to_be_visible()


def replaying(page: Page) -> None:
    page.goto("/replay/1-0-0#frame=9")
    expect(page.get_by_text("replays exactly")).to_be_visible()


def reading_standings(page: Page) -> None:
    page.goto("/standings/1")
    expect(page.get_by_role("heading", name="Conclusions")).to_be_visible()


def being_taught(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Guided first game").first.click()
    expect(page.locator("#coach")).to_be_visible()


SCREENS = [
    in_the_lobby,
    being_taught,
    about_me,
    in_the_waiting_room,
    declaring,
    hunting,
    guessing,
    leaving,
    watching,
    choosing_a_replay,
    replaying,
    lost,
    reading_standings,
]


@pytest.mark.parametrize("screen", SCREENS)
def test_screen_fits_every_size_and_has_no_serious_axe_problem(
    visit: Visit, game: str, screen: Callable[[Page], None]
) -> None:
    page = visit("about:blank")
    screen(page)
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # The document's width does not include content that is cut off.
        assert page.locator(".bar").evaluate("bar => bar.scrollWidth") <= width
    if not AXE.is_file():
        pytest.skip("needs axe-core: make check-page installs it (with npm)")
    # Inserted by the test itself, because the page's policy forbids it.
    page.evaluate(AXE.read_text() + "; undefined")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for size in ("wide", "phone"):
            width, height = SIZES[size]
            page.set_viewport_size({"width": width, "height": height})
            assert violations(page) == [], (scheme, size)


def test_tournament_page_has_intervals_cross_table_and_replays(visit: Visit, game: str) -> None:
    page = visit("/standings")
    page.get_by_role("link", name=re.compile("Evolution")).click()
    ranking = page.get_by_role("table", name=re.compile("Ratings"))
    expect(ranking.get_by_role("row")).to_have_count(4)
    expect(ranking.get_by_role("rowheader", name="greedy")).to_be_visible()
    expect(page.get_by_role("table", name=re.compile("Percentage"))).to_be_visible()
    page.locator(".notable a").first.click()
    expect(page.get_by_text("replays exactly")).to_be_visible()


@pytest.mark.parametrize("screen", [declaring, guessing])
def test_buttons_are_large_enough_for_a_thumb(visit: Visit, screen: Callable[[Page], None]) -> None:
    page = visit("about:blank", width=360, height=740, has_touch=True, is_mobile=True)
    screen(page)
    targets = page.locator("button.btn:visible, .numbers button:visible, .card-use:visible, .card:visible").all()
    assert len(targets) > 4
    for target in targets:
        box = target.bounding_box()
        assert box is not None
        assert box["height"] >= 43.5


def test_sort_button_is_large_enough_for_a_thumb(visit: Visit) -> None:
    page = visit("about:blank", width=360, height=740, has_touch=True, is_mobile=True)
    declaring(page)
    assert min(page.locator(".sort").evaluate(REACH)) >= 43.5


REACH = """thing => {
    const box = thing.getBoundingClientRect();
    const [middle, centre] = [box.x + box.width / 2, box.y + box.height / 2];
    const hits = (x, y) => thing.contains(document.elementFromPoint(middle + x, centre + y));
    const reach = (x, y) => { let steps = 0; while (hits(x * steps / 4, y * steps / 4)) steps += 1; return steps / 4; };
    return [reach(1, 0) + reach(-1, 0), reach(0, 1) + reach(0, -1)];
}"""
"""The touchable width and height of an element: more than is drawn, or less where something covers it."""


def test_whole_game_of_porrinha_on_a_phone(visit: Visit) -> None:
    page = visit("about:blank", width=390, height=844, has_touch=True, is_mobile=True)
    open_table(page, "porrinha", "me", "zero", "random", seed=2, sticks=1)
    play_porrinha(page)
    assert result_is_shown(page)


def test_whole_game_of_evolution_on_a_phone(visit: Visit) -> None:
    page = visit("about:blank", width=390, height=844, has_touch=True, is_mobile=True)
    open_table(page, "evolution", "me", "silly", "greedy", seed=2, most_turns=2)
    play_evolution(page)
    assert result_is_shown(page)


def test_tap_on_a_board_lists_its_highlighted_zones_on_a_phone(visit: Visit) -> None:
    page = visit("about:blank", width=390, height=844, has_touch=True, is_mobile=True)
    open_table(page, "evolution", "me", "silly", "silly", seed=2)
    page.locator(".hand [data-card][aria-pressed]").first.tap()
    page.locator(".row.mine .board .scene").tap(position={"x": 5, "y": 5})
    page.get_by_role("group", name="on species 1").get_by_role("button", name="One more animal").tap()
    expect(page.locator(".steps li:not(.todo)")).to_contain_text("for an animal of species 1")


def press_until(page: Page, key: str, name: str) -> None:
    """Press a key until an element with this text has the focus."""
    for _ in range(40):
        if name in (page.evaluate("document.activeElement?.innerText") or ""):
            return
        page.keyboard.press(key)
    pytest.fail(f"{name} cannot be reached with {key}")


def test_turn_of_evolution_with_the_keyboard_only(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", "silly", seed=SEED_OF_A_HUNT)
    expect(page.locator("body.my-turn")).to_be_visible()
    steps = page.locator(".steps li:not(.todo)")
    for number, (card, way) in enumerate([("2", "f"), ("3", "n"), ("2", "t")], start=1):
        page.keyboard.press(card)
        page.keyboard.press(way)
        expect(steps).to_have_count(number)
    press_until(page, "Tab", "Declare")
    page.keyboard.press("Enter")
    wait_for_feeding(page)
    attack = page.locator(".panel .options").get_by_role("button", name="Attack with")
    page.keyboard.press(attack.get_attribute("aria-keyshortcuts") or "")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Attack", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Attack", exact=True)).to_have_count(0)
    expect(page.locator(".board.lit .press:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Attack", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#log-lines")).to_contain_text("attacked by your second species")


def test_round_of_porrinha_with_the_keyboard_only(visit: Visit) -> None:
    page = visit("/")
    page.get_by_role("region", name="Porrinha").get_by_role("button", name="Play now").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="How many sticks do you hide?")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="How many sticks do you hide?")).to_be_hidden()


def test_help_lists_rules_and_keys_and_a_focused_card_has_a_tooltip(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", seed=2)
    expect(page.locator("body.my-turn")).to_be_visible()
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog")
    expect(sheet).to_be_visible()
    expect(sheet.get_by_text("Warning call").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    page.locator(".hand [data-card]").first.focus()
    expect(page.get_by_role("tooltip")).to_be_visible()
