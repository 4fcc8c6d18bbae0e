"""Tournaments on the page, against a real server: the operator starts them, and players of every kind enter."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.house.hosting import JsonClient
from tests.house.serving import OPERATOR, Message, Opened, Served, Spectator, process, run, served
from tests.house.test_mixed_tables import PLAYERS
from tests.house.test_people import device, person
from tests.preloaded_command import preloaded_command
from wateringhole.errors import OperationError, UsageError
from wateringhole.house import page_tournaments
from wateringhole.house.admission import Admission, BanList
from wateringhole.house.limits import HouseLimits
from wateringhole.house.people import SOMEONE
from wateringhole.house.plans import TableSeat
from wateringhole.house.store import TableStore
from wateringhole.house.tournament_plans import NewTournament, plan_tournament, settings_of
from wateringhole.process.limits import Isolation
from wateringhole.tournaments.jobs import check_players
from wateringhole.tournaments.verify import verify

STORE = "s.sqlite"


async def create(server: Served, token: str = OPERATOR, **more: Any) -> Message:
    wanted = {"token": token, "game": "porrinha", "bots": ["random", "zero"], "games": 4, **more}
    created: Message = await server.post("/api/tournaments", wanted)
    return created


async def act(server: Served, id: str, action: str, token: str = OPERATOR, status: int = 200) -> Message:
    """Do something that only the operator may."""
    answer: Message = await server.post(f"/api/tournaments/{id}/{action}", {"token": token}, status)
    return answer


async def until(server: Served, id: str, state: str = "over") -> Message:
    """Wait until a tournament is in a state, and return it."""

    def is_reached(shown: Message) -> bool:
        assert shown["state"] in (state, "open", "running"), shown["reason"]
        return bool(shown["state"] == state)

    shown: Message = await server.get_until(f"/api/tournaments/{id}", is_reached)
    return shown


async def my_table(server: Served, id: str, but: str = "") -> Message:
    """Wait until a game of a person is ready, and return its table."""

    def is_ready(shown: Message) -> bool:
        table = shown["me"]["table"]
        return table is not None and table["id"] != but

    table: Message = (await server.get_until(f"/api/tournaments/{id}", is_ready))["me"]["table"]
    return table


async def entered(server: Served, id: str, is_so: Callable[[int], bool]) -> None:
    """Wait until a condition holds for the number of entrants."""
    await server.get_until(f"/api/tournaments/{id}", lambda shown: is_so(len(shown["entrants"])))


async def first_game_played(server: Served, id: str) -> None:
    await server.get_until(f"/api/tournaments/{id}", lambda shown: shown["played"] > 0)


async def play_mine(server: Served, table: Message) -> Message:
    """Play the game of a person to its end."""
    taken = await server.post(f"/api/tables/{table['id']}/seat", {}, 200)
    opened = Opened(server, {"table": table, "token": taken["token"], "invitations": []})
    async with opened.seat() as seat:
        return await seat.play()


def check_records(store: Path, number: int) -> None:
    """Replay all records, as `standings --verify` does."""
    opened = TableStore(store)
    try:
        verified = verify(opened, opened.tournament(number))
        assert verified.mismatch is None
    finally:
        opened.close()


@pytest.mark.parametrize(
    ("game", "bots"), [("porrinha", ["random", "zero", "counter"]), ("evolution", ["silly", "greedy", "random"])]
)
def test_bots_play_all_games_and_the_store_verifies_them(tmp_path: Path, game: str, bots: list[str]) -> None:
    async def play() -> Message:
        async with served(tmp_path / STORE) as server:
            created = await create(server, game=game, bots=bots, games=6, title="Thursday cup")
            assert (created["state"], created["title"], created["players"]) == ("open", "Thursday cup", 3)
            started = await act(server, created["id"], "start")
            assert (started["state"], started["planned"]) == ("running", 6)
            over = await until(server, created["id"])
            assert over["played"] == 6
            assert sorted(row["name"] for row in over["rows"]) == sorted(bots)
            assert all(row["games"] == 6 for row in over["rows"])
            assert len(over["finished"]) == 6
            replay = await server.get(f"/api/games/{over['finished'][0]['game_id']}/replay")
            assert sorted(replay["names"]) == sorted(bots)
            standings = await server.get(f"/api/standings/{over['number']}")
            assert (standings["name"], standings["state"]) == ("Thursday cup", "finished")
            assert standings["rows"] == over["rows"]
            lobby = await server.get("/api/lobby")
            assert [each["id"] for each in lobby["tournaments"]] == [created["id"]]
            assert lobby["finished"] == []
            return over

    over = run(play())
    check_records(tmp_path / STORE, over["number"])


@pytest.mark.parametrize("format", ["swiss", "ladder", "gauntlet"])
def test_other_formats_are_played_to_their_end(tmp_path: Path, format: str) -> None:
    async def play() -> Message:
        async with served(tmp_path / STORE) as server:
            bots = ["random", "zero", "counter", "equilibrium"]
            created = await create(server, bots=bots, format=format, games=6, table_size=2)
            await act(server, created["id"], "start")
            return await until(server, created["id"])

    over = run(play())
    assert over["played"] == over["planned"] or format == "ladder"
    check_records(tmp_path / STORE, over["number"])


def test_only_the_token_of_the_operator_starts_a_tournament(tmp_path: Path) -> None:
    async def ask() -> None:
        async with served(tmp_path / STORE) as server:
            wanted = {"token": "guessed", "game": "porrinha", "bots": ["random", "zero"]}
            refused = await server.post("/api/tournaments", wanted, 409)
            assert "not the operator's token" in refused["problem"]
            created = await create(server)
            for action in ("start", "cancel", "continue"):
                await act(server, created["id"], action, "guessed", 409)
            assert (await server.get(f"/api/tournaments/{created['id']}"))["state"] == "open"
            await server.post("/api/tournaments/operator", {"token": "guessed"}, 409)
            await server.post("/api/tournaments/operator", {"token": OPERATOR}, 200)

    run(ask())


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        ({"bots": ["nobody"]}, "no bot 'nobody'"),
        ({"bots": ["random"]}, "needs at least 2 players"),
        ({"games": 0}, "1 to 2000 games, not 0"),
        ({"games": 21, "people": True}, "1 to 20 games, not 21"),
        ({"games": 2000, "bots": ["random", "zero", "counter", "equilibrium"], "table_size": 2}, "at most 2000"),
        ({"format": "knockout"}, "does not exist"),
        ({"pace": 60}, "0 to 10 seconds"),
        ({"table_size": 99}, "99 seats"),
        ({"game": "chess"}, "chess"),
    ],
)
def test_impossible_choices_are_refused_with_a_sentence(tmp_path: Path, choices: Message, reason: str) -> None:
    async def ask() -> None:
        async with served(tmp_path / STORE) as server:
            wanted = {"token": OPERATOR, "game": "porrinha", "bots": ["random", "zero"], **choices}
            refused = await server.post("/api/tournaments", wanted, 400)
            assert reason in refused["problem"]
            assert (await server.get("/api/tournaments"))["tournaments"] == []

    run(ask())


def test_unfinished_tournaments_are_limited(tmp_path: Path) -> None:
    async def ask() -> None:
        async with served(tmp_path / STORE) as server:
            ids = [(await create(server))["id"] for _ in range(8)]
            wanted = {"token": OPERATOR, "game": "porrinha", "bots": ["random", "zero"]}
            refused = await server.post("/api/tournaments", wanted, 409)
            assert "8 unfinished tournaments" in refused["problem"]
            await act(server, ids[0], "cancel")
            await create(server)

    run(ask())


def test_person_enters_and_plays_while_a_spectator_watches(tmp_path: Path) -> None:
    async def play() -> Message:
        async with served(tmp_path / STORE) as server, device(server) as ada:
            created = await create(server, people=True, games=3)
            enter = f"/api/tournaments/{created['id']}/enter"
            refused = await ada.post(enter, {}, 409)
            assert "Choose a name" in refused["problem"]
            await person(ada, "Ada")
            entered = await ada.post(enter, {}, 200)
            assert entered["me"] == {"name": "Ada", "entrant": 2, "table": None}
            assert "already" in (await ada.post(enter, {}, 409))["problem"]
            await act(server, created["id"], "start")
            assert "already started" in (await ada.post(enter, {}, 409))["problem"]
            last = ""
            for _ in range(3):
                table = await my_table(ada, created["id"], last)
                last = table["id"]
                assert table["tournament"] == {"title": created["title"], "link": f"/tournaments/{created['id']}"}
                assert not table["coach"]
                assert [each["id"] for each in (await ada.get("/api/me/tables"))["tables"]] == [last]
                async with Spectator(server.url, last) as spectator:
                    over, watched = await asyncio.gather(play_mine(ada, table), spectator.until("over"))
                assert over["outcome"] == watched["outcome"]
                assert over["game_id"] == last
            shown = await until(ada, created["id"])
            await server.finished(last)
            mine = await ada.get("/api/me")
            assert [(game["replay"], game["rated"]) for game in mine["games"]] == [(True, False)] * 3
            return shown

    over = run(play())
    assert {row["name"]: row["forfeits"] for row in over["rows"]} == {"Ada": {}, "random": {}, "zero": {}}
    check_records(tmp_path / STORE, over["number"])


def test_person_can_leave_before_the_start(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / STORE) as server, device(server) as ada:
            created = await create(server, people=True, games=3)
            await person(ada, "Ada")
            await ada.post(f"/api/tournaments/{created['id']}/enter", {}, 200)
            left = await ada.post(f"/api/tournaments/{created['id']}/leave", {}, 200)
            assert [each["name"] for each in left["entrants"]] == ["random", "zero"]
            await ada.post(f"/api/tournaments/{created['id']}/leave", {}, 409)

    run(play())


def test_absent_person_forfeits_and_is_withdrawn(tmp_path: Path) -> None:
    limits = HouseLimits(tournament_seconds=0.2)

    async def play() -> Message:
        async with served(tmp_path / STORE, limits) as server, device(server) as ada:
            created = await create(server, people=True, games=6)
            await person(ada, "Ada")
            await ada.post(f"/api/tournaments/{created['id']}/enter", {}, 200)
            await act(server, created["id"], "start")
            return await until(server, created["id"])

    over = run(play())
    forfeits = {row["name"]: row["forfeits"] for row in over["rows"]}
    assert forfeits == {"Ada": {"disconnected": 2, "withdrawn": 4}, "random": {}, "zero": {}}
    check_records(tmp_path / STORE, over["number"])


def test_program_joins_with_the_id_and_plays_all_games_over_one_connection(tmp_path: Path) -> None:
    async def play() -> Message:
        async with served(tmp_path / STORE) as server:
            created = await create(server, programs=True, games=6)
            port = int(server.url.rpartition(":")[2])
            mine = await JsonClient.sign_up(port, "Mine", PLAYERS["porrinha"], code=created["id"])
            await entered(server, created["id"], lambda count: count >= 3)
            await act(server, created["id"], "start")
            _, over = await asyncio.gather(mine.play(), until(server, created["id"]))
            assert [message["type"] for message in mine.received].count("result") == 6
            assert mine.received[-1] == {"type": "bye", "reason": "the tournament is over"}
            return over

    over = run(play())
    assert {row["name"]: row["forfeits"] for row in over["rows"]} == {"Mine": {}, "random": {}, "zero": {}}
    check_records(tmp_path / STORE, over["number"])


def test_program_is_refused_where_none_can_enter(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / STORE) as server:
            created = await create(server)
            client = await JsonClient.connect(int(server.url.rpartition(":")[2]))
            await client.send_message(type="hello", protocol=1, name="Mine", code=created["id"])
            bye = await client.message()
            assert bye is not None
            assert bye["reason"] == "No program can enter this tournament."
            await client.close()

    run(play())


def test_running_tournament_continues_after_the_house_was_killed(tmp_path: Path) -> None:
    async def play() -> Message:
        store = tmp_path / STORE
        async with process(store, "--operator-token", OPERATOR) as (server, running):
            created = await create(server, games=6, people=True)
            key = await person(server, "Ada")
            await server.post(f"/api/tournaments/{created['id']}/enter", {}, 200)
            await act(server, created["id"], "start")
            table = await my_table(server, created["id"])
            await play_mine(server, table)
            await my_table(server, created["id"], table["id"])
            os.kill(running.pid, signal.SIGKILL)
            await running.wait()
        async with process(store, "--operator-token", OPERATOR) as (server, _):
            await server.post("/api/me/open", {"key": key}, 200)
            shown = await until(server, created["id"], "running")
            assert shown["played"] >= 1
            last = ""
            while shown["state"] == "running":
                if shown["me"]["table"] is not None and shown["me"]["table"]["id"] != last:
                    last = shown["me"]["table"]["id"]
                    assert (await play_mine(server, shown["me"]["table"]))["type"] == "over"
                shown = await server.get(f"/api/tournaments/{created['id']}")
            return shown

    over = run(play())
    assert (over["state"], over["played"]) == ("over", over["planned"])
    assert all(row["forfeits"] == {} for row in over["rows"])
    check_records(tmp_path / STORE, over["number"])


def test_interrupted_tournament_keeps_its_results_and_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = page_tournaments.PageTournament._seat
    failures = [True]

    async def fail_once(self: Any, planned: Any) -> Any:
        if planned.number >= 3 and failures:
            raise OperationError("the disk is full")
        return await real(self, planned)

    monkeypatch.setattr(page_tournaments.PageTournament, "_seat", fail_once)

    async def play() -> Message:
        async with served(tmp_path / STORE) as server:
            created = await create(server, games=6)
            await act(server, created["id"], "start")
            shown = await until(server, created["id"], "interrupted")
            assert shown["reason"] == "The disk is full."
            failures.clear()
            await act(server, created["id"], "continue")
            return await until(server, created["id"])

    over = run(play())
    assert over["played"] == 6
    check_records(tmp_path / STORE, over["number"])


def test_cancelled_tournament_keeps_its_games_and_frees_its_tables(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / STORE) as server:
            created = await create(server, games=20, pace=0.05)
            await act(server, created["id"], "start")
            await first_game_played(server, created["id"])
            cancelled = await act(server, created["id"], "cancel")
            assert cancelled["state"] == "cancelled"
            assert cancelled["running"] == []
            assert cancelled["rows"]
            for action in ("start", "cancel"):
                refused = await act(server, created["id"], action, status=409)
                assert refused["problem"] == "This tournament has ended."
            assert server.lobby is not None
            assert all(table.state == "over" for table in server.lobby.tables.values())

    run(play())


def test_deleted_person_becomes_someone_in_standings_and_records(tmp_path: Path) -> None:
    async def play() -> Message:
        async with served(tmp_path / STORE) as server, device(server) as ada:
            created = await create(server, people=True, games=3)
            await person(ada, "Ada Lovelace")
            await ada.post(f"/api/tournaments/{created['id']}/enter", {}, 200)
            await act(server, created["id"], "start")
            last = ""
            for _ in range(3):
                table = await my_table(ada, created["id"], last)
                last = table["id"]
                await play_mine(ada, table)
            await until(server, created["id"])
            await ada.get_until("/api/me", lambda me: bool(me["games"]))
            await ada.post("/api/me/delete", {}, 200)
            return await until(server, created["id"])

    over = run(play())
    assert SOMEONE in [entrant["name"] for entrant in over["entrants"]]
    check_records(tmp_path / STORE, over["number"])
    opened = TableStore(tmp_path / STORE)
    try:
        assert SOMEONE in opened.tournament(over["number"]).settings.names
        assert all(b"Lovelace" not in opened.record(over["number"], series, 0) for series in range(3))
        assert "Lovelace" not in str([saved.plan for saved in opened.adopt_tables()])
    finally:
        opened.close()


def test_person_who_is_deleted_before_their_first_game_ends_becomes_someone(tmp_path: Path) -> None:
    async def play() -> Message:
        async with served(tmp_path / STORE) as server, device(server) as ada:
            created = await create(server, people=True, bots=["random"], games=1)
            await person(ada, "Ada Lovelace")
            await ada.post(f"/api/tournaments/{created['id']}/enter", {}, 200)
            await act(server, created["id"], "start")
            table = await my_table(ada, created["id"])
            taken = await ada.post(f"/api/tables/{table['id']}/seat", {}, 200)
            opened = Opened(ada, {"table": table, "token": taken["token"], "invitations": []})
            async with opened.seat() as seat:
                await seat.until("game")
                await ada.post("/api/me/delete", {}, 200)
                return await act(server, created["id"], "cancel")

    cancelled = run(play())
    assert [entrant["name"] for entrant in cancelled["entrants"]] == ["random", SOMEONE]
    opened = TableStore(tmp_path / STORE)
    try:
        assert opened.tournament(cancelled["number"]).settings.names == ("random", SOMEONE)
    finally:
        opened.close()


def test_deleted_person_forfeits_the_games_left_at_once(tmp_path: Path) -> None:
    limits = HouseLimits(tournament_seconds=3600)

    async def play() -> Message:
        async with served(tmp_path / STORE, limits) as server, device(server) as ada:
            created = await create(server, people=True, games=6)
            await person(ada, "Ada Lovelace")
            await ada.post(f"/api/tournaments/{created['id']}/enter", {}, 200)
            await act(server, created["id"], "start")
            await my_table(ada, created["id"])
            await ada.post("/api/me/delete", {}, 200)
            return await until(server, created["id"])

    over = run(play())
    forfeits = {row["name"]: row["forfeits"] for row in over["rows"]}
    assert forfeits == {SOMEONE: {"left": 2, "withdrawn": 4}, "random": {}, "zero": {}}
    check_records(tmp_path / STORE, over["number"])
    opened = TableStore(tmp_path / STORE)
    try:
        assert all(b"Lovelace" not in opened.record(over["number"], series, 0) for series in range(6))
    finally:
        opened.close()
    with contextlib.closing(sqlite3.connect(tmp_path / STORE)) as store:
        assert not [line for line in store.iterdump() if "Lovelace" in line]


def test_table_of_a_finished_game_leads_to_its_replay(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / STORE) as server:
            created = await create(server, games=2)
            await act(server, created["id"], "start")
            over = await until(server, created["id"])
            assert server.lobby is not None
            id = over["finished"][0]["game_id"]
            server.lobby.tables.pop(id, None)
            async with Spectator(server.url, id) as late:
                bye = await late.until("bye")
            assert bye["game_id"] == id

    run(play())


@pytest.mark.parametrize("kind", ["table", "replay", "standings", "tournaments"])
def test_page_of_an_unknown_thing_has_status_404(tmp_path: Path, kind: str) -> None:
    async def look() -> None:
        async with served(tmp_path / STORE) as server:
            for id in ("zzz", "9", "9-9-9", "%E0%A4%A", "%00"):
                answer = await server.http.get(f"/{kind}/{id}")
                assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
                assert f'src="/static/js/{kind}.js"' in answer.text

    run(look())


def test_pages_of_an_ended_tournament_and_its_games_have_status_200(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / STORE) as server:
            created = await create(server, games=2)
            await act(server, created["id"], "start")
            over = await until(server, created["id"])
            game = over["finished"][0]["game_id"]
            assert server.lobby is not None
            server.lobby.tables.pop(game, None)
            known = (f"/table/{game}", f"/replay/{game}", f"/standings/{over['number']}", over["link"])
            assert [(await server.http.get(path)).status_code for path in known] == [200] * 4

    run(play())


def test_tournament_continues_after_the_house_was_stopped(tmp_path: Path) -> None:
    async def play() -> Message:
        async with served(tmp_path / STORE) as server:
            created = await create(server, games=12, pace=0.02)
            await act(server, created["id"], "start")
            await first_game_played(server, created["id"])
        async with served(tmp_path / STORE) as server:
            assert any("continues" in line for line in server.log)
            return await until(server, created["id"])

    over = run(play())
    assert over["played"] == over["planned"] == 12
    check_records(tmp_path / STORE, over["number"])


def test_second_start_is_refused(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / STORE) as server:
            id = (await create(server))["id"]
            start = [server.http.post(f"/api/tournaments/{id}/start", json={"token": OPERATOR}) for _ in range(2)]
            assert sorted(answer.status_code for answer in await asyncio.gather(*start)) == [200, 409]
            assert (await until(server, id))["played"] == 4

    run(play())


def test_operator_bans_a_person_before_the_start(tmp_path: Path) -> None:
    (tmp_path / "bans").write_text("")

    async def play() -> None:
        admission = Admission(bans=BanList(tmp_path / "bans"))
        async with served(tmp_path / STORE, admission=admission) as server, device(server) as eve:
            created = await create(server, people=True)
            await person(eve, "Eve")
            await eve.post(f"/api/tournaments/{created['id']}/enter", {}, 200)
            (tmp_path / "bans").write_text("EVE")
            await entered(server, created["id"], lambda count: count <= 2)
            assert "banned" in (await eve.post(f"/api/tournaments/{created['id']}/enter", {}, 409))["problem"]

    run(play())


def test_command_leaves_a_tournament_with_people_to_the_page() -> None:
    plan = plan_tournament(NewTournament(game="porrinha", bots=("random",), people=True))
    plan.entrants.append(TableSeat("person", "Ada"))
    with pytest.raises(UsageError, match="Continue it on its page"):
        check_players(settings_of(plan, Isolation()))


@pytest.mark.slow
def test_join_plays_a_tournament_even_if_the_house_is_killed(tmp_path: Path) -> None:
    async def play() -> Message:
        store = tmp_path / STORE
        async with process(store, "--operator-token", OPERATOR) as (server, running):
            created = await create(server, games=9, programs=True, pace=0.02)
            port = server.url.rpartition(":")[2]
            words = ["join", f"127.0.0.1:{port}/{created['id']}", "zero", "--name", "Mine"]
            joining = await asyncio.create_subprocess_exec(preloaded_command(), *words, stderr=asyncio.subprocess.PIPE)
            await entered(server, created["id"], lambda count: count >= 3)
            await act(server, created["id"], "start")
            await first_game_played(server, created["id"])
            os.kill(running.pid, signal.SIGKILL)
            await running.wait()
        async with process(store, "--operator-token", OPERATOR, "--port", port) as (server, _):
            over = await until(server, created["id"])
            _, log = await joining.communicate()
        assert joining.returncode == 0, log.decode()
        # The result of one game can be lost with the killed process after the game was stored.
        assert over["played"] - log.decode().count("the game is over") in (0, 1)
        assert "the host said goodbye: the tournament is over" in log.decode()
        return over

    over = run(play())
    assert {row["name"]: row["forfeits"] for row in over["rows"]} == {"Mine": {}, "random": {}, "zero": {}}
    check_records(tmp_path / STORE, over["number"])
