"""The page in Portuguese: all words on every screen are Portuguese, and rules appear as words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NOWHERE, SIZES, Visit
from tests.browser.house import House
from tests.browser.playing import (
    PORTUGUESE,
    SEED_OF_A_HUNT,
    SKIP,
    STRIP,
    hunt,
    open_table,
    play_porrinha,
    result_is_shown,
    set_up,
    skip_until,
    step_of_evolution,
)
from tests.browser.portuguese import foreign_texts
from tests.cli.running import wateringhole

# The quick version: `tests/page/test_texts.py` compares the texts of both languages.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Run one server for this module, because tables of other tests have names in other languages."""
    with closing(House(tmp_path_factory.mktemp("house"))) as house:
        yield house


@pytest.fixture
def open_portuguese(visit: Visit) -> Callable[..., Page]:
    return lambda path, **more: visit(path, locale="pt-BR", **more)


def check(*pages: Page) -> None:
    """Check that all words on the screen are Portuguese."""
    for page in pages:
        assert foreign_texts(page) == []


PATHS = [
    "/",
    "/replay",
    "/replay/unknown",
    "/standings",
    "/standings/unknown",
    "/table/unknown",
    "/me",
    "/me#key=unknown",
    NOWHERE,
]


@pytest.mark.parametrize("path", PATHS)
def test_pages_have_no_foreign_word(open_portuguese: Callable[..., Page], path: str) -> None:
    page = open_portuguese(path)
    expect(page.locator("h1").first).not_to_be_empty()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.lang") == "pt-BR"
    check(page)
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_english_page_is_full_of_foreign_words(visit: Visit) -> None:
    page = visit("/", locale="en-GB")
    expect(page.get_by_role("button", name="Play now").first).to_be_visible()
    assert len(foreign_texts(page)) > 50


def played_record(folder: Path) -> bytes:
    ran = wateringhole("play", "porrinha", "zero", "random", "--seed", "7", "--quiet", "--record", folder)
    assert ran.returncode == 0, ran.stderr
    return (folder / "porrinha-7.jsonl").read_bytes()


def test_dialogs_of_the_lobby_and_wrong_files_have_no_foreign_word(
    open_portuguese: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_portuguese("/")
    for game in ("Evolution", "Porrinha"):
        page.get_by_role("region", name=game).locator("button.rules").click()
        page.get_by_role("dialog").locator("summary").first.click()
        check(page)
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Mudar o nome").click()
    check(page)
    record = played_record(tmp_path)
    page.goto("/replay")
    files = (
        (b"nonsense\n", "A linha 1 do arquivo não é de um registro de partida."),
        (b"".join(record.splitlines(keepends=True)[:4]), "Este arquivo não é um registro completo de partida."),
        (record.replace(b'"seat":0', b'"seat":1', 1), "O registro não bate com as regras na linha 3."),
    )
    for number, (content, problem) in enumerate(files):
        file = tmp_path / f"{number}.jsonl"
        file.write_bytes(content)
        page.set_input_files("input[type=file]", file)
        expect(page.get_by_text(problem)).to_be_visible()
        check(page)


def test_waiting_room_has_no_foreign_word(open_portuguese: Callable[..., Page]) -> None:
    page = open_portuguese("/")
    card = page.get_by_role("region", name="Porrinha")
    for seat, occupant in enumerate(("Um amigo", "Um amigo", "Seu programa"), 1):
        card.get_by_role("combobox").nth(seat).select_option(label=occupant)
    card.get_by_role("button", name="Abrir mesa").click()
    expect(page.get_by_role("heading", name="Lugares, na ordem do jogo")).to_be_visible()
    link = page.get_by_label("Link do convite").first.input_value()
    bea = open_portuguese(link)
    bea.get_by_label("Seu nome").fill("Bea")
    check(page, bea)
    bea.get_by_role("button", name="Sentar").click()
    expect(bea.get_by_text("Bea (você)")).to_be_visible()
    cid = open_portuguese(link)
    cid.get_by_label("Seu nome").fill("Cid")
    check(page, bea, cid)
    cid.get_by_role("button", name="Pedir um lugar").click()
    expect(page.get_by_text("Cid pede um lugar")).to_be_visible()
    check(page, cid)
    page.get_by_role("button", name="Recusar Cid").click()
    expect(cid.get_by_text("Você não ganhou um lugar.")).to_be_visible()
    page.get_by_role("button", name="Remover Bea").click()
    check(page, cid)
    page.get_by_role("dialog").get_by_role("button", name="Remover jogador").click()
    expect(bea.get_by_role("heading", name="Quem abriu a mesa removeu você.")).to_be_visible()
    check(bea)
    page.get_by_role("link", name="Watering Hole").click()
    check(page)
    page.get_by_role("button", name="Ficar").click()
    page.get_by_role("button", name="Começar já").click()
    skip_until(page, ".numbers")
    page.get_by_role("link", name="Watering Hole").click()
    check(page)
    address = page.url
    page.get_by_role("button", name="Desistir").click()
    page.wait_for_url("**/")
    check(page)
    page.goto(address)
    expect(page.get_by_text("Saiu da mesa.").first).to_be_visible()
    check(page)


def test_my_games_have_no_foreign_word(open_portuguese: Callable[..., Page]) -> None:
    page = open_portuguese("/me")
    page.get_by_label("Nome que os outros jogadores veem").fill("Ana")
    page.get_by_role("button", name="Guardar minhas partidas").click()
    page.get_by_role("button", name="Usar em outro aparelho").click()
    expect(page.get_by_role("textbox", name="Seu link secreto")).to_be_visible()
    check(page)
    for button in ("Apagar tudo", "Esquecer-me"):
        page.get_by_role("button", name=button).click()
        check(page)
        page.keyboard.press("Escape")
    page.get_by_label("Nome que os outros jogadores veem").fill(" ")
    page.get_by_role("button", name="Salvar").click()
    expect(page.get_by_text("O nome está vazio.")).to_be_visible()
    open_table(page, "porrinha", "me", "zero", seed=5, sticks=1)
    play_porrinha(page)
    open_table(page, "porrinha", "me", "zero", seed=5)
    skip_until(page, ".numbers")
    for path in ("/me", "/"):
        page.goto(path)
        expect(page.get_by_text("Sua vez.")).to_be_visible()
        check(page)


@pytest.mark.parametrize("game", ["Evolution", "Porrinha"])
def test_first_game_and_hints_have_no_foreign_word(open_portuguese: Callable[..., Page], game: str) -> None:
    page = open_portuguese("/", coach=True)
    page.get_by_role("region", name=game).get_by_role("button", name="Primeira partida guiada").click()
    for _ in range(4):
        lit = page.locator("body.my-turn .coach-lit")
        expect(lit).to_be_visible()
        check(page)
        lit.evaluate("lit => (lit.querySelector('.press') ?? lit).click()")
    page.get_by_role("button", name="Seguir sem ajuda").click()
    skip_until(page, "#hint-button:not([hidden])")
    for level in (1, 2):
        page.keyboard.press("h")
        expect(page.locator("#coach")).to_contain_text(f"dica {level} de 3")
        check(page)
    page.locator("#emote-button").click()
    check(page)


def test_rules_appear_as_words_in_both_languages(visit: Visit) -> None:
    for locale, title, name, value in (
        ("en-GB", "Rules of Evolution", "A negative hole is set to 0", "after all food cards"),
        ("pt-BR", "Regras de Evolution", "Poça negativa volta a 0", "depois de todas"),
    ):
        page = visit("/", locale=locale)
        page.locator(".game button.rules").first.click()
        sheet = page.get_by_role("dialog", name=title)
        sheet.locator("summary").click()
        sheet.get_by_label(name, exact=True).select_option(label=value)
        assert not re.search(r"\b\w+_\w+\b|per-card", sheet.inner_text())
        line = f"{name}: {value}"
        page.reload()
        created = set_up(page, "evolution", "me", "friend", "silly", food_clamp="total")
        page.goto(created["table"]["link"])
        expect(page.locator("#table")).to_contain_text(line)
        open_table(page, "evolution", "me", "silly", "silly", seed=5, food_clamp="total")
        skip_until(page, ".hand .card")
        page.locator("#help-button").click()
        expect(page.locator("#help")).to_contain_text(line)


def test_porrinha_is_played_in_portuguese_to_the_review(open_portuguese: Callable[..., Page]) -> None:
    page = open_portuguese("/")
    open_table(page, "porrinha", "me", "random", seed=5, opening_zero="forbidden")
    skip_until(page, ".numbers")
    check(page)
    page.locator("#help-button").click()
    expect(page.locator("#help")).to_contain_text("Mão vazia na primeira rodada: proibida")
    check(page)
    page.keyboard.press("Escape")
    page.locator("#log-button").click()
    play_porrinha(page)
    expect(page.locator("#result")).to_contain_text("Mão vazia na primeira rodada: proibida")
    check(page)
    page.locator("#result").get_by_role("button", name="Viradas").click()
    expect(page.locator("#result .review, #result .review-section p").first).not_to_be_empty()
    check(page)
    page.locator("#result a.primary").click()
    expect(page.locator(".at-replay .log li").first).to_be_visible()
    expect(page.locator("#main")).to_contain_text("Mão vazia na primeira rodada: proibida")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        check(page)


def test_evolution_is_played_in_portuguese(open_portuguese: Callable[..., Page]) -> None:
    page = open_portuguese("/")
    open_table(page, "evolution", "me", "silly", "silly", "silly", seed=SEED_OF_A_HUNT, most_turns=2)
    skip_until(page, ".hand [data-card][aria-pressed]")
    page.locator(".hand [data-card]").first.click(position=STRIP)
    check(page)
    page.keyboard.press("Escape")
    hunt(page, PORTUGUESE)
    for board in page.locator(".others .board").all():
        board.hover()
        check(page)
    page.get_by_role("button", name="extin").first.click()
    expect(page.locator(".attack-preview")).to_be_visible()
    check(page)
    page.locator("#log-button").click()
    while not result_is_shown(page):
        if not step_of_evolution(page):
            page.evaluate(SKIP)
            page.wait_for_timeout(30)
        check(page)


def test_language_can_be_switched_by_hand(visit: Visit) -> None:
    page = visit("/", locale="en-GB")
    expect(page.get_by_role("heading", level=1)).to_have_text("Take a seat at the hole")
    page.get_by_role("button", name="PT: Português").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sente-se à beira da poça")
    page.goto("/standings")
    expect(page.get_by_role("heading", level=1)).to_have_text("Classificação")
    page.get_by_role("button", name="EN: English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Standings")
