"""The language of the page: the browser's, or the one that the user chose."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.serving import run, served
from wateringhole.web.languages import language_of


@pytest.mark.parametrize(
    ("accepted", "chosen", "language"),
    [
        ("", "", "en"),
        ("pt-BR,pt;q=0.9,en;q=0.8", "", "pt"),
        ("en-US,en;q=0.9,pt;q=0.8", "", "en"),
        ("fr, pt-PT;q=0.5, de;q=0.2", "", "pt"),
        ("en;q=0.2, PT;q=0.7", "", "pt"),
        ("pt;q=0, en", "", "en"),
        ("pt;q=nonsense, en;q=0.1", "", "en"),
        ("*", "", "en"),
        ("pt", "language=en", "en"),
        ("en", "theme=dark; language=pt", "pt"),
        ("pt", "language=klingon", "pt"),
        ("pt", 'language="; x', "pt"),
    ],
)
def test_chosen_language_comes_before_the_accepted_ones(accepted: str, chosen: str, language: str) -> None:
    assert language_of({"accept-language": accepted, "cookie": chosen}) == language


def test_first_response_is_in_the_language_of_the_browser(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            for path, english, portuguese in (
                ("/", "Take a seat at the hole", "Sente-se à beira da poça"),
                ("/replay", "<title>Replay · Watering Hole</title>", "<title>Replay · Watering Hole</title>"),
                ("/standings", "<h1>Standings</h1>", "<h1>Classificação</h1>"),
                ("/table/x", "Joining the table…", "Entrando na mesa…"),
            ):
                answer = await server.http.get(path, headers={"Accept-Language": "en"})
                assert english in answer.text
                assert '<html lang="en">' in answer.text
                answer = await server.http.get(path, headers={"Accept-Language": "pt-BR,en;q=0.5"})
                assert portuguese in answer.text
                assert '<html lang="pt-BR">' in answer.text
                assert {"Accept-Language", "Cookie"} <= set(answer.headers["vary"].split(", "))

    run(look())


def test_chosen_language_is_kept_in_a_cookie(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            answer = await server.http.get("/", headers={"Accept-Language": "en", "Cookie": "language=pt"})
            assert '<html lang="pt-BR">' in answer.text

    run(look())
