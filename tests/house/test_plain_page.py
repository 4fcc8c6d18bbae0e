"""Games without their own view, and games of other packages with one."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.house.plain_game import FOLDED, KIND, Add, Bet, View, install
from tests.house.serving import Message, Seat, run, served
from wateringhole import fallbacks, game
from wateringhole.match.record import read_record
from wateringhole.web.export import export
from wateringhole.web.files import read
from wateringhole.web.replays import replay_of

NAMES = ("Ada", "Ben")
VIEW = View(total=2, target=6, secret=4)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install the game Tally."""
    found = install(tmp_path)
    monkeypatch.syspath_prepend(found)
    return found


def _offers(request: Any) -> dict[str, Any]:
    page = fallbacks.page(KIND)
    return page.offers(page.scenes(NAMES, request.seat), NAMES, request)


def test_listed_options_are_offered_with_texts() -> None:
    offers = _offers(Add(game.Seat(0), VIEW))
    assert offers["options"] == [
        {"answer": {"number": number}, "text": f'add {{"number":{number}}}'} for number in (1, 2, 3)
    ]
    assert offers["pass"] == offers["options"][0]
    assert offers["fields"] == {}
    assert offers["view"]["secret"] == 4


def test_request_without_options_shows_its_fields() -> None:
    offers = _offers(Bet(game.Seat(0), VIEW))
    assert (offers["options"], offers["pass"], offers["fields"]) == ([], None, {"most": 36})


@pytest.mark.parametrize("options", [(1, 7), tuple(range(61)), "123", 5])
def test_invalid_or_too_many_options_are_not_offered(options: Any) -> None:
    assert _offers(Add(game.Seat(0), VIEW, options))["options"] == []


def test_fold_gives_each_seat_its_own_view() -> None:
    page = fallbacks.page(FOLDED)
    dealt = FOLDED.new_game(FOLDED.deal(2, FOLDED.default_rules, 1)).opening
    secrets = []
    for seat in (game.Seat(0), game.Seat(1), None):
        scenes = page.scenes(NAMES, seat)
        for event in dealt:
            if (seen := event.seen_by(seat)) is not None:
                scenes.see(seen)
        secrets.append(scenes.scene()["view"]["secret"])
    first, second, public = secrets
    assert public is None
    assert {first, second} <= set(range(1, 10))
    replay = page.replay_scenes(NAMES, dealt)
    for event in dealt:
        replay.see(event)
    assert [view["secret"] for view in replay.scene()["views"]] == [first, second]
    assert replay.scene()["view"]["secret"] is None


@pytest.mark.parametrize("name", ["tally", "folded-tally"])
def test_game_without_facets_is_played_and_replayed(packages: Path, tmp_path: Path, name: str) -> None:
    async def play() -> bytes:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table(name, "me", "friend")
            tokens = [table.token, await table.take_seat(table.invitations[0], "Ben")]
            async with table.seat(tokens[0]) as ada, table.seat(tokens[1]) as ben, table.spectator() as spectator:
                for turn in range(6):
                    seat = (ada, ben)[turn % 2]
                    request = await seat.until("request", request="add")
                    await _answer(seat, request, request["offers"]["options"][0]["answer"])
                bets = [await seat.until("request", request="bet") for seat in (ada, ben)]
                assert await _refusal(ada, bets[0], {"number": 99}) == ("not-offered", "Not-offered (number 99).")
                assert await _refusal(ben, bets[1], [3]) == ("unreadable", "An answer is an object with a number.")
                for seat, bet in zip((ada, ben), bets, strict=True):
                    await _answer(seat, bet, {"number": 9})
                over = await ada.until("over")
                await ben.until("over")
                await spectator.until("over")
                assert [line["place"] for line in over["standings"]] == [1, 1]
                _check_secrets(ada.messages, ben.messages, spectator.messages, folds=name != "tally")
            return await server.finished(table.id)

    record = read_record(run(play()))
    replay = replay_of(record)
    assert replay["page"]["module"] == "/static/js/plain-view.js"
    assert replay["frames"][-1]["event"]["event"] == "BetsOpened"
    page = export(record).decode()
    assert read("/static/css/plain.css").decode() in page
    assert '"static/js/plain-view.js":' in page


def test_finished_games_of_an_uninstalled_game_are_listed(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("tally", "default", "default", "default")
            async with table.spectator() as spectator:
                await spectator.until("over")
            await server.finished(table.id)
            assert [game["title"] for game in (await server.get("/api/lobby"))["finished"]] == ["Tally"]

    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            lobby = await server.get("/api/lobby")
            assert [(game["game"], game["title"]) for game in lobby["finished"]] == [("tally", "tally")]
            answer = await server.http.get(f"/api/games/{lobby['finished'][0]['game_id']}/replay")
            assert (answer.status_code, "'tally' is not an installed game" in answer.json()["problem"]) == (409, True)

    run(play())
    monkeypatch.undo()
    run(look())


async def _answer(seat: Seat, request: Message, answer: Any) -> None:
    await seat.send({"type": "answer", "id": request["id"], "answer": answer})


async def _refusal(seat: Seat, request: Message, answer: Any) -> tuple[str, str]:
    await _answer(seat, request, answer)
    refused = await seat.until("refused")
    return refused["rule"], refused["message"]


def _check_secrets(ada: list[Message], ben: list[Message], public: list[Message], *, folds: bool) -> None:
    for seat, messages in enumerate((ada, ben)):
        dealt = [each["event"]["seat"] for each in messages if each["type"] == "event" and "secret" in each["event"]]
        assert dealt == [seat]
    scenes = [each["scene"]["view"] for each in public if each["type"] == "event"]
    assert scenes
    assert all((view is not None) == folds for view in scenes)
    assert all(view["secret"] is None for view in scenes if view)
    assert not any("secret" in each["event"] for each in public if each["type"] == "event")


def test_replay_writes_a_page_of_a_game_without_facets(packages: Path, tmp_path: Path) -> None:
    def call(*words: str | Path) -> None:
        command = [sys.executable, "-m", "wateringhole", *map(str, words)]
        subprocess.run(command, check=True, env={"PYTHONPATH": str(packages)}, cwd=tmp_path, capture_output=True)

    call("play", "folded-tally", "default", "default", "--seed", "3", "--record", tmp_path / "games")
    (record,) = (tmp_path / "games").iterdir()
    call("replay", record, "--html", tmp_path / "game.html")
    assert (tmp_path / "game.html").read_bytes() == export(read_record(record.read_bytes()))


PAGE = """
import dataclasses
from importlib import resources

from wateringhole.facets import Manifest
from wateringhole.plain_page import PlainPage
from tests.house.plain_game import KIND


class Page(PlainPage):
    assets = resources.files("drawn").joinpath("assets")
    manifest = Manifest("view.js", ("look/style.css",), icons="icons.js", picture="dot", faces=("dot",) * 4)


def page():
    from wateringhole import fallbacks

    return Page(KIND, fallbacks.text(KIND))


DRAWN = dataclasses.replace(KIND, name="drawn", page=page)
"""


def test_files_of_a_game_in_an_archive_are_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "drawn.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("drawn/__init__.py", PAGE)
        packed.writestr("drawn/assets/view.js", 'import { h } from "/static/js/dom.js";\nimport "./more.js";\n')
        packed.writestr("drawn/assets/more.js", "export {};\n")
        packed.writestr("drawn/assets/look/style.css", ".drawn {}\n")
        packed.writestr("drawn-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: drawn\nVersion: 1\n")
        packed.writestr("drawn-1.dist-info/entry_points.txt", "[wateringhole.games]\ndrawn = drawn:DRAWN\n")
    monkeypatch.syspath_prepend(archive)

    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            lobby = await server.get("/api/lobby")
            (shown,) = [each["page"] for each in lobby["games"] if each["name"] == "drawn"]
            assert shown["module"] == "/games/drawn/view.js"
            assert shown["icons"] == "/games/drawn/icons.js"
            style = await server.http.get(shown["styles"][0])
            assert (style.status_code, style.text) == (200, ".drawn {}\n")
            assert style.headers["content-type"] == "text/css; charset=utf-8"
            assert style.headers["cache-control"] == "no-cache"
            again = await server.http.get(shown["styles"][0], headers={"If-None-Match": style.headers["etag"]})
            assert again.status_code == 304
            assert (await server.http.get(shown["icons"])).status_code == 404
            table = await server.table("drawn", "me", "friend")
            html = (await server.http.get(f"/table/{table.id}")).text
            assert '<link rel="stylesheet" href="/games/drawn/look/style.css">' in html
            assert '<link rel="modulepreload" href="/games/drawn/more.js">' in html

    run(look())
