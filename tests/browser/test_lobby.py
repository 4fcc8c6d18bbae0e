"""The lobby, in a browser."""

from __future__ import annotations

import json
import re
import socket

from playwright.sync_api import Request, expect

from tests.browser.conftest import Visit


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
        field = sheet.get_by_label("sticks", exact=True)
        if not field.is_visible():
            sheet.get_by_text("Change individual rules").click()
        field.fill(sticks)
        sheet.get_by_role("button", name="Use these rules").click()
        expect(card.get_by_role("button", name="Rules: seed, 1 changed")).to_be_visible()
        card.get_by_role("button", name="Play now").click()

    choose("0")
    expect(page.get_by_role("alert")).to_contain_text("sticks")
    # The error keeps the chosen rules.
    expect(card.get_by_role("button", name="Rules: seed, 1 changed")).to_be_visible()
    choose("1")
    expect(page.locator(".numbers button")).to_have_count(2)


def test_name_is_saved_and_shown_to_other_players(visit: Visit) -> None:
    page = visit("/")
    page.get_by_role("button", name="Change name").click()
    page.get_by_label("Name shown to other players").fill("<script>alert(1)</script>")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Playing as <script>alert(1)</script>")).to_be_visible()
    page.get_by_role("region", name="Porrinha").get_by_role("button", name="Play now").click()
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
    address, _, port = where.partition(":")
    with socket.create_connection((address, int(port))) as program:
        program.sendall(json.dumps({"type": "hello", "protocol": 1, "name": "Robot", "code": code}).encode() + b"\n")
        expect(page.locator(".seat.mine")).to_be_visible()
        expect(page.get_by_text("Robot").first).to_be_visible()
