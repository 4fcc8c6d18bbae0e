"""Tournaments of the store on the page."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.house.serving import run, served
from tests.waiting import LIMIT_SECONDS
from wateringhole import registry
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import Store, StoredTournament
from wateringhole.tournaments.tournament import Tournament
from wateringhole.web.app import Page
from wateringhole.web.standings import StandingsService


def _play_tournament(store: Path) -> None:
    settings = Settings(
        game="porrinha",
        rules={},
        rules_version=registry.game_kind("porrinha").rules_version,
        players=("random", "zero", "counter"),
        names=("<b>random</b>", "zero", "counter"),
        format="round-robin",
        table_size=2,
        games=24,
        seed=7,
    )
    with closing(Store(store)) as opened:
        Tournament.start(opened, settings).play()


def test_tournament_has_standings_and_notable_games(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    _play_tournament(store)

    async def look() -> None:
        async with served(store) as server:
            (listed,) = (await server.get("/api/standings"))["tournaments"]
            assert (listed["id"], listed["state"], listed["games"]) == (1, "finished", 24)
            assert listed["title"] == "Porrinha, round robin"
            shown = await server.get("/api/standings/1")
            assert shown["games"] == 24
            assert [page["name"] for page in shown["pages"]] == ["porrinha"]
            assert {row["name"] for row in shown["rows"]} == {"<b>random</b>", "zero", "counter"}
            assert [row["games"] for row in shown["rows"]] == [16, 16, 16]
            assert [row["repaired_answers"] for row in shown["rows"]] == [0, 0, 0]
            assert all(row["low"] <= row["rating"] <= row["high"] for row in shown["rows"])
            assert shown["cross"]["names"] == [row["name"] for row in shown["rows"]]
            assert shown["cross"]["games"] == [[0, 8, 8], [8, 0, 8], [8, 8, 0]]
            assert all(set(each) == {"name", "than"} and each["than"] for each in shown["better"])
            notable = shown["notable"][0]
            replay = await server.get(f"/api/games/{notable['game_id']}/replay")
            assert len(replay["names"]) == 2

    run(look())


def test_unknown_tournament_is_not_found(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            assert (await server.get("/api/standings"))["tournaments"] == []
            for number in ("7", "999999999", "9999999999", "9" * 23, "9" * 5000, "-1", "x", "٣"):
                answer = await server.http.get(f"/api/standings/{number}")
                assert (answer.status_code, answer.json()) == (404, {"problem": "There is no such tournament."}), number

    run(look())


def test_simultaneous_requests_compute_standings_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "s.sqlite"
    _play_tournament(store)
    requests = 5
    asked: list[int] = []
    computed: list[int] = []
    all_asked = threading.Event()
    ask, compute = Page._compute_standings, StandingsService._compute

    async def noted(page: Page, number: int) -> dict[str, Any]:
        asked.append(number)
        if len(asked) == requests:
            all_asked.set()
        return await ask(page, number)

    def slowly(service: StandingsService, stored: StoredTournament) -> dict[str, Any]:
        computed.append(stored.id)
        assert all_asked.wait(LIMIT_SECONDS)
        return compute(service, stored)

    monkeypatch.setattr(Page, "_compute_standings", noted)
    monkeypatch.setattr(StandingsService, "_compute", slowly)

    async def look() -> None:
        async with served(store) as server:
            shown = await asyncio.gather(*(server.get("/api/standings/1") for _ in range(requests)))
            assert all(each == shown[0] for each in shown)
            assert computed == [1]

    run(look())
