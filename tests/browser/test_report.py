"""The report of a tournament in a browser."""

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
    names = ("<b>Ada</b>", "Bea", "Cai", "a player with a name that is much too long " * 3)
    players = ("silly", "random", "failing", "greedy")
    with played_out(folder, *players, game="evolution", games=8, table_size=4, names=names) as (_, found):
        (folder / "report.html").write_bytes(page(found))
    return (folder / "report.html").as_uri()


@pytest.mark.parametrize("width", [360, 390, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_report_fits_and_makes_no_requests(browser: Browser, address: str, width: int, scheme: str) -> None:
    dark = scheme == "dark"
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light", offline=True
    )
    requested: list[str] = []
    logged: list[str] = []
    shown = context.new_page()
    shown.on("request", lambda request: requested.append(request.url))
    shown.on("console", lambda message: logged.append(message.text))
    shown.on("pageerror", lambda error: logged.append(str(error)))
    shown.goto(address)
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate("document.querySelectorAll('figure svg').length") == 7
    # The size of the smallest text in the plots on the screen.
    smallest = shown.evaluate(
        """Math.min(...[...document.querySelectorAll('figure svg text')].map(text =>
             parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a))"""
    )
    assert smallest >= 10.5
    # A plot follows the theme: text is light in the dark theme.
    colour = shown.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
    assert (int(colour.removeprefix("rgb(").split(",")[0]) > 128) is dark
    context.close()
    assert requested == [address]
    assert logged == []


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the URL of a report with forty players, as many as a wide screen has room for."""
    folder = tmp_path_factory.mktemp("crowded")
    names = [f"Student {number}" for number in range(39)] + ["a player with a name that is much too long " * 3]
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


def test_names_stay_visible_next_to_the_last_column_on_a_phone(browser: Browser, crowded: str) -> None:
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


def test_saved_record_can_be_replayed(browser: Browser, address: str, tmp_path: Path) -> None:
    context = browser.new_context(offline=True, accept_downloads=True)
    shown = context.new_page()
    shown.goto(address)
    link = shown.locator("a[download]").first
    with shown.expect_download() as download:
        link.click()
    saved = tmp_path / "saved.jsonl"
    download.value.save_as(saved)
    assert download.value.suggested_filename == link.get_attribute("download")
    context.close()
    assert list(read_record(saved.read_bytes()).replay().events())


def test_printed_report_is_light_and_has_no_buttons(browser: Browser, address: str) -> None:
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
