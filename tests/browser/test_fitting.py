"""Layout: no control is covered, cut off or off the screen."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SIZES, Visit
from tests.browser.house import House
from tests.browser.playing import (
    LONGEST_GAME_SECONDS,
    SEED_OF_A_HUNT,
    SKIP,
    STRIP,
    declare_first_card,
    hunt,
    joined,
    open_table,
    play_evolution,
    result_is_shown,
    skip_until,
    step_of_evolution,
    step_of_porrinha,
    use_card,
)

WIDE_FONTS = """
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`:root {
        --font-text: "DejaVu Sans", Verdana !important;
        --font-display: "DejaVu Serif", "DejaVu Sans", Verdana !important;
    }`);
    document.adoptedStyleSheets.push(sheet);
"""
"""Uses the widest fonts that a system may have for the page's stack of fonts."""

WIDTH_OF_FONT = """() => {
    const context = document.createElement("canvas").getContext("2d");
    context.font = '100px "DejaVu Sans", Verdana, sans-serif';
    return context.measureText("Hamburgefonstiv").width;
}"""
"""In DejaVu Sans and in Verdana, the word is wider than this many pixels; in most other fonts it is much narrower."""
LEAST_WIDTH = 850


@pytest.fixture
def visit(visit: Visit) -> Visit:
    """Open pages with wide fonts, so that the tests hold on every system."""

    def open_page(path: str, **options: Any) -> Page:
        page = visit("about:blank", **options)
        if page.evaluate(WIDTH_OF_FONT) < LEAST_WIDTH:
            pytest.skip("needs a wide font: apt install fonts-dejavu")
        page.context.add_init_script(WIDE_FONTS)
        page.goto(path)
        return page

    return open_page


COVERED = """things => things.filter(thing => {
    thing.scrollIntoView({ block: "nearest" });
    const box = thing.getBoundingClientRect();
    return !thing.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
}).map(thing => thing.innerText)"""
"""The texts of elements that cannot be pressed in their middle."""

CUT_CHOICES = """selects => selects.filter(select => {
    const given = select.getBoundingClientRect().width, { maxWidth, fieldSizing } = select.style;
    Object.assign(select.style, { maxWidth: "none", fieldSizing: "content" });
    const needed = select.getBoundingClientRect().width;
    Object.assign(select.style, { maxWidth, fieldSizing });
    return needed > given + 1;
}).map(select => select.selectedOptions[0].text)"""
"""The chosen texts that are wider than their fields."""

LONE_STOPS = """choices => choices.filter(choice => {
    const range = new Range();
    range.selectNode(choice.lastChild);
    const [stop, field] = [range, choice.firstElementChild].map(part => part.getBoundingClientRect());
    return stop.left < field.right - 1 || stop.top > field.bottom;
}).map(choice => choice.innerText)"""
"""The sentences whose full stop is in the line below their choice."""

CUT = "words => words.filter(word => word.scrollWidth > word.clientWidth).map(word => word.innerText)"


@pytest.mark.slow
def test_eight_players_of_porrinha_fit_every_size(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "porrinha", *["zero"] * 7, "me", seed=1)
    expect(page.locator(".numbers button")).to_have_count(4)
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert page.locator(".numbers small").evaluate_all(CUT) == []
    page.locator(".numbers button").first.click()
    page.locator(".ask .main").click()
    skip_until(page, ".numbers .taken")
    expect(page.locator(".numbers button")).to_have_count(25)
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert page.locator(".numbers button, .ask .main").evaluate_all(COVERED) == [], width
        assert page.locator(".numbers small").evaluate_all(CUT) == [], width
        plates = [plate.bounding_box() for plate in page.locator(".plate, .guess").all()]
        assert all(plate and plate["x"] >= 0 and plate["x"] + plate["width"] <= width for plate in plates), width


@pytest.mark.parametrize(("width", "height"), [(360, 640), (1280, 720), (1366, 650), (1440, 900)])
def test_own_seat_of_porrinha_is_visible_during_a_request(visit: Visit, width: int, height: int) -> None:
    page = visit("about:blank", width=width, height=height)
    open_table(page, "porrinha", "counter", "equilibrium", "me", "random", seed=3)
    page.locator(".numbers button").first.click()
    page.locator(".ask .main").click()
    expect(page.locator(".numbers .taken")).to_have_count(2)
    top, bottom = page.locator("#status-bar").bounding_box(), page.locator(".ask").bounding_box()
    assert top is not None
    assert bottom is not None
    for box in (each.bounding_box() for each in page.locator(".plate, .guess").all()):
        assert box is not None
        assert top["y"] + top["height"] <= box["y"]
        assert box["y"] + box["height"] <= bottom["y"]
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    assert page.locator(".numbers small").evaluate_all(CUT) == []


HIDDEN = """numbers => numbers.filter(number => {
    const box = number.getBoundingClientRect();
    const isFree = x => number.parentElement.contains(document.elementFromPoint(x, box.y + box.height / 2));
    return !isFree(box.left + 1) || !isFree(box.right - 1);
}).map(number => number.innerText)"""
"""The numbers that are covered by another card."""

TOUCHING = """words => words.map(word => word.getBoundingClientRect()).filter((box, at, all) =>
    at > 0 && box.left < all[at - 1].right).length"""
"""How many words in a row overlap the one before."""


@pytest.mark.slow
@pytest.mark.parametrize("bots", [["greedy", "random", "silly"], ["silly"] * 7], ids=len)
def test_names_and_food_cards_are_readable_on_a_laptop_when_the_game_is_over(visit: Visit, bots: list[str]) -> None:
    page = visit("about:blank", width=1280, height=720)
    open_table(page, "evolution", "me", *bots, seed=5, most_turns=1)
    play_evolution(page)
    assert page.locator(".seat-head .who").evaluate_all(CUT) == []
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.locator(".laid.known")).to_have_count(len(bots) + 1)
    assert page.locator(".laid b").evaluate_all(HIDDEN) == []
    assert page.locator(".laid small").filter(visible=True).evaluate_all(TOUCHING) == 0


CLIPPED = """parts => parts.filter(part => {
    const box = part.getBoundingClientRect(), head = part.closest(".seat-head")?.getBoundingClientRect();
    if (!head) return false;  // redrawn meanwhile
    return box.right > head.right + 1 || box.bottom > head.bottom + 1;
}).map(part => part.innerText)"""
"""The texts of elements that do not fit into the line above a player's boards."""


def test_five_players_show_their_cards_and_the_first_one_starts(visit: Visit, house: House) -> None:
    page = visit("about:blank")
    names = ("Node program", "Course client", "Mallory, the elephant")
    links = open_table(page, "evolution", "friend", "me", "friend", "friend", "silly")
    where = house.address.removeprefix("http://")
    with ExitStack() as programs:
        for name, link in zip(names, links, strict=True):
            programs.enter_context(joined(where, name, link.partition("#invite=")[2]))
        heads = page.locator(".seat-head")
        expect(heads).to_have_count(4)
        for width, height in [*SIZES.values(), (1190, 720)]:
            page.set_viewport_size({"width": width, "height": height})
            assert heads.locator(".order, .who, .cards-held, .first").evaluate_all(CLIPPED) == [], width


def test_numbers_of_a_board_do_not_touch_its_edge_on_a_phone(visit: Visit) -> None:
    page = visit("about:blank", width=360, height=640, has_touch=True, is_mobile=True)
    open_table(page, "evolution", "me", "silly", "silly")
    expect(page.locator(".hand [data-card][aria-pressed]").first).to_be_visible()
    for track in page.locator(".board.compact .track").all():
        board, figures = track.bounding_box(), track.locator(".count").bounding_box()
        assert board is not None
        assert figures is not None
        assert figures["x"] + figures["width"] + 3 <= board["x"] + board["width"]


@pytest.mark.parametrize(
    ("width", "height", "bots", "device"),
    [(360, 640, 2, {"has_touch": True, "is_mobile": True}), (1366, 768, 7, {}), (1280, 720, 4, {})],
)
def test_hand_is_visible_on_a_short_screen_during_my_turn(
    visit: Visit, width: int, height: int, bots: int, device: dict[str, bool]
) -> None:
    page = visit("about:blank", width=width, height=height, **device)
    open_table(page, "evolution", "me", *["silly"] * bots, seed=2)
    card, declare = page.locator(".hand [data-card][aria-pressed]").first, page.locator(".confirm .main")
    expect(card).to_be_in_viewport(ratio=1)
    expect(declare).to_be_in_viewport(ratio=1)
    box, bar = card.bounding_box(), page.locator(".confirm").bounding_box()
    assert box is not None
    assert bar is not None
    assert box["y"] + box["height"] <= bar["y"] or box["x"] + box["width"] <= bar["x"]


FREE_STRIPS = """([x, y]) => [...document.querySelectorAll(".hand [data-card]")].filter(card => {
    card.scrollIntoView({ block: "nearest", inline: "center" });
    const box = card.getBoundingClientRect();
    return card.contains(document.elementFromPoint(box.x + x, box.y + y))
        && card.contains(document.elementFromPoint(box.x + 2 * x - 1, box.y + y));
}).length"""
"""How many cards of the hand can be pressed on the strip around [x, y]."""


@pytest.mark.slow
def test_every_card_of_a_full_hand_has_a_visible_strip(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", seed=1)
    cards = page.locator(".hand [data-card][aria-pressed]")
    end = time.monotonic() + LONGEST_GAME_SECONDS
    while cards.count() < 17:
        assert time.monotonic() < end, "the hand does not grow"
        if cards.count():
            declare_first_card(page)
        elif not step_of_evolution(page):
            page.evaluate(SKIP)
            page.wait_for_timeout(30)
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(FREE_STRIPS, [STRIP["x"], STRIP["y"]]) == cards.count()


SCREENS = [(1024, 768), (1280, 720), (768, 1024)]
"""Tablets and a small laptop."""

OUTSIDE = """things => things.filter(thing => {
    const box = thing.getBoundingClientRect();
    return box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight;
}).map(thing => `${thing.className}: ${thing.innerText}`)"""
"""The elements that are not completely on the screen."""

PARTS_OF_EVOLUTION = (
    ".bar .tool, .others, .others .board, .mine-row, .row.mine .board, .hand, .hand .card, .confirm .btn, .panel .main"
)


OVERLAPPING = """parts => {
    const boxes = parts.map(part => part.getBoundingClientRect());
    return parts.filter((_, at) => at > 0 && boxes[at].left < boxes[at - 1].right).map(part => part.innerText);
}"""
"""The texts of the parts of a line that overlap the part before."""

BROKEN = """things => things.flatMap(thing => {
    const nodes = document.createTreeWalker(thing, NodeFilter.SHOW_TEXT), broken = [];
    for (let node = nodes.nextNode(); node; node = nodes.nextNode())
        for (const word of node.data.matchAll(/[^\\s\u00ad]+/g)) {
            const range = new Range();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) broken.push(word[0]);
        }
    return broken;
})"""
"""The words that are broken into two lines."""


def _assert_visible(page: Page, phase: str, parts: str) -> None:
    """Check on every screen that the page does not scroll, that its parts are on the screen and their words whole."""
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        needed = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        assert needed == [width, height], phase
        shown = page.locator(parts).filter(visible=True)
        assert shown.count() > 0, phase
        assert shown.evaluate_all(OUTSIDE) == [], (phase, width)
        assert page.locator(".others .count, .hand .name").filter(visible=True).evaluate_all(CUT) == [], (phase, width)
        assert page.locator(".bar > *:not(.vh)").filter(visible=True).evaluate_all(OVERLAPPING) == [], (phase, width)
        assert page.locator(".btn, .tool, .hand .name").filter(visible=True).evaluate_all(BROKEN) == [], (phase, width)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "turns", "locale"),
    [(2, 1, "pt-BR"), (3, 1, "en-GB"), (4, 2, "pt-BR"), (5, 1, "en-GB"), (7, 1, "pt-BR")],
)
def test_every_phase_of_evolution_fits_tablets_and_laptops(visit: Visit, bots: int, turns: int, locale: str) -> None:
    page = visit("about:blank", locale=locale)
    open_table(page, "evolution", "me", *["silly"] * bots, seed=5, most_turns=turns)
    cards, feeding = page.locator(".hand [data-card][aria-pressed]"), page.locator(".panel .options")
    expect(cards.first).to_be_visible()
    seen = set()
    end = time.monotonic() + LONGEST_GAME_SECONDS
    while not result_is_shown(page):
        assert time.monotonic() < end, "the game does not end"
        phase = "declare" if cards.count() else "feed" if feeding.count() else None
        if phase and (phase, page.locator(".row.mine .board").count()) not in seen:
            seen.add((phase, page.locator(".row.mine .board").count()))
            _assert_visible(page, phase, PARTS_OF_EVOLUTION)
            if phase == "declare":
                cards.first.click(position=STRIP)
                _assert_visible(page, "use a card", PARTS_OF_EVOLUTION)
                page.keyboard.press("Escape")
        if not step_of_evolution(page):
            page.evaluate(SKIP)
            page.wait_for_timeout(30)
    assert {phase for phase, _ in seen} == {"declare", "feed"}
    _assert_visible(page, "result", PARTS_OF_EVOLUTION + ", #result .sheet-foot .btn")
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert page.locator("#result .btn, #result .who").evaluate_all(BROKEN) == [], width


@pytest.mark.parametrize("locale", ["en-GB", "pt-BR"])
def test_first_hand_of_evolution_fits_a_phone(visit: Visit, locale: str) -> None:
    page = visit("about:blank", width=390, height=844, locale=locale)
    open_table(page, "evolution", "me", "silly", "silly", "silly", seed=5)
    expect(page.locator("body.my-turn")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") == 844
    assert page.locator(".hand .card, .confirm .btn").evaluate_all(COVERED) == []


@pytest.mark.slow
@pytest.mark.parametrize("locale", ["en-GB", "pt-BR"])
def test_names_of_opponents_and_seats_are_whole(visit: Visit, locale: str) -> None:
    page = visit("/", locale=locale)
    expect(page.locator(".opponent", has_text="equilibrium")).to_be_visible()
    for width, height in [*SCREENS, *SIZES.values()]:
        page.set_viewport_size({"width": width, "height": height})
        assert page.locator(".opponent .who b").evaluate_all(BROKEN) == [], width
        assert page.locator(".seat-picker select").evaluate_all(CUT_CHOICES) == [], width
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_name_field_has_its_own_line_on_a_phone(visit: Visit) -> None:
    page = visit("/me", width=390, height=844, locale="pt-BR")
    box = page.get_by_label("Nome que os outros jogadores veem").bounding_box()
    assert box is not None
    assert box["width"] > 200


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_room_shows_whole_choices_in_portuguese(visit: Visit, width: int) -> None:
    page = visit("/", width=width, height=844, locale="pt-BR")
    card = page.get_by_role("region", name="Porrinha")
    card.get_by_role("combobox").nth(1).select_option(label="Um amigo")
    card.get_by_role("button", name="Abrir mesa").click()
    expect(page.get_by_label("Jogador no lugar 3")).to_have_value("bot random")
    assert page.locator(".room select").evaluate_all(CUT_CHOICES) == []
    # The full stop is in the line of its choice.
    assert page.locator(".room .chosen").evaluate_all(LONE_STOPS) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.slow
@pytest.mark.parametrize("locale", ["en-GB", "pt-BR"])
def test_links_of_the_header_are_whole_on_tablets(visit: Visit, locale: str) -> None:
    page = visit("/", locale=locale)
    for width in (768, 820, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator("#site-header nav").evaluate("nav => nav.scrollWidth - nav.clientWidth") <= 0, width


SEVEN_TARGETS = """row => {
    while (row.children.length < 7) row.append(row.firstElementChild.cloneNode(true));
    row.style.setProperty("--n", "7");
    row.parentElement.style.setProperty("--boards", "7");
    for (const holder of row.children) {
        holder.classList.add("is-open");
        holder.style.transition = "none";
    }
    return row.scrollWidth - row.clientWidth;
}"""
"""Gives a player seven boards that can be attacked, and returns how many pixels of them are hidden."""


def test_seven_targets_of_a_player_are_visible_on_a_laptop(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", "silly")
    expect(page.locator("body.my-turn")).to_be_visible()
    assert page.locator(".row:not(.mine)").nth(1).evaluate(SEVEN_TARGETS) <= 0


@pytest.mark.slow
def test_attack_fits_tablets_and_laptops(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", "silly", seed=SEED_OF_A_HUNT)
    hunt(page)
    _assert_visible(page, "target", PARTS_OF_EVOLUTION)
    page.get_by_role("button", name="dies out").first.click()
    expect(page.locator(".attack-preview")).to_be_visible()
    _assert_visible(page, "preview", PARTS_OF_EVOLUTION + ", .panel .danger")


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "locale"), [(3, "en-GB"), (4, "pt-BR"), (7, "en-GB"), (7, "pt-BR")])
def test_every_phase_of_porrinha_fits_tablets_and_laptops(visit: Visit, bots: int, locale: str) -> None:
    page = visit("about:blank", locale=locale)
    open_table(page, "porrinha", *["zero"] * bots, "me", seed=1)
    parts = ".seat .plate, .guess, .coaster, .ask, .numbers, .ask .main"
    expect(page.locator(".numbers button").first).to_be_visible()
    _assert_visible(page, "hide", parts)
    step_of_porrinha(page)
    skip_until(page, ".numbers .taken")
    _assert_visible(page, "guess", parts)
    step_of_porrinha(page)
    skip_until(page, ".ask .end .main")
    _assert_visible(page, "reveal", parts)


FAT_OVER_SIZE = """boards => boards.filter(board => {
    const [size, fat] = [".body-n", ".store"].map(part => board.querySelector(part).getBoundingClientRect());
    return fat.left < size.right && fat.right > size.left && fat.top < size.bottom && fat.bottom > size.top;
}).length"""
"""How many boards draw the stored fat over the body size."""


def test_stored_fat_does_not_cover_the_body_size(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", "silly", "silly", seed=5)
    cards = page.locator(".hand [data-card][aria-pressed]")
    end = time.monotonic() + LONGEST_GAME_SECONDS
    while not any("Fat tissue" in card for card in cards.all_inner_texts()[2:]):
        assert time.monotonic() < end, "there is no fat tissue"
        if cards.count():
            declare_first_card(page)
        elif not step_of_evolution(page):
            page.evaluate(SKIP)
            page.wait_for_timeout(30)
    use_card(page, "food")
    use_card(page, "buy")
    use_card(page, "trait", "Fat tissue")
    boards = page.locator(".board:has(.store)")
    expect(page.locator(".row.mine .store")).to_have_count(1)
    for width, height in [*SCREENS, *SIZES.values()]:
        page.set_viewport_size({"width": width, "height": height})
        assert boards.evaluate_all(FAT_OVER_SIZE) == 0, width
