"""The coach in a browser: the guided first game, hints in three levels, and warnings."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import Visit
from tests.browser.playing import (
    follow_guide,
    open_table,
    play,
    skip_until,
    step_of_evolution,
    step_of_porrinha,
    use_card,
)

GAMES = ["Evolution", "Porrinha"]
STEPS = {"Evolution": 7, "Porrinha": 6}
"""The steps of each guided game."""


def open_first_game(page: Page, game: str) -> None:
    card = page.get_by_role("region", name=game)
    card.get_by_role("button", name="Guided first game").click()
    expect(page.locator("#lesson")).to_contain_text(f"First game, step 1 of {STEPS[game]}")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_following_the_first_game_wins_it(visit: Visit, game: str) -> None:
    page = visit("/")
    open_first_game(page, game)
    lit = page.locator("body.my-turn .coach-lit")
    steps = follow_guide(page, lambda step: expect(lit).to_have_css("outline-style", "solid"))
    assert steps == [f"First game, step {number} of {STEPS[game]}" for number in range(1, STEPS[game] + 1)]
    expect(page.locator("#result h2")).to_have_text("You win")
    expect(page.locator("#lesson")).to_be_hidden()


@pytest.mark.parametrize("game", GAMES)
def test_playing_against_the_guide_ends_the_first_game_as_well(visit: Visit, game: str) -> None:
    page = visit("/")
    open_first_game(page, game)
    page.get_by_role("button", name="Play on alone").click()
    expect(page.locator("#coach")).to_be_hidden()
    expect(page.locator(".coach-lit")).to_have_count(0)
    play(page, step_of_evolution if game == "Evolution" else step_of_porrinha)
    expect(page.locator("#result .result li")).to_have_count(3 if game == "Evolution" else 2)


def test_hints_name_what_to_look_at_then_why_then_the_move(visit: Visit) -> None:
    page = visit("about:blank", coach=True)
    open_table(page, "porrinha", "me", "zero", seed=4)
    skip_until(page, "body.my-turn")
    coach = page.locator("#coach")
    page.keyboard.press("h")
    expect(coach).to_contain_text("hint 1 of 3")
    expect(page.locator(".numbers")).to_have_class(re.compile("coach-lit"))
    coach.get_by_role("button", name="Why?").press("Enter")
    expect(coach).to_contain_text("hint 2 of 3")
    expect(coach.get_by_role("button", name="Show the move")).to_be_focused()
    page.keyboard.press("h")
    expect(coach).to_contain_text("What expert would do")
    page.keyboard.press("Escape")
    expect(coach).to_be_hidden()
    page.locator("#coach-button").click()
    expect(page.locator("#coach-button")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("h")
    expect(coach).to_be_hidden()


def warn(page: Page, name: str = "declaration") -> list[dict[str, object]]:
    """Let the server warn before every answer.  Return the list to which the page's messages are added."""
    sent: list[dict[str, object]] = []
    remark = {"name": name, "values": {"hungry": 2}, "subject": {}}
    options = [
        {"text": "Carnivore +6 as food", "chance": 0.38, "error": 0.01, "mine": False},
        {"text": "Horns -1 as food", "chance": 0.21, "error": 0.01, "mine": True},
    ]

    def route(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def on_message(message: str | bytes) -> None:
            read = json.loads(message)
            sent.append(read)
            if read["type"] == "check":
                warning = {"remark": remark, "games": 2000, "options": options}
                socket.send(json.dumps({"type": "check", "id": read["id"], "warning": warning}))
            else:
                server.send(message)

        socket.on_message(on_message)

    page.route_web_socket(re.compile("/socket$"), route)
    return sent


def test_a_warning_takes_the_focus_and_returns_it(visit: Visit) -> None:
    page = visit("about:blank", coach=True)
    sent = warn(page)
    open_table(page, "evolution", "me", "silly", "silly", seed=4, most_turns=1)
    skip_until(page, "body.my-turn")
    use_card(page, "food")
    declare = page.get_by_role("button", name="Declare", exact=True)
    declare.click()
    coach = page.locator("#coach")
    expect(coach.get_by_role("heading")).to_have_text("Before you declare")
    expect(coach.locator("li")).to_have_text([re.compile("38"), re.compile("21")])
    expect(coach.get_by_role("button", name="Change it")).to_be_focused()
    coach.get_by_role("button", name="Change it").click()
    expect(coach).to_be_hidden()
    expect(declare).to_be_focused()
    assert not [message for message in sent if message["type"] == "answer"]
    # There is one warning per decision.
    declare.click()
    expect(page.locator("body.my-turn")).to_have_count(0)
    assert [message["type"] for message in sent if message["type"] in ("check", "answer")] == ["check", "answer"]


@pytest.mark.parametrize(
    ("remark", "heading", "button"),
    [
        ("declaration", "Before you declare", "Declare anyway"),
        ("attack_horns", "Before you attack", "Attack anyway"),
        ("decline", "Before you stop eating", "Stop anyway"),
    ],
)
def test_an_answer_can_be_sent_despite_a_warning(visit: Visit, remark: str, heading: str, button: str) -> None:
    page = visit("about:blank", coach=True)
    warn(page, remark)
    open_table(page, "evolution", "me", "silly", "silly", seed=4, most_turns=1)
    skip_until(page, "body.my-turn")
    use_card(page, "food")
    page.get_by_role("button", name="Declare", exact=True).click()
    expect(page.locator("#coach").get_by_role("heading")).to_have_text(heading)
    page.get_by_role("button", name=button).click()
    expect(page.locator("#coach")).to_be_hidden()
    expect(page.locator("body.my-turn")).to_have_count(0)


def test_a_finished_game_shows_its_turning_points_and_the_table_then(visit: Visit) -> None:
    pytest.importorskip("numba", reason="the extra sim is not installed")
    page = visit("about:blank")
    open_table(page, "porrinha", "me", "zero", seed=3)
    play(page, step_of_porrinha)
    page.locator("#result").get_by_role("button", name="Turning points").click()
    review = page.locator("#result .review")
    expect(review.get_by_role("heading", name="Your chance to win")).to_be_visible()
    review.get_by_role("button", name="Everyone").click()
    expect(review.locator(".curves path:not(.cut, .half, .area)")).to_have_count(2)
    expect(review.get_by_text("after the last decision.")).to_be_visible()
    point = review.locator(".points button").first
    expect(point).to_contain_text("Round ")
    point.click()
    expect(review.get_by_role("heading", name="What else you could have done")).to_be_visible()
    expect(review.locator(".options li")).to_have_count(3)
    expect(review.get_by_role("button", name="See the table then")).to_be_in_viewport()
    review.get_by_role("button", name="See the table then").click()
    expect(page).to_have_url(re.compile(r"/replay/.*#frame=\d+&eyes=0"))
    page.get_by_role("button", name="Turning points").click()
    expect(page.locator("#review .points button").first).to_be_visible()


def test_people_who_all_agree_in_the_room_play_with_the_coach(visit: Visit) -> None:
    page = visit("about:blank")
    links = open_table(page, "porrinha", "me", "friend", "friend")
    page.get_by_label("Play with the coach").check()
    expect(page.locator(".agreement")).to_contain_text("Agreed so far: Ana. Everyone must agree.")
    friends = [visit(link) for link in links]
    for friend, name in zip(friends, ("Bea", "Cid"), strict=True):
        friend.locator("input[name=name]").fill(name)
        friend.get_by_role("button", name="Sit down").click()
    skip_until(page, "body.my-turn")
    expect(page.locator("#coach-button")).to_be_hidden()
