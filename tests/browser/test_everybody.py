"""The page for everybody: small screens, keyboards, screen readers, dark rooms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.playing import play_porrinha, result_is_shown
from tests.conftest import ROOT

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"

SIZES = {"phone": (360, 740), "between": (820, 1100), "wide": (1440, 900)}


def violations(page: Page) -> list[str]:
    """What axe finds that keeps people out."""
    if not AXE.is_file():
        pytest.skip("needs axe-core: make check-page installs it (with npm)")
    # Put in by the test itself, past the page's own policy.
    page.evaluate(Path(AXE).read_text() + "; undefined")
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {json.dumps([node['target'] for node in each['nodes']][:3])}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]


def open_table(page: Page, game: str) -> None:
    page.get_by_role("region", name=game).get_by_role("button", name="Play now").click()
    ready = {"Evolution": ".hand [data-card]", "Porrinha": ".numbers button"}[game]
    expect(page.locator(ready).first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_serious(visit: Visit, size: str, scheme: str) -> None:
    width, height = SIZES[size]
    page = visit("/", width=width, height=height, color_scheme=scheme)
    expect(page.get_by_role("button", name="Play now").first).to_be_visible()
    assert violations(page) == []
    for game in ("Evolution", "Porrinha"):
        page.goto("/")
        open_table(page, game)
        assert violations(page) == []


@pytest.mark.parametrize("path", ["/", "/replay", "/standings"])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_sticks_out_sideways(visit: Visit, path: str, size: str) -> None:
    width, height = SIZES[size]
    page = visit(path, width=width, height=height)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("game", ["Evolution", "Porrinha"])
def test_tables_fit_a_phone_and_can_be_pressed_with_a_thumb(visit: Visit, game: str) -> None:
    page = visit("/", width=360, height=740, has_touch=True, is_mobile=True)
    open_table(page, game)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for target in page.locator("button.btn:visible, .numbers button:visible").all():
        box = target.bounding_box()
        assert box is not None
        assert box["height"] >= 43.5


def test_a_whole_game_of_porrinha_is_played_on_a_phone(visit: Visit) -> None:
    page = visit("/", width=390, height=844, has_touch=True, is_mobile=True)
    open_table(page, "Porrinha")
    play_porrinha(page)
    assert result_is_shown(page)


def test_cards_are_declared_with_the_keyboard_alone(visit: Visit) -> None:
    page = visit("/")
    page.get_by_role("region", name="Evolution").get_by_role("button", name="Play now").focus()
    page.keyboard.press("Enter")
    cards = page.locator(".hand [data-card]")
    expect(cards.first).to_be_visible()
    before = cards.count()
    page.keyboard.press("1")
    page.keyboard.press("f")
    expect(page.locator(".steps li:not(.todo)")).to_have_count(1)
    declare = page.get_by_role("button", name="Declare", exact=True)
    expect(declare).to_be_enabled()
    declare.focus()
    page.keyboard.press("Enter")
    expect(cards).not_to_have_count(before)


def test_a_round_of_porrinha_is_played_with_the_keyboard_alone(visit: Visit) -> None:
    page = visit("/")
    page.get_by_role("region", name="Porrinha").get_by_role("button", name="Play now").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="How many do you hide?")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="How many do you hide?")).to_be_hidden()


def test_help_explains_the_rules_and_the_keys(visit: Visit) -> None:
    page = visit("/")
    open_table(page, "Evolution")
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog")
    expect(sheet).to_be_visible()
    expect(sheet.get_by_text("Warning call").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
