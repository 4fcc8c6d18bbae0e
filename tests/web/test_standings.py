"""Tournaments of the store on the page."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.web.serving import run, served
from wateringhole import registry
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import Store, StoredTournament
from wateringhole.tournaments.tournament import Tournament
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


def test_a_tournament_is_shown_with_its_standings_and_games_to_see(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    _play_tournament(store)

    async def look() -> None:
        async with served(store) as server:
            (listed,) = (await server.get("/api/standings"))["tournaments"]
            assert (listed["id"], listed["state"], listed["games"]) == (1, "finished", 24)
            assert listed["title"] == "Porrinha, round robin"
            told = await server.get("/api/standings/1")
            assert told["games"] == 24
            assert [page["name"] for page in told["pages"]] == ["porrinha"]
            assert {row["name"] for row in told["rows"]} == {"<b>random</b>", "zero", "counter"}
            assert [row["games"] for row in told["rows"]] == [16, 16, 16]
            assert all(row["low"] <= row["rating"] <= row["high"] for row in told["rows"])
            assert told["cross"]["names"] == [row["name"] for row in told["rows"]]
            assert told["cross"]["games"] == [[0, 8, 8], [8, 0, 8], [8, 8, 0]]
            assert told["verdicts"]
            notable = told["notable"][0]
            replay = await server.get(f"/api/games/{notable['game_id']}/replay")
            assert len(replay["names"]) == 2

    run(look())


def test_a_tournament_that_is_not_there_is_told_in_a_sentence(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            assert (await server.get("/api/standings"))["tournaments"] == []
            for number in ("7", "999999999", "9999999999", "9" * 23, "9" * 5000, "-1", "x", "٣"):
                answer = await server.http.get(f"/api/standings/{number}")
                assert (answer.status_code, answer.json()) == (404, {"problem": "There is no such tournament."}), number

    run(look())


def test_standings_that_many_want_at_once_are_worked_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "s.sqlite"
    _play_tournament(store)
    worked_out: list[int] = []
    work_out = StandingsService._compute

    def slowly(desk: StandingsService, stored: StoredTournament) -> dict[str, Any]:
        worked_out.append(stored.id)
        time.sleep(0.2)
        return work_out(desk, stored)

    monkeypatch.setattr(StandingsService, "_compute", slowly)

    async def look() -> None:
        async with served(store) as server:
            told = await asyncio.gather(*(server.get("/api/standings/1") for _ in range(5)))
            assert all(each == told[0] for each in told)
            assert worked_out == [1]

    run(look())
