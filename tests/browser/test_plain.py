"""A game without its own view, in a browser."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SIZES, Visit
from tests.browser.house import House
from tests.browser.playing import open_table
from tests.browser.test_accessibility import AXE, violations
from tests.house.plain_game import install


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Install Tally for the processes of this module."""
    found = install(tmp_path_factory.mktemp("tally"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(found))
        yield found


@pytest.fixture(scope="module")
def house(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    house = House(tmp_path_factory.mktemp("house"))
    yield house
    house.close()


def _add_until_the_bet(page: Page) -> None:
    field = page.get_by_label("Your answer as JSON")
    options = page.get_by_role("group", name="Answers").get_by_role("button")
    while True:
        expect(field.or_(options.first)).to_be_visible()
        if field.count():
            return
        total = page.locator(".tree .short").filter(has_text="total").locator("dd").inner_text()
        options.last.click()
        expect(page.locator(".tree .short").filter(has_text="total").locator("dd")).not_to_have_text(total)


def _bet(page: Page, answer: str) -> None:
    page.get_by_label("Your answer as JSON").fill(answer)
    page.get_by_role("button", name="Answer", exact=True).click()


def test_whole_game_with_buttons_and_json(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "folded-tally", "me", "default", seed=4)
    expect(page.get_by_role("group", name="Answers").get_by_role("button")).to_have_count(3)
    expect(page.locator(".players .acting")).to_contain_text("Ana")
    # The first answer has the focus, and a shortcut.
    expect(page.get_by_role("button", name='add {"number":1}').first).to_be_focused()
    page.keyboard.press("2")
    expect(page.locator(".news")).to_contain_text("Ana: Added (count 2)")
    _add_until_the_bet(page)
    alert = page.locator(".ask [role=alert]")
    _bet(page, "{number: 3}")
    expect(alert).to_contain_text("This is not valid JSON")
    _bet(page, '{"number": 99}')
    expect(alert).to_have_text("Not-offered (number 99).")
    expect(page.get_by_label("Your answer as JSON")).to_have_value('{"number": 99}')
    _bet(page, "[3]")
    expect(alert).to_have_text("An answer is an object with a number.")
    _bet(page, '{"number": 9}')
    expect(page.locator("#result[open]")).to_be_visible()
    page.get_by_role("link", name="Replay").click()
    _check_replay(page)


def _check_replay(page: Page) -> None:
    """Check that the viewpoint of everyone shows each secret, and that of a seat only its own."""
    expect(page.get_by_role("heading", name="Event: SecretDealt")).to_be_visible()
    page.keyboard.press("End")
    expect(page.get_by_role("heading", name="Event: ")).to_be_visible()
    secrets = page.get_by_role("region", name="What only")
    expect(secrets).to_have_count(2)
    page.get_by_role("group", name="Viewpoint").get_by_role("button").nth(1).click()
    expect(secrets).to_have_count(0)
    expect(page.get_by_role("region", name="The table")).not_to_contain_text("none")


def test_passing_gives_the_default_answer(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "tally", "me", "default", seed=4)
    page.get_by_role("button", name="Pass: ").click()
    expect(page.locator(".news")).to_contain_text("Ana: Added (count 1)")


def test_a_spectator_sees_the_table_and_no_secret(visit: Visit) -> None:
    page = visit("about:blank")
    open_table(page, "folded-tally", "me", "default", seed=4)
    expect(page.get_by_role("region", name="The table")).to_be_visible()
    spectator = visit(page.url)
    page.get_by_role("group", name="Answers").get_by_role("button").first.click()
    expect(spectator.locator(".news")).to_contain_text("Ana: Added (count 1)")
    table = spectator.get_by_role("region", name="The table")
    expect(table.locator(".short").filter(has_text="secret")).to_contain_text("none")
    expect(spectator.locator(".ask")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_plain_view_fits_every_size_and_is_accessible(visit: Visit, scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("needs axe-core: make check-page installs it (with npm)")
    page = visit("about:blank", color_scheme=scheme, bypass_csp=True)
    open_table(page, "folded-tally", "me", "default", seed=4)
    expect(page.get_by_role("group", name="Answers")).to_be_visible()
    page.add_script_tag(path=AXE)
    for step in ("options", "json"):
        for width, height in [*SIZES.values(), (390, 844)]:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (step, width)
            assert violations(page) == [], (step, width)
        _add_until_the_bet(page)


def test_exported_replay_opens_from_disk(packages: Path, visit: Visit, tmp_path: Path) -> None:
    def call(*words: str | Path) -> None:
        subprocess.run([sys.executable, "-m", "wateringhole", *map(str, words)], check=True, capture_output=True)

    call("play", "folded-tally", "default", "default", "--seed", "3", "--quiet", "--record", tmp_path / "games")
    (record,) = (tmp_path / "games").iterdir()
    call("replay", record, "--html", tmp_path / "game.html")
    _check_replay(visit((tmp_path / "game.html").as_uri()))
