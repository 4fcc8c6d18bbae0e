"""The page in Portuguese: no screen has an English word, and rules appear as words."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.playing import (
    SKIP,
    open_table,
    play_porrinha,
    result_is_shown,
    set_up,
    skip_until,
    step_of_evolution,
)

ENGLISH = re.compile(
    r"\b(the|and|you|your|with|of|to|is|are|in|on|one|choose|card|cards|turn|round|food|table|tables|seat|seats|rules|"
    r"player|players|play|game|games|watch|bot|bots|stick|sticks|species|animals|trait|traits|feed|reveal|"
    r"waiting|friend|program|result|log|help|close|undo|speed|pause|replay of|show|shows|copy|leave|name|private)\b"
)
NAMES = re.compile(r"watering hole|\b(ana|greedy|silly|random|counter|zero|champion|equilibrium|expert|search)\b")

TEXTS = """() => {
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("[lang=en]");
  const texts = [document.title, document.body.innerText];
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]"))
    for (const name of ["aria-label", "title", "placeholder"])
      if (isShown(element)) texts.push(element.getAttribute(name) ?? "");
  return texts.flatMap((text) => text.split("\\n"));
}"""


def english_in(page: Page) -> list[str]:
    """Return the texts on the screen that contain an English word."""
    texts = [NAMES.sub("", text.lower()) for text in page.evaluate(TEXTS)]
    return sorted({text for text in texts if ENGLISH.search(text)})


@pytest.fixture
def open_portuguese(visit: Visit) -> Callable[..., Page]:
    return lambda path, **more: visit(path, locale="pt-BR", **more)


@pytest.mark.parametrize("path", ["/", "/replay", "/standings", "/table/unknown"])
def test_pages_have_no_english_word(open_portuguese: Callable[..., Page], path: str) -> None:
    page = open_portuguese(path)
    expect(page.locator("h1").first).not_to_be_empty()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.lang") == "pt-BR"
    assert english_in(page) == []


def test_rules_appear_as_words_in_both_languages(visit: Visit) -> None:
    for locale, title, name, value in (
        ("en-GB", "Rules of Evolution", "A negative hole is set to 0", "after all food cards"),
        ("pt-BR", "Regras de Evolution", "Poça negativa volta a 0", "depois de todas"),
    ):
        page = visit("/", locale=locale)
        page.locator(".game button.rules").first.click()
        sheet = page.get_by_role("dialog", name=title)
        sheet.locator("summary").click()
        sheet.get_by_label(name, exact=True).select_option(label=value)
        assert not re.search(r"\b\w+_\w+\b|per-card", sheet.inner_text())
        line = f"{name}: {value}"
        page.reload()
        created = set_up(page, "evolution", "me", "friend", "silly", food_clamp="total")
        page.goto(created["table"]["link"])
        expect(page.locator("#table")).to_contain_text(line)
        open_table(page, "evolution", "me", "silly", "silly", seed=5, food_clamp="total")
        skip_until(page, ".hand .card")
        page.locator("#help-button").click()
        expect(page.locator("#help")).to_contain_text(line)


def test_porrinha_is_played_in_portuguese_to_the_replay(open_portuguese: Callable[..., Page]) -> None:
    page = open_portuguese("/")
    open_table(page, "porrinha", "me", "random", seed=5, sticks=1, opening_zero="forbidden")
    skip_until(page, ".numbers")
    assert english_in(page) == []
    page.locator("#help-button").click()
    expect(page.locator("#help")).to_contain_text("Mão vazia na primeira rodada: proibida")
    assert english_in(page) == []
    page.keyboard.press("Escape")
    page.locator("#log-button").click()
    play_porrinha(page)
    expect(page.locator("#result")).to_contain_text("Mão vazia na primeira rodada: proibida")
    assert english_in(page) == []
    page.locator("#result a.primary").click()
    expect(page.locator(".at-replay .log li").first).to_be_visible()
    expect(page.locator("#main")).to_contain_text("Mão vazia na primeira rodada: proibida")
    assert english_in(page) == []


def test_evolution_is_played_in_portuguese(open_portuguese: Callable[..., Page]) -> None:
    page = open_portuguese("/")
    open_table(page, "evolution", "me", "greedy", "silly", seed=5)
    skip_until(page, ".hand .card")
    page.locator(".hand .card").first.click()
    assert english_in(page) == []
    page = open_portuguese("/")
    open_table(page, "evolution", "me", "greedy", "silly", seed=5)
    steps = 0
    while steps < 8 and not result_is_shown(page):
        if step_of_evolution(page):
            steps += 1
        else:
            page.evaluate(SKIP)
            page.wait_for_timeout(30)
        assert english_in(page) == []
    page.locator("#log-button").click()
    assert english_in(page) == []


def test_language_can_be_switched_by_hand(visit: Visit) -> None:
    page = visit("/", locale="en-GB")
    expect(page.get_by_role("heading", level=1)).to_have_text("Take a seat at the hole")
    page.get_by_role("button", name="PT: Português").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sente-se à beira da poça")
    page.goto("/standings")
    expect(page.get_by_role("heading", level=1)).to_have_text("Classificação")
    page.get_by_role("button", name="EN: English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Standings")
