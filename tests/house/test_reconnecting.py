"""Closed pages and reconnections, second windows, players who leave, spectators, rematches."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.house.serving import Message, Seat, run, served
from wateringhole.game import Outcome
from wateringhole.house.limits import HouseLimits
from wateringhole.house.page_tables import PageTable
from wateringhole.match.record import Record, read_record


def _numbers(seat: Seat) -> list[int]:
    return [message["number"] for message in seat.of_type("event")]


def test_reconnected_page_gets_missed_events_once(tmp_path: Path) -> None:
    async def leave_and_return() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "silly", "random")
            async with table.seat(heard=0) as before:
                request = await before.play(lambda message: message["type"] == "request" and message["id"] > 1)
                await before.answer(request)
            heard = _numbers(before)[-1]
            async with table.seat(heard=heard) as after:
                hello = await after.next()
                assert hello == {
                    "type": "hello",
                    "protocol": 1,
                    "game": "evolution",
                    "seat": 0,
                    "resumed": heard,
                }
                assert (await after.play())["type"] == "over"
            assert _numbers(before) + _numbers(after) == list(range(1, _numbers(after)[-1] + 1))

    run(leave_and_return())


def test_new_page_starts_at_the_open_request(tmp_path: Path) -> None:
    async def leave_and_return() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "silly", "random", seed=7)
            async with table.seat() as before:
                request = await before.play(lambda message: message.get("request") == "feed" and message["id"] > 4)
                # The game may have begun before this page was open.
                entries = [*before.of_type("game")[0]["log"], *before.of_type("event")[:-1]]
                texts = [line for entry in entries for line in entry["text"]]
            async with table.seat() as after:
                again = await after.until("request")
                assert again.pop("seconds") < request.pop("seconds") <= 1800
                assert again == request
                (hello,), (game,), (event,) = map(after.of_type, ("hello", "game", "event"))
                assert hello["resumed"] is None
                assert event["number"] == _numbers(before)[-1]
                assert event["scene"] == request["scene"]
                assert [line for entry in game["log"] for line in entry["text"]] == texts
                await after.answer(again)
                assert (await after.play())["type"] == "over"

    run(leave_and_return())


@pytest.mark.parametrize("heard", [-1, 10**6])
def test_impossible_event_number_starts_over(tmp_path: Path, heard: int) -> None:
    async def connect() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.seat(heard=heard) as seat:
                await seat.until("request")
                assert seat.of_type("hello")[0]["resumed"] is None

    run(connect())


def test_second_window_takes_the_seat_from_the_first(tmp_path: Path) -> None:
    async def open_twice() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.seat() as first:
                request = await first.until("request")
                async with table.seat() as second:
                    assert (await second.until("request"))["id"] == request["id"]
                    bye = await first.closed()
                    assert (bye["type"], bye["final"]) == ("bye", True)
                    await second.answer(request)
                    await second.until("request", request="guess")

    run(open_twice())


def test_others_see_when_a_player_disconnects_and_reconnects(tmp_path: Path) -> None:
    async def leave_and_return() -> None:
        def ada(message: Message) -> Message:
            seat: Message = message["table"]["seats"][0]
            return seat

        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.spectator() as spectator:
                async with table.seat() as seat:
                    await seat.until("request")
                    while not ada(await spectator.until("table"))["here"]:
                        pass
                while ada(update := await spectator.until("table"))["here"]:
                    pass
                # Seconds left to reconnect, which a page can count down.
                assert type(ada(update)["away"]) is int
                assert 0 < ada(update)["away"] <= 1800
                async with table.seat():
                    while not ada(update := await spectator.until("table"))["here"]:
                        pass
                    assert ada(update)["away"] is None

    run(leave_and_return())


def test_leaving_forfeits_and_the_game_continues(tmp_path: Path) -> None:
    async def leave() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "silly", "random", "greedy")
            async with table.seat() as seat:
                await seat.until("request")
                await seat.send({"type": "leave"})
                thrown = await seat.until("thrown_out")
                assert thrown["reason"] == "left"
                over = await seat.until("over")
            assert [line["seat"] for line in over["standings"]][-1] == 0
            record = read_record(await server.finished(table.id))
            assert [thrown.forfeit.reason for thrown in _outcome(record).thrown_out] == ["left"]

    run(leave())


def test_leaving_while_bots_are_made_forfeits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def leave() -> None:
        may_be_made = asyncio.Event()
        make_bots = PageTable._make_bots

        async def make_later(table: PageTable) -> Any:
            await may_be_made.wait()
            return await make_bots(table)

        monkeypatch.setattr(PageTable, "_make_bots", make_later)
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "silly", "random", "greedy")
            async with table.seat() as seat, table.spectator() as spectator:
                await seat.until("table")
                await seat.send({"type": "leave"})
                while (await spectator.until("table"))["table"]["seats"][0]["out"] is None:
                    pass
                may_be_made.set()
                assert (await seat.until("thrown_out"))["reason"] == "left"

    run(leave())


def test_absent_player_is_thrown_out_and_the_game_ends(tmp_path: Path) -> None:
    async def stay_away() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(reconnect_seconds=0.05)) as server:
            table = await server.table("evolution", "me", "silly", "random")
            record = read_record(await server.finished(table.id))
            assert [thrown.forfeit.reason for thrown in _outcome(record).thrown_out] == ["disconnected"]

    run(stay_away())


@pytest.mark.parametrize(
    ("seats", "limits", "most"),
    [
        (["me", "zero"], HouseLimits(), 1800),
        (["me", "friend"], HouseLimits(), 300),
        (["me", "zero"], HouseLimits(reconnect_seconds=40), 40),
        (["me", "friend"], HouseLimits(reconnect_seconds=40000), 40000),
    ],
)
def test_reconnect_time_is_shorter_if_other_humans_wait(
    tmp_path: Path, seats: list[str], limits: HouseLimits, most: int
) -> None:
    async def stay_away() -> None:
        async with served(tmp_path / "s.sqlite", limits) as server:
            table = await server.table("porrinha", *seats)
            for invitation in table.invitations:
                await table.take_seat(invitation, "Bea")
            async with table.spectator() as spectator:
                await spectator.until("waiting")
            left = (await server.get(f"/api/tables/{table.id}"))["seats"][0]["away"]
            # A busy machine may need a while to send the first request.
            assert most - 30 <= left <= most

    run(stay_away())


def test_thrown_out_player_has_no_reconnect_time(tmp_path: Path) -> None:
    async def stay_away() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(reconnect_seconds=0.05)) as server:
            table = await server.table("porrinha", "me", "zero", "zero")
            await server.finished(table.id)
            player = (await server.get(f"/api/tables/{table.id}"))["seats"][0]
            assert (player["out"], player["away"]) == ("was away for more than 0.05 seconds", None)

    run(stay_away())


def test_human_time_limit_is_finite_by_default() -> None:
    assert HouseLimits().human_time_limit == 1800


def test_late_human_is_thrown_out(tmp_path: Path) -> None:
    async def think() -> None:
        # On a busy machine, the player may need a while to connect.
        async with served(tmp_path / "s.sqlite", HouseLimits(human_time_limit=2.0)) as server:
            table = await server.table("porrinha", "me", "zero", "zero")
            async with table.seat() as seat:
                request = await seat.until("request")
                assert 0 < request["seconds"] <= 2
                assert (await seat.until("thrown_out"))["reason"] == "late"
                assert (await seat.until("over"))["standings"][-1]["seat"] == 0

    run(think())


def test_leaving_before_the_game_frees_the_seat(tmp_path: Path) -> None:
    async def leave() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "zero")
            async with table.seat() as seat:
                await seat.until("table")
                await seat.send({"type": "leave"})
                assert (await seat.closed())["final"] is True
            assert [seat["taken"] for seat in (await server.get(f"/api/tables/{table.id}"))["seats"]] == [
                False,
                False,
                True,
            ]
            async with table.seat() as seat:
                assert "not yours" in (await seat.closed())["reason"]

    run(leave())


def test_private_table_closes_if_a_free_seat_has_no_invitation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.house.lobby.CLEAN_UP_SECONDS", 0.02)

    async def leave() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend", public=False)
            token = await table.take_seat(table.invitations[0], "Bea")
            async with table.seat() as ada, table.seat(token) as bea:
                await asyncio.gather(ada.until("table"), bea.until("table"))
                await ada.send({"type": "leave"})
                assert (await bea.closed())["reason"] == "The player who set up this table has left, so it was closed."
            answer = await server.http.get(f"/api/tables/{table.id}")
            assert answer.status_code == 404
            # The invitation of a friend who leaves can be used again.
            table = await server.table("porrinha", "me", "friend", "friend", public=False)
            token = await table.take_seat(table.invitations[0], "Bea")
            async with table.seat(token) as bea:
                await bea.until("table")
                await bea.send({"type": "leave"})
                await bea.closed()
            # A clean-up that begins now leaves the table open.
            assert server.lobby is not None
            await server.lobby._close_abandoned()
            await table.take_seat(table.invitations[0], "Cyd")

    run(leave())


def test_table_of_bots_begins_with_its_first_spectator(tmp_path: Path) -> None:
    async def watch() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "silly", "random", "greedy")
            assert table.table["state"] == "waiting"
            async with table.spectator() as spectator:
                await spectator.until("over")
                numbers = [event["number"] for event in spectator.of_type("event")]
                assert numbers == list(range(1, numbers[-1] + 1))
                assert spectator.of_type("hello")[0]["seat"] is None
                assert spectator.of_type("request") == []

    run(watch())


def test_spectator_cannot_play(tmp_path: Path) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.seat() as seat, table.spectator() as spectator:
                request = await seat.until("request")
                await spectator.until("waiting")
                for message in ({"type": "answer", "id": request["id"], "answer": 1}, {"type": "leave"}):
                    await spectator.send(message)
                await seat.answer(request)
                await seat.until("request", request="guess")
                assert spectator.of_type("refused") == []

    run(attempt())


def test_players_who_ask_for_a_rematch_meet_at_the_same_new_table(tmp_path: Path) -> None:
    async def play_twice() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", options={"sticks": 1})
            token = await table.take_seat(table.invitations[0], "Bea")
            async with table.seat() as ada, table.seat(token) as bea:
                await asyncio.gather(ada.play(), bea.play())
                rematch = f"/api/tables/{table.id}/rematch"
                for wrong in ("", "x" * 32):
                    problem = await server.post(rematch, {"token": wrong}, 409)
                    assert "Only players of this table" in problem["problem"]
                first = await server.post(rematch, {"token": table.token})
                offer = await bea.until("rematch")
                assert offer == {"type": "rematch", "by": "Ada", "link": first["table"]["link"]}
                second = await server.post(rematch, {"token": token})
                # A second request of the same player returns the same seat.
                third = await server.post(rematch, {"token": token})
            assert third["token"] == second["token"]
            assert second["table"]["id"] == first["table"]["id"] != table.id
            assert [seat["name"] for seat in second["table"]["seats"]] == ["Ada", "Bea"]
            assert second["table"]["state"] == "playing"

    run(play_twice())


def _outcome(record: Record) -> Outcome:
    replay = record.replay()
    for _ in replay.events():
        pass
    assert replay.game.outcome is not None
    return replay.game.outcome
