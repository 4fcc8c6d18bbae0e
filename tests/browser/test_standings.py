"""Standings, in a browser."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.house import House
from tests.cli.running import wateringhole


def test_a_tournament_is_shown_with_intervals_cross_table_and_replays(visit: Visit, house: House) -> None:
    ran = wateringhole("tournament", "porrinha", "random", "zero", "counter", "--games", "60", "--store", house.store)
    assert ran.returncode == 0, ran.stderr
    page = visit("/standings")
    page.get_by_role("link", name=re.compile("Porrinha")).click()
    ranking = page.get_by_role("table", name=re.compile("Ratings"))
    expect(ranking.get_by_role("row")).to_have_count(4)
    expect(ranking.get_by_role("rowheader", name="counter")).to_be_visible()
    expect(page.get_by_role("table", name=re.compile("Per cent"))).to_be_visible()
    page.locator(".notable a").first.click()
    expect(page.get_by_text("replays exactly")).to_be_visible()
