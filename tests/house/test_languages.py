"""The language of the page: the browser's, or the one that the user chose."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.house.serving import BOTS, run, served
from wateringhole import play
from wateringhole.web.export import export
from wateringhole.web.files import STATIC, html_page
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


def test_page_loads_only_the_texts_in_its_language(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            for address in ("/static/text", "/games/evolution/text", "/games/porrinha/text"):
                for accepted, language in (("en", "en"), ("pt-BR,en;q=0.5", "pt")):
                    headers = {"Accept-Language": accepted}
                    answer = await server.http.get(f"{address}/current.js", headers=headers)
                    assert answer.text == (await server.http.get(f"{address}/{language}.js")).text
                    assert answer.headers["content-type"].startswith("text/javascript")
                    assert {"Accept-Language", "Cookie"} <= set(answer.headers["vary"].split(", "))
                    headers["If-None-Match"] = answer.headers["etag"]
                    assert (await server.http.get(f"{address}/current.js", headers=headers)).status_code == 304
                # After a change of the language, the browser must not use what it has.
                headers["Cookie"] = "language=en"
                assert (await server.http.get(f"{address}/current.js", headers=headers)).status_code == 200

    run(look())


def test_chosen_language_is_kept_in_a_cookie(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            answer = await server.http.get("/", headers={"Accept-Language": "en", "Cookie": "language=pt"})
            assert '<html lang="pt-BR">' in answer.text

    run(look())


def test_unknown_address_shows_a_page_to_browsers_and_json_to_programs(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            browser = {"Accept": "text/html,application/xhtml+xml"}
            for language, title in (("en", "There is nothing at this address"), ("pt", "Não há nada neste endereço")):
                answer = await server.http.get("/nowhere", headers={**browser, "Accept-Language": language})
                assert answer.status_code == 404
                assert title in answer.text
            for path in ("/static/nowhere.js", "/games/nowhere/icons.svg", "/games/nowhere/text/current.js"):
                answer = await server.http.get(path, headers=browser)
                assert answer.status_code == 404
                assert "There is nothing at this address" in answer.text
            for path, headers in (
                ("/nowhere", {}),
                ("/api/nowhere", browser),
                ("/api/tournaments/nowhere", browser),
                ("/static/nowhere.js", {}),
                ("/games/nowhere/icons.svg", {}),
            ):
                answer = await server.http.get(path, headers=headers)
                assert (answer.status_code, set(answer.json())) == (404, {"problem"})

    run(look())


def test_web_app_manifest_names_existing_icons(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            answer = await server.http.get("/manifest.webmanifest", headers={"Accept-Language": "pt"})
            assert answer.headers["content-type"] == "application/manifest+json"
            manifest = answer.json()
            assert (manifest["lang"], manifest["start_url"], manifest["display"]) == ("pt-BR", "/", "standalone")
            assert {"192x192", "512x512"} <= {icon["sizes"] for icon in manifest["icons"]}
            for icon in manifest["icons"]:
                found = await server.http.get(icon["src"])
                assert found.status_code == 200
                assert found.headers["content-type"].startswith(icon["type"])
                if icon["type"] == "image/png":
                    size = int.from_bytes(found.content[16:20], "big"), int.from_bytes(found.content[20:24], "big")
                    assert "{}x{}".format(*size) == icon["sizes"]

    run(look())


@pytest.mark.parametrize("page", sorted(path.stem for path in (STATIC / "html").glob("*.html")))
def test_every_page_can_be_installed(page: str) -> None:
    text = html_page(page)
    for part in ('rel="manifest"', 'rel="apple-touch-icon"', 'name="theme-color"', 'rel="icon"'):
        assert part in text


ENGLISH_WORDS = re.compile(r"\b(the|and|with|your|you|species|food|turn|round|sticks?|said|cards|animals)\b")


@pytest.mark.parametrize("game", ["evolution", "porrinha"])
def test_page_gets_narration_offers_and_refusals_in_its_language(tmp_path: Path, game: str) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table(game, "me", *BOTS[game][:2], seed=5)
            async with table.seat(language="pt") as seat:
                request = await seat.until("request")
                if request["request"] == "declare":
                    refusal = (await seat.draft(request, [{"step": "food", "card": 99}]))["refused"]
                else:
                    await seat.send({"type": "answer", "id": request["id"], "answer": 99})
                    refusal = await seat.until("refused")
                assert not ENGLISH_WORDS.search(refusal["message"]), refusal
                await seat.answer(request)
                assert (await seat.play())["type"] == "over"
            lines = [line for event in seat.of_type("event") for line in event["translations"]["pt"]]
            english = [line for event in seat.of_type("event") for line in event["text"]]
            assert len(lines) == len(english) > 20
            assert not [line for line in lines if ENGLISH_WORDS.search(line.lower())]
            texts = [text for request in seat.of_type("request") for text in _texts(request["offers"])]
            texts += [text for draft in seat.of_type("draft") for text in _texts(draft)]
            texts += list(_texts(seat.of_type("game")[0]["texts"]))
            assert texts
            assert not [text for text in texts if ENGLISH_WORDS.search(text.lower())]
            await server.finished(table.id)
            replay = await server.http.get(f"/api/games/{table.id}/replay", headers={"Accept-Language": "pt"})
            narrated = [line for frame in replay.json()["frames"] for lines in frame["texts"] for line in lines or ()]
            assert narrated
            assert not [line for line in narrated if ENGLISH_WORDS.search(line.lower())]

    run(play())


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in a message: the values of fields that contain texts for readers."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name in ("text", "effect", "loss", "missing", "message") and isinstance(each, str):
                yield each
            else:
                yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


@pytest.mark.parametrize("language", ["en", "pt"])
def test_exported_replay_is_in_the_chosen_language(language: str) -> None:
    record = play("porrinha", ["Ada=random", "Bea=random"], seed=7).record
    page = export(record, language=language).decode()
    packed = re.search(r'id="replay-data">([^<]+)<', page)
    assert packed is not None
    replay = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    assert replay["frames"][0]["texts"][0][-1].startswith({"en": "Round 1", "pt": "Rodada 1"}[language])
    assert {"en": '<html lang="en">', "pt": '<html lang="pt-BR">'}[language] in page
    assert "manifest" not in page.partition("<style>")[0]
    modules = json.loads(page.partition('<script type="importmap">')[2].partition("</script>")[0])["imports"]
    texts = {name: unquote(url) for name, url in modules.items() if "/text/" in name}
    assert texts.keys() == {"static/text/current.js", "static/text/server.js", "games/porrinha/text/current.js"}
    assert {"en": "Standings", "pt": "Classificação"}[language] in texts["static/text/current.js"]
    assert {"en": "Hide sticks", "pt": "Esconda palitos"}[language] in texts["games/porrinha/text/current.js"]
