"""Tournaments on the page, in a browser: the operator starts one, a person plays in it, and a spectator follows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import MISSING, SIZES, Visit
from tests.browser.house import House
from tests.browser.playing import play_porrinha, result_is_shown
from tests.browser.test_accessibility import AXE, violations

TOKEN = "the-token-of-the-operator"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Run one server whose operator's token is known."""
    house = House(tmp_path_factory.mktemp("house"), options=("--operator-token", TOKEN))
    yield house
    house.close()


def _create(page: Page, **more: Any) -> Any:
    wanted = {"token": TOKEN, "game": "porrinha", "bots": ["random", "zero"], "games": 1, "title": "Cup", **more}
    response = page.request.post("/api/tournaments", data=wanted)
    assert response.status == 201, response.text()
    return response.json()


def _give_token(page: Page, token: str = TOKEN) -> None:
    page.get_by_label("Operator’s token").fill(token)
    page.get_by_role("button", name="Use this token").click()


def test_operator_starts_bots_with_the_form_and_a_spectator_follows_to_the_end(visit: Visit) -> None:
    operator = visit("/tournaments")
    operator.get_by_role("button", name="Start a tournament").click()
    _give_token(operator, "a-token-that-is-wrong")
    expect(operator.get_by_text("This is not the operator's token.")).to_be_visible()
    _give_token(operator)
    form = operator.get_by_role("form", name="Start a tournament")
    form.get_by_role("textbox", name="Name").fill("Thursday cup")
    form.get_by_role("combobox", name="Game", exact=True).select_option(label="Porrinha")
    checked = form.get_by_role("checkbox", checked=True)
    while checked.count():
        checked.first.uncheck()
    expect(form.get_by_text("Choose at least 3 players.")).to_be_visible()
    for bot in ("random", "zero", "counter"):
        form.get_by_role("checkbox", name=re.compile(f"^{bot}")).check()
    expect(form.get_by_text("12 games, every deal from every seat.")).to_be_visible()
    form.get_by_role("button", name="Start with 3 players").click()
    expect(operator.get_by_role("heading", name="Thursday cup")).to_be_visible()
    spectator = visit("/")
    spectator.get_by_role("list", name="Tournaments").get_by_role("link", name="Thursday cup").click()
    bar = spectator.get_by_role("progressbar", name="Games played")
    expect(bar).to_have_attribute("max", "12")
    # The page follows by itself.
    expect(spectator.locator("h1 .tag")).to_have_text("over")
    expect(bar).to_have_attribute("value", "12")
    table = spectator.get_by_role("region", name="Ratings")
    for bot in ("random", "zero", "counter"):
        expect(table.get_by_role("row", name=re.compile(bot))).to_be_visible()
    expect(table.get_by_role("img").first).to_have_attribute("aria-label", re.compile(r"\d to [\d,]+"))
    spectator.get_by_role("link", name="Replay: ").first.click()
    expect(spectator.get_by_text("replays exactly")).to_be_visible()


@pytest.mark.slow
def test_person_enters_and_plays_while_a_spectator_watches(visit: Visit) -> None:
    ana = visit("/me")
    created = _create(ana, people=True)
    ana.goto(created["link"])
    ana.get_by_role("link", name="Keep my games").click()
    ana.get_by_label("Name shown to other players").fill("Ana")
    ana.get_by_role("button", name="Keep my games").click()
    expect(ana.get_by_role("heading", name="Ana")).to_be_visible()
    ana.goto(created["link"])
    ana.get_by_role("button", name="Enter as Ana").click()
    expect(ana.get_by_text("You have entered.")).to_be_visible()
    expect(ana.get_by_role("button", name="Leave the tournament")).to_be_focused()
    operator = visit(created["link"])
    operator.get_by_role("button", name="Operator").click()
    _give_token(operator)
    operator.get_by_role("button", name="Start with 3 players").click()
    spectator = visit(created["link"])
    spectator.get_by_role("link", name="Watch").first.click()
    expect(spectator.get_by_text("Ana").first).to_be_visible()
    for _ in range(3):
        expect(ana.get_by_role("alert").get_by_text("Your game is ready.")).to_be_visible()
        assert ana.title() == "Your game is ready!"
        ana.get_by_role("button", name="Play").click()
        ana.wait_for_url("**/table/**")
        play_porrinha(ana)
        result_is_shown(ana)
        expect(ana.get_by_role("button", name="Rematch")).to_have_count(0)
        ana.get_by_role("link", name="To the tournament").click()
    expect(ana.locator("h1 .tag")).to_have_text("over")
    expect(ana.get_by_role("progressbar", name="Games played")).to_have_attribute("value", "3")
    expect(ana.get_by_role("region", name="Ratings").get_by_role("row", name=re.compile("Ana"))).to_be_visible()


def test_screens_fit_every_size_and_have_no_serious_axe_problem(visit: Visit) -> None:
    page = visit("/tournaments")
    created = _create(page, people=True, programs=True, pace=1)
    running = _create(page, title="Running", pace=1, games=4)
    assert page.request.post(f"/api/tournaments/{running['id']}/start", data={"token": TOKEN}).status == 200
    page.get_by_role("button", name="Start a tournament").click()
    _give_token(page)
    expect(page.get_by_role("form", name="Start a tournament")).to_be_visible()
    if not AXE.is_file():
        pytest.skip("needs axe-core: make check-page installs it (with npm)")
    for link in (None, created["link"], running["link"]):
        if link is not None:
            page.goto(link)
            expect(page.get_by_role("button", name="Cancel the tournament")).to_be_visible()
        page.evaluate(AXE.read_text() + "; undefined")
        for width, height in SIZES.values():
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert violations(page) == []
    page.request.post(f"/api/tournaments/{running['id']}/cancel", data={"token": TOKEN})


def test_portuguese_page_has_no_english_text(visit: Visit) -> None:
    page = visit("/tournaments", locale="pt-BR")
    created = _create(page, people=True)
    page.goto(created["link"])
    expect(page.get_by_text("Porrinha, todos contra todos, 2 jogadores.")).to_be_visible()
    expect(page.get_by_text("Escolha um nome para poder entrar.")).to_be_visible()
    page.get_by_role("button", name="Operador").click()
    page.get_by_label("Código do operador").fill("um-código-qualquer")
    page.get_by_role("button", name="Usar este código").click()
    expect(page.get_by_text("Este não é o código do operador.")).to_be_visible()


@pytest.mark.parametrize("id", MISSING)
def test_page_of_a_tournament_that_does_not_exist_leads_back(visit: Visit, id: str) -> None:
    page = visit(f"/tournaments/{id}")
    expect(page.get_by_text("There is no such tournament.")).to_be_visible()
    expect(page.locator("main section")).to_have_count(0)
    page.get_by_role("link", name="All tournaments").click()
    expect(page).to_have_url(re.compile("/tournaments$"))
    expect(page.get_by_role("button", name="Start a tournament")).to_be_visible()


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("table", "There is no such table, or it was closed."),
        ("replay", "There is no such game."),
        ("standings", "There is no such tournament."),
    ],
)
@pytest.mark.parametrize("id", MISSING)
def test_page_of_a_missing_thing_says_so(visit: Visit, kind: str, id: str, message: str) -> None:
    expect(visit(f"/{kind}/{id}").get_by_text(message).last).to_be_visible()
