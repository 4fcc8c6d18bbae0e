"""Whole games in a browser, alone and with friends."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.browser.conftest import Visit
from tests.browser.playing import (
    SEED_OF_A_HUNT,
    declare_first_card,
    hunt,
    open_table,
    play,
    play_evolution,
    play_porrinha,
    skip_until,
    step_of_evolution,
    use_card,
)

PLAY = {"evolution": play_evolution, "porrinha": play_porrinha}
SHORT: dict[str, Any] = {"evolution": {"most_turns": 2}, "porrinha": {"sticks": 1}}
BOTS = {"evolution": ("greedy", "random", "silly"), "porrinha": ("counter", "random", "zero")}


def drag(page: Page, thing: Locator, place: Locator) -> None:
    """Drag with the mouse in several moves."""
    start, end = thing.bounding_box(), place.bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + 20, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(start["x"] + 40, start["y"] - 20, steps=3)
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=3)
    page.mouse.up()


@pytest.mark.parametrize("game", PLAY)
def test_whole_game_can_be_played_and_replayed_from_another_seat(visit: Visit, game: str) -> None:
    page = visit("about:blank")
    open_table(page, game, "me", *BOTS[game], seed=4, **SHORT[game])
    PLAY[game](page)
    expect(page.locator("#result .result li")).to_have_count(4)
    expect(page.locator("#result li.mine")).to_contain_text("Ana (you)")
    page.get_by_role("link", name="Replay").click()
    eyes = page.get_by_role("group", name="Viewpoint").get_by_role("button")
    expect(eyes).to_have_count(5)
    eyes.nth(2).click()
    expect(eyes.nth(2)).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("eyes=1"))


def test_help_shows_the_commitment_to_the_deal_and_its_nonce_after_the_game(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", seed=4, most_turns=1)
    skip_until(page, "body.my-turn")
    page.locator("#help-button").click()
    deal = page.locator("#help section", has=page.get_by_role("heading", name="The deal"))
    published = deal.locator("code")
    expect(published).to_have_text(re.compile(r"^sha256:[0-9a-f]{64}$"))
    expect(deal).to_contain_text("Its nonce is revealed when the game is over.")
    before = published.inner_text()
    page.keyboard.press("Escape")
    play_evolution(page)
    with page.expect_response(re.compile("/api/games/[^/]+/replay$")) as shown:
        page.get_by_role("link", name="Replay").click()
    commitment = shown.value.json()["commitment"]
    page.go_back()
    page.locator("#result").get_by_role("button", name="Close").click()
    page.locator("#help-button").click()
    expect(deal).to_contain_text("its nonce is revealed")
    assert published.all_inner_texts() == [before, commitment["nonce"]]
    assert before == commitment["digest"]


@pytest.mark.slow
@pytest.mark.parametrize("game", PLAY)
def test_whole_game_with_the_defaults_of_the_lobby(visit: Visit, game: str) -> None:
    page = visit("/")
    page.get_by_role("region", name=game.capitalize()).get_by_role("button", name="Play now").click()
    expect(page.locator("body.my-turn")).to_be_visible()
    PLAY[game](page)
    expect(page.locator("#result .result li")).to_have_count(4)


def test_missing_food_card_is_reported_and_steps_can_be_undone(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", seed=2)
    declare = page.get_by_role("button", name="Declare", exact=True)
    expect(page.get_by_text("into the watering hole first").first).to_be_visible()
    expect(declare).to_be_disabled()
    steps = page.locator(".steps li:not(.todo)")
    use_card(page, "food")
    expect(declare).to_be_enabled()
    use_card(page, "buy")
    # Add an animal to the new species, a step that depends on its purchase.
    page.keyboard.press("1")
    page.keyboard.press("p")
    page.locator("button.zone[data-zone=population]").last.click()
    expect(steps).to_have_count(3)
    page.get_by_role("button", name="Undo step 2, and 1 step that depends on it").click()
    expect(steps).to_have_count(1)
    page.keyboard.press("z")
    expect(steps).to_have_count(0)
    expect(declare).to_be_disabled()


def test_card_can_be_dragged_to_the_hole_and_an_illegal_target_shows_the_reason(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", "silly", seed=SEED_OF_A_HUNT)
    steps = page.locator(".steps li:not(.todo)")
    # Cards are pressable only during a declaration.
    drag(page, page.locator(".hand [data-card][aria-pressed]").first, page.locator(".pool"))
    expect(steps).to_have_count(1)
    expect(steps.first).to_contain_text("Fertile −1 to the watering hole")
    # The first species has no trait that could be replaced.
    drag(page, page.locator(".hand [data-card]").first, page.locator(".row.mine .traits"))
    expect(page.get_by_role("tooltip")).to_contain_text("Scavenger +2 cannot be laid on species 1")
    drag(page, page.locator(".hand [data-card]").first, page.locator(".pool"))
    expect(page.get_by_role("tooltip")).to_contain_text("Fertile −1 and Scavenger +2 are both given as food")
    expect(steps).to_have_count(1)


def test_attack_has_a_preview_and_a_safe_target_shows_its_protection(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", "silly", seed=SEED_OF_A_HUNT)
    hunt(page)
    targets = page.locator(".board.lit")
    expect(targets).to_have_count(5)
    expect(page.locator(".target-tag", has_text="2 → 1, horns")).to_be_visible()
    safe = page.locator(".board.safe")
    expect(safe).to_have_accessible_name(re.compile("Protected: Herding"))
    safe.click()
    expect(page.get_by_role("tooltip")).to_contain_text("Herding protects")
    expect(page.get_by_role("button", name="Attack", exact=True)).to_have_count(0)
    page.get_by_role("button", name=re.compile("dies out$")).first.click()
    chain = page.locator(".attack-preview li")
    expect(chain.first).to_contain_text("dies out")
    expect(page.locator(".attack-preview")).to_contain_text("as a scavenger")
    before = targets.count()
    hole = chain.last.locator("b").inner_text()
    page.get_by_role("button", name="Attack", exact=True).click()
    # The preview matches what happens.
    page.get_by_role("button", name="Log", exact=True).click()
    expect(page.get_by_role("log")).to_contain_text("dies out")
    assert before == 5
    assert re.fullmatch(r"\d+ → \d+", hole)


def test_hand_can_be_sorted_and_a_sound_can_be_turned_on(visit: Visit) -> None:
    page = visit("about:blank")
    # Count the tones instead of playing them.  A `resume` before the first press never ends, as in Chromium.
    page.add_init_script(
        """let tones = 0;
        const part = () => ({ connect: (next) => next });
        const count = () => (document.documentElement.dataset.tones = ++tones);
        window.AudioContext = class {
          currentTime = 0;
          resume = () => navigator.userActivation.hasBeenActive ? Promise.resolve() : new Promise(() => {});
          createGain = () => ({ ...part(), gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} } });
          createOscillator = () => ({ ...part(), frequency: {}, start: count, stop() {} });
        };"""
    )
    open_table(page, "evolution", "me", "silly", "silly", "silly", seed=SEED_OF_A_HUNT)
    cards = page.locator(".hand [data-card]")
    points, sorter = page.locator(".hand .points"), page.get_by_role("button", name="Your hand is sorted")
    expect(points).to_have_text(["−1", "+2", "+5", "−6"])
    sorter.click()
    expect(points).to_have_text(["+5", "+2", "−1", "−6"])
    sorter.click()
    expect(points).to_have_text(["+5", "−6", "−1", "+2"])
    # The keys follow the visible order, and the order is saved.
    page.keyboard.press("3")
    expect(cards.nth(2)).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(points).to_have_text(["+5", "−6", "−1", "+2"])
    page.keyboard.press("?")
    page.get_by_role("button", name="Sound on my turn: off").click()
    expect(page.get_by_role("button", name="Sound on my turn: on")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("html")).to_have_attribute("data-tones", "1")
    # After a reload, Chromium sometimes allows sound before the first press; the page then plays one at once.
    page.reload()
    use_card(page, "food")
    tones = int(page.locator("html").get_attribute("data-tones") or 0)
    page.get_by_role("button", name="Declare", exact=True).click()
    skip_until(page, f"html[data-tones='{tones + 1}']")


def test_taken_number_is_explained_and_not_selectable(visit: Visit) -> None:
    page = visit("about:blank")
    # The last seat guesses last.
    open_table(page, "porrinha", "zero", "zero", "me", seed=1)
    expect(page.locator("#hint")).to_have_text("Your turn: hide some sticks.")
    page.locator(".numbers button").first.click()
    page.locator(".ask .main").click()
    expect(page.locator("#hint")).to_have_text("Your turn: guess the sum.")
    taken = page.locator(".numbers .taken").first
    expect(taken).to_be_disabled()
    page.keyboard.press(taken.locator("b").inner_text())
    expect(page.locator(".ask .hint")).to_contain_text("said")
    expect(page.locator(".ask .main")).to_be_disabled()


@pytest.mark.slow
def test_two_humans_play_porrinha_and_a_rematch(visit: Visit) -> None:
    ana = visit("/")
    card = ana.get_by_role("region", name="Porrinha")
    seats = card.get_by_role("combobox")
    while seats.count() > 2:
        seats.last.select_option(label="Remove seat")
    seats.nth(1).select_option("friend")
    card.get_by_role("button", name=re.compile("^Rules")).click()
    sheet = ana.get_by_role("dialog", name="Rules of Porrinha")
    sheet.get_by_text("Change individual rules").click()
    sheet.get_by_label("Sticks at the start", exact=True).fill("1")
    sheet.get_by_role("button", name="Use these rules").click()
    card.get_by_role("button", name="Open table").click()
    bea = sit_down_as(visit, ana.get_by_label("Invitation link").input_value(), "Bea")
    expect(ana.get_by_role("region", name=re.compile("^Bea"))).to_be_visible()
    play_porrinha(ana, bea)
    ana.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(ana.get_by_role("button", name="Rematch")).to_be_hidden()
    ana.get_by_role("button", name="Result").click()
    ana.get_by_role("button", name="Rematch").click()
    expect(ana).not_to_have_url(bea.url)
    expect(bea.get_by_text(re.compile("wants a rematch and has kept your seat"))).to_be_visible()
    bea.get_by_role("button", name="Sit down").click()
    expect(bea).to_have_url(ana.url)
    expect(bea.locator(".numbers")).to_be_visible()
    expect(ana.locator(".numbers")).to_be_visible()


def sit_down_as(visit: Visit, link: str, name: str) -> Page:
    """Sit down with an invitation, which names the game, and wait until the page has reloaded."""
    page = visit(link)
    expect(page.get_by_role("heading", name=re.compile("^You’re invited to (Evolution|Porrinha)$"))).to_be_visible()
    expect(page.get_by_role("region", name="Invitation").get_by_role("listitem")).not_to_have_count(0)
    page.get_by_label("Your name").fill(name)
    with page.expect_navigation():
        page.get_by_role("button", name="Sit down").click()
    return page


RECORD_HINTS = """
    window.hints = [];
    new MutationObserver(() => hints.push(document.querySelector("#hint").textContent))
      .observe(document.querySelector("#hint"), { childList: true, characterData: true, subtree: true });
"""
"""Records every text of the status bar."""


def test_two_humans_declare_at_the_same_time_and_play_evolution_with_a_bot(visit: Visit) -> None:
    ana = visit("about:blank")
    (link,) = open_table(ana, "evolution", "me", "friend", "silly", most_turns=1)
    bea = sit_down_as(visit, link, "Bea")
    declare_first_card(bea)
    expect(bea.locator("#hint")).to_have_text("You have declared. Waiting for Ana.")
    expect(bea.get_by_role("region", name="Ana")).to_contain_text("is choosing")
    expect(ana.get_by_role("region", name="Bea")).to_contain_text("has declared")
    expect(ana.get_by_label("A food card, face down, Bea")).to_be_visible()
    bea.reload()
    expect(bea.locator("#hint")).to_have_text("You have declared. Waiting for Ana.")
    bea.evaluate(RECORD_HINTS)
    declare_first_card(ana)
    play(ana, step_of_evolution, bea, skips=False)
    # The reloaded page does not call the declaration her only option.
    assert "You keep the species as they are." in bea.evaluate("hints")
    assert ana.locator("#result .who").all_inner_texts() != bea.locator("#result .who").all_inner_texts()
    assert ana.locator("#result .score").all_inner_texts() == bea.locator("#result .score").all_inner_texts()


def test_player_who_leaves_after_declaring_is_out_even_after_opening_the_page_again(visit: Visit) -> None:
    ana = visit("about:blank")
    (link,) = open_table(ana, "evolution", "me", "friend", "silly", most_turns=1)
    bea = sit_down_as(visit, link, "Bea")
    address = bea.url
    declare_first_card(bea)
    expect(ana.get_by_role("region", name="Bea")).to_contain_text("has declared")
    bea.keyboard.press("?")
    bea.get_by_role("button", name="Leave the table").click()
    bea.get_by_role("button", name="Give up: I lose this game").click()
    expect(ana.get_by_role("region", name="Bea")).to_contain_text("has left")
    expect(ana.get_by_role("region", name="Bea")).not_to_contain_text(re.compile("away|has declared"))
    bea.goto(address)
    expect(bea.locator("#hint")).to_have_text("Ana is choosing.")
    expect(bea.locator(".me")).not_to_contain_text("declared")
    expect(ana.get_by_role("region", name="Bea")).not_to_contain_text("has declared")


def test_players_declare_again_with_the_same_draft_when_another_player_leaves(visit: Visit) -> None:
    ana = visit("about:blank")
    links = open_table(ana, "evolution", "me", "friend", "friend", most_turns=1)
    bea, cyd = (sit_down_as(visit, link, name) for link, name in zip(links, ("Bea", "Cyd"), strict=True))
    steps = bea.locator(".steps li:not(.todo)")
    use_card(bea, "food")
    use_card(bea, "buy")
    declared = steps.all_inner_texts()
    bea.get_by_role("button", name="Declare", exact=True).click()
    use_card(cyd, "food")
    drafted = cyd.locator(".steps li:not(.todo)").all_inner_texts()
    expect(cyd.get_by_role("region", name="Bea")).to_contain_text("has declared")
    ana.keyboard.press("?")
    ana.get_by_role("button", name="Leave the table").click()
    ana.get_by_role("button", name="Give up: I lose this game").click()
    expect(bea.locator("#hint")).to_have_text("You can change your declaration. Declare again.")
    assert steps.all_inner_texts() == declared
    expect(cyd.get_by_role("region", name="Ana")).to_have_count(0)
    # The request is repeated after the page has shown that Ana left.
    expect(cyd.locator(".steps li:not(.todo)")).to_have_count(len(drafted))
    assert cyd.locator(".steps li:not(.todo)").all_inner_texts() == drafted
    for page in (bea, cyd):
        page.get_by_role("button", name="Declare", exact=True).click()
        expect(page.locator(".steps")).to_have_count(0)


def test_clock_is_visible_only_in_the_last_two_minutes(visit: Visit) -> None:
    page = visit("about:blank")
    page.clock.install()
    open_table(page, "porrinha", "me", "zero")
    expect(page.locator("#hint")).to_have_text("Your turn: hide some sticks.")
    expect(page.locator("#clock")).to_be_hidden()
    page.clock.fast_forward("28:20")
    expect(page.locator("#clock")).to_have_text(re.compile(r"^(100|\d\d) seconds$"))


def test_reopened_tab_resumes_the_seat_and_the_request(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", seed=2)
    expect(page.locator(".hand [data-card]").first).to_be_visible()
    cards = page.locator(".hand [data-card]").count()
    address = page.url
    again = page.context.new_page()
    page.close()
    again.goto(address)
    expect(again.locator(".hand [data-card]")).to_have_count(cards)
    declare_first_card(again)
    expect(again.locator(".hand [data-card]")).not_to_have_count(cards)


def test_draft_survives_a_broken_connection(visit: Visit) -> None:
    page = visit("about:blank")
    sockets: list[WebSocketRoute] = []

    def forward(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket(re.compile("/socket$"), forward)
    open_table(page, "evolution", "me", "silly", "silly", seed=2)
    use_card(page, "food")
    sockets[0].send('{"type": "bye", "reason": "The page sent too many messages.", "final": false}')
    sockets[0].close()
    expect(page.get_by_text("Connection lost. Your seat is reserved.")).to_be_visible()
    expect(page.get_by_text("Connection lost. Your seat is reserved.")).to_have_count(0)
    assert len(sockets) == 2
    expect(page.locator(".steps li:not(.todo)")).to_have_count(1)
    use_card(page, "buy")


def test_second_window_takes_over_the_seat_and_the_first_shows_it(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", seed=2)
    expect(page.locator("body.my-turn")).to_be_visible()
    second = page.context.new_page()
    second.goto(page.url)
    expect(second.locator("body.my-turn")).to_be_visible()
    expect(page.locator("body.my-turn")).to_have_count(0)
    expect(page.locator("#hint")).to_contain_text("window")


def test_spectator_sees_no_hand(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "evolution", "me", "silly", "silly", seed=2)
    expect(page.locator(".hand [data-card]").first).to_be_visible()
    spectator = visit(page.url)
    expect(spectator.get_by_text("watching")).to_be_visible()
    expect(spectator.locator(".others .board").first).to_be_visible()
    expect(spectator.locator("[data-card]")).to_have_count(0)
