"""The lobby: tables, finished games, and the options for a new table."""

from __future__ import annotations

import asyncio
import re
from contextlib import closing
from pathlib import Path

import pytest

from tests.house.serving import run, served
from wateringhole import registry
from wateringhole.house.limits import HouseLimits
from wateringhole.house.page_tables import PageTable
from wateringhole.house.store import TableStore
from wateringhole.house.writer import FinishedGame
from wateringhole.options import describe


@pytest.mark.parametrize("game", registry.game_names())
def test_lobby_lists_games_with_profiles_options_and_bots(tmp_path: Path, game: str) -> None:
    kind = registry.game_kind(game)

    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            listed = next(each for each in (await server.get("/api/lobby"))["games"] if each["name"] == game)
            assert listed["least"] == kind.seats[0]
            assert listed["least"] <= listed["seats_default"] <= listed["most"] <= 8
            assert [profile["name"] for profile in listed["profiles"]] == list(kind.profiles)
            assert all(profile["text"].endswith(".") for profile in listed["profiles"])
            assert [option["name"] for option in listed["options"]] == [
                option.name for option in describe(kind.profiles)
            ]
            assert "random" in [player["name"] for player in listed["players"]]
            assert "human" not in [player["name"] for player in listed["players"]]

    run(look())


@pytest.mark.parametrize("game", registry.game_names())
def test_every_offered_option_value_is_accepted(tmp_path: Path, game: str) -> None:
    async def choose() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            assert server.lobby is not None
            listed = next(each for each in (await server.get("/api/lobby"))["games"] if each["name"] == game)
            seats = ["friend"] * listed["least"]
            defaults = {option["name"]: option["default"] for option in listed["options"]}
            table = await server.table(game, *seats, options=defaults)
            kind = registry.game_kind(game)
            assert server.lobby.table(table.id).rules == kind.default_rules
            last = {option["name"]: option["choices"][-1] for option in listed["options"] if option["choices"]}
            table = await server.table(game, *seats, options=last)
            rules = server.lobby.table(table.id).rules
            assert rules != kind.default_rules

    run(choose())


def test_lobby_lists_public_tables_and_their_finished_games(tmp_path: Path) -> None:
    async def follow() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", options={"sticks": 1})
            lobby = await server.get("/api/lobby")
            assert [each["id"] for each in lobby["open"]] == [table.id]
            token = await table.take_seat(None, "Bea")
            lobby = await server.get("/api/lobby")
            assert ([each["id"] for each in lobby["running"]], lobby["open"]) == ([table.id], [])
            async with table.seat() as ada, table.seat(token) as bea:
                await bea.until("request")
                await bea.send({"type": "leave"})
                await ada.play()
            await server.finished(table.id)
            lobby = await server.get("/api/lobby")
            assert lobby["running"] == []
            (game,) = lobby["finished"]
            assert (game["game_id"], game["names"], game["places"]) == (table.id, ["Ada", "Bea"], [1, 2])

    run(follow())


def test_private_tables_and_their_games_are_not_listed(tmp_path: Path) -> None:
    async def follow() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "zero", "zero", public=False)
            assert (await server.get("/api/lobby"))["open"] == []
            async with table.spectator() as spectator:
                await spectator.until("over")
            await server.finished(table.id)
            lobby = await server.get("/api/lobby")
            assert (lobby["open"], lobby["running"], lobby["finished"]) == ([], [], [])
            assert (await server.get(f"/api/games/{table.id}/replay"))["names"] == ["zero 1", "zero 2"]

    run(follow())


def test_oldest_finished_game_is_deleted_first(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(kept_games=1)) as server:
            ids = []
            for _ in range(2):
                table = await server.table("porrinha", "zero", "zero", options={"sticks": 1})
                async with table.spectator() as spectator:
                    await spectator.until("over")
                await server.finished(table.id)
                ids.append(table.id)
            shown = await server.get_until("/api/lobby", lambda lobby: len(lobby["finished"]) <= 1)
            assert [game["game_id"] for game in shown["finished"]] == ids[1:]
            assert (await server.http.get(f"/api/games/{ids[0]}/record")).status_code == 404

    run(play())


def test_lower_limit_of_kept_games_applies_at_start(tmp_path: Path) -> None:
    with closing(TableStore(str(tmp_path / "s.sqlite"))) as store:
        for number, id in enumerate(("old", "middle", "new")):
            store.finish_game(
                FinishedGame(id, number, "porrinha", ("Ada", "Bea"), (2, 1), (None, None), True), b"record"
            )

    async def look() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(kept_games=2)) as server:
            shown = await server.get_until("/api/lobby", lambda lobby: len(lobby["finished"]) <= 2)
            assert [game["game_id"] for game in shown["finished"]] == ["new", "middle"]

    run(look())


def test_same_seed_deals_the_same_game(tmp_path: Path) -> None:
    async def deal() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            hands = []
            for _ in range(2):
                table = await server.table("evolution", "me", "silly", "silly", seed=11)
                async with table.seat() as seat:
                    hands.append((await seat.until("request"))["scene"]["own"]["hand"])
            assert hands[0] == hands[1]

    run(deal())


def test_players_and_spectators_see_a_commitment_that_the_replay_keeps(tmp_path: Path) -> None:
    async def watch() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "silly", "silly")
            spectator, seat = table.spectator(heard=0), table.seat()
            async with spectator, seat:
                published = {(await each.until("game"))["commitment"] for each in (spectator, seat)}
                over, _ = await asyncio.gather(spectator.until("over"), seat.play())
            record = await server.finished(table.id)
            answer = (await server.http.post("/api/replay", content=record)).json()
            assert over["nonce"] == answer["commitment"]["nonce"]
            assert published == {answer["commitment"]["digest"]}
            assert answer["commitment"]["nonce"] in record.decode()

    run(watch())


def test_random_seeds_are_too_large_to_guess(tmp_path: Path) -> None:
    async def deal() -> list[int | str]:
        async with served(tmp_path / "s.sqlite") as server:
            assert server.lobby is not None
            ids = [(await server.table("evolution", "silly", "silly", "silly")).id for _ in range(10)]
            return [server.lobby.table(id).plan.seed for id in ids]

    seeds = run(deal())
    assert len(set(seeds)) == 10
    assert all(re.fullmatch("[0-9a-f]{32}", str(seed)) for seed in seeds)


def test_unfinished_game_has_no_public_record(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "silly", "silly")
            async with table.seat() as seat:
                await seat.until("request")
                for what in ("record", "replay"):
                    answer = await server.http.get(f"/api/games/{table.id}/{what}")
                    assert (answer.status_code, answer.json()["problem"]) == (404, "There is no such game.")

    run(look())


def test_house_stops_although_a_table_is_removed_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stop() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            for _ in range(3):
                await server.table("porrinha", "me", "random", "friend")
            assert server.lobby is not None
            lobby, stop_table, stopped = server.lobby, PageTable.stop, []

            async def stop_and_remove(table: PageTable) -> None:
                stopped.append(table)
                if len(stopped) == 1:
                    await lobby.close_tournament_table([*lobby.tables.values()][-1])
                await stop_table(table)

            monkeypatch.setattr(PageTable, "stop", stop_and_remove)
        assert len(lobby.tables) == 2
        assert set(stopped) >= {*lobby.tables.values()}

    run(stop())
