"""The ladder of opponents and the page about me, in a browser."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.playing import open_table, play_porrinha, result_is_shown


def _ladder(page: Page, game: str = "Porrinha") -> list[str]:
    """Return the bots of the ladder with their level and their mark."""
    buttons = page.get_by_role("list", name=re.compile(f"Opponents of {game}")).get_by_role("button")
    expect(buttons.first).to_be_visible()
    parts = [button.locator(".who b, .who > .small, .tag").all_text_contents() for button in buttons.all()]
    return [", ".join(each) for each in parts]


def _named(visit: Visit, name: str = "Ana") -> tuple[Page, str]:
    """Choose a name on the page about me, and return the page with its secret link."""
    page = visit("/me")
    page.get_by_label("Name shown to other players").fill(name)
    page.get_by_role("button", name="Keep my games").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.get_by_role("button", name="Use on another device").click()
    return page, page.get_by_role("textbox", name="Your secret link").input_value()


def test_newcomer_sees_a_ladder_and_a_table_for_beginners(visit: Visit) -> None:
    page = visit("/")
    assert _ladder(page, "Evolution") == [
        "Play against random, first steps, next",
        "Play against silly, easy",
        "Play against greedy, steady",
        "Play against champion, master",
        "Play against search, master",
    ]
    card = page.get_by_role("region", name="Evolution")
    seats = [select.input_value() for select in card.get_by_role("combobox").all()]
    assert seats == ["me", "bot random", "bot random", "bot random"]


def test_one_click_opens_a_private_table_of_the_fewest_seats_against_a_bot(visit: Visit) -> None:
    page = visit("/")
    with page.expect_request("**/api/tables") as sent:
        page.get_by_role("button", name="Play against silly").click()
    wanted = json.loads(sent.value.post_data or "")
    assert [seat.get("player") for seat in wanted["seats"]] == [None, "silly", "silly"]
    assert (wanted["public"], wanted["rated"], wanted["options"]) == (False, False, {})
    expect(page.get_by_role("region", name="Your hand")).to_be_visible()
    # Without a name, the browser finds the table again as long as it is open.
    page.goto("/")
    mine = page.get_by_role("region", name="My games")
    expect(mine.get_by_text("Your turn.")).to_be_visible()
    mine.get_by_role("button", name="Open the table with silly 1 and silly 2").click()
    expect(page.get_by_role("region", name="Your hand")).to_be_visible()


def test_beaten_bot_is_marked_and_the_next_one_sits_at_the_usual_table(visit: Visit) -> None:
    page = visit("about:blank")
    places: list[int] = []
    for seed in range(1, 9):
        open_table(page, "porrinha", "me", "random", seed=seed)
        play_porrinha(page)
        assert result_is_shown(page)
        standings = page.locator("#result")
        expect(standings).to_be_visible()
        if page.evaluate("localStorage.getItem('beaten:porrinha')"):
            break
        places.append(seed)
    assert json.loads(page.evaluate("localStorage.getItem('beaten:porrinha')")) == ["random"], places
    page.goto("/")
    assert _ladder(page)[:2] == ["Play against random, first steps, beaten", "Play against zero, first steps, next"]
    seats = page.get_by_role("region", name="Porrinha").get_by_role("combobox").all()
    assert {select.input_value() for select in seats} == {"me", "bot zero"}


def test_secret_link_opens_my_games_on_another_device(visit: Visit) -> None:
    page, link = _named(visit)
    open_table(page, "porrinha", "me", "zero", name="ignored")
    expect(page.locator(".seat.mine")).to_be_visible()
    phone = visit(link.replace(page.url.partition("/me")[0], ""), width=390, height=844)
    expect(phone.get_by_role("heading", name="Ana")).to_be_visible()
    # The secret does not stay in the address.
    assert phone.url.endswith("/me")
    phone.goto("/")
    mine = phone.get_by_role("region", name="My games")
    expect(mine.get_by_text("Your turn.")).to_be_visible()
    mine.get_by_role("button", name="Open the table with zero").click()
    expect(phone.locator(".numbers button").first).to_be_visible()
    expect(page.get_by_text("You opened this seat in another window.")).to_be_visible()


def test_link_of_another_player_asks_before_it_replaces_my_name(visit: Visit) -> None:
    _, link = _named(visit, "Ana")
    page, _ = _named(visit, "Bea")
    page.goto("/")
    page.goto(link)
    sheet = page.get_by_role("dialog", name="Change the player")
    expect(sheet).to_contain_text("belongs to Bea")
    sheet.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", name="Bea")).to_be_visible()


def test_finished_games_have_replays_and_everything_can_be_deleted(visit: Visit) -> None:
    page, _ = _named(visit)
    open_table(page, "porrinha", "me", "zero", seed=1)
    play_porrinha(page)
    page.goto("/me")
    expect(page.get_by_role("heading", name="1 finished game")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as a file").click()
    assert json.loads(download.value.path().read_text())["games"][0]["seats"][0]["name"] == "Ana"
    page.get_by_role("link", name="Replay: Ana, zero").click()
    expect(page.get_by_text("replays exactly")).to_be_visible()
    page.goto("/me")
    page.get_by_role("button", name="Delete everything").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_url("**/")
    page.goto("/me")
    expect(page.get_by_role("button", name="Keep my games")).to_be_visible()


def test_rated_table_is_offered_to_players_with_a_name(visit: Visit) -> None:
    page = visit("/")
    expect(page.get_by_role("button", name="Play now").first).to_be_visible()
    expect(page.get_by_label("Rated")).to_have_count(0)
    page, _ = _named(visit)
    page.goto("/")
    page.get_by_role("region", name="Porrinha").get_by_label("Rated").check()
    with page.expect_request("**/api/tables") as sent:
        page.get_by_role("button", name="Play against zero").click()
    assert json.loads(sent.value.post_data or "")["rated"] is True
    expect(page.locator(".seat.mine")).to_be_visible()
