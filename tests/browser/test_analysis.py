"""The chances of an analysed game in a browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.portuguese import foreign_texts
from tests.cli.running import wateringhole

pytest.importorskip("numba", reason="the extra sim is not installed")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the record of a game of two players."""
    folder = tmp_path_factory.mktemp("analysed")
    words = ("--seed", "3", "--quiet", "--record", folder)
    assert wateringhole("play", "porrinha", "Ada=counter", "Bea=random", *words).returncode == 0
    return folder / "porrinha-3.jsonl"


@pytest.fixture(scope="module")
def analysed(recorded: Path) -> str:
    """Return the URL of a page with the chances of two players."""
    page = recorded.with_name("game.html")
    ran = wateringhole("analyse", recorded, "--html", page)
    assert ran.returncode == 0, ran.stderr
    return page.as_uri()


def test_costly_decision_leads_to_its_position_and_is_explained(visit: Visit, analysed: str, tmp_path: Path) -> None:
    page = visit("about:blank")
    page.goto(analysed)
    chances = page.get_by_role("region", name="Chances")
    expect(chances.get_by_text("Chance not to lose")).to_be_visible()
    expect(chances.get_by_text("Ada")).to_be_visible()
    costly = chances.get_by_role("button")
    assert costly.count() > 0
    worst = costly.first
    said = (worst.get_attribute("aria-label") or "").partition(": ")[2]
    worst.click()
    expect(page).to_have_url(re.compile(r"frame=[1-9]"))
    verdict = chances.get_by_role("status")
    expect(verdict).to_contain_text(said)
    expect(verdict).to_contain_text("expert")
    expect(verdict).to_contain_text(re.compile(r"\d+ % → \d+ %, lost \d+\.\d points"))
    shown = page.url
    page.keyboard.press("ArrowRight")
    expect(page).not_to_have_url(shown)
    expect(page.locator(".log li[aria-current]")).to_contain_text(said.removeprefix("hides ").removeprefix("says "))
    page.keyboard.press("Home")
    expect(chances.locator(".verdict")).to_be_empty()


def test_page_of_an_analysis_in_portuguese_has_no_foreign_word(visit: Visit, recorded: Path) -> None:
    html = recorded.with_name("jogo.html")
    ran = wateringhole("analyse", recorded, "--html", html, "--language", "pt")
    assert ran.returncode == 0, ran.stderr
    page = visit("about:blank")
    page.goto(html.as_uri())
    chances = page.get_by_role("region", name="Chances")
    expect(chances.get_by_text("Chance de não perder")).to_be_visible()
    chances.get_by_role("button").first.click()
    expect(chances.get_by_role("status")).to_contain_text("pontos perdidos")
    assert foreign_texts(page) == []
    page.get_by_role("button", name="Viradas").click()
    point = page.locator("#review .points button").first
    expect(point).to_contain_text("Rodada ")
    point.click()
    assert foreign_texts(page) == []


def test_replay_without_analysis_shows_no_chances(visit: Visit, tmp_path: Path) -> None:
    words = ("--seed", "3", "--quiet", "--record", tmp_path)
    assert wateringhole("play", "porrinha", "counter", "random", *words).returncode == 0
    assert wateringhole("replay", tmp_path / "porrinha-3.jsonl", "--html", tmp_path / "game.html").returncode == 0
    page = visit("about:blank")
    page.goto((tmp_path / "game.html").as_uri())
    expect(page.get_by_text("replays exactly")).to_be_visible()
    expect(page.get_by_role("region", name="Chances")).to_have_count(0)


@pytest.mark.parametrize("width", [1300, 360])
def test_chances_do_not_overflow_sideways(visit: Visit, analysed: str, width: int) -> None:
    page = visit("about:blank")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(analysed)
    expect(page.get_by_role("region", name="Chances")).to_be_visible()
    assert page.locator("html").evaluate("element => element.scrollWidth - element.clientWidth") <= 0
