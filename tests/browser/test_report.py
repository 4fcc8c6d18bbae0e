"""The report of a tournament, as somebody who was sent the file sees it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.tournaments.report.tournaments import played_out
from wateringhole.match.record import read_record
from wateringhole.tournaments.report.page import page


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("report")
    names = ("<b>Ada</b>", "Bea", "Cai", "somebody with a name that is much too long " * 3)
    players = ("silly", "random", "failing", "greedy")
    with played_out(folder, *players, game="evolution", games=8, table_size=4, names=names) as (_, found):
        (folder / "report.html").write_bytes(page(found))
    return (folder / "report.html").as_uri()


@pytest.mark.parametrize("width", [360, 390, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_asks_for_nothing(browser: Browser, address: str, width: int, scheme: str) -> None:
    dark = scheme == "dark"
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light", offline=True
    )
    asked: list[str] = []
    said: list[str] = []
    shown = context.new_page()
    shown.on("request", lambda request: asked.append(request.url))
    shown.on("console", lambda message: said.append(message.text))
    shown.on("pageerror", lambda error: said.append(str(error)))
    shown.goto(address)
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate("document.querySelectorAll('figure svg').length") == 7
    # The smallest text there is, plots included, as it comes out on the screen.
    smallest = shown.evaluate(
        """Math.min(...[...document.querySelectorAll('figure svg text')].map(text =>
             parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a))"""
    )
    assert smallest >= 10.5
    # A plot follows the theme: light text in the dark.
    colour = shown.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
    assert (int(colour.removeprefix("rgb(").split(",")[0]) > 128) is dark
    context.close()
    assert asked == [address]
    assert said == []


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of a course: as many players as a wide screen has room for."""
    folder = tmp_path_factory.mktemp("crowded")
    names = [f"Student {number}" for number in range(39)] + ["somebody with a name that is much too long " * 3]
    with played_out(folder, *["random", "zero"] * 20, names=tuple(names), games=160) as (_, found):
        (folder / "report.html").write_bytes(page(found))
    return (folder / "report.html").as_uri()


def test_forty_players_fit_on_a_wide_screen(browser: Browser, crowded: str) -> None:
    shown = browser.new_page(viewport={"width": 1280, "height": 800})
    shown.goto(crowded)
    tables = shown.locator(".scroll").all()
    assert len(tables) == 3
    for table in tables:
        assert table.evaluate("table => table.scrollWidth - table.clientWidth") <= 0
    shown.close()


def test_whoever_looks_at_the_last_column_on_a_phone_sees_whose_it_is(browser: Browser, crowded: str) -> None:
    shown = browser.new_page(viewport={"width": 390, "height": 800})
    shown.goto(crowded)
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390
    for table in shown.locator(".scroll").all():
        names = table.locator("tbody th")
        table.evaluate("table => table.scrollTo(table.scrollWidth, 0)")
        for place in (0, 39):
            there = names.nth(place).bounding_box()
            assert there is not None
            assert 0 <= there["x"] < there["x"] + there["width"] <= 250
    shown.close()


def test_a_record_is_saved_from_the_page_and_replays(browser: Browser, address: str, tmp_path: Path) -> None:
    context = browser.new_context(offline=True, accept_downloads=True)
    shown = context.new_page()
    shown.goto(address)
    link = shown.locator("a[download]").first
    with shown.expect_download() as coming:
        link.click()
    saved = tmp_path / "saved.jsonl"
    coming.value.save_as(saved)
    assert coming.value.suggested_filename == link.get_attribute("download")
    context.close()
    assert list(read_record(saved.read_bytes()).replay().events())


def test_a_printed_page_is_light_and_shows_nothing_to_press(browser: Browser, address: str) -> None:
    context = browser.new_context(color_scheme="dark")
    shown = context.new_page()
    shown.goto(address)
    shown.emulate_media(media="print", color_scheme="dark")
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    ink = shown.evaluate("getComputedStyle(document.body).color")
    assert int(ink.removeprefix("rgb(").split(",")[0]) < 64
    assert not shown.locator("a[download]").first.is_visible()
    assert not shown.locator("nav").is_visible()
    assert shown.locator("code").last.is_visible()
    context.close()
