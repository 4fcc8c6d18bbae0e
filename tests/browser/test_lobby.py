"""The lobby, in a browser."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Request, expect

from tests.browser.conftest import Visit
from tests.browser.house import House
from tests.browser.playing import joined


def test_first_view_is_small_and_one_click_starts_a_game_against_three_bots(visit: Visit) -> None:
    page = visit("about:blank")
    received: list[int] = []

    def weigh(request: Request) -> None:
        sizes = request.sizes()
        received.append(sizes["responseBodySize"] + sizes["responseHeadersSize"])

    page.on("requestfinished", weigh)
    page.goto("/", wait_until="networkidle")
    play_now = page.get_by_role("region", name="Evolution").get_by_role("button", name="Play now")
    expect(play_now).to_be_visible()
    page.remove_listener("requestfinished", weigh)
    assert 0 < sum(received) < 200_000
    play_now.click()
    expect(page.get_by_role("region", name="Your hand")).to_be_visible()
    expect(page.locator("#hint")).to_contain_text("card")
    expect(page.locator(".others .player")).to_have_count(3)


def test_seats_can_be_added_changed_and_removed(visit: Visit) -> None:
    page = visit("/")
    card = page.get_by_role("region", name="Evolution")
    seats = card.get_by_role("combobox")
    expect(seats).to_have_count(4)
    card.get_by_role("button", name="+ seat").click()
    expect(seats).to_have_count(5)
    seats.nth(4).select_option("friend")
    expect(card.get_by_role("button", name="Open table")).to_be_visible()
    seats.nth(4).select_option(label="Remove seat")
    expect(seats).to_have_count(4)
    expect(card.get_by_role("button", name="Play now")).to_be_visible()


def test_rules_can_be_changed_and_an_impossible_one_shows_an_error(visit: Visit) -> None:
    page = visit("/")
    card = page.get_by_role("region", name="Porrinha")
    sheet = page.get_by_role("dialog", name="Rules of Porrinha")

    def choose(sticks: str) -> None:
        card.get_by_role("button", name=re.compile("^Rules")).click()
        expect(sheet).to_be_visible()
        field = sheet.get_by_label("Sticks at the start", exact=True)
        if not field.is_visible():
            sheet.get_by_text("Change individual rules").click()
        field.fill(sticks)
        sheet.get_by_role("button", name="Use these rules").click()
        expect(card.get_by_role("button", name="Rules: rulebook, 1 changed")).to_be_visible()
        card.get_by_role("button", name="Play now").click()

    choose("0")
    expect(page.get_by_role("alert")).to_contain_text("sticks")
    # The error keeps the chosen rules.
    expect(card.get_by_role("button", name="Rules: rulebook, 1 changed")).to_be_visible()
    choose("1")
    expect(page.locator(".numbers button")).to_have_count(2)


def test_name_is_saved_and_shown_to_other_players(visit: Visit) -> None:
    page = visit("/")
    page.get_by_role("button", name="Change name").click()
    page.get_by_label("Name shown to other players").fill("<script>alert(1)</script>")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Playing as <script>alert(1)</script>")).to_be_visible()
    card = page.get_by_role("region", name="Porrinha")
    card.get_by_label("Public table").check()
    card.get_by_role("button", name="Play now").click()
    expect(page.locator(".seat.mine")).to_be_visible()
    other = visit("/")
    expect(other.get_by_role("article", name=re.compile("<script>"))).to_be_visible()


def test_table_shows_the_command_for_a_program_and_starts_when_it_joins(visit: Visit) -> None:
    page = visit("/")
    card = page.get_by_role("region", name="Porrinha")
    seats = card.get_by_role("combobox")
    seats.nth(1).select_option(label="Your program")
    card.get_by_role("button", name="Open table").click()
    command = page.get_by_label("Command")
    expect(command).to_have_value(re.compile(r"^wateringhole join 127\.0\.0\.1:\d+/\S+ mine\.py:Mine$"))
    where, _, code = command.input_value().split()[2].partition("/")
    with joined(where, "Robot", code):
        expect(page.locator(".seat.mine")).to_be_visible()
        expect(page.get_by_text("Robot").first).to_be_visible()


def test_private_table_is_not_listed_and_seats_only_invited_players(visit: Visit) -> None:
    page = visit("/")
    card = page.get_by_role("region", name="Porrinha")
    card.get_by_role("combobox").nth(1).select_option(label="A friend")
    card.get_by_role("combobox").nth(2).select_option(label="A friend")
    card.get_by_role("button", name="Open table").click()
    expect(page.get_by_label("The table is")).to_have_value("private: by invitation")
    links = page.get_by_label("Invitation link")
    expect(links).to_have_count(2)
    uninvited = visit(urlsplit(page.url).path)
    expect(uninvited.get_by_text("private: by invitation")).to_be_visible()
    expect(uninvited.get_by_role("button", name="Sit down")).to_have_count(0)
    uninvited.goto("/")
    expect(uninvited.get_by_role("region", name="Porrinha")).to_be_visible()
    assert all(table["public"] for table in uninvited.request.get("/api/lobby").json()["open"])
    expect(uninvited.locator(f'#tables a[href="{urlsplit(page.url).path}"]')).to_have_count(0)
    friend = visit(links.nth(0).input_value())
    friend.get_by_label("Your name").fill("Bea")
    friend.get_by_role("button", name="Sit down").click()
    expect(friend.get_by_role("button", name="Leave")).to_be_visible()
    # The code of a link is also one for a terminal.  Only that of the free seat is left.
    expect(links).to_have_count(1)
    page.get_by_text("Or join from a terminal").click()
    where, _, code = page.get_by_label("Join from a terminal").input_value().split()[2].partition("/")
    assert links.input_value().endswith(f"#invite={code}")
    with joined(where, "Robot", code):
        expect(page.locator(".seat.mine")).to_be_visible()
        expect(page.get_by_text("Robot").first).to_be_visible()


def test_opener_without_a_seat_sees_the_links(visit: Visit) -> None:
    page = visit("/")
    card = page.get_by_role("region", name="Porrinha")
    card.get_by_role("combobox").nth(0).select_option(label="Your program")
    card.get_by_role("combobox").nth(1).select_option(label="A friend")
    card.get_by_label("Public table").check()
    card.get_by_role("button", name="Open table").click()
    expect(page.get_by_label("The table is")).to_have_value("public: listed in the lobby")
    expect(page.get_by_label("Invitation link")).to_have_count(1)
    expect(page.get_by_label("Command")).to_have_count(1)


def test_command_for_a_program_names_the_second_port(browser: Browser, tmp_path: Path) -> None:
    house = House(tmp_path, options=("--raw-port", "0"))
    context = browser.new_context(base_url=house.address)
    try:
        page = context.new_page()
        page.goto("/")
        card = page.get_by_role("region", name="Porrinha")
        card.get_by_role("combobox").nth(1).select_option(label="Your program")
        card.get_by_role("button", name="Open table").click()
        where, _, code = page.get_by_label("Command").input_value().split()[2].partition("/")
        assert where not in house.address
        with joined(where, "Robot", code):
            expect(page.locator(".seat.mine")).to_be_visible()
    finally:
        context.close()
        house.close()
